// The log that hosts of CANN write to: errors go to standard error, the rest nowhere.
#pragma once

#include <cstdint>

#include "log_types.h"

#define LOG_FUNC_VISIBILITY __attribute__((visibility("default")))

#define DLOG_DEBUG 0
#define DLOG_INFO 1
#define DLOG_WARN 2
#define DLOG_ERROR 3
#define DLOG_NULL 4
#define DEBUG_LOG_MASK 0x10000
#define RUN_LOG_MASK 0x1000000

extern "C" {
// 1: lines of that level are written.
LOG_FUNC_VISIBILITY int32_t CheckLogLevel(int32_t module, int32_t level);
// Without an attribute of formats: sources that treat warnings as errors have formats of other
// types.
LOG_FUNC_VISIBILITY void DlogRecord(int32_t module, int32_t level, const char* format, ...);
}

#define PTOSIM_DLOG(Level_, module, ...) \
    (CheckLogLevel(module, Level_) == 1 ? DlogRecord(module, Level_, __VA_ARGS__) : void())
#define dlog_error(module, ...) PTOSIM_DLOG(DLOG_ERROR, module, __VA_ARGS__)
#define dlog_warn(module, ...) PTOSIM_DLOG(DLOG_WARN, module, __VA_ARGS__)
#define dlog_info(module, ...) PTOSIM_DLOG(DLOG_INFO, module, __VA_ARGS__)
#define dlog_debug(module, ...) PTOSIM_DLOG(DLOG_DEBUG, module, __VA_ARGS__)
