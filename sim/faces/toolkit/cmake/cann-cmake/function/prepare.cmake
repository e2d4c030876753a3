# Commands of CANN's common CMake code, by which PyPTO's checkout (cann/pypto) finds the toolkit's headers and
# libraries. It reads this file where PYPTO_THIRD_PARTY_PATH is the folder share/cmake of the toolkit.
get_filename_component(CANN_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(NOT DEFINED ENV{ASCEND_HOME_PATH})
  message(FATAL_ERROR "ptosim: ASCEND_HOME_PATH is not set: source set_env.sh of the toolkit first")
endif()
set(_ptosim_toolkit "$ENV{ASCEND_HOME_PATH}")

# The adapter checks sizes of the vendor's structures against headers of the driver, dumps and profilers, which the
# toolkit does not have. Without them it answers calls of the device by stubs: programs run in its mode SIM.
function(_ptosim_leave_adapter_to_its_stubs)
  if(TARGET tile_fwk_adapter)
    set_property(TARGET tile_fwk_adapter PROPERTY COMPILE_DEFINITIONS "")
    set_property(TARGET tile_fwk_adapter PROPERTY INTERFACE_COMPILE_DEFINITIONS "")
  endif()
endfunction()

macro(init_cann_project)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  cmake_language(DEFER CALL _ptosim_leave_adapter_to_its_stubs)
endmacro()

macro(add_cann_target_options)
  include("${CANN_CMAKE_DIR}/intf_pub/intf_pub_linux.cmake")
endmacro()

# Targets NAME_headers, and of securec the library c_sec.
function(find_cann_package name)
  set(known acl_rt ascend_dump ascend_hal hcomm runtime securec)
  if(NOT name IN_LIST known)
    message(FATAL_ERROR "ptosim: find_cann_package(${name}): the toolkit has ${known}")
  endif()
  if(TARGET ${name}_headers)
    return()
  endif()
  add_library(${name}_headers INTERFACE)
  target_include_directories(${name}_headers INTERFACE "${_ptosim_toolkit}/include" "${_ptosim_toolkit}/pkg_inc")
  if(name STREQUAL "securec")
    add_library(c_sec_headers INTERFACE)
    target_include_directories(c_sec_headers INTERFACE "${_ptosim_toolkit}/include")
    add_library(c_sec SHARED IMPORTED GLOBAL)
    set_target_properties(c_sec PROPERTIES IMPORTED_LOCATION "${_ptosim_toolkit}/lib64/libc_sec.so"
      IMPORTED_NO_SONAME ON INTERFACE_INCLUDE_DIRECTORIES "${_ptosim_toolkit}/include")
  endif()
endfunction()

# Packages that the system has (Debian: nlohmann-json3-dev, libgtest-dev).
macro(add_cann_third_party name)
  if("${name}" STREQUAL "json")
    find_package(nlohmann_json REQUIRED)
    if(NOT TARGET json)
      add_library(json INTERFACE)
      get_target_property(_ptosim_json nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
      target_include_directories(json INTERFACE ${_ptosim_json})
    endif()
  elseif("${name}" STREQUAL "gtest")
    find_package(GTest REQUIRED)
  else()
    message(FATAL_ERROR "ptosim: add_cann_third_party(${name}): the toolkit knows json and gtest")
  endif()
endmacro()

# Servers of the AICPU are not made: they are programs for the device.
macro(add_cann_device_project)
endmacro()
