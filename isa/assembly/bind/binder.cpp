#include "isa/assembly/bind/binder.h"

#include <atomic>
#include <optional>
#include <unordered_set>

#include "isa/assembly/bind/address_planner.h"
#include "isa/assembly/bind/operations.h"
#include "isa/assembly/context/core_assignment.h"
#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/assembly/verify/verifier.h"
#include "isa/core/arch.h"

namespace ptosim::assembly {

namespace {

std::atomic<unsigned> calls_of_bind{0};

// Two functions of one name. Test files of several parts ("// -----") are read as one: there the
// first counts.
void report_second(BindContext& context, const Operation& function, const Operation& first) {
    if (context.module.text.find("\n// -----") != std::string::npos) return;
    Diagnostic problem;
    problem.code = "K08";
    problem.category = Category::kInput;
    problem.message = "a second function '" + std::string(function.symbol) + "'";
    problem.hint = "the first is in line " + std::to_string(first.location.line);
    problem.file = context.module.files[0];
    problem.location = function.location;
    problem.source_line = text_line(context.module.text, function.location.line);
    if (context.problems.size() < kMaxSyntaxErrors) context.problems.push_back(std::move(problem));
}

// Binds the functions to launch; the problems are in the context. Returns the kernel's name.
std::string bind_kernel(BindContext& context) {
    OperationBinder operations(context);
    AddressPlanner planner(context);
    const BindOptions& options = context.options;
    BindListener& listener = *context.listener;
    // A stage that follows refusals is not verified.
    const auto is_sound = [&] {
        context.refused |= !context.refusals.empty();
        return context.problems.empty();
    };
    std::string kernel;
    try {
        const std::vector<const Operation*> entries = operations.functions().entry_functions();
        if (options.launch) operations.functions().bind_parameters(entries);
        for (const Operation* entry : entries) {
            kernel += (kernel.empty() ? "" : "+") + std::string(entry->symbol);
            operations.functions().check_kind(*entry);
            listener.on_function(*entry);
            operations.functions().bind_entry(*entry);
        }
        context.program.steps.push_back({});
        if (is_sound()) operations.epilogues().check_ends();
        if (is_sound()) listener.on_buffer_uses(operations.fifos().buffer_uses());
        if (is_sound()) {
            assign_cores(context);
            operations.fifos().check_reserved();
            planner.plan_addresses();
            listener.on_addresses();
            context.program.one_vector_core = operations.fifos().never_splits() &&
                                              traits_of(options.arch).flags_between_cores &&
                                              context.on_aic;
        }
    } catch (Failure& failure) {  // of the entry itself; operations are caught one by one
        context.problems.push_back(std::move(failure.diagnostic));
    } catch (TooManyProblems) {
        context.problems.back().notes.push_back("further problems of this file are not shown");
    }
    return kernel;
}

void fill(BindRecord& record, const BindContext& context) {
    const Program& program = context.program;
    record.warnings = context.warnings;
    record.refused = context.refusals;
    record.origins = context.origins;
    record.origins.resize(program.steps.size());
    std::unordered_set<const Operation*> seen;
    for (const TilePlacement& placement : context.placements) {
        // Scratch that nothing touches (a5) occupies no memory, and needs none when the emitted text is bound again.
        if (placement.bytes == 0 || !placement.planned) continue;
        if (!seen.insert(placement.operation).second) continue;
        const Tile& tile = program.tiles[program.steps[placement.step].index];
        BindRecord::PlannedAddress planned{
            placement.operation, tile.address, {}, placement.scratch_operand};
        if (placement.is_scratch) planned.scratch = scratch_type(tile);
        record.addresses.push_back(std::move(planned));
    }
    for (const auto& [name, buffer] : context.reserved)
        if (buffer.planned && buffer.operation != nullptr)
            record.addresses.push_back({buffer.operation, program.scalars[buffer.address], {}, 0});
}

}  // namespace

unsigned bind_count() { return calls_of_bind; }

std::unique_ptr<AssemblyKernel> bind(const Module& module, const BindOptions& options,
                                     BindRecord* record) {
    ++calls_of_bind;
    BindContext context(module, options);
    for (const auto& [function, first] : context.table.repeated)
        report_second(context, *function, *first);
    BindListener nothing;
    std::optional<Verifier> verifier;
    context.listener = &nothing;
    if (options.verify) context.listener = &verifier.emplace(context);
    AssemblyKernel::Traits traits;
    traits.name = bind_kernel(context);
    if (!context.problems.empty()) throw DiagnosticError(std::move(context.problems));

    if (record != nullptr) fill(*record, context);
    traits.on_aic = context.on_aic;
    traits.on_aiv = context.on_aiv;
    traits.explicit_sync = context.explicit_sync;
    SourceMap sources;
    // Files of loc(...) are named, not read: the text decides nothing about which files are opened.
    for (size_t i = 0; i < module.files.size(); ++i)
        sources.add(module.files[i], i == 0 && options.keep_text ? module.text : std::string(),
                    SourceLanguage::kAssembly);
    for (size_t i = 0; i < context.parameters.size(); ++i)
        if (context.dynamic_parameter[i]) context.parameters[i].elements = 0;
    return std::make_unique<AssemblyKernel>(std::move(traits), std::move(sources),
                                            std::move(context.parameters),
                                            std::move(context.program));
}

}  // namespace ptosim::assembly
