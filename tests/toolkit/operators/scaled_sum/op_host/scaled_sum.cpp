// z = alpha * x + y, or alpha * x if y is absent: key 1 and key 2.
#include "scaled_sum_tiling.h"

#include <algorithm>

#include "dlog_pub.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

static constexpr uint32_t kRow = 256;  // elements

static ge::graphStatus ScaledSumTiling(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    const gert::StorageShape* y = context->GetOptionalInputShape(1);
    const int64_t total = x->GetStorageShape().GetShapeSize();
    if (y != nullptr && y->GetStorageShape().GetShapeSize() != total) {
        dlog_error(OP, "[%s:%d] x and y have %ld and %ld elements", __FILE__, __LINE__, total,
                   y->GetStorageShape().GetShapeSize());
        return ge::GRAPH_FAILED;
    }
    const float* alpha = context->GetAttrs()->GetFloat(0);
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    // The library's own functions of tilings ask for the chip of the process.
    auto* own = platform_ascendc::PlatformAscendCManager::GetInstance();
    if (own == nullptr || own->GetCoreNumAiv() != platform.GetCoreNumAiv()) return ge::GRAPH_FAILED;
    const auto rows = static_cast<uint32_t>((total + kRow - 1) / kRow);
    const uint32_t blocks = std::min(platform.GetCoreNumAiv(), rows);
    ScaledSumTilingData data;
    data.set_perBlock((rows + blocks - 1) / blocks * kRow);
    data.set_total(static_cast<uint32_t>(total));
    data.set_alpha(*alpha);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim(blocks);
    context->SetTilingKey(y != nullptr ? 1 : 2);
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class ScaledSum : public OpDef {
 public:
    explicit ScaledSum(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format(
            {ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("y").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format(
            {ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format(
            {ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("alpha").AttrType(OPTIONAL).Float(2.0);
        this->SetInferShape(ge::InferShape);
        this->AICore().SetTiling(optiling::ScaledSumTiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};

OP_ADD(ScaledSum);

}  // namespace ops
