#include "sim/machine/model/platform_figures.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "isa/core/arch.h"

namespace ptosim {
namespace {

// The family of chips whose cores have this name.
struct Family {
    std::string_view compiler_core, name;
};
constexpr Family kFamilies[] = {{"c220", "Ascend910B"}, {"c310", "Ascend950"}, {"l311", "Kirin9030"}};

const Family& family_of(const ChipModel& chip) {
    const auto* const found =
        std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& family) {
            return family.compiler_core == traits_of(chip.arch).compiler_core;
        });
    return found == std::end(kFamilies) ? kFamilies[0] : *found;
}

// Tilings choose a way by the types that instructions take (hicann/runtime platform_config:
// Ascend910B2, Ascend950PR_9599).
struct InstructionTypes {
    std::string_view name, c220, c310;  // empty: such cores do not have it
};
constexpr InstructionTypes kInstructionTypes[] = {
    {"Intrinsic_data_move_l12bt", "u8,s8,f16,u16,s16,f32,s32,u32",
     "u8,s8,f16,bf16,u16,s16,f32,s32,u32"},
    {"Intrinsic_data_move_l12ub", "", "u8,s8,f16,u16,s16,f32,s32,u32"},
    {"Intrinsic_data_move_out2l1_nd2nz", "u8,s8,f16,bf16,u16,s16,f32,s32,u32",
     "hif8,f8,u8,s8,f16,bf16,u16,s16,f32,s32,u32"},
    {"Intrinsic_data_move_out2l1_dn2nz", "", "hif8,f8,u8,s8,f16,bf16,u16,s16,f32,s32,u32"},
    {"Intrinsic_fix_pipe_l0c2out", "f32,s32,f16", "f32,s32,f16"},
    {"Intrinsic_fix_pipe_l0c2ub", "", "f32,s32,f16"},
    {"Intrinsic_fix_pipe_pre_conv_cast", "f322f16,f322bf16", "f322f16,f322bf16"},
    {"Intrinsic_mmad",
     "u32u8u8,s32s8s8,s32u8s8,f16f16f16,f32f16f16,f16f16u2,u8,s8,f162f16,f162f32,f16u2,u8s8,"
     "h322f32,f32f32f32,f322f32",
     "s8,f162f32,s4,bf162f32,f322f32,h322f32,s32s8s8,f16f16f16,f32f16f16,s32u8u2,f16f16u2,s32s4s4,"
     "e4m3e4m3,e4m3e5m2,"
     "e5m2e4m3,e5m2e5m2"},
};

// The name by which operators select configurations. The 910C's differs from that of the other
// chips with its cores (hicann/runtime platform_config Ascend910_9391).
std::string short_name(const ChipModel& chip) {
    return chip.name.starts_with("ascend910c") ? "Ascend910_93" : std::string(family_of(chip).name);
}

}  // namespace

std::string soc_name(const ChipModel& chip) {
    std::string name = chip.name;
    bool capital = true;
    for (char& c : name) {
        if (capital) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        capital = std::isdigit(static_cast<unsigned char>(c)) != 0 || (capital && c != 'A');
    }
    return name;
}

PlatformFigures platform_figures(const ChipModel& chip) {
    const auto size = [&](Space space) {
        return std::to_string(chip.buffer_bytes[static_cast<size_t>(space)].value());
    };
    const uint64_t clusters = chip.clusters.value(), vectors = clusters * chip.cluster.aivs.value();
    const auto per_core = [&](uint64_t bytes_per_second) {  // bytes per cycle
        return std::to_string(bytes_per_second / chip.clock.value() / std::max<uint64_t>(clusters, 1));
    };
    const std::string compiler = "dav-" + std::string(traits_of(chip.arch).compiler_core);
    PlatformFigures figures;
    figures["version"] = {{"SoC_version", soc_name(chip)},
                          {"Short_SoC_version", short_name(chip)},
                          {"NpuArch", std::string(traits_of(chip.arch).ascendc_npu_arch)},
                          {"CCEC_AIC_version", compiler + "-cube"},
                          {"CCEC_AIV_version", compiler + "-vec"},
                          {"CCEC_CUBE_version", compiler + "-cube"},
                          {"CCEC_VECTOR_version", compiler + "-vec"}};
    figures["SoCInfo"] = {{"ai_core_cnt", std::to_string(clusters)},
                          {"cube_core_cnt", std::to_string(clusters)},
                          {"vector_core_cnt", std::to_string(vectors)},
                          {"ai_cpu_cnt", "6"},  // cann/pypto, framework/config/A2A3.ini
                          {"core_type_list", "CubeCore,VectorCore"},
                          {"cube_vector_combine", "split"},
                          {"l2_size", std::to_string(chip.memory.l2.bytes.value())}};
    figures["AICoreSpec"] = {{"l0_a_size", size(Space::kL0A)},
                             {"l0_b_size", size(Space::kL0B)},
                             {"l0_c_size", size(Space::kL0C)},
                             {"l1_size", size(Space::kL1)},
                             {"ub_size", size(Space::kUB)},
                             {"bt_size", size(Space::kBias)},
                             {"fb0_size", size(Space::kFixpipe)},
                             {"vector_reg_width", "256"},
                             {"ubblock_size", "32"},
                             {"cube_freq", std::to_string(chip.clock.value() / 1'000'000)}};
    const std::string_view core = family_of(chip).compiler_core;
    for (const InstructionTypes& row : kInstructionTypes)
        if (const std::string_view types = core == "c310"   ? row.c310
                                           : core == "c220" ? row.c220
                                                            : "";
            !types.empty())
            figures["AICoreintrinsicDtypeMap"][std::string(row.name)] = types;
    figures["AICoreMemoryRates"] = {{"l2_rate", per_core(chip.memory.l2.read.value())},
                                    {"ddr_rate", per_core(chip.memory.hbm.rate.value())}};
    return figures;
}

}  // namespace ptosim
