// An older name of the log.
#pragma once

#include "dlog_pub.h"
