#include "tiling_choice.h"

#include <vector>

#include "base/context_builder/op_tiling_context_builder.h"
#include "base/registry/op_impl_space_registry_v2.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tiling_data.h"
#include "platform/platform_infos_def.h"

TilingChoice tile(const char* type, int64_t elements, float attribute) {
    gert::Tensor x({{elements}, {elements}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost,
                   ge::DT_FLOAT, nullptr);
    gert::Tensor y({{elements}, {elements}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost,
                   ge::DT_FLOAT, nullptr);
    fe::PlatFormInfos chip;
    const auto data = gert::TilingData::CreateCap(4096);
    const auto workspace = gert::ContinuousVector::Create<size_t>(4);
    gert::OpTilingContextBuilder builder;
    builder.OpType(type).OpName(type).IONum(1, 1);
    builder.AppendAttr(attribute);
    builder.InputTensors({&x}).OutputTensors({&y});
    uint64_t compiled = 0;
    builder.CompileInfo(&compiled).PlatformInfo(&chip).TilingData(
        reinterpret_cast<gert::TilingData*>(data.get()));
    builder.Workspace(reinterpret_cast<gert::ContinuousVector*>(workspace.get()));
    auto holder = builder.Build();
    const auto registry = gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry();
    gert::TilingContext* const context = holder.GetContext();
    TilingChoice choice;
    choice.accepted = registry->GetOpImpl(type)->tiling(context) == ge::GRAPH_SUCCESS;
    choice.key = context->GetTilingKey();
    choice.blocks = context->GetBlockDim();
    return choice;
}
