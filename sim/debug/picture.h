// A matrix of numbers as a picture.
#pragma once

#include <string>

#include "sim/debug/places.h"

namespace ptosim::debug {

// A PNG file with a square for each requested element: from blue (the least value) through white to red (the largest);
// black: not a number; a green frame: an element that the golden does not allow.
std::string picture_of(const Target& target, const Matrix& matrix);

}  // namespace ptosim::debug
