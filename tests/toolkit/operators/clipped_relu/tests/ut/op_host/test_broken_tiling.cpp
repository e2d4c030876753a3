// A source that cannot be compiled: it is left out.
#include "no_such_header.h"
