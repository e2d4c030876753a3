// A communicator of several ranks with windows.
#pragma once

#include <acl/acl.h>
#include <acl/error_codes/rt_error_codes.h>
#include <hccl/hccl.h>
#include <hccl/hccl_tiling.h>
#include <kernel_tiling/kernel_tiling.h>

#include <cstdlib>
#include <string>

#include "ranks.h"

class Group {
 public:
    // Ends the program with a code if a call fails.
    Group(int argc, char** argv) {
        begin_ranks(argc, argv, rank, ranks);
        aclInit(nullptr);
        if (aclrtSetDevice(rank) != ACL_SUCCESS) std::exit(2);
        join();
    }
    ~Group() {
        HcclCommDestroy(comm_);
        mpi<int (*)()>("MPI_Finalize")();
    }
    void barrier() { HcclBarrier(comm_, nullptr); }
    // Another communicator of the same ranks.
    void renew() {
        HcclCommDestroy(comm_);
        join();
    }

    int rank = -1, ranks = 0;
    Context* context = nullptr;  // on the device

 private:
    void join() {
        HcclRootInfo root{};
        if (rank == 0) HcclGetRootInfo(&root);
        mpi<int (*)(void*, int, int, int, int)>("MPI_Bcast")(&root, HCCL_ROOT_INFO_BYTES, kChar, 0, kWorld);
        if (HcclCommInitRootInfo(static_cast<uint32_t>(ranks), &root, static_cast<uint32_t>(rank), &comm_)) std::exit(3);
        struct {
            Mc2InitTiling init;
            Mc2CcTiling write;
        } tiling;
        AscendC::Mc2CcTilingConfig config(std::string(129, 'x'), HCCL_CMD_BATCH_WRITE, "BatchWrite=level0:fullmesh");
        if (config.GetTiling(tiling.write) == 0 || config.SetGroupName("all") != 0) std::exit(5);  // at most 128 bytes
        if (config.GetTiling(tiling.init) != ACL_SUCCESS || config.GetTiling(tiling.write) != 0) std::exit(6);
        void* made = nullptr;
        if (HcclAllocComResourceByTiling(comm_, nullptr, &tiling, &made)) std::exit(4);
        context = static_cast<Context*>(made);
    }

    HcclComm comm_ = nullptr;
};
