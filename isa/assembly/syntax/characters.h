// Letters and digits of `.pto` text, independent of the locale.
#pragma once

namespace ptosim::assembly {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace ptosim::assembly
