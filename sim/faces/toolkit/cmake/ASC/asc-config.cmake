# find_package(ASC): the language ASC, in which the toolkit's bisheng compiles kernels and the host
# functions beside them, and libraries of it.
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")

# A library of kernels: ascendc_library(NAME SHARED|STATIC|OBJECT SOURCES...). Its sources are ASC, as
# those that end in .asc are anyway.
function(ascendc_library name kind)
  add_library(${name} ${kind} ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ASC)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE ASC POSITION_INDEPENDENT_CODE ON)
endfunction()

function(ascendc_compile_definitions name)
  target_compile_definitions(${name} ${ARGN})
endfunction()

function(ascendc_compile_options name)
  target_compile_options(${name} ${ARGN})
endfunction()

function(ascendc_include_directories name)
  target_include_directories(${name} ${ARGN})
endfunction()

include("${CMAKE_CURRENT_LIST_DIR}/operators.cmake")
