#include "sim/core/assumptions.h"

#include <algorithm>
#include <string_view>

#include "isa/arch.h"

namespace ptosim {
namespace {

constexpr size_t kGlobal = kSpaceCount;

size_t place(Space space) { return static_cast<size_t>(space); }

struct Path {
    std::string_view prefix;
    size_t from, to;
};
const Path kPaths[] = {
    {"aic.l1_to_l0a.", place(Space::kL1), place(Space::kL0A)},
    {"aic.l1_to_l0b.", place(Space::kL1), place(Space::kL0B)},
    {"aic.l1_to_bias.", place(Space::kL1), place(Space::kBias)},
    {"aic.l1_to_fixpipe.", place(Space::kL1), place(Space::kFixpipe)},
    {"aic.l1_to_ub.", place(Space::kL1), place(Space::kUB)},
    {"aic.l0c_to_l1.", place(Space::kL0C), place(Space::kL1)},
    {"aic.l0c_to_l1.", place(Space::kL0C), place(Space::kUB)},
    {"aiv.ub_to_l1.", place(Space::kUB), place(Space::kL1)},
    {"aiv.gm_to_ub.", kGlobal, place(Space::kUB)},
    {"aiv.ub_to_gm.", place(Space::kUB), kGlobal},
    {"aic.l0c_to_gm.", place(Space::kL0C), kGlobal},
};

struct ProductKind {
    std::string_view name;
    std::initializer_list<DType> types;
};
const ProductKind kProducts[] = {
    {"f32", {DType::kF32}},
    {"hf32", {DType::kHF32, DType::kTF32}},
    {"f16", {DType::kF16, DType::kBF16}},
    {"i8", {DType::kI8, DType::kU8, DType::kE4M3, DType::kE5M2, DType::kHIF8}},
    {"f4", {DType::kE2M1, DType::kE1M2, DType::kI4}},
};

bool begins(std::string_view text, std::string_view with) { return text.starts_with(with); }

}  // namespace

void Assumptions::on_complete(const InstructionEvent& event) {
    const Instruction& instruction = *event.instruction;
    ran_.set(static_cast<size_t>(instruction.opcode));
    if (instruction.attributes.function != InFunction::kAlone)
        shared_.set(static_cast<size_t>(instruction.opcode));
    switch (info(instruction.opcode).timing) {
        case TimingClass::kCube:
            for (unsigned i = 1; i < instruction.operand_count; ++i)
                if (instruction.operands[i].is_tile() && instruction.tile(i).space == Space::kL0A)
                    products_.set(static_cast<size_t>(instruction.tile(i).dtype));
            break;
        case TimingClass::kLoad: {
            const Tile& to = instruction.operands[0].tile;
            moves_.set(kGlobal * kPlaces + place(to.space));
            if (to.space == Space::kUB) break;
            const bool converts = instruction.operand_count > 1 &&
                                  instruction.operands[1].is_global() && to.boxed() &&
                                  instruction.operands[1].global.layout != GlobalLayout::kNZ;
            (converts ? converts_ : loads_as_it_is_) = true;
            break;
        }
        case TimingClass::kStore:
            moves_.set(place(instruction.tile(1).space) * kPlaces + kGlobal);
            break;
        case TimingClass::kLocalMove:
            moves_.set(place(instruction.tile(1).space) * kPlaces +
                       place(instruction.operands[0].tile.space));
            break;
        default:
            break;
    }
}

bool Assumptions::vector_matters(const std::string& name) const {
    const auto any = [&](std::initializer_list<TimingClass> classes) {
        for (const InstructionInfo& row : instruction_table())
            if (ran_.test(static_cast<size_t>(row.opcode)) &&
                std::find(classes.begin(), classes.end(), row.timing) != classes.end())
                return true;
        return false;
    };
    const bool functions = traits_of(chip_.arch).vector_timing == VectorTiming::kFunctions;
    if (begins(name, "rate.") || begins(name, "curve.")) {
        const size_t dot = name.find('.');
        const std::string opcode = name.substr(dot + 1, name.find('.', dot + 1) - dot - 1);
        if (opcode == "unary" || opcode == "binary")
            return functions && any({TimingClass::kVector});
        for (const InstructionInfo& row : instruction_table())
            if (row.name == opcode) {
                const bool of_shared = name.ends_with(".result") || name.ends_with(".special");
                return (of_shared ? shared_ : ran_).test(static_cast<size_t>(row.opcode));
            }
        return false;
    }
    if (begins(name, "function.")) return functions && shared_.any();
    if (begins(name, "row_")) return any({TimingClass::kVectorRow});
    if (begins(name, "column_")) return any({TimingClass::kVectorCol});
    if (name == "gather") return any({TimingClass::kVectorGather});
    if (name == "dependent") return any({TimingClass::kVectorRow, TimingClass::kVectorCol});
    if (name == "partial") return any({TimingClass::kVector, TimingClass::kVectorRow});
    if (name.ends_with("_conflict")) return !functions && any({TimingClass::kVector});
    return any({TimingClass::kVector, TimingClass::kVectorRow, TimingClass::kVectorCol,
                TimingClass::kVectorSort, TimingClass::kVectorGather});
}

bool Assumptions::matters(const std::string& path) const {
    bool moves = false;
    for (const Path& move : kPaths) {
        if (!begins(path, move.prefix)) continue;
        if (moves_.test(move.from * kPlaces + move.to)) return true;
        moves = true;
    }
    if (moves) return false;
    const bool loads_l1 = moves_.test(kGlobal * kPlaces + place(Space::kL1));
    if (begins(path, "aic.gm_to_l1_nd2nz.")) return converts_;
    if (begins(path, "aic.gm_to_l1.")) return loads_as_it_is_;
    if (path == "aic.l1.contention") return loads_l1 && products_.any();
    constexpr std::string_view kDepth[] = {"aic.cube.k_per_cycle.", "aic.cube.k_granule."};
    for (std::string_view prefix : kDepth)
        if (begins(path, prefix))
            for (const ProductKind& kind : kProducts)
                if (kind.name == path.substr(prefix.size()))
                    return std::any_of(kind.types.begin(), kind.types.end(), [&](DType type) {
                        return products_.test(static_cast<size_t>(type));
                    });
    if (begins(path, "aic.cube.")) return products_.any();
    if (begins(path, "aiv.vector.")) return vector_matters(path.substr(11));
    if (begins(path, "memory.")) {
        for (size_t p = 0; p < kSpaceCount; ++p)
            if (moves_.test(kGlobal * kPlaces + p) || moves_.test(p * kPlaces + kGlobal))
                return true;
        return false;
    }
    if (path == "scalar.load") return scalar_loads_;
    if (begins(path, "sync."))
        return ran_.test(static_cast<size_t>(Opcode::kCROSS_SET)) ||
               ran_.test(static_cast<size_t>(Opcode::kINTRA_SET));
    return begins(path, "scalar.") || begins(path, "launch.") || path == "queue.depth" ||
           path == "clock";
}

std::vector<std::string> Assumptions::paths() const {
    std::vector<std::string> found;
    for (const auto& [path, p] : chip_.provenance)
        if (p.grade == "assumed" && matters(path)) found.push_back(path);
    return found;
}

std::string Assumptions::text(const std::vector<std::string>& all) {
    constexpr size_t kShown = 5;
    if (all.empty()) return {};
    std::string text = "rests on " + std::to_string(all.size()) + " assumed figure" +
                       (all.size() == 1 ? "" : "s") + ": ";
    for (size_t i = 0; i < std::min(kShown, all.size()); ++i) text += (i > 0 ? ", " : "") + all[i];
    if (all.size() > kShown) text += ", ... (all of them: --json)";
    return text + "\n";
}

}  // namespace ptosim
