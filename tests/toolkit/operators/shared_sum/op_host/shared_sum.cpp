// y = the sum of x over the ranks of a group.
#include "shared_sum_tiling.h"

#include <string>

#include "dlog_pub.h"
#include "platform/platform_infos_def.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

static constexpr int64_t kBlock = 8, kMost = 2048;  // elements

static ge::graphStatus SharedSumTiling(gert::TilingContext* context) {
    const int64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    if (total % kBlock != 0 || total > kMost) {
        dlog_error(OP, "[%s:%d] x has %ld elements", __FILE__, __LINE__, total);
        return ge::GRAPH_FAILED;
    }
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    SharedSumTilingData data;
    data.set_total(static_cast<uint32_t>(total));
    // The layout of the context differs between the chips, for which GetSocVersion() has one name.
    std::string chip;
    context->GetPlatformInfo()->GetPlatformRes("version", "Short_SoC_version", chip);
    data.set_table(chip == "Ascend910_93" ? *context->GetAttrs()->GetInt(1) : 0);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ops {

class SharedSum : public OpDef {
 public:
    explicit SharedSum(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("group").AttrType(REQUIRED).String();
        this->Attr("table").AttrType(OPTIONAL).Int(3320);
        this->AICore().SetTiling(optiling::SharedSumTiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
        this->AICore().AddConfig("ascend950");
        this->MC2().HcclGroup("group");
        this->MC2().HcclServerType(HcclServerType::AICORE, "ascend910b");
        this->MC2().HcclServerType(HcclServerType::AICORE, "ascend910_93");
        this->MC2().HcclServerType(HcclServerType::AICPU, "ascend950");
    }
};

OP_ADD(SharedSum);

}  // namespace ops
