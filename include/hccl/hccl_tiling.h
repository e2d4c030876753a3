/* Tiling data for HcclAllocComResourceByTiling: class and names of CANN's public API. libptosim does not read the data,
 * so it is zeros. Ascend C has a header of this name, too; it applies if a checkout is in use. */
#if defined(__has_include_next) && __has_include_next("hccl/hccl_tiling.h")
#include_next "hccl/hccl_tiling.h"
#elif !defined(PTOSIM_HCCL_TILING_H)
#define PTOSIM_HCCL_TILING_H

#include <string>

#include "kernel_tiling/kernel_tiling.h"

enum HcclCMDType {
    HCCL_CMD_INVALID = 0,
    HCCL_CMD_BROADCAST = 1,
    HCCL_CMD_ALLREDUCE,
    HCCL_CMD_REDUCE,
    HCCL_CMD_SEND,
    HCCL_CMD_RECEIVE,
    HCCL_CMD_ALLGATHER,
    HCCL_CMD_REDUCE_SCATTER,
    HCCL_CMD_ALLTOALLV,
    HCCL_CMD_ALLTOALLVC,
    HCCL_CMD_ALLTOALL,
    HCCL_CMD_GATHER,
    HCCL_CMD_SCATTER,
    HCCL_CMD_BATCH_SEND_RECV,
    HCCL_CMD_BATCH_PUT,
    HCCL_CMD_BATCH_GET,
    HCCL_CMD_ALLGATHER_V,
    HCCL_CMD_REDUCE_SCATTER_V,
    HCCL_CMD_BATCH_WRITE,
    HCCL_CMD_HALF_ALLTOALLV = 20,
    HCCL_CMD_ALL
};

namespace AscendC {

// Each call returns 0, or 1 if the name of the group or of the algorithm has more than 128 bytes, or the type of the
// operation is none. Whole in the header, because hosts may be compiled for either ABI of std::string.
class Mc2CcTilingConfig {
 public:
    explicit Mc2CcTilingConfig(const std::string& groupName, uint32_t opType, const std::string& algConfig,
                               uint32_t = 0, uint8_t = 0, uint8_t = 0, uint8_t = 0)
        : fits_group_{fits(groupName)}, fits_algorithm_{fits(algConfig)}, type_{opType} {}
    virtual ~Mc2CcTilingConfig() = default;

    uint32_t GetTiling(::Mc2InitTiling& tiling) { return get(tiling); }
    uint32_t GetTiling(::Mc2CcTiling& tiling) { return get(tiling); }

    uint32_t SetOpType(uint32_t opType) { return type_ = opType, !is_type(); }
    uint32_t SetGroupName(const std::string& groupName) { return !(fits_group_ = fits(groupName)); }
    uint32_t SetAlgConfig(const std::string& algConfig) { return !(fits_algorithm_ = fits(algConfig)); }
    uint32_t SetReduceType(uint32_t, uint8_t = 0, uint8_t = 0) { return 0; }
    uint32_t SetStepSize(uint8_t) { return 0; }
    uint32_t SetSkipLocalRankCopy(uint8_t) { return 0; }
    uint32_t SetSkipBufferWindowCopy(uint8_t) { return 0; }
    uint32_t SetDebugMode(uint8_t) { return 0; }
    uint32_t SetQueueNum(uint16_t) { return 0; }
    uint32_t SetCommBlockNum(uint16_t) { return 0; }
    uint32_t SetCommEngine(uint8_t) { return 0; }

 private:
    static bool fits(const std::string& name) { return name.size() <= 128; }
    bool is_type() const { return type_ > HCCL_CMD_INVALID && type_ < HCCL_CMD_ALL; }
    template <class Tiling>
    uint32_t get(Tiling& tiling) const {
        tiling = {};
        return !(fits_group_ && fits_algorithm_ && is_type());
    }

    bool fits_group_, fits_algorithm_;
    uint32_t type_;
};

}  // namespace AscendC

#endif
