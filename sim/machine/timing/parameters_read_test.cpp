// Tests that the parameters which a cost records as read are exactly the ones that change it: changes the parameters of
// a chip one by one, and compares the costs of sample instructions of every timing class.
#include <catch2/catch.hpp>

#include <set>

#include "sim/machine/model/assumed.h"
#include "sim/machine/model/parameters.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {
namespace {

Tile left(DType type, int m, int k) {
    return make_tile(Space::kL0A, type, m, k, OuterLayout::kRowMajor, InnerLayout::kRowMajor);
}

GlobalView view(DType type, int rows, int cols) {
    GlobalView result;
    result.dtype = type;
    result.shape = {1, 1, 1, rows, cols};
    result.stride = {1, 1, 1, 2 * cols, 1};
    return result;
}

Instruction vector(Opcode opcode, std::initializer_list<Tile> tiles) {
    Instruction instruction(opcode);
    for (const Tile& tile : tiles) instruction.add(tile);
    return instruction;
}

std::vector<std::pair<std::string, Instruction>> samples() {
    using enum DType;
    const auto ub = [](DType type, int rows, int cols) {
        return make_tile(Space::kUB, type, rows, cols);
    };
    const auto column = [](DType type, int rows) {
        return make_tile(Space::kUB, type, rows, 1, OuterLayout::kColMajor);
    };
    std::vector<std::pair<std::string, Instruction>> list;
    const auto add = [&](std::string name, Instruction instruction) {
        list.emplace_back(std::move(name), std::move(instruction));
    };
    for (const DType type : {kF16, kF32, kI8, kE2M1, kBF16}) {
        const Tile c = make_tile(Space::kL0C, kF32, 64, 64, OuterLayout::kColMajor,
                                 InnerLayout::kRowMajor, 1024);
        Instruction product(Opcode::kTMATMUL);
        product.add(c).add(left(type, 64, 40)).add(left(type, 40, 64));
        add("product of " + std::string(name(type)), product);
    }
    for (const Space to : {Space::kL0A, Space::kL0B, Space::kBias, Space::kFixpipe, Space::kUB}) {
        Instruction move(Opcode::kTMOV);
        move.add(make_tile(to, kF16, 32, 64)).add(make_tile(Space::kL1, kF16, 32, 64));
        add("move from L1 to " + std::string(name(to)), move);
    }
    for (const Space from : {Space::kL0C, Space::kUB}) {
        Instruction move(Opcode::kTMOV);
        move.add(make_tile(Space::kL1, kF16, 32, 64)).add(make_tile(from, kF16, 32, 64));
        add("move to L1 from " + std::string(name(from)), move);
    }
    for (const auto& [space, boxed] :
         {std::pair{Space::kUB, false}, {Space::kL1, false}, {Space::kL1, true}}) {
        const Tile tile =
            boxed ? make_tile(space, kF16, 32, 64, OuterLayout::kColMajor, InnerLayout::kRowMajor)
                  : make_tile(space, kF16, 32, 64);
        Instruction load(Opcode::kTLOAD);
        load.add(tile).add(view(kF16, 32, 64));
        add(std::string("load to ") + std::string(name(space)) + (boxed ? ", boxed" : ""), load);
        if (space == Space::kL1) continue;
        Instruction store(Opcode::kTSTORE);
        store.add(view(kF16, 32, 64)).add(tile);
        add("store", store);
    }
    for (const DType type : {kF16, kF32, kI32}) {
        const std::string of = " of " + std::string(name(type));
        add("sum" + of,
            vector(Opcode::kTADD, {ub(type, 8, 100), ub(type, 8, 100), ub(type, 8, 100)}));
        add("quotient" + of,
            vector(Opcode::kTDIV, {ub(type, 4, 64), ub(type, 4, 64), ub(type, 4, 64)}));
    }
    for (const DType type : {kF16, kF32}) {
        const std::string of = " of " + std::string(name(type));
        add("exponential" + of, vector(Opcode::kTEXP, {ub(type, 8, 256), ub(type, 8, 256)}));
        add("row sum" + of, vector(Opcode::kTROWSUM, {column(type, 16), ub(type, 16, 300)}));
        add("row maximum" + of, vector(Opcode::kTROWMAX, {column(type, 16), ub(type, 16, 32)}));
        add("column sum" + of, vector(Opcode::kTCOLSUM, {ub(type, 1, 300), ub(type, 16, 300)}));
        add("broadcast of rows" + of,
            vector(Opcode::kTROWEXPAND, {ub(type, 16, 256), column(type, 16)}));
        add("sum with a column" + of,
            vector(Opcode::kTROWEXPANDADD,
                   {ub(type, 16, 256), ub(type, 16, 256), column(type, 16)}));
        add("broadcast of columns" + of,
            vector(Opcode::kTCOLEXPAND, {ub(type, 16, 256), ub(type, 1, 256)}));
    }
    add("folded rows", vector(Opcode::kTROWSUM, {column(kF32, 64), ub(kF32, 64, 128)}));
    add("sort", vector(Opcode::kTSORT32, {ub(kF32, 4, 128), ub(kF32, 4, 64), ub(kU32, 4, 64)}));
    add("gather", vector(Opcode::kTGATHER, {ub(kF32, 4, 64), ub(kF32, 4, 64), ub(kI32, 4, 64)}));
    add("conversion", vector(Opcode::kTCVT, {ub(kF32, 8, 64), ub(kF16, 8, 64)}));
    return list;
}

// Except the additional time of a move while MTE2 writes L1, which is recorded at the wait.
auto parts(const Cost& cost) {
    return std::tuple(cost.occupancy, cost.latency, cost.fill, cost.bytes, cost.rate, cost.far_rate, cost.fixed,
                      cost.row_bytes, cost.rows);
}

// Also for rows that other rows inherit, and for the types of a group.
void change(ChipModel& model, uint16_t row, uint64_t (*to)(uint64_t)) {
    const auto one = [&](ChipParameter& parameter) {
        if (parameter.row() == row) parameter = std::max<uint64_t>(1, to(parameter.value()));
    };
    for (const ParameterRow& other : parameter_rows()) one(other.field(model));
    for (size_t type = 0; type < model.aic.cube.k_per_cycle.size(); ++type) {
        one(model.aic.cube.k_per_cycle[type]);
        one(model.aic.cube.k_granule[type]);
    }
}

std::vector<const ParameterRow*> stated(const ChipModel& model) {
    std::vector<const ParameterRow*> rows;
    for (const ParameterRow& row : parameter_rows())
        rows.push_back(model.stated(row.path) != nullptr ? &row : nullptr);
    return rows;
}

// Read in a maximum or minimum, or before a choice, so that a change may have no effect.
bool may_be_hidden(const std::string& path) {
    for (const char* end :
         {".row_least",   ".start",          ".overhead",       ".conflict", ".gather",
          ".gap",         ".nested",         ".row_cycles",     ".b16",      ".b32",
          ".ports",       ".short_row",      ".write_conflict", ".steps",    ".latency",
          ".by_row", ".integer_by_row", ".tail_apart",     ".pass",     ".row_expand",
          ".k_granule"})
        if (path.find(end) != std::string::npos) return true;
    return false;
}

void check_chip(const char* chip_name) {
    const ChipModel chip = load_chip(chip_name, {});
    const std::vector<const ParameterRow*> rows = stated(chip);
    std::set<std::string> moved_some;
    for (const auto& [what, instruction] : samples()) {
        ParametersRead read;
        const auto before = [&] {
            const ReadScope scope(read);
            return parts(CostModel(chip).cost(instruction));
        }();
        for (uint16_t row = 1; row <= rows.size(); ++row) {
            if (rows[row - 1] == nullptr) continue;
            bool moves = false;
            for (uint64_t (*to)(uint64_t) :
                 {+[](uint64_t v) { return 4 * v + 70000; }, +[](uint64_t v) { return v / 4; },
                  +[](uint64_t) { return uint64_t{0}; }}) {
                ChipModel changed = chip;
                change(changed, row, to);
                moves = moves || parts(CostModel(changed).cost(instruction)) != before;
            }
            INFO(chip_name << ", " << what << ", " << rows[row - 1]->path);
            if (moves) CHECK(read.contains(row));
            if (moves) moved_some.insert(rows[row - 1]->path);
            if (!moves && read.contains(row)) CHECK(may_be_hidden(rows[row - 1]->path));
        }
    }
    // The samples cover most parameters that a cost can depend on.
    CHECK(moved_some.size() > 60);
}

TEST_CASE("a cost names the parameters that move it: a2a3") { check_chip("ascend910b1"); }
TEST_CASE("a cost names the parameters that move it: a5") { check_chip("ascend950pr"); }

TEST_CASE("nothing is noted outside of a scope, and what is set keeps its row") {
    const ChipModel chip = load_chip("ascend910b1", {});
    ParametersRead read;
    const uint64_t before = chip.aiv.vector.row_reduce;
    {
        const ReadScope scope(read);
        CHECK(chip.aiv.vector.row_fold == chip.aiv.vector.row_fold.value());
    }
    CHECK(!read.contains(chip.aiv.vector.row_reduce.row()));
    CHECK(read.contains(chip.aiv.vector.row_fold.row()));
    ChipModel changed = chip;
    changed.aiv.vector.row_reduce = before + 1;
    CHECK(changed.aiv.vector.row_reduce.row() == chip.aiv.vector.row_reduce.row());
}

TEST_CASE("what a row leaves out is noted as what stands for it") {
    const ChipModel chip = load_chip("kirin9030", {});
    ParametersRead read;
    read.note(chip.aiv.vector.rate[static_cast<size_t>(Opcode::kTNOT)].conflict);
    read.note(chip.aic.cube.k_per_cycle[static_cast<size_t>(DType::kBF16)]);
    CHECK(assumed_figures(chip, read) ==
          std::vector<std::string>{"aic.cube.k_per_cycle.f16", "aiv.vector.read_conflict"});
}

}  // namespace
}  // namespace ptosim
