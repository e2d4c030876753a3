// Functions of the Ascend runtime that the host programs of PTO-Gym use, on host memory (gym.py). A launch writes the bytes
// after each pointer to a file, asks the script (standard output and input) to run the kernel, and reads the files back.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#define __global__
#define __gm__
#define AICORE

typedef int aclError;
typedef void *aclrtStream;
typedef unsigned short aclFloat16;
typedef unsigned short half;
typedef unsigned short bfloat16_t;
enum { ACL_SUCCESS = 0, ACL_ERROR_NONE = 0 };
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE
};

inline std::map<char *, size_t> &ptosim_blocks() {
    static std::map<char *, size_t> blocks;
    return blocks;
}
inline aclError aclInit(const char *) { return ACL_SUCCESS; }
inline aclError aclFinalize() { return ACL_SUCCESS; }
inline aclError aclrtSetDevice(int) { return ACL_SUCCESS; }
inline aclError aclrtResetDevice(int) { return ACL_SUCCESS; }
inline aclError aclrtCreateStream(aclrtStream *s) { *s = s; return ACL_SUCCESS; }
inline aclError aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
inline aclError aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }
inline const char *aclGetRecentErrMsg() { return ""; }
// Device memory comes with a pattern, so that bytes that a kernel does not write are seen.
inline aclError ptosim_malloc(void **p, size_t size, int fill) {
    *p = std::malloc(size ? size : 1);
    std::memset(*p, fill, size);
    return ACL_SUCCESS;
}
template <typename T> aclError aclrtMallocHost(T **p, size_t size) {
    return ptosim_malloc(reinterpret_cast<void **>(p), size, 0);
}
template <typename T> aclError aclrtFreeHost(T *p) { std::free(p); return ACL_SUCCESS; }
template <typename T> aclError aclrtMalloc(T **p, size_t size, aclrtMemMallocPolicy) {
    ptosim_malloc(reinterpret_cast<void **>(p), size, 0x5A);
    ptosim_blocks()[reinterpret_cast<char *>(*p)] = size;
    return ACL_SUCCESS;
}
template <typename T> aclError aclrtFree(T *p) {
    ptosim_blocks().erase(reinterpret_cast<char *>(p));
    std::free(p);
    return ACL_SUCCESS;
}
inline aclError aclrtMemcpy(void *to, size_t, const void *from, size_t size, aclrtMemcpyKind) {
    std::memcpy(to, from, size);
    return ACL_SUCCESS;
}
inline aclError aclrtMemset(void *p, size_t, int value, size_t count) {
    std::memset(p, value, count);
    return ACL_SUCCESS;
}

struct PtosimLaunch {
    std::string line;
    std::vector<std::pair<char *, std::pair<size_t, std::string>>> pointers;

    template <typename T> void add(T value) {
        const std::string file = "ptosim_arg" + std::to_string(count++) + ".bin";
        if constexpr (std::is_pointer_v<T>) {
            char *p = reinterpret_cast<char *>(const_cast<std::remove_const_t<
                std::remove_pointer_t<T>> *>(value));
            auto block = ptosim_blocks().upper_bound(p);
            if (block == ptosim_blocks().begin()) std::abort();
            --block;
            const size_t size = static_cast<size_t>(block->first + block->second - p);
            pointers.push_back({p, {size, file}});
            write(file, p, size);
            line += " p:" + file;
        } else {
            write(file, reinterpret_cast<const char *>(&value), sizeof(value));
            line += " s:" + file;
        }
    }
    static void write(const std::string &file, const char *data, size_t size) {
        std::FILE *out = std::fopen(file.c_str(), "wb");
        if (!out || std::fwrite(data, 1, size, out) != size) std::abort();
        std::fclose(out);
    }
    void finish() {
        std::cout << line << std::endl;
        std::string answer;
        if (!std::getline(std::cin, answer) || answer != "done") std::exit(9);
        for (auto &[p, rest] : pointers) {
            std::FILE *in = std::fopen(rest.second.c_str(), "rb");
            if (!in || std::fread(p, 1, rest.first, in) != rest.first) std::abort();
            std::fclose(in);
        }
    }
    int count = 0;
};
// The kernel's declaration decides the types of the arguments.
template <typename Kernel> struct PtosimKernel;
template <typename... Parameters> struct PtosimKernel<void(Parameters...)> {
    std::string line;
    void operator()(Parameters... arguments) const {
        PtosimLaunch launch;
        launch.line = line;
        (launch.add(arguments), ...);
        launch.finish();
    }
};
template <typename Kernel> PtosimKernel<Kernel> ptosim_launch(const char *name, long blocks) {
    return {std::string("@launch ") + name + " " + std::to_string(blocks)};
}
