// y = min(max(x, 0), limit). The tiling writes a plain structure, and its key holds the kernel's template arguments.
#include "graph/operator_reg.h"
#include "../op_kernel/clipped_relu_tiling.h"
#include "register/op_def_registry.h"

namespace ge {
REG_OP(ClippedRelu)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(limit, Float)
    .OP_END_FACTORY_REG(ClippedRelu)
}  // namespace ge

namespace optiling {

static ge::graphStatus ClippedReluTilingFunction(gert::TilingContext* context) {
    const int64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const float limit = *context->GetAttrs()->GetFloat(0);
    const uint32_t row = total % 256 == 0 ? 256 : total % 128 == 0 ? 128 : 64;
    if (total % row != 0) return ge::GRAPH_FAILED;
    auto* data = context->GetTilingData<ClippedReluTiling>();
    data->total = static_cast<uint32_t>(total);
    data->limit = limit;
    context->SetTilingKey(GET_TPL_TILING_KEY(static_cast<uint64_t>(limit > 0), row));
    context->SetBlockDim(4);
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(ClippedRelu).Tiling(ClippedReluTilingFunction);

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(ClippedRelu).InferShape(InferShape);

}  // namespace optiling

namespace ops {

class ClippedRelu : public OpDef {
 public:
    explicit ClippedRelu(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("limit").AttrType(REQUIRED).Float();
        this->AICore().AddConfig("ascend910b");
    }
};

OP_ADD(ClippedRelu);

}  // namespace ops
