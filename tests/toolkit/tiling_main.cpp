// Tiling data of a host, and its queries about the chip, by the headers of include/asc_devkit.
#include <cstdio>
#include <cstring>
#include <vector>

#include "graph/tensor.h"
#include "platform/platform_info.h"
#include "platform/soc_spec.h"
#include "register/tilingdata_base.h"
#include "runtime/rt.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(Rows)
TILING_DATA_FIELD_DEF(uint8_t, kind);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, lengths);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(Whole)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_STRUCT(Rows, part);
TILING_DATA_FIELD_DEF(int64_t, bytes);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Example, Whole)
}  // namespace optiling

struct InKernel {
    uint32_t rows;
    alignas(8) struct {
        uint8_t kind;
        uint16_t lengths[3];
    } part;
    int64_t bytes;
};

int main() {
    optiling::Whole first;
    const uint16_t lengths[] = {7, 8, 9};
    first.set_rows(5);
    first.part.set_kind(6);
    first.part.set_lengths(lengths);
    first.set_bytes(-10);
    optiling::Whole data = first;
    data.set_rows(11);
    InKernel read{};
    std::printf("%zu of %zu\n", data.GetDataSize(), sizeof(read));
    data.SaveToBuffer(&read, sizeof(read));
    std::printf("%u %u %u %u %u %lld\n", read.rows, read.part.kind, read.part.lengths[0],
                read.part.lengths[1], read.part.lengths[2], static_cast<long long>(read.bytes));
    std::printf("%u %d\n", first.get_rows(),
                optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance("Example") != nullptr);

    ge::Shape shape(std::vector<int64_t>{3, 4, 5});
    std::printf("%lld %zu\n", static_cast<long long>(shape.GetShapeSize()), shape.GetDimNum());

    fe::PlatFormInfos chip;
    uint64_t ub = 0, l1 = 0;
    chip.GetLocalMemSize(fe::LocalMemType::UB, ub);
    chip.GetLocalMemSize(fe::LocalMemType::L1, l1);
    std::string vectors, arch, family, none = "-";
    chip.GetPlatformResWithLock("SoCInfo", "vector_core_cnt", vectors);
    chip.GetPlatformResWithLock("version", "NpuArch", arch);
    chip.GetPlatformResWithLock("version", "Short_SoC_version", family);
    const bool known = chip.GetPlatformResWithLock("SoCInfo", "no_such_key", none);
    char name[50];
    rtGetSocVersion(name, sizeof(name));
    std::printf("%s: %u %s %llu %llu %s %s %d %s\n", name, chip.GetCoreNum(), vectors.c_str(),
                static_cast<unsigned long long>(ub), static_cast<unsigned long long>(l1), arch.c_str(),
                family.c_str(), known, none.c_str());
}
