# find_package(ptosim) gives ptosim::ptosim: libptosim and <ptosim/ptosim.hpp>. The prefix may be
# moved.
get_filename_component(PTOSIM_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET ptosim::ptosim)
    add_library(ptosim::ptosim SHARED IMPORTED)
    set_target_properties(ptosim::ptosim PROPERTIES
                          IMPORTED_LOCATION "${PTOSIM_PREFIX}/lib/libptosim.so"
                          INTERFACE_INCLUDE_DIRECTORIES "${PTOSIM_PREFIX}/include")
endif()
set(ptosim_FOUND TRUE)
