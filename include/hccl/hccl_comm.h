/* Communicators: groups of ranks, each a process with a device, and the windows by which they reach each other's
 * memory. Signatures of CANN's HCCL; what libptosim does not have is not declared. Every call reports what is wrong on
 * standard error, too. */
#ifndef PTOSIM_HCCL_COMM_H
#define PTOSIM_HCCL_COMM_H

#include "acl/acl.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The root makes it; all ranks hand it to HcclCommInitRootInfo, which returns when all have come. */
ACL_FUNC_VISIBILITY HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                                    HcclComm* comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommDestroy(HcclComm comm);
/* At most COMM_NAME_MAX_LENGTH bytes. */
ACL_FUNC_VISIBILITY HcclResult HcclGetCommName(HcclComm comm, char* commName);
ACL_FUNC_VISIBILITY HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);
ACL_FUNC_VISIBILITY HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);
ACL_FUNC_VISIBILITY HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);
ACL_FUNC_VISIBILITY const char* HcclGetErrorString(HcclResult code);

/* The topology is 1: a full mesh. */
ACL_FUNC_VISIBILITY HcclResult HcomGetL0TopoTypeEx(const char* group, uint32_t* topoType, uint32_t isSetDevice);
ACL_FUNC_VISIBILITY HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* commHandle);
/* Makes the windows, of HCCL_BUFFSIZE MiB (200 without that variable): all ranks call it. The context is device
 * memory that kernels read: workspace and its size, rank, ranks, the size of a window, and the addresses of the
 * windows of 64 ranks, twice; then 32 bytes of zeros. The tiling is not read. */
ACL_FUNC_VISIBILITY HcclResult HcclAllocComResourceByTiling(HcclComm comm, void* stream, void* mc2Tiling,
                                                            void** commContext);

#ifdef __cplusplus
}
#endif
#endif
