// Kernels whose objects are linked apart: what bisheng --cce-aicore-only makes and the device's linker takes. Each
// object has the code of one core type and a mark (kDeviceObjectSection); a binary has an image for each core type.
#pragma once

#include <string>
#include <vector>

namespace ptosim {

// Joins objects into one. Throws DiagnosticError: H02 if the linker fails or an object is of no kernel.
void join_device_objects(const std::vector<std::string>& objects, const std::string& output);

// Links objects into a binary with their images. Throws as join_device_objects().
void link_device_binary(const std::vector<std::string>& objects, const std::string& output);

// Throws DiagnosticError (H02) if a library of kernels uses a symbol that neither the simulator nor the C++ library
// has: kernels are loaded lazily. `origin` names them.
void check_kernel_symbols(const std::string& origin, const std::string& library);

}  // namespace ptosim
