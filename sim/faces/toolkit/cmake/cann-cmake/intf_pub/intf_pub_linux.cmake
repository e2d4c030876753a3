# The options that all of a project's targets have in common.
if(NOT TARGET intf_pub)
  add_library(intf_pub INTERFACE)
  target_compile_options(intf_pub INTERFACE -fPIC)
  target_compile_features(intf_pub INTERFACE cxx_std_17)
endif()
