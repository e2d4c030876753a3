// The older interface of the log, by another path.
#pragma once

#include "../alog_pub.h"
