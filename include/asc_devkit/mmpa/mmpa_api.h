// CANN's layer over the operating system: the part that headers of its registries use.
#pragma once

#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define MMPA_MAX_PATH PATH_MAX

enum { EN_OK = 0, EN_ERROR = -1, EN_INVALID_PARAM = -2 };

using mmMode_t = mode_t;
using mmDirent = dirent;

struct mmDlInfo {
    const char* dli_fname;
    void* dli_fbase;
    const char* dli_sname;
    void* dli_saddr;
    size_t dli_size;
    int dli_bind, dli_type;
};

inline int32_t mmDladdr(void* address, mmDlInfo* info) {
    Dl_info found;
    if (dladdr(address, &found) == 0) return EN_ERROR;
    *info = {found.dli_fname, found.dli_fbase, found.dli_sname, found.dli_saddr, 0, 0, 0};
    return EN_OK;
}
inline const char* mmDlerror() { return dlerror(); }
inline int32_t mmRealPath(const char* path, char* resolved, int32_t room) {
    if (path == nullptr || resolved == nullptr || room < MMPA_MAX_PATH) return EN_INVALID_PARAM;
    return realpath(path, resolved) != nullptr ? EN_OK : EN_ERROR;
}
inline int32_t mmGetErrorCode() { return errno; }
inline char* mmGetErrorFormatMessage(int32_t code, char* text, size_t room) {
    return strerror_r(code, text, room);
}
inline int32_t mmGetTid() { return gettid(); }

// Variables of the environment: MM_ENV_NAME is NAME.
#define MM_SYS_GET_ENV(variable, value) ((value) = std::getenv(#variable + sizeof("MM_ENV_") - 1))
