#pragma once
#include "runtime/rt.h"
