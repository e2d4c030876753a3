#include "isa/assembly/bind/operations.h"

#include <algorithm>

#include "isa/assembly/syntax/operation_names.h"
#include "isa/assembly/syntax/parser.h"

namespace ptosim::assembly {

namespace {

// A real kernel has some ten thousand steps.
constexpr size_t kMaxSteps = 1u << 22;
// Operations of functions that are called, which are bound once for each call: calls inside of
// calls multiply.
constexpr size_t kMaxInlined = 1u << 20;

}  // namespace

OperationBinder::OperationBinder(BindContext& context)
    : BinderPart{context},
      scratch_{context},
      instructions_{context, scratch_},
      functions_{context, *this},
      scalars_{context},
      control_flow_{context, *this, scalars_},
      memory_{context},
      arrays_{context},
      tiles_{context, memory_},
      sync_{context, instructions_},
      epilogues_{context, fifo_ends_, instructions_},
      fifos_{context, fifo_ends_, epilogues_},
      fifo_slots_{context, fifo_ends_, fifos_, epilogues_},
      transfers_{context},
      handles_{context},
      vectors_{context, *this},
      cube_{context, scalars_},
      drains_{context, scalars_},
      parts_{functions_, scalars_,    control_flow_, memory_,    arrays_,  tiles_,   sync_,
             epilogues_, fifos_,      fifo_slots_,   transfers_, handles_, vectors_, cube_,
             drains_} {}

// Calls a method of the part whose class it belongs to.
template <typename Part, void (Part::*kMethod)(const Operation&)>
struct OperationBinder::Call<kMethod> {
    static void call(OperationBinder& binder, const Operation& op) {
        (std::get<Part&>(binder.parts_).*kMethod)(op);
    }
};

OperationBinder::Handler OperationBinder::handler_of(std::string_view name) {
    struct Row {
        std::string_view names;  // separated by blanks
        Handler handler;
    };
    static constexpr Row kRows[] = {
#define OPERATION(NAMES, BINDER, METHOD, GROUP, SYNTAX, SUMMARY) \
    {NAMES, &Call<&BINDER::METHOD>::call},
#define GRAMMAR(NAMES, GROUP, SYNTAX, SUMMARY)
#define INSTRUCTION_FORM(NAMES, BINDER, METHOD) {NAMES, &Call<&BINDER::METHOD>::call},
#include "isa/assembly/language/assembly_operations.def"
#undef OPERATION
#undef GRAMMAR
#undef INSTRUCTION_FORM
    };
    static const auto& kHandlers = *new const std::unordered_map<std::string_view, Handler>([] {
        std::unordered_map<std::string_view, Handler> handlers;
        for (const auto& [names, handler] : kRows)
            for (std::string_view rest = names; !rest.empty();) {
                const size_t end = std::min(rest.find(' '), rest.size());
                handlers.emplace(rest.substr(0, end), handler);
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        return handlers;
    }());
    const auto found = kHandlers.find(name);
    return found == kHandlers.end() ? nullptr : found->second;
}

void OperationBinder::bind_block(const Block& block) {
    const uint32_t outer = context_.block_number;
    context_.block_number = ++blocks_bound_;
    for (const Operation& op : block.operations) {
        const size_t outside = context_.names.mark();
        const bool refused = context_.refused;
        try {
            bind_operation(op);
            if (context_.refused)
                for (const ResultName& result : op.results)
                    context_.names.mark_refused(result.name);
            context_.refused = refused;
            continue;
        } catch (Failure& failure) {
            report(std::move(failure.diagnostic));
        } catch (AlreadyReported) {
        }
        context_.refused = refused;
        // Definitions inside a broken operation are out of scope now.
        context_.leave_names(outside);
        // Uses of the missing results are not reported as further errors.
        for (const ResultName& result : op.results)
            if (!result.name.empty())
                context_.names.define(result.name, std::vector<Value>(result.count));
    }
    context_.block_number = outer;
}

void OperationBinder::bind_operation(const Operation& op) {
    if (program_.steps.size() > kMaxSteps) {
        context_.problems.push_back(
            diagnostic_at(op.location, "K11", "the kernel has too many steps", {}));
        throw TooManyProblems{};
    }
    if (context_.call_stack.size() > 1 && ++inlined_ > kMaxInlined) fail_inlined(op);
    if (const Handler handler = handler_of(op.name)) return handler(*this, op);
    if (op.name.starts_with("arith.") && scalars_.bind_arith(op)) return;
    if (op.name.starts_with("pto.")) {
        const std::string_view word = op.name.substr(4);
        // The table also contains "TADD", but the assembly uses only lower-case names.
        const InstructionInfo* row = find_instruction(word);
        if (row != nullptr && word != row->name) return instructions_.bind_instruction(op, *row);
        if (vectors_.bind_vector(op)) return;
    }
    fail_unknown(op);
}

void OperationBinder::fail_inlined(const Operation& op) {
    constexpr size_t kMostNames = 8;
    std::string chain;
    for (size_t i = 0; i < context_.call_stack.size() && i < kMostNames; ++i)
        chain += (i == 0 ? "" : " calls ") + std::string(context_.call_stack[i]);
    if (context_.call_stack.size() > kMostNames) chain += " and so on";
    Diagnostic problem = diagnostic_at(
        op.location, "K08",
        "the calls of '" + std::string(context_.call_stack[0]) + "' expand to more than " +
            std::to_string(kMaxInlined) + " operations",
        "functions are inlined, so nested calls multiply");
    problem.notes.push_back(chain);
    context_.problems.push_back(std::move(problem));
    throw TooManyProblems{};
}

void OperationBinder::fail_unknown(const Operation& op) {
    const std::string full(op.name);
    constexpr const char* kBefore =
        "give ptosim the file before that step, with !pto.tile_buf types";
    if (!op.name.starts_with("pto.")) {
        const size_t dot = op.name.find('.');
        static constexpr std::string_view kDialects[] = {
            "arith", "scf", "func", "memref", "cf", "math", "affine", "vector", "llvm"};
        const std::string_view dialect = op.name.substr(0, dot);
        const bool is_operation =
            std::find(std::begin(kDialects), std::end(kDialects), dialect) != std::end(kDialects);
        static const std::vector<std::string_view> kArith = {
            "constant", "addi",      "subi",      "muli",       "divsi",        "divui",  "remsi",
            "remui",    "ceildivsi", "ceildivui", "floordivsi", "maxsi",        "maxui",  "minsi",
            "minui",    "andi",      "ori",       "xori",       "shli",         "shrsi",  "shrui",
            "cmpi",     "cmpf",      "select",    "index_cast", "index_castui", "extsi",  "extui",
            "trunci",   "extf",      "truncf",    "sitofp",     "uitofp",       "fptosi", "fptoui",
            "bitcast",  "addf",      "subf",      "mulf",       "divf",         "remf",   "negf",
            "maximumf", "minimumf",  "maxnumf",   "minnumf"};
        const std::string_view rest = dot == op.name.npos ? op.name : op.name.substr(dot + 1);
        if (dialect == "arith")
            if (const std::string near = closest(rest, kArith); !near.empty() && near != rest)
                fail(op, "K02", "unknown operation '" + full + "'",
                     "did you mean 'arith." + near + "'?");
        if (!is_operation && operation_level(rest) == OperationLevel::kTile)
            fail(op, "K02", "unknown operation '" + full + "'",
                 "did you mean 'pto." + std::string(rest) + "'?");
        if (is_operation || dot == std::string_view::npos)
            fail(op, "K03", "the operation '" + full + "' is not supported",
                 dialect == "memref"
                     ? std::string("memref is the compiler's inner form: ") + kBefore
                     : "");
        fail(op, "K02", "unknown operation '" + full + "'");
    }
    const std::string_view word = op.name.substr(4);
    switch (operation_level(word)) {
        case OperationLevel::kTile:
            fail(op, "K03", "the operation '" + full + "' is not supported yet",
                 "a pto operation that ptosim does not support; `ptosim isa` lists the supported ones");
        case OperationLevel::kInner:
            fail(op, "K03", "'" + full + "' is an inner form of the compiler", kBefore);
        case OperationLevel::kRegister:
            fail(op, "K04",
                 "'" + full +
                     "' works on vector registers, SIMT threads or raw descriptors, which are out "
                     "of scope",
                 "ptosim runs tile-level kernels: give it the file before it is lowered");
        case OperationLevel::kUnknown:
            break;
    }
    if (word.starts_with("v") || word.starts_with("ub.v") || word.starts_with("vmi."))
        fail(op, "K04", "'" + full + "' is a register-level operation, which is out of scope",
             "ptosim runs tile-level kernels");
    const std::string near = closest_operation(word);
    fail(op, "K02", "unknown operation '" + full + "'",
         near.empty() ? "" : "did you mean 'pto." + near + "'?");
}

}  // namespace ptosim::assembly
