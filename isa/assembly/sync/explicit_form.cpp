#include "isa/assembly/sync/explicit_form.h"

#include <algorithm>

#include "isa/assembly/bind/address_writer.h"
#include "isa/assembly/sync/blocks.h"
#include "isa/assembly/sync/flag_lines.h"
#include "isa/assembly/syntax/parser.h"

namespace ptosim::assembly {

namespace {

bool has_flags(const Program& program) {
    return std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& step) {
        if (step.code != StepCode::kIssue) return false;
        const Opcode opcode = program.issues[step.index].prototype.opcode;
        return opcode == Opcode::kSET_FLAG || opcode == Opcode::kWAIT_FLAG ||
               opcode == Opcode::kGET_BUF || opcode == Opcode::kRLS_BUF;
    });
}

// True if the block already ends with a barrier of all pipes.
bool ends_empty(const SyncBlock& body) {
    return body.back().kind == SyncNode::Kind::kBarrier && body.back().pipe == Pipe::kAll;
}

// A wait for all pipes at the end of a function.
SyncInsertion tail_of(const Operation& function) {
    SyncInsertion tail;
    const Operation& last = function.regions[0].blocks[0].operations.back();
    tail.operation = &last;
    tail.behind = last.name != "return" && last.name != "func.return";
    tail.source = Pipe::kAll;
    return tail;
}

void write_flags(const AssemblyKernel& kernel, const SyncBlocks& blocks,
                 const SyncBlocks::Function& function, Arch arch, FlagLines& lines) {
    const bool both =
        !function.kind && kernel.runs_on(CoreType::kAIC) && kernel.runs_on(CoreType::kAIV);
    bool waits_at_end = true;
    for (const CoreType core : {CoreType::kAIC, CoreType::kAIV}) {
        if (!kernel.runs_on(core) || (function.kind && *function.kind != core)) continue;
        SyncOptions options;
        options.arch = arch;
        if (both) {
            options.shared_ids = options.ids / 2;
            options.shared_first = core == CoreType::kAIV ? options.ids / 2 : 0;
        }
        const SyncBlock body = blocks.of(function, core);
        waits_at_end &= !has_pipe_work(body) || ends_empty(body);
        for (const SyncInsertion& insertion : insert_sync(body, options)) lines.add(insertion);
    }
    if (!waits_at_end) lines.add(tail_of(*function.operation));
}

Diagnostic indistinct_slots(const Operation& op, const SourceMap& sources) {
    Diagnostic d;
    d.code = "E35";
    d.category = Category::kSync;
    d.message =
        "the inserted flags serialise this loop: it is not known which iteration uses which slot";
    sources.locate(d, op.location);
    d.hint =
        "for a loop '%t = %first to %n step %s' let the slot be '(%t - %first) / %s' modulo the "
        "number of slots, or "
        "'%t' modulo it";
    return d;
}

}  // namespace

ExplicitForm make_explicit(const Module& module, const BindOptions& options, bool add_flags) {
    BindRecord record;
    const std::unique_ptr<AssemblyKernel> kernel = bind(module, options, &record);
    TextEdits edits(module.text);
    FlagLines lines(module.text, edits);
    ExplicitForm form;
    form.had_flags = has_flags(kernel->program());
    form.refused = std::move(record.refused);
    write_addresses(module, kernel->sources(), record.addresses, edits);
    if (add_flags && !form.had_flags) {
        const SyncBlocks blocks(module, kernel->program(), record, options.arch);
        for (const SyncBlocks::Function& function : blocks.running())
            write_flags(*kernel, blocks, function, options.arch, lines);
        for (const Operation* const op : blocks.indistinct())
            form.notes.push_back(indistinct_slots(*op, kernel->sources()));
    }
    form.sets = lines.sets();
    form.waits = lines.waits();
    form.barriers = lines.barriers();
    TextEdits::Result result = edits.applied();
    form.text = std::move(result.text);
    form.lines = std::move(result.lines);
    return form;
}

std::unique_ptr<AssemblyKernel> bind_explicit(const Module& module, const BindOptions& options,
                                              const ExplicitForm& form) {
    const auto read = parse(module.files[0], form.text);
    BindOptions again = options;
    again.verify = false;
    auto kernel = bind(*read, again);
    SourceMap sources;
    for (size_t i = 0; i < module.files.size(); ++i)
        sources.add(module.files[i], i == 0 ? module.text : std::string(),
                    SourceLanguage::kAssembly);
    kernel->relocate(form.lines, std::make_shared<const SourceMap>(std::move(sources)));
    return kernel;
}

}  // namespace ptosim::assembly
