// An older interface of the log.
#pragma once

#include "dlog_pub.h"

#define DLOG_TYPE_DEBUG 0
#define DLOG_TYPE_RUN 1
#define DLOG_EVENT 16
#define MSG_LENGTH 1024

inline int32_t AlogCheckDebugLevel(uint32_t module, int32_t level) { return CheckLogLevel(static_cast<int32_t>(module), level); }
#define AlogRecord(module, type, level, ...) DlogRecord(static_cast<int32_t>(module), level, __VA_ARGS__)
