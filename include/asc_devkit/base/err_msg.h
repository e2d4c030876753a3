// Reports of the checks in hosts of operators: an error code, then a text or named values. They go
// to the log.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dlog_pub.h"

namespace ge {

inline int32_t ReportPredefinedErrMsg(const char* code, const std::vector<const char*>& names = {},
                                      const std::vector<const char*>& values = {}) {
    std::string text;
    for (size_t i = 0; i < names.size() && i < values.size(); ++i)
        text += std::string(i == 0 ? "" : ", ") + names[i] + " = " +
                (values[i] != nullptr ? values[i] : "");
    dlog_error(0, "[%s] %s", code, text.c_str());
    return 0;
}

}  // namespace ge

#define REPORT_INNER_ERR_MSG(code, ...) (dlog_error(0, __VA_ARGS__), 0)
#define REPORT_USER_ERR_MSG(code, ...) (dlog_error(0, __VA_ARGS__), 0)
#define REPORT_PREDEFINED_ERR_MSG(code, ...) ::ge::ReportPredefinedErrMsg(code, __VA_ARGS__)
// The texts of codes, as JSON: reports above print the values by their names, and need none.
#define REG_FORMAT_ERROR_MSG(text, length) static_assert(true, "")
