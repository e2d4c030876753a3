// Tests that some instruction reports each code that a legality rule names, and that no rule reports another code:
// golden cases with one property changed.
#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <set>

#include "isa/legality/legality.h"
#include "isa/semantics/goldens.h"

using namespace ptosim;

namespace {

struct Report {
    const LegalityRule* rule = nullptr;  // null: legal
    Problem problem;
};

// Like check_legality(), but returns the violated rule.
Report judge(const Instruction& instruction, Arch arch) {
    const InstructionInfo& row = info(instruction.opcode);
    Report report;
    if (!rules::check_operands(instruction, row, arch, report.problem)) {
        report.rule = &rules::check_operands;
        return report;
    }
    for (const LegalityRule* rule : row.rules)
        if (rule != nullptr && !rule->holds(instruction, row, arch, report.problem)) {
            report.rule = rule;
            break;
        }
    return report;
}

using Visit = std::function<void(const Instruction&)>;

void change_tile(const Instruction& good, unsigned at, const Visit& visit) {
    const auto with = [&](auto&& change) {
        Instruction bad = good;
        change(bad.operands[at].tile);
        visit(bad);
    };
    for (unsigned i = 0; i < static_cast<unsigned>(DType::kCount); ++i)
        with([&](Tile& t) { t.dtype = static_cast<DType>(i); });
    for (unsigned i = 0; i < kSpaceCount; ++i)
        with([&](Tile& t) { t.space = static_cast<Space>(i); });
    for (unsigned i = 0; i < 6; ++i)
        for (uint16_t fractal : {uint16_t{32}, uint16_t{256}, uint16_t{512}, uint16_t{1024}})
            with([&](Tile& t) {
                t.outer = static_cast<OuterLayout>(i % 2);
                t.inner = static_cast<InnerLayout>(i / 2);
                t.fractal = fractal;
                set_dense_pitch(t);
            });
    for (int step : {-32, -16, -2, -1, 1, 2, 16, 32, 4096}) {
        with([&](Tile& t) { t.valid_rows += step; });
        with([&](Tile& t) { t.valid_cols += step; });
        with([&](Tile& t) {
            t.rows += step;
            t.valid_rows = t.rows;
            set_dense_pitch(t);
        });
        with([&](Tile& t) {
            t.cols += step;
            t.valid_cols = t.cols;
            set_dense_pitch(t);
        });
    }
    with([](Tile& t) { t.valid_rows = 0; });
    with([](Tile& t) { t.valid_cols = 0; });
    with([](Tile& t) { t.valid_rows = 1; });
    with([](Tile& t) { t.valid_cols = 1; });
    with([](Tile& t) { std::swap(t.valid_rows, t.valid_cols); });
    with([](Tile& t) { t.address += 16; });
    with([](Tile& t) { t.address = 0; });
    with([](Tile& t) { t.address = 216 * 1024; });
    with([](Tile& t) { t.pitch /= 2; });
    with([](Tile& t) { t.pad = Pad::kNull; });
}

void change_view(const Instruction& good, unsigned at, const Visit& visit) {
    const auto with = [&](auto&& change) {
        Instruction bad = good;
        change(bad.operands[at].global);
        visit(bad);
    };
    for (unsigned i = 0; i < static_cast<unsigned>(DType::kCount); ++i)
        with([&](GlobalView& v) { v.dtype = static_cast<DType>(i); });
    for (unsigned i = 0; i < static_cast<unsigned>(GlobalLayout::kCount); ++i)
        with([&](GlobalView& v) { v.layout = static_cast<GlobalLayout>(i); });
    for (unsigned dim = 0; dim < GlobalView::kRank; ++dim)
        for (int extent : {0, 1, 2, 3, 100}) with([&](GlobalView& v) { v.shape[dim] = extent; });
    with([](GlobalView& v) { v.stride[3] = 70000; });
}

void change_scalar(const Instruction& good, unsigned at, const Visit& visit) {
    Instruction bad = good;
    for (DType type : {DType::kF32, DType::kI32, DType::kI64})
        for (uint64_t bits : {uint64_t{0}, uint64_t{63}, uint64_t{1} << 20}) {
            bad.operands[at] = Scalar{bits, type};
            visit(bad);
        }
}

void change_kind(const Instruction& good, unsigned at, const Visit& visit) {
    Instruction bad = good;
    for (const Operand& operand :
         {Operand{}, Operand{Scalar{1, DType::kI32}}, Operand{GlobalView{}},
          Operand{make_tile(Space::kUB, DType::kF32, 16, 64)},
          Operand{make_tile(Space::kFixpipe, DType::kU64, 1, 64)},
          Operand{make_tile(Space::kFixpipe, DType::kF32, 1, 64)}}) {
        bad.operands[at] = operand;
        visit(bad);
    }
}

void change_image(const Instruction& good, const Visit& visit) {
    const auto with = [&](auto&& change) {
        Instruction bad = good;
        change(bad.attributes.use_convolution().image);
        visit(bad);
    };
    with([](Image& i) { i.height = 0; });
    with([](Image& i) { i.filter_width = 99; });
    with([](Image& i) { i.stride_height = 0; });
    with([](Image& i) { i.channels = 999; });
    with([](Image& i) { i.dst_stride = 1; });
    with([](Image& i) { i.repeat_time = 200; });
    with([](Image& i) { i.repeat_mode = 2; });
    with([](Image& i) { i.transpose = !i.transpose; });
    with([](Image& i) { i.registers = 3; });
}

void change_attributes(const Instruction& good, const Visit& visit) {
    const auto with = [&](auto&& change) {
        Instruction bad = good;
        change(bad.attributes);
        visit(bad);
    };
    for (unsigned i = 0; i < 8; ++i) {
        with([&](Attributes& a) { a.compare = static_cast<CompareMode>(i % 6); });
        with([&](Attributes& a) { a.atomic = static_cast<AtomicMode>(i % 4); });
        with([&](Attributes& a) { a.acc_to_vec = static_cast<AccToVec>(i % 4); });
        with([&](Attributes& a) { a.quant = static_cast<QuantType>(i % 4); });
        with([&](Attributes& a) { a.out_of_bounds = static_cast<OutOfBounds>(i % 5); });
        with([&](Attributes& a) { a.factor_rounding = static_cast<FactorRounding>(i % 5); });
        with([&](Attributes& a) { a.mask_pattern = static_cast<uint8_t>(i); });
        with([&](Attributes& a) { a.byte_select = static_cast<uint8_t>(i); });
        with([&](Attributes& a) { a.insert_split = static_cast<uint8_t>(i); });
        with([&](Attributes& a) { a.use_convolution().dst.dims[i % 6] += 1; });
        with([&](Attributes& a) { a.use_convolution().src.dims[i % 6] += 1; });
    }
    with([](Attributes& a) { a.relu = ReluMode::kNormal; });
    with([](Attributes& a) { a.group_rows = !a.group_rows; });
    with([](Attributes& a) { a.interleave = !a.interleave; });
    with([](Attributes& a) { a.along_rows = !a.along_rows; });
    with([](Attributes& a) { a.by_element = !a.by_element; });
    with([](Attributes& a) {
        a.saturation_from = SaturationFrom::kKernel;
        a.saturation = Saturation::kOff;
    });
    for (GlobalLayout layout : {GlobalLayout::kNCHW, GlobalLayout::kFractalZ})
        with([&](Attributes& a) { a.use_convolution().dst.layout = layout; });
}

void change_types(const Instruction& good, const Visit& visit) {
    for (unsigned t = 0; t < static_cast<unsigned>(DType::kCount); ++t) {
        Instruction bad = good;
        for (unsigned i = 0; i < bad.operand_count; ++i)
            if (bad.operands[i].is_tile()) bad.operands[i].tile.dtype = static_cast<DType>(t);
        visit(bad);
    }
}

// The instruction itself and every instruction that differs in one property; with scratch and other optional operands
// added.
void neighbours(const Instruction& good, const Visit& visit) {
    visit(good);
    change_types(good, visit);
    change_attributes(good, visit);
    change_image(good, visit);
    for (unsigned i = 0; i < good.operand_count; ++i) {
        change_kind(good, i, visit);
        if (good.operands[i].is_tile()) change_tile(good, i, visit);
        if (good.operands[i].is_global()) change_view(good, i, visit);
        if (good.operands[i].is_scalar()) change_scalar(good, i, visit);
    }
    const auto most = static_cast<unsigned>(info(good.opcode).operands.size());
    for (unsigned i = good.operand_count; i < most; ++i) {
        Instruction more = good;
        more.operand_count = static_cast<uint8_t>(i + 1);
        change_kind(more, i, visit);
    }
    if (good.operand_count < Instruction::kMaxOperands) {
        Instruction more = good;
        more.add(Scalar{0, DType::kI32});
        visit(more);
    }
}

// Instructions without semantics have no golden cases.
std::vector<Instruction> settings() {
    std::vector<Instruction> all;
    for (Opcode opcode : {Opcode::kINTRA_SET, Opcode::kGET_BUF, Opcode::kSETFMATRIX,
                          Opcode::kSET_QUANT_VECTOR, Opcode::kTPRINT}) {
        Instruction instruction(opcode);
        if (opcode == Opcode::kSET_QUANT_VECTOR)
            instruction.add(make_tile(Space::kFixpipe, DType::kU64, 1, 32));
        if (opcode == Opcode::kTPRINT) instruction.add(make_tile(Space::kUB, DType::kF32, 8, 64));
        instruction.attributes.use_convolution().image.registers = 1;
        all.push_back(instruction);
    }
    // A vector in a tile that has room for a matrix.
    Instruction product(Opcode::kTGEMV);
    constexpr auto kRow = OuterLayout::kRowMajor, kCol = OuterLayout::kColMajor;
    product.add(make_tile(Space::kL0C, DType::kF32, 16, 32, kCol, InnerLayout::kRowMajor, 1024));
    product.add(make_tile(Space::kL0A, DType::kF16, 16, 64, kRow, InnerLayout::kRowMajor));
    product.add(make_tile(Space::kL0B, DType::kF16, 64, 32, kRow, InnerLayout::kColMajor));
    product.operands[1].tile.valid_rows = 1;
    all.push_back(product);
    return all;
}

}  // namespace

TEST_CASE("every code that a rule names is reported by some instruction, and no other") {
    std::vector<Instruction> examples = settings();
    std::map<Opcode, int> seen;
    for (const GoldenCase& golden : goldens().cases())
        if (golden.checked && (seen[golden.instruction.opcode]++ % 8 == 0 ||
                               golden.name.find(".types.") == std::string::npos))
            examples.push_back(golden.instruction);

    std::map<const LegalityRule*, std::set<std::string>> reported;
    for (const Instruction& example : examples)
        neighbours(example, [&](const Instruction& instruction) {
            for (Arch arch : {Arch::kA2A3, Arch::kA5}) {
                const Report report = judge(instruction, arch);
                if (report.rule != nullptr) reported[report.rule].insert(report.problem.code);
            }
        });
    for (const LegalityRule* rule : rules::all_rules()) {
        std::set<std::string> named;
        std::stringstream words{std::string(rule->codes)};
        for (std::string word; words >> word;) named.insert(word);
        for (const std::string& code : named) {
            INFO(rule->name << " names " << code << ", which nothing here makes it report");
            CHECK(reported[rule].contains(code));
        }
        for (const std::string& code : reported[rule]) {
            INFO(rule->name << " reports " << code << ", which it does not name");
            CHECK(named.contains(code));
        }
    }
}
