// Another path of base/log_types.h.
#pragma once

#include "base/log_types.h"
