// The header of metadef, at its path in installed toolkits.
#pragma once

#include "ge_common/ge_api_types.h"
