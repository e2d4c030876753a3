// The chip generation and the core type that a translation unit is compiled for.
#pragma once

#include "cce/arch.hpp"
