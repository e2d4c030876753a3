// libc_sec of the toolkit, for programs linked with the vendor's library: the functions of include/securec.h, which is
// not included because some of them are inline there.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "ptosim/kernel_abi.h"

namespace {

// Empties the destination, as the vendor's functions do on errors.
int refuse(char* dst, size_t room, int error) {
    if (dst != nullptr && room > 0) dst[0] = '\0';
    return error;
}

}  // namespace

PTOSIM_ABI int memcpy_s(void* dst, size_t room, const void* src, size_t count) {
    if (dst == nullptr || src == nullptr) return EINVAL;
    if (count > room) return ERANGE;
    std::memcpy(dst, src, count);
    return 0;
}

PTOSIM_ABI int memmove_s(void* dst, size_t room, const void* src, size_t count) {
    if (dst == nullptr || src == nullptr) return EINVAL;
    if (count > room) return ERANGE;
    std::memmove(dst, src, count);
    return 0;
}

PTOSIM_ABI int memset_s(void* dst, size_t room, int value, size_t count) {
    if (dst == nullptr) return EINVAL;
    if (count > room) return ERANGE;
    std::memset(dst, value, count);
    return 0;
}

PTOSIM_ABI int strncpy_s(char* dst, size_t room, const char* src, size_t count) {
    if (dst == nullptr || src == nullptr) return refuse(dst, room, EINVAL);
    const size_t length = strnlen(src, count);
    if (length >= room) return refuse(dst, room, ERANGE);
    std::memcpy(dst, src, length);
    dst[length] = '\0';
    return 0;
}

PTOSIM_ABI int strcpy_s(char* dst, size_t room, const char* src) { return strncpy_s(dst, room, src, SIZE_MAX); }

PTOSIM_ABI int strncat_s(char* dst, size_t room, const char* src, size_t count) {
    if (dst == nullptr || src == nullptr) return refuse(dst, room, EINVAL);
    const size_t has = strnlen(dst, room);
    if (has == room) return refuse(dst, room, EINVAL);
    const size_t length = strnlen(src, count);
    if (length >= room - has) return refuse(dst, room, ERANGE);
    std::memcpy(dst + has, src, length);
    dst[has + length] = '\0';
    return 0;
}

PTOSIM_ABI int strcat_s(char* dst, size_t room, const char* src) { return strncat_s(dst, room, src, SIZE_MAX); }

PTOSIM_ABI char* strtok_s(char* text, const char* delimiters, char** rest) { return strtok_r(text, delimiters, rest); }

PTOSIM_ABI int vsprintf_s(char* dst, size_t room, const char* format, va_list values) {
    if (dst == nullptr || format == nullptr || room == 0) return refuse(dst, room, -1);
    const int length = std::vsnprintf(dst, room, format, values);
    return length < 0 || static_cast<size_t>(length) >= room ? refuse(dst, room, -1) : length;
}

PTOSIM_ABI int sprintf_s(char* dst, size_t room, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int length = vsprintf_s(dst, room, format, values);
    va_end(values);
    return length;
}

PTOSIM_ABI int vsnprintf_s(char* dst, size_t room, size_t count, const char* format, va_list values) {
    if (count >= room) return vsprintf_s(dst, room, format, values);
    if (dst == nullptr || format == nullptr) return refuse(dst, room, -1);
    const int length = std::vsnprintf(dst, count + 1, format, values);
    return length < 0 || static_cast<size_t>(length) > count ? -1 : length;
}

PTOSIM_ABI int snprintf_s(char* dst, size_t room, size_t count, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int length = vsnprintf_s(dst, room, count, format, values);
    va_end(values);
    return length;
}

PTOSIM_ABI int vsnprintf_truncated_s(char* dst, size_t room, const char* format, va_list values) {
    if (dst == nullptr || format == nullptr || room == 0) return refuse(dst, room, -1);
    const int length = std::vsnprintf(dst, room, format, values);
    if (length < 0) return refuse(dst, room, -1);
    return static_cast<size_t>(length) >= room ? static_cast<int>(room) - 1 : length;
}

PTOSIM_ABI int snprintf_truncated_s(char* dst, size_t room, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int length = vsnprintf_truncated_s(dst, room, format, values);
    va_end(values);
    return length;
}
