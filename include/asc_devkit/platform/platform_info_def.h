// An older name of the header of figures.
#pragma once

#include "platform/platform_info.h"
