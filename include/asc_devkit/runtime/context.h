// Contexts and options, as hosts of operators include them.
#pragma once

#include "acl/acl.h"
