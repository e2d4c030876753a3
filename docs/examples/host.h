#pragma once
#include <cstdio>
#include <vector>
#include "acl/acl.h"

// x.bin in the device's memory, and room for a result of the same size, which becomes y.bin.
class Arrays {
 public:
    explicit Arrays(size_t bytes) : data_(bytes) {
        aclInit(nullptr);
        aclrtSetDevice(0);
        aclrtCreateStream(&stream);
        aclrtMalloc((void**)&x, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMalloc((void**)&y, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        FILE* file = std::fopen("x.bin", "rb");
        if (std::fread(data_.data(), 1, bytes, file) != bytes) std::puts("x.bin is too short");
        std::fclose(file);
        aclrtMemcpy(x, bytes, data_.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    }
    ~Arrays() {
        aclrtSynchronizeStream(stream);
        aclrtMemcpy(data_.data(), data_.size(), y, data_.size(), ACL_MEMCPY_DEVICE_TO_HOST);
        FILE* file = std::fopen("y.bin", "wb");
        std::fwrite(data_.data(), 1, data_.size(), file);
        std::fclose(file);
        aclrtFree(x);
        aclrtFree(y);
        aclrtDestroyStream(stream);
        aclrtResetDevice(0);
        aclFinalize();
    }
    uint8_t *x = nullptr, *y = nullptr;
    aclrtStream stream = nullptr;

 private:
    std::vector<uint8_t> data_;
};
