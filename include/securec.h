/* The checked copies of C strings and memory that hosts of CANN use (securec.h, its names and
 * results): 0, or an error if the destination is too small. */
#ifndef PTOSIM_SECUREC_H
#define PTOSIM_SECUREC_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#ifndef EOK
#define EOK 0
#endif
typedef int errno_t;
#define SECUREC_MEM_MAX_LEN (0x7fffffffUL)
#define SECUREC_STRING_MAX_LEN (0x7fffffffUL)

static inline errno_t memcpy_s(void* dst, size_t room, const void* src, size_t count) {
    if (dst == NULL || src == NULL) return EINVAL;
    if (count > room) return ERANGE;
    memcpy(dst, src, count);
    return EOK;
}
static inline errno_t memmove_s(void* dst, size_t room, const void* src, size_t count) {
    if (dst == NULL || src == NULL) return EINVAL;
    if (count > room) return ERANGE;
    memmove(dst, src, count);
    return EOK;
}
static inline errno_t memset_s(void* dst, size_t room, int value, size_t count) {
    if (dst == NULL) return EINVAL;
    if (count > room) return ERANGE;
    memset(dst, value, count);
    return EOK;
}
static inline errno_t strcpy_s(char* dst, size_t room, const char* src) {
    return src == NULL ? EINVAL : memcpy_s(dst, room, src, strlen(src) + 1);
}
/* At most `count` characters, and a terminating 0, which has to have room, too. */
static inline errno_t strncpy_s(char* dst, size_t room, const char* src, size_t count) {
    if (dst == NULL || src == NULL) return EINVAL;
    const size_t copied = strnlen(src, count);
    if (copied >= room) return ERANGE;
    memcpy(dst, src, copied);
    dst[copied] = 0;
    return EOK;
}

/* In libc_sec. */
#ifdef __cplusplus
extern "C" {
#endif
errno_t strcat_s(char* dst, size_t room, const char* src);
errno_t strncat_s(char* dst, size_t room, const char* src, size_t count);
char* strtok_s(char* text, const char* delimiters, char** rest);
/* The number of characters, or -1 if they do not fit. */
int sprintf_s(char* dst, size_t room, const char* format, ...);
int vsprintf_s(char* dst, size_t room, const char* format, va_list values);
/* `count` characters at most: -1 if there are more, of which dst has the first. */
int snprintf_s(char* dst, size_t room, size_t count, const char* format, ...);
int vsnprintf_s(char* dst, size_t room, size_t count, const char* format, va_list values);
/* As many characters as fit, and their number. */
int snprintf_truncated_s(char* dst, size_t room, const char* format, ...);
int vsnprintf_truncated_s(char* dst, size_t room, const char* format, va_list values);
#ifdef __cplusplus
}
#endif

#endif
