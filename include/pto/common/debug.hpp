#pragma once
#include "pto/common/debug.h"
