// Chip files.
#include "sim/machine/model/chip_model.h"
#include "tests/fuzz/target.h"

void ptosim::fuzz::read(std::string_view input) { load_chip(file_with(input), {}); }
