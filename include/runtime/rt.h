/* The calls of the older rt API that hosts of kernels still use; see acl/acl.h. */
#ifndef PTOSIM_RT_H
#define PTOSIM_RT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTS_API __attribute__((visibility("default")))

typedef int32_t rtError_t;
typedef void* rtStream_t;
typedef void* rtEvent_t;

#define RT_ERROR_NONE 0
#define ACL_RT_SUCCESS 0

typedef uint32_t rtMemType_t;
#define RT_MEMORY_DEFAULT 0
#define RT_MEMORY_HBM 2
typedef enum tagRtMemcpyKind {
    RT_MEMCPY_HOST_TO_HOST = 0,
    RT_MEMCPY_HOST_TO_DEVICE = 1,
    RT_MEMCPY_DEVICE_TO_HOST = 2,
    RT_MEMCPY_DEVICE_TO_DEVICE = 3
} rtMemcpyKind_t;

RTS_API rtError_t rtSetDevice(int32_t device);
RTS_API rtError_t rtDeviceReset(int32_t device);
RTS_API rtError_t rtStreamCreate(rtStream_t* stream, int32_t priority);
RTS_API rtError_t rtStreamDestroy(rtStream_t stream);
RTS_API rtError_t rtStreamSynchronize(rtStream_t stream);
RTS_API rtError_t rtMalloc(void** devPtr, uint64_t size, rtMemType_t type, uint16_t moduleId);
RTS_API rtError_t rtFree(void* devPtr);
RTS_API rtError_t rtMemcpy(void* dst, uint64_t destMax, const void* src, uint64_t count,
                           rtMemcpyKind_t kind);
RTS_API rtError_t rtGetAiCoreCount(uint32_t* count);
/* The chip's name as CANN writes it: "Ascend910B1". */
RTS_API rtError_t rtGetSocVersion(char* version, const uint32_t room);
/* An address in device memory that kernels hand to set_ffts_base_addr. */
RTS_API rtError_t rtGetC2cCtrlAddr(uint64_t* addr, uint32_t* len);

#ifdef __cplusplus
}
#endif
#endif
