# Projects of operators: host sources with definitions and tilings, sources of kernels, a package of
# their two-phase calls. The calls compile the variants of kernels when a program makes them, so
# libraries of kernels have no rules here. `ptosim op --project` does the work (docs/toolkit.md).

set(ASCEND_AUTOGEN_PATH ${CMAKE_BINARY_DIR}/autogen CACHE PATH "Where sources of calls are written")
get_filename_component(PTOSIM_TOOLKIT_HOME "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# The lines of the project's description, which calls find their operators by.
function(_ptosim_describe)
  set_property(GLOBAL APPEND PROPERTY PTOSIM_PROJECT_LINES ${ARGN})
  get_property(lines GLOBAL PROPERTY PTOSIM_PROJECT_LINES)
  list(JOIN lines "\n" text)
  file(WRITE ${CMAKE_BINARY_DIR}/operators.ptosim.new "root ${CMAKE_SOURCE_DIR}\n${text}\n")
  file(COPY_FILE ${CMAKE_BINARY_DIR}/operators.ptosim.new ${CMAKE_BINARY_DIR}/operators.ptosim ONLY_IF_DIFFERENT)
endfunction()

function(_ptosim_project)
  execute_process(COMMAND ${PTOSIM_TOOLKIT_HOME}/bin/ptosim-op --project ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "ptosim op --project ${ARGN} failed")
  endif()
endfunction()

# npu_op_code_gen(SRC SOURCES... PACKAGE NAME OUT_DIR DIR): headers and sources of calls.
function(npu_op_code_gen)
  cmake_parse_arguments(GEN "" "PACKAGE;OUT_DIR" "SRC;OPTIONS" ${ARGN})
  set(lines)
  foreach(source ${GEN_SRC})
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND lines "source ${source}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  endforeach()
  _ptosim_describe(${lines})
  _ptosim_project(generate ${CMAKE_BINARY_DIR}/operators.ptosim ${GEN_OUT_DIR})
  set_property(GLOBAL PROPERTY PTOSIM_AUTOGEN_${GEN_PACKAGE} ${GEN_OUT_DIR})
  set_property(GLOBAL PROPERTY PTOSIM_AUTOGEN ${GEN_OUT_DIR})
endfunction()

# npu_op_library(NAME TILING|ACLNN|GRAPH SOURCES...). Libraries of plugins for frameworks are not made.
function(npu_op_library name kind)
  if(kind STREQUAL "TYPE")
    set(kind ${ARGV2})
    list(REMOVE_AT ARGN 0)
  endif()
  if(NOT kind MATCHES "^(TILING|ACLNN|GRAPH)$")
    message(STATUS "${name}: plugins for frameworks are not made")
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
    set_property(GLOBAL PROPERTY PTOSIM_SKIPPED_${name} ON)
    return()
  endif()
  get_property(autogen GLOBAL PROPERTY PTOSIM_AUTOGEN)
  include(${autogen}/hosts.cmake)
  add_library(${name} SHARED ${ARGN})
  set_property(GLOBAL PROPERTY PTOSIM_KIND_${name} ${kind})
  target_include_directories(${name} PRIVATE ${autogen} ${PTOSIM_TOOLKIT_HOME}/include)
  if(NOT kind STREQUAL "ACLNN")
    target_include_directories(${name} PRIVATE ${PTOSIM_HOST_INCLUDES})
    target_compile_options(${name} PRIVATE ${PTOSIM_HOST_OPTIONS})
  else()
    target_link_directories(${name} PRIVATE ${PTOSIM_TOOLKIT_HOME}/lib64)
    target_link_libraries(${name} PRIVATE nnopbase ascendcl)
  endif()
endfunction()

# npu_op_kernel_sources(NAME [OP_TYPE TYPE KERNEL_FILE FILE] [KERNEL_DIR DIR]): relative to SRC_BASE.
function(npu_op_kernel_sources name)
  cmake_parse_arguments(KERNEL "" "KERNEL_FILE;KERNEL_DIR;OP_TYPE" "COMPUTE_UNIT" ${ARGN})
  if(KERNEL_OP_TYPE)
    _ptosim_describe("kernel ${KERNEL_OP_TYPE} ${KERNEL_KERNEL_DIR}/${KERNEL_KERNEL_FILE}")
  endif()
endfunction()

function(npu_op_kernel_options name type)
  cmake_parse_arguments(KERNEL "" "" "COMPUTE_UNIT;OPTIONS" ${ARGN})
  foreach(option ${KERNEL_OPTIONS})
    _ptosim_describe("option ${type} ${option}")
  endforeach()
endfunction()

function(npu_op_kernel_library name)
  cmake_parse_arguments(KERNEL "" "SRC_BASE;TILING_LIBRARY" "" ${ARGN})
  get_filename_component(base ${KERNEL_SRC_BASE} ABSOLUTE)
  _ptosim_describe("base ${base}")
  set_property(GLOBAL PROPERTY PTOSIM_SKIPPED_${name} ON)
endfunction()

function(npu_op_device_tiling_library name kind)
  message(STATUS "${name}: tilings run on the host")
  set_property(GLOBAL PROPERTY PTOSIM_SKIPPED_${name} ON)
endfunction()

# npu_op_package(NAME TYPE RUN|SHARED|STATIC [CONFIG KEY VALUE...]): an installer custom_opp_*.run, or a
# package that find_package(NAME) finds below the prefix.
function(npu_op_package name)
  cmake_parse_arguments(PACKAGE "" "TYPE" "CONFIG" ${ARGN})
  set(folder ${CMAKE_BINARY_DIR})
  set(vendor ${name})
  set(installer custom_opp_linux_${CMAKE_SYSTEM_PROCESSOR}.run)
  while(PACKAGE_CONFIG)
    list(POP_FRONT PACKAGE_CONFIG key value)
    if(key STREQUAL "INSTALL_PATH")
      set(folder ${value})
    elseif(key STREQUAL "VENDOR_NAME")
      set(vendor ${value})
    elseif(key STREQUAL "ENABLE_DEFAULT_PACKAGE_NAME_RULE" AND NOT value)
      set(installer ${name}.run)
    endif()
  endwhile()
  if(PACKAGE_TYPE STREQUAL "RUN" AND NOT "${CMAKE_INSTALL_PREFIX}" STREQUAL "/usr/local" AND folder STREQUAL CMAKE_BINARY_DIR)
    set(folder ${CMAKE_INSTALL_PREFIX})
  endif()
  string(TOUPPER ${PACKAGE_TYPE} kind)
  set_property(GLOBAL PROPERTY PTOSIM_PACKAGE_${name} ${kind})
  set_property(GLOBAL PROPERTY PTOSIM_PREFIX_${name} ${folder})
  if(kind STREQUAL "RUN")
    add_custom_target(binary)
    add_custom_target(package
      COMMAND ${PTOSIM_TOOLKIT_HOME}/bin/ptosim-op --project package ${CMAKE_BINARY_DIR}/package ${folder}/${installer}
              ${vendor} VERBATIM)
    add_dependencies(package binary)
  endif()
endfunction()

function(_ptosim_package_library package name)
  get_property(type GLOBAL PROPERTY PTOSIM_PACKAGE_${package})
  get_property(kind GLOBAL PROPERTY PTOSIM_KIND_${name})
  get_property(autogen GLOBAL PROPERTY PTOSIM_AUTOGEN_${package})
  if(type STREQUAL "RUN")
    set(at ${CMAKE_BINARY_DIR}/package/${kind})
    add_custom_target(${package}_${name}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${at}
      COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${name}> ${at}
      COMMAND ${CMAKE_COMMAND} -E copy_directory ${autogen} ${CMAKE_BINARY_DIR}/package/autogen
      DEPENDS ${name})
    add_dependencies(binary ${package}_${name})
    return()
  endif()
  get_property(prefix GLOBAL PROPERTY PTOSIM_PREFIX_${package})
  install(TARGETS ${name} LIBRARY DESTINATION ${prefix}/lib)
  if(kind STREQUAL "ACLNN")
    install(DIRECTORY ${autogen}/ DESTINATION ${prefix}/include FILES_MATCHING PATTERN "aclnn_*.h")
    file(WRITE ${CMAKE_BINARY_DIR}/${package}-config.cmake
      "add_library(${package}::${package} SHARED IMPORTED)\n"
      "get_filename_component(_prefix \"\${CMAKE_CURRENT_LIST_DIR}/../../..\" ABSOLUTE)\n"
      "set_target_properties(${package}::${package} PROPERTIES\n"
      "  IMPORTED_LOCATION \"\${_prefix}/lib/$<TARGET_FILE_NAME:${name}>\"\n"
      "  INTERFACE_INCLUDE_DIRECTORIES \"\${_prefix}/include;${PTOSIM_TOOLKIT_HOME}/include\"\n"
      "  INTERFACE_LINK_DIRECTORIES \"${PTOSIM_TOOLKIT_HOME}/lib64\")\n")
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/config/${package}-config.cmake INPUT ${CMAKE_BINARY_DIR}/${package}-config.cmake)
    install(FILES ${CMAKE_BINARY_DIR}/config/${package}-config.cmake DESTINATION ${prefix}/lib/cmake/${package})
  endif()
endfunction()

# npu_op_package_add(NAME LIBRARY TARGETS... | FILES FILES...)
function(npu_op_package_add package)
  cmake_parse_arguments(ADD "" "TYPE;PACKAGE_PATH" "LIBRARY;FILES" ${ARGN})
  foreach(name ${ADD_LIBRARY})
    get_property(skipped GLOBAL PROPERTY PTOSIM_SKIPPED_${name})
    if(NOT skipped)
      _ptosim_package_library(${package} ${name})
    endif()
  endforeach()
  if(ADD_FILES)
    file(COPY ${ADD_FILES} DESTINATION ${CMAKE_BINARY_DIR}/package/${ADD_PACKAGE_PATH})
  endif()
endfunction()
