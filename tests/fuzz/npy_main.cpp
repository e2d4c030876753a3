// Arrays in .npy files.
#include "sim/files/npy.h"
#include "tests/fuzz/target.h"

void ptosim::fuzz::read(std::string_view input) { read_npy(file_with(input)); }
