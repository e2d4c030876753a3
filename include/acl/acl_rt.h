#include "acl/acl.h"
