# The older way to libraries of kernels: include(ascendc.cmake), and a header aclrtlaunch_KERNEL.h for each
# kernel, whose function launches it. Kernels are compiled for the chip SOC_VERSION; what links such a library
# also finds the toolkit's headers and libraries.
get_filename_component(_ascendc_toolkit "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(ASC REQUIRED HINTS "${_ascendc_toolkit}/share/cmake/ASC" "$ENV{ASCEND_HOME_PATH}/share/cmake/ASC")
enable_language(ASC)
set(_ascendc_launcher "${CMAKE_CURRENT_LIST_DIR}/make_launcher.py")
find_program(_ascendc_python NAMES python3 python REQUIRED)
mark_as_advanced(_ascendc_python)

include(GNUInstallDirs)

function(_ascendc_make_launchers name)
  get_property(pairs GLOBAL PROPERTY PTOSIM_LAUNCHERS_${name})
  get_target_property(definitions ${name} COMPILE_DEFINITIONS)
  if(NOT definitions)
    set(definitions)
  endif()
  while(pairs)
    list(POP_FRONT pairs path launcher)
    execute_process(COMMAND "${_ascendc_python}" "${_ascendc_launcher}" "${path}" "${launcher}" ${definitions}
                    RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "${path}: its kernels cannot be read")
    endif()
  endwhile()
endfunction()

# ascendc_library(NAME SHARED|STATIC|OBJECT SOURCES...). Each source is compiled together with the functions
# that launch its kernels: out of an archive, a linker takes both or neither. As in CANN's, options of the directory do
# not reach kernels (ascendc_compile_options does), and `install` copies the library and its headers.
function(ascendc_library name kind)
  set(made "${CMAKE_CURRENT_BINARY_DIR}/${name}_launch")
  set(sources)
  foreach(source IN LISTS ARGN)
    get_filename_component(path "${source}" ABSOLUTE)
    string(MD5 key "${path}")
    get_filename_component(stem "${path}" NAME_WE)
    set(launcher "${made}/${stem}_${key}.cpp")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    list(APPEND sources "${launcher}")
    set_property(GLOBAL APPEND PROPERTY PTOSIM_LAUNCHERS_${name} "${path}" "${launcher}")
  endforeach()
  set_source_files_properties(${sources} PROPERTIES GENERATED ON)
  # After the definitions of the library, which may give kernels their names.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _ascendc_make_launchers [[${name}]])")
  add_library(${name} ${kind} ${sources})
  set_source_files_properties(${sources} PROPERTIES LANGUAGE ASC)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE ASC POSITION_INDEPENDENT_CODE ON)
  set_target_properties(${name} PROPERTIES COMPILE_OPTIONS "")
  # The compiler itself finds the toolkit's headers, after those of libraries that kernels name.
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${made}>" INTERFACE "$<BUILD_INTERFACE:${_ascendc_toolkit}/include>")
  # With the headers of a checkout, the compiler itself finds those.
  if(NOT IS_DIRECTORY "${_ascendc_toolkit}/asc")
    target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${_ascendc_toolkit}/include/ascendc>")
  endif()
  target_link_directories(${name} PUBLIC "${_ascendc_toolkit}/lib64")
  if(SOC_VERSION)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--npu-soc=${SOC_VERSION}>)
  endif()
  if(NOT kind STREQUAL "OBJECT")
    install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  install(DIRECTORY "${made}/" DESTINATION include/${name} FILES_MATCHING PATTERN "aclrtlaunch_*.h")
endfunction()
