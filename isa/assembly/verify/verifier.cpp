#include "isa/assembly/verify/verifier.h"

#include <algorithm>

#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/core/arch.h"
#include "isa/legality/legality.h"

namespace ptosim::assembly {

namespace {

constexpr std::string_view kTargetArch = "pto.target_arch";

// The assembler counts a pair of 4-bit numbers as one element of one byte, and requires 16 of them in a row.
bool is_packed_pairs(const Tile& tile) {
    constexpr int32_t kPairs = 16;
    const int32_t inner = tile.outer == OuterLayout::kRowMajor ? tile.cols : tile.rows;
    return bits(tile.dtype) == 4 && inner % kPairs == 0;
}

// An attribute of the module that is nearly the one that is read here.
void check_spelling(BindContext& context, const Operation& op) {
    for (const NamedAttribute& entry : op.attributes) {
        if (entry.name == kTargetArch || closest(entry.name, {kTargetArch}).empty()) continue;
        Diagnostic warning;
        warning.code = "K09";
        warning.category = Category::kInput;
        warning.message = "a module has no attribute '" + std::string(entry.name) + "'";
        warning.hint = "did you mean '" + std::string(kTargetArch) + "'?";
        warning.file = context.module.files[0];
        warning.location = entry.location;
        warning.source_line = text_line(context.module.text, entry.location.line);
        context.warnings.push_back(std::move(warning));
    }
}

}  // namespace

// ---- refusals

void Verifier::refuse(Diagnostic refusal) {
    if (context_.refused || is_full_) return;
    context_.refusals.push_back(std::move(refusal));
    is_full_ = context_.refusals.size() >= kMaxSyntaxErrors;
    if (is_full_)
        context_.refusals.back().notes.emplace_back("further problems of this file are not shown");
}

void Verifier::note(Diagnostic problem) {
    if (options_.launch)
        refuse(std::move(problem));
    else
        report(std::move(problem));
}

void Verifier::on_missing(Diagnostic problem) {
    check([&] { throw Failure{std::move(problem)}; });
}

// ---- modules, functions and tiles

// Compares the architecture that the module declares with the one it is verified for.
void Verifier::verify_arch() {
    for (const Operation& op : module_.operations) {
        if (op.name == "module" || op.name == "builtin.module") check_spelling(context_, op);
        const Attribute* const written = find(op.attributes, kTargetArch);
        if (written == nullptr) continue;
        const std::optional<Arch> arch = parse_arch(written->text);
        if (arch == options_.arch) continue;
        Diagnostic warning;
        warning.code = "K09";
        warning.category = Category::kInput;
        warning.message = arch ? "the module is made for " + std::string(ptosim::name(*arch)) +
                                     ", and is verified for " +
                                     std::string(ptosim::name(options_.arch))
                               : "'" + std::string(written->text) + "' is not an architecture";
        warning.hint = arch ? "choose a chip of that architecture with --chip"
                            : "architectures are a2a3 (or a3), a5 and kirin9030";
        warning.file = module_.files[0];
        warning.location = written->location;
        warning.source_line = text_line(module_.text, written->location.line);
        context_.warnings.push_back(std::move(warning));
    }
}

void Verifier::on_tile(const Operation& op, const Type& type, const Tile& tile) {
    check([&] { verify_tile(op, type, tile); });
}

void Verifier::verify_tile(const Operation& op, const Type& type, const Tile& tile) {
    Problem problem;
    if (tile.fractal != 32 && tile.fractal != 512 && tile.fractal != 1024)
        fail(op, "L05", "no fractal of " + std::to_string(tile.fractal) + " bytes",
             "fractals have 32, 512 or 1024 bytes");
    if (!rules::check_tile(tile, false, tile.space == Space::kL1, "the tile", -1, problem)) {
        Diagnostic found = diagnostic_at(op.location, problem.code, problem.message, problem.hint);
        found.category = Category::kIllegal;
        if (!is_packed_pairs(tile)) throw Failure{std::move(found)};
        context_.warnings.push_back(std::move(found));
    }
    // hw-native-sys/pto-isa include/pto/common/pto_tile.hpp, GetValidRow.
    if (type.tile.valid_rows == 0 || type.tile.valid_cols == 0)
        fail(op, "S03",
             "'" + std::string(type.text) +
                 "' has an empty valid region in its type, and the library has no such tile",
             "write v_row=? and v_col=?, and give valid_row and valid_col of 0");
    if (type.kind == TypeKind::kMultiTile) {
        if (type.count < 2) fail(op, "K07", "a tile with several slots has at least two");
        if (tile.compact == Compact::kRowPlusOne)
            fail(op, "K07",
                 "slots of a tile that is stored with an additional row (row_plus_one) would "
                 "overlap");
    }
    for (const NamedAttribute& entry : op.attributes)
        if (entry.name == "pto.multi_buffer_addrs")
            fail(entry.location, "K09",
                 "'pto.multi_buffer_addrs' is written by a planner, and is not for files that "
                 "it reads");
    if (const Clause* address = op.clause("addr"))
        check_alignment(op, integer(only_item(op, *address)));
}

// The valid region of a window's type is the one that is given, open where that is computed.
void Verifier::on_window(const Operation& op, const Type& type, const WindowPlan& plan) {
    check([&] { verify_window(op, type, plan); });
}

void Verifier::verify_window(const Operation& op, const Type& type, const WindowPlan& plan) {
    const auto check = [&](Slot given, int32_t written, int32_t size, const char* what) {
        if (given == kNoSlot) {
            if (written < 0)
                fail(op, "S04",
                     "'" + std::string(type.text) + "' leaves its valid " + what +
                         " open, and none are given",
                     "write valid [%rows, %columns]");
            return;
        }
        const int64_t determined =
            is_constant(given)
                ? std::min(static_cast<int64_t>(constant_value(given)), int64_t{size})
                : kDynamic;
        if (determined != written)
            fail(op, "S04",
                 "'" + std::string(type.text) + "' does not have the valid " + what +
                     " that are given: " + (determined < 0 ? "?" : std::to_string(determined)));
    };
    check(plan.valid_rows, type.tile.valid_rows, type.tile.rows, "rows");
    check(plan.valid_cols, type.tile.valid_cols, type.tile.cols, "columns");
}

void Verifier::on_retype(const Operation& op, size_t wanted, size_t held) {
    check([&] {
        if (op.name == "pto.treshape" && wanted != held)
            fail(op, "K07",
                 "the result has " + std::to_string(wanted) + " bytes, the source " +
                     std::to_string(held));
    });
}

void Verifier::on_region(const Operation& op, std::span<const Type* const> written,
                         std::span<const Value> results) {
    check([&] {
        if (written.size() != results.size()) return;
        for (size_t i = 0; i < results.size(); ++i)
            if (results[i].type != nullptr && results[i].type->text != written[i]->text)
                fail(op, "K07",
                     "result " + std::to_string(i + 1) + " of '" + std::string(op.name) + "' is '" +
                         std::string(written[i]->text) + "', but its region yields '" +
                         std::string(results[i].type->text) + "'");
    });
}

void Verifier::on_function(const Operation& function) {
    check([&] { verify_function(function); });
}

void Verifier::verify_function(const Operation& function) {
    static const std::vector<std::string_view> kKnown = {
        "pto.entry",       "pto.kernel",           "pto.aicore",
        "pto.kernel_kind", "pto.backend",          "pto.auto_sync_tail_hint",
        "pto.simt_entry",  "pto.simt_max_threads", "pto.tileop.helper",
        "pto.visibility",  "pto.target_arch"};
    for (const NamedAttribute& entry : function.attributes) {
        const bool is_accepted =
            !entry.name.starts_with("pto.") ||
            std::find(kKnown.begin(), kKnown.end(), entry.name) != kKnown.end();
        const std::string near = is_accepted ? "" : closest(entry.name, kKnown);
        if (!near.empty())
            fail(entry.location, "K09",
                 "functions have no attribute '" + std::string(entry.name) + "'",
                 "did you mean '" + near + "'?");
    }
    const bool marked = find(function.attributes, "pto.entry") != nullptr;
    if (marked && !function.result_types.empty())
        fail(function, "K08",
             "'" + std::string(function.symbol) + "' is launched and returns a value",
             "a kernel gives its results through pointers");
    if (find(function.attributes, "pto.tileop.helper") != nullptr)
        for (const Block& block : function.regions[0].blocks) verify_helper(block);
    if (!marked) return;
    for (const BlockArgument& argument : function.regions[0].blocks[0].arguments)
        if (argument.type->kind == TypeKind::kTile || argument.type->kind == TypeKind::kMultiTile)
            fail(argument.location, "K07",
                 "a launched function cannot take '" + std::string(argument.type->text) + "'",
                 "its parameters are pointers (!pto.ptr<...>), views and scalars");
}

// Helpers of tile operations work on the registers of one instruction.
void Verifier::verify_helper(const Block& block) {
    for (const Operation& op : block.operations) {
        for (const Region& region : op.regions)
            for (const Block& inner : region.blocks) verify_helper(inner);
        static constexpr std::string_view kSync[] = {
            "pto.set_flag",     "pto.wait_flag",  "pto.set_flag_dyn", "pto.wait_flag_dyn",
            "pto.record_event", "pto.wait_event", "pto.barrier",      "pto.barrier_sync",
            "pto.get_buf",      "pto.rls_buf",    "pto.sync.set",     "pto.sync.wait"};
        const std::string what = "a helper of tile operations (pto.tileop.helper) has no ";
        if (std::find(std::begin(kSync), std::end(kSync), op.name) != std::end(kSync))
            fail(op, "K11", what + "synchronisation of pipes in it");
        const bool makes = op.name == "pto.alloc_tile" || op.name == "pto.alloc_multi_tile";
        const InstructionInfo* row =
            op.name.starts_with("pto.") ? find_instruction(op.name.substr(4)) : nullptr;
        if (makes || (row != nullptr && row->semantics != nullptr))
            fail(op, "K11", what + "separate tiles and no tile operations");
    }
}

}  // namespace ptosim::assembly
