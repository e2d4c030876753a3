// Which chip generation and which core a translation unit is compiled for.
#pragma once

#include "cce/arch.hpp"
