#include "isa/assembly/explicit_form.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "isa/assembly/footprints.h"
#include "isa/assembly/parser.h"
#include "isa/assembly/sync_insertion.h"
#include "isa/instruction_table.h"

namespace ptosim::assembly {

namespace {

// ---- a function as one core sees it -----------------------------------------------------------

struct Function {
    const Operation* operation = nullptr;
    std::optional<CoreType> kind;  // the core type that it is for, if it is for one only
};
using Functions = std::unordered_map<std::string_view, Function>;

std::optional<CoreType> kind_of(const Operation& op, std::optional<CoreType> inherited) {
    const Attribute* kind = find(op.attributes, "pto.kernel_kind");
    if (kind == nullptr) return inherited;
    if (kind->text == "cube") return CoreType::kAIC;
    if (kind->text == "vector") return CoreType::kAIV;
    return inherited;
}

// Functions with a body, in the order of the text.
void collect_functions(std::span<const Operation> operations, std::optional<CoreType> kind,
                       std::vector<Function>& functions) {
    for (const Operation& op : operations) {
        if (op.name == "func.func" && !op.is_declaration && !op.regions.empty() &&
            !op.regions[0].blocks.empty())
            functions.push_back({&op, kind_of(op, kind)});
        if (op.name != "module" && op.name != "builtin.module") continue;
        for (const Region& region : op.regions)
            for (const Block& block : region.blocks)
                collect_functions(block.operations, kind_of(op, {}), functions);
    }
}

bool is_call(const Operation& op) { return op.name == "func.call" || op.name == "call"; }

class View {
 public:
    View(const Program& program, const Footprints& footprints, const BindRecord& record, Arch arch)
        : program_{program}, footprints_{footprints}, arch_{arch} {
        for (uint32_t i = 0; i < record.origins.size(); ++i)
            if (record.origins[i] != nullptr) steps_[record.origins[i]].push_back(i);
        for (uint32_t i = 0; i < record.origins.size(); ++i)
            if (program.steps[i].code == StepCode::kLoop) find_rounds(*record.origins[i], i);
    }

    bool reached(const Operation& op) const { return steps_.count(&op) != 0; }

    // What is known of a loop's rounds.
    void describe_loop(const Operation& op, SyncNode& node) const {
        for (const auto& [loop, reach] : rounds_) {
            if (loop != &op) continue;
            node.period = reach.period;
            node.trips = reach.trips;
        }
    }

    // The work of an operation itself on a core, without that of its regions.
    void add_work(const Operation& op, CoreType core, std::optional<CoreType> section,
                  SyncBlock& block) const {
        const auto found = steps_.find(&op);
        if (found == steps_.end() || (section && *section != core)) return;
        const size_t first = block.size();
        for (const uint32_t index : found->second) {
            const Step& step = program_.steps[index];
            std::optional<SyncNode> node = node_of(step, core, section.has_value());
            if (!node) continue;
            node->operation = &op;
            add_rounds(index, *node);
            if (step.code == StepCode::kTransfer) {
                node->pipe = Pipe::kMTE2;
                merge(block, first, *node);
                node->pipe = Pipe::kMTE3;
            }
            merge(block, first, std::move(*node));
        }
    }

 private:
    // Of a loop that is bound once: one that several calls reach looks different in each.
    void find_rounds(const Operation& loop, uint32_t step) {
        const auto& steps = steps_.at(&loop);
        const auto ends = std::count_if(steps.begin(), steps.end(), [&](uint32_t i) {
            return program_.steps[i].code == StepCode::kLoop;
        });
        if (ends != 1) return;
        if (auto reach = footprints_.rounds(step)) rounds_.emplace_back(&loop, std::move(*reach));
    }

    void add_rounds(uint32_t step, SyncNode& node) const {
        if (node.reach.empty()) return;
        for (const auto& [loop, reach] : rounds_)
            if (const auto found = reach.steps.find(step); found != reach.steps.end()) {
                node.rounds.push_back({loop, found->second, std::nullopt});
                if (const auto box = reach.boxes.find(step); box != reach.boxes.end())
                    node.rounds.back().box = box->second;
            }
    }

    // Calls bind a function's operations several times: one node for all of them.
    static void merge(SyncBlock& block, size_t first, SyncNode node) {
        for (size_t i = first; i < block.size(); ++i) {
            SyncNode& known = block[i];
            if (known.kind != node.kind || known.pipe != node.pipe ||
                known.releases != node.releases || known.acquires != node.acquires)
                continue;
            add_missing(known.reach, node.reach);
            for (const SyncRounds& rounds : node.rounds) merge(known.rounds, rounds);
            return;
        }
        block.push_back(std::move(node));
    }

    static void add_missing(std::vector<Reach>& to, const std::vector<Reach>& from) {
        for (const Reach& reach : from)
            if (std::find(to.begin(), to.end(), reach) == to.end()) to.push_back(reach);
    }
    static void merge(std::vector<SyncRounds>& to, const SyncRounds& from) {
        const auto same = std::find_if(
            to.begin(), to.end(), [&](const SyncRounds& known) { return known.loop == from.loop; });
        if (same == to.end()) {
            to.push_back(from);
            return;
        }
        for (size_t i = 0; i < from.reach.size(); ++i) add_missing(same->reach[i], from.reach[i]);
        if (same->box != from.box) same->box.reset();
    }

    static std::optional<CoreType> owner(Space space) {
        return space == Space::kUB ? CoreType::kAIV : CoreType::kAIC;
    }

    std::optional<SyncNode> node_of(const Step& step, CoreType core, bool sectioned) const {
        SyncNode node;
        std::optional<CoreType> only;
        switch (step.code) {
            case StepCode::kIssue: {
                const IssuePlan& plan = program_.issues[step.index];
                only = plan.only;
                if (!only && !sectioned) only = core_of(plan.prototype);
                if (!issued(plan.prototype, node)) return std::nullopt;
                break;
            }
            case StepCode::kFifo: {
                const FifoPlan& plan = program_.fifos[step.index];
                if (!fifo(plan, node, only)) return std::nullopt;
                break;
            }
            case StepCode::kLoadLocal:
            case StepCode::kStoreLocal:
                only = owner(footprints_.space(step.a));
                break;
            case StepCode::kTransfer:  // loads and stores in turn, with flags of its own
                only = CoreType::kAIV;
                for (uint8_t id = 0; id < 2; ++id) {
                    node.internal.push_back({Pipe::kMTE2, Pipe::kMTE3, id});
                    node.internal.push_back({Pipe::kMTE3, Pipe::kMTE2, id});
                }
                break;
            case StepCode::kLoadGlobal:
            case StepCode::kStoreGlobal:
            case StepCode::kSignal:
                break;
            default:
                return std::nullopt;
        }
        if (only && *only != core) return std::nullopt;
        if (node.kind == SyncNode::Kind::kWork && !node.releases && !node.acquires)
            node.reach = footprints_.of(step);
        return node;
    }

    // False: nothing that orders or is ordered.
    bool issued(const Instruction& instruction, SyncNode& node) const {
        const Opcode opcode = instruction.opcode;
        node.pipe = pipe_of(instruction, arch_);
        switch (opcode) {
            case Opcode::kPIPE_BARRIER:
                node.kind = SyncNode::Kind::kBarrier;
                return true;
            case Opcode::kSYNCALL:
                node.kind = SyncNode::Kind::kDrain;
                return true;
            case Opcode::kCROSS_SET:
            case Opcode::kINTRA_SET:
                if (node.pipe == Pipe::kAll) node.kind = SyncNode::Kind::kDrain;
                node.releases = node.in_order = true;
                return true;
            case Opcode::kCROSS_WAIT:
            case Opcode::kINTRA_WAIT:
                // On a2a3 the whole core waits.
                node.acquires = node.in_order = true;
                return arch_ != Arch::kA2A3 && node.pipe != Pipe::kAll;
            default:
                break;
        }
        const auto used = internal_flags(opcode, arch_);
        node.internal.assign(used.begin(), used.end());
        return true;
    }

    bool fifo(const FifoPlan& plan, SyncNode& node, std::optional<CoreType>& only) const {
        const FifoShape& shape = program_.fifo_ends[plan.end].shape;
        const CoreType consumer =
            shape.producer == CoreType::kAIC ? CoreType::kAIV : CoreType::kAIC;
        const bool pushes =
            plan.action == FifoAction::kPush || plan.action == FifoAction::kPushSlot;
        only = pushes ? shape.producer : consumer;
        node.pipe = pushes ? producer_pipe(shape) : consumer_pipe(shape);
        // Signals, and the arrival of a slot on chip, keep their pipe's order.
        node.in_order = plan.action == FifoAction::kPushSlot ||
                        plan.action == FifoAction::kRelease || shape.on_chip;
        return plan.action != FifoAction::kOpen && plan.action != FifoAction::kAlloc;
    }

    const Program& program_;
    const Footprints& footprints_;
    const Arch arch_;
    std::unordered_map<const Operation*, std::vector<uint32_t>> steps_;
    std::vector<std::pair<const Operation*, RoundReach>> rounds_;
};

class Tree {
 public:
    Tree(const View& view, const Functions& functions, CoreType core)
        : view_{view}, functions_{functions}, core_{core} {}

    SyncBlock of(const Operation& function, std::optional<CoreType> kind) {
        SyncBlock block;
        add_block(function.regions[0], kind, block);
        return block;
    }

 private:
    void add_block(const Region& region, std::optional<CoreType> section, SyncBlock& block) {
        if (region.blocks.empty()) return;
        for (const Operation& op : region.blocks[0].operations) add(op, section, block);
    }

    void add(const Operation& op, std::optional<CoreType> section, SyncBlock& block) {
        using Kind = SyncNode::Kind;
        if (op.name == "scf.for") return add_regions(op, Kind::kLoop, section, block);
        if (op.name == "scf.while") return add_regions(op, Kind::kWhile, section, block);
        if (op.name == "scf.if" || op.name == "scf.index_switch")
            return add_regions(op, Kind::kBranch, section, block);
        if (op.name == "pto.section.cube" || op.name == "pto.section.vector") {
            const CoreType inside = op.name == "pto.section.cube" ? CoreType::kAIC : CoreType::kAIV;
            if (inside == core_ && (!section || *section == core_))
                for (const Region& region : op.regions) add_block(region, core_, block);
            return;
        }
        if (is_call(op)) return add_call(op, section, block);
        if (!op.regions.empty()) {
            for (const Region& region : op.regions) add_block(region, section, block);
            return;
        }
        view_.add_work(op, core_, section, block);
    }

    void add_regions(const Operation& op, SyncNode::Kind kind, std::optional<CoreType> section,
                     SyncBlock& block) {
        SyncNode node;
        node.kind = kind;
        node.operation = &op;
        view_.describe_loop(op, node);
        for (const Region& region : op.regions)
            add_block(region, section, node.blocks.emplace_back());
        if (op.name == "scf.if" && op.regions.size() == 1) node.blocks.emplace_back();
        const bool empty = std::all_of(node.blocks.begin(), node.blocks.end(),
                                       [](const SyncBlock& inner) { return inner.empty(); });
        if (!empty) block.push_back(std::move(node));
    }

    // A function's end waits for all pipes; before it everything has to be done. What only loads
    // and stores scalars is as if it stood here.
    void add_call(const Operation& op, std::optional<CoreType> section, SyncBlock& block) {
        const auto callee = functions_.find(op.symbol);
        if (callee == functions_.end()) return;
        const Function& function = callee->second;
        if (!section) section = function.kind;
        if (section && *section != core_) return;
        SyncBlock body;
        add_block(function.operation->regions[0], section, body);
        if (body.empty()) return;
        SyncNode node;
        node.operation = &op;
        if (has_pipe_work(body) || has_drain(body))
            node.kind = SyncNode::Kind::kDrain;
        else
            collect(body, node.reach);
        block.push_back(std::move(node));
    }

    static bool has_drain(const SyncBlock& body) {
        return std::any_of(body.begin(), body.end(), [](const SyncNode& node) {
            return node.kind == SyncNode::Kind::kDrain || node.kind == SyncNode::Kind::kBarrier ||
                   std::any_of(node.blocks.begin(), node.blocks.end(), has_drain);
        });
    }
    static void collect(const SyncBlock& body, std::vector<Reach>& reach) {
        for (const SyncNode& node : body) {
            reach.insert(reach.end(), node.reach.begin(), node.reach.end());
            for (const SyncBlock& block : node.blocks) collect(block, reach);
        }
    }

    const View& view_;
    const Functions& functions_;
    const CoreType core_;
};

// ---- text -------------------------------------------------------------------------------------

// New pieces of a text, and where they go.
class Edits {
 public:
    explicit Edits(std::string_view text) : text_{text} {}

    void line_before(const Operation& op, const std::string& line) {
        const size_t start = text_.rfind('\n', op.begin == 0 ? 0 : op.begin - 1);
        const size_t begin = start == std::string_view::npos || op.begin == 0 ? 0 : start + 1;
        if (blank(text_.substr(begin, op.begin - begin)))
            add(begin, indent(op) + line + "\n");
        else
            add(op.begin, "\n" + indent(op) + line + "\n" + indent(op));
    }
    void line_behind(const Operation& op, const std::string& line) {
        size_t end = text_.find('\n', op.end);
        if (end == std::string_view::npos) end = text_.size();
        const std::string_view rest = text_.substr(op.end, end - op.end);
        const size_t mark = rest.find("//");
        if (end < text_.size() && blank(rest.substr(0, mark)))
            add(end + 1, indent(op) + line + "\n");
        else
            add(op.end, "\n" + indent(op) + line + "\n" + indent(op));
    }
    void replace(size_t begin, size_t end, std::string text) {
        edits_.push_back({begin, end, std::move(text)});
    }
    void add(size_t at, std::string text) { replace(at, at, std::move(text)); }

    void apply(ExplicitForm& form) {
        std::stable_sort(edits_.begin(), edits_.end(),
                         [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
        size_t at = 0;
        uint32_t line = 1;
        form.lines = {1};
        const auto put = [&](std::string_view piece, bool original) {
            for (const char c : piece) {
                if (c != '\n') continue;
                if (original) ++line;
                form.lines.push_back(line);
            }
            form.text += piece;
        };
        for (const Edit& edit : edits_) {
            put(text_.substr(at, edit.begin - at), true);
            put(edit.text, false);
            at = std::max(at, edit.end);
        }
        put(text_.substr(at), true);
    }

 private:
    struct Edit {
        size_t begin = 0, end = 0;
        std::string text;
    };

    static bool blank(std::string_view text) {
        return text.find_first_not_of(" \t\r") == std::string_view::npos;
    }
    std::string indent(const Operation& op) const {
        const size_t start = text_.rfind('\n', op.begin == 0 ? 0 : op.begin - 1);
        const size_t begin = start == std::string_view::npos || op.begin == 0 ? 0 : start + 1;
        const size_t first = std::min(text_.find_first_not_of(" \t", begin), text_.size());
        return std::string(text_.substr(begin, std::min(first, size_t{op.begin}) - begin));
    }

    std::string_view text_;
    std::vector<Edit> edits_;
};

std::string pipe_word(Pipe pipe) { return "<PIPE_" + std::string(name(pipe)) + ">"; }

// `id`: the value that holds it, if it is computed.
std::string line_of(const SyncInsertion& insertion, const std::string& id) {
    if (insertion.kind == SyncInsertion::Kind::kBarrier)
        return "pto.barrier " + pipe_word(insertion.source);
    return std::string(insertion.kind == SyncInsertion::Kind::kSet ? "pto.set_flag"
                                                                   : "pto.wait_flag") +
           (id.empty() ? "[" : "_dyn[") + pipe_word(insertion.source) + ", " +
           pipe_word(insertion.destination) + ", " +
           (id.empty() ? "<EVENT_ID" + std::to_string(insertion.id) + ">" : id) + "]";
}

// Lines that compute event ids from the number of a loop's round. Each value is computed once, at
// the beginning of the body or behind the loop.
class RoundNumbers {
 public:
    RoundNumbers(std::string_view text, Edits& edits) : edits_{edits} {
        while (text.find("%" + prefix_) != std::string_view::npos) prefix_ += "_";
    }

    // The value that holds the id of an insertion.
    std::string id(const SyncInsertion& insertion) {
        const bool behind = insertion.operation == insertion.loop && insertion.behind;
        const std::tuple key(insertion.loop, behind, insertion.ids, insertion.offset, insertion.id);
        std::string& name = ids_[key];
        if (!name.empty()) return name;
        std::string value = count(*insertion.loop, behind);
        if (insertion.offset != 0) value = binary(value, "addi", constant(insertion.offset));
        value = binary(value, "remui", constant(insertion.ids));
        if (insertion.id != 0) value = binary(value, "addi", constant(insertion.id));
        return name = value;
    }

 private:
    static std::string value_of(const Item& item) {
        if (item.kind == Item::Kind::kAttribute) return std::string(item.attribute->text);
        return "%" + std::string(item.text) +
               (item.result != 0 ? "#" + std::to_string(item.result) : "");
    }

    // The number of the round, or of all rounds.
    const std::string& count(const Operation& loop, bool behind) {
        std::string& name = counts_[{&loop, behind}];
        loop_ = &loop;
        behind_ = behind;
        if (!name.empty()) return name;
        const Block& body = loop.regions[0].blocks[0];
        const std::string type =
            body.arguments[0].type != nullptr ? std::string(body.arguments[0].type->text) : "index";
        const std::string from = bound(loop, "from"), step = bound(loop, "step");
        std::string to = behind ? bound(loop, "to") : "%" + std::string(body.arguments[0].name);
        to = binary(to, "subi", from, type);
        if (behind) to = binary(to, "maxsi", constant(0, type), type);
        to = binary(to, behind ? "ceildivui" : "divui", step, type);
        if (type != "index") to = cast(to, type);
        return name = to;
    }
    std::string bound(const Operation& loop, std::string_view clause) {
        return value_of(loop.clause(clause)->items[0]);
    }

    std::string constant(uint64_t value, const std::string& type = "index") {
        return define("arith.constant " + std::to_string(value) + " : " + type);
    }
    std::string binary(const std::string& a, const std::string& word, const std::string& b,
                       const std::string& type = "index") {
        return define("arith." + word + " " + a + ", " + b + " : " + type);
    }
    std::string cast(const std::string& value, const std::string& type) {
        return define("arith.index_cast " + value + " : " + type + " to index");
    }
    std::string define(const std::string& what) {
        const std::string name = "%" + prefix_ + std::to_string(next_++);
        if (behind_)
            edits_.line_behind(*loop_, name + " = " + what);
        else
            edits_.line_before(loop_->regions[0].blocks[0].operations.front(), name + " = " + what);
        return name;
    }

    Edits& edits_;
    std::string prefix_ = "ptosim_round";
    unsigned next_ = 0;
    const Operation* loop_ = nullptr;
    bool behind_ = false;
    std::map<std::pair<const Operation*, bool>, std::string> counts_;
    std::map<std::tuple<const Operation*, bool, uint8_t, uint8_t, uint8_t>, std::string> ids_;
};

// ---- the whole --------------------------------------------------------------------------------

class Writer {
 public:
    Writer(const Module& module, const BindOptions& options)
        : module_{module},
          options_{options},
          edits_{module.text},
          round_numbers_{module.text, edits_} {
        collect_functions(module.operations, {}, listed_);
        for (const Function& function : listed_)
            functions_.emplace(function.operation->symbol, function);
        kernel_ = bind(module, options, &record_);
    }

    ExplicitForm write(bool add_flags) {
        for (const Step& step : kernel_->program().steps) {
            if (step.code != StepCode::kIssue) continue;
            const Opcode opcode = kernel_->program().issues[step.index].prototype.opcode;
            form_.had_flags |= opcode == Opcode::kSET_FLAG || opcode == Opcode::kWAIT_FLAG ||
                               opcode == Opcode::kGET_BUF || opcode == Opcode::kRLS_BUF;
        }
        write_places();
        if (add_flags && !form_.had_flags) write_flags();
        edits_.apply(form_);
        return std::move(form_);
    }

 private:
    size_t offset(std::string_view piece) const {
        const char* const begin = module_.text.data();
        const std::less<> before;
        if (before(piece.data(), begin) || !before(piece.data(), begin + module_.text.size()))
            return std::string::npos;
        return static_cast<size_t>(piece.data() - begin);
    }

    [[noreturn]] void fail(const Operation& op, std::string message) const {
        Diagnostic diagnostic;
        diagnostic.code = "K03";
        diagnostic.category = Category::kUnsupported;
        diagnostic.message = std::move(message);
        kernel_->sources().locate(diagnostic, op.location);
        throw DiagnosticError(std::move(diagnostic));
    }

    void write_places() {
        std::string prefix = "ptosim_addr";
        while (module_.text.find("%" + prefix) != std::string::npos) prefix += "_";
        std::set<uint64_t> addresses;
        for (const BindRecord::Place& place : record_.places) {
            const Operation& op = *place.operation;
            if (op.name == "pto.reserve_buffer") {
                write_base(op, place.address);
                continue;
            }
            if (!place.scratch.empty()) {
                write_scratch(place, prefix);
                continue;
            }
            const size_t at = offset(op.name);
            if (at == std::string::npos || module_.text[at - 1] == '"')
                fail(op, "the generic form of '" + std::string(op.name) +
                             "' cannot be given an address");
            const std::string name = prefix + std::to_string(next_name_++);
            edits_.line_before(
                op, "%" + name + " = arith.constant " + std::to_string(place.address) + " : i64");
            edits_.add(at + op.name.size(), " addr = %" + name);
        }
    }

    // An alloc_tile before the instruction, and its value and type among those of ins(...).
    void write_scratch(const BindRecord::Place& place, const std::string& prefix) {
        const Operation& op = *place.operation;
        const Clause* ins = op.clause("ins");
        const std::string_view text = module_.text;
        const size_t before = place.scratch_operand;
        const size_t item = ins == nullptr || before == 0 || before > ins->items.size()
                                ? std::string::npos
                                : offset(ins->items[before - 1].text);
        // Older files write ins(%a : T, %b : T).
        const bool each_typed = item != std::string::npos && before > 1 && typed(ins->items[0]);
        const size_t type =
            item == std::string::npos ? item : end_of_type(item, each_typed ? 1 : before);
        if (type == std::string::npos)
            fail(op, "this form of '" + std::string(op.name) + "' cannot be given a scratch tile");
        const std::string number = std::to_string(next_name_++);
        const std::string address = "%" + prefix + number, tile = "%" + prefix + number + "_tmp";
        edits_.line_before(
            op, address + " = arith.constant " + std::to_string(place.address) + " : i64");
        edits_.line_before(op,
                           tile + " = pto.alloc_tile addr = " + address + " : " + place.scratch);
        if (each_typed) {
            edits_.add(type, ", " + tile + " : " + place.scratch);
            return;
        }
        edits_.add(text.find_first_of(",:){ \t\r\n", item), ", " + tile);
        edits_.add(type, ", " + place.scratch);
    }

    // Whether a ':' stands behind the value itself.
    bool typed(const Item& item) const {
        const std::string_view text = module_.text;
        const size_t end = text.find_first_of(",:){ \t\r\n", offset(item.text));
        const size_t next = text.find_first_not_of(" \t\r\n", end);
        return next != std::string_view::npos && text[next] == ':';
    }

    // Where the `count`-th type behind the ':' of a list ends, for a list that holds `at`.
    size_t end_of_type(size_t at, size_t count) const {
        const std::string_view text = module_.text;
        bool types = false;
        for (int depth = 0; at < text.size(); ++at) {
            const char c = text[at];
            if (c == '<' || c == '{' || c == '[' || c == '(') ++depth;
            if (depth == 0 && c == ')') return types && count == 1 ? at : std::string::npos;
            if (depth == 0 && types && c == ',' && --count == 0) return at;
            if (depth == 0 && c == ':') types = true;
            if (c == '}' || c == ']' || c == ')' || (c == '>' && text[at - 1] != '-')) --depth;
        }
        return std::string::npos;
    }

    // auto = true becomes auto = false, base = N.
    void write_base(const Operation& op, uint64_t address) {
        const std::string text = "auto = false, base = " + std::to_string(address);
        const std::string_view body =
            std::string_view(module_.text).substr(op.begin, op.end - op.begin);
        const size_t key = body.find("auto");
        const size_t end = body.find("true", key);
        if (key == std::string_view::npos || end == std::string_view::npos)
            fail(op, "'pto.reserve_buffer' cannot be given a base");
        edits_.replace(op.begin + key, op.begin + end + 4, text);
    }

    // Functions that run: those with operations that were bound.
    static bool bound(const View& view, std::span<const Operation> operations) {
        return std::any_of(operations.begin(), operations.end(), [&](const Operation& op) {
            if (view.reached(op)) return true;
            return std::any_of(op.regions.begin(), op.regions.end(), [&](const Region& region) {
                return std::any_of(
                    region.blocks.begin(), region.blocks.end(),
                    [&](const Block& block) { return bound(view, block.operations); });
            });
        });
    }

    void write_flags() {
        const Footprints footprints(kernel_->program());
        const View view(kernel_->program(), footprints, record_, options_.arch);
        for (const Function& function : listed_)
            if (bound(view, function.operation->regions[0].blocks[0].operations))
                write_function(function, view);
    }

    void write_function(const Function& function, const View& view) {
        const std::optional<CoreType> kind = function.kind;
        const bool both =
            !kind && kernel_->runs_on(CoreType::kAIC) && kernel_->runs_on(CoreType::kAIV);
        bool waits_at_end = true;
        for (const CoreType core : {CoreType::kAIC, CoreType::kAIV}) {
            if (!kernel_->runs_on(core) || (kind && *kind != core)) continue;
            SyncOptions options;
            options.arch = options_.arch;
            if (both) {
                options.shared_ids = options.ids / 2;
                options.shared_first = core == CoreType::kAIV ? options.ids / 2 : 0;
            }
            const SyncBlock body = Tree(view, functions_, core).of(*function.operation, kind);
            waits_at_end &= !has_pipe_work(body) || ends_empty(body);
            for (const SyncInsertion& insertion : insert_sync(body, options)) put(insertion);
        }
        if (waits_at_end) return;
        SyncInsertion tail;
        const Operation& last = function.operation->regions[0].blocks[0].operations.back();
        tail.operation = &last;
        tail.behind = last.name != "return" && last.name != "func.return";
        tail.source = Pipe::kAll;
        put(tail);
    }

    // Whether a barrier of all pipes stands at its end already.
    static bool ends_empty(const SyncBlock& body) {
        return body.back().kind == SyncNode::Kind::kBarrier && body.back().pipe == Pipe::kAll;
    }

    void put(const SyncInsertion& insertion) {
        const std::string line =
            line_of(insertion, insertion.ids > 1 ? round_numbers_.id(insertion) : std::string());
        if (insertion.kind == SyncInsertion::Kind::kBarrier) {
            // Both cores may want it at one place.
            if (!barriers_.insert({insertion.operation, insertion.behind, line}).second) return;
            ++form_.barriers;
        } else {
            ++(insertion.kind == SyncInsertion::Kind::kSet ? form_.sets : form_.waits);
        }
        if (insertion.behind)
            edits_.line_behind(*insertion.operation, line);
        else
            edits_.line_before(*insertion.operation, line);
    }

    const Module& module_;
    const BindOptions& options_;
    std::vector<Function> listed_;
    Functions functions_;
    BindRecord record_;
    std::unique_ptr<AssemblyKernel> kernel_;
    Edits edits_;
    RoundNumbers round_numbers_;
    ExplicitForm form_;
    unsigned next_name_ = 0;
    std::set<std::tuple<const Operation*, bool, std::string>> barriers_;
};

}  // namespace

ExplicitForm make_explicit(const Module& module, const BindOptions& options, bool add_flags) {
    return Writer(module, options).write(add_flags);
}

std::unique_ptr<AssemblyKernel> bind_explicit(const Module& module, const BindOptions& options,
                                              const ExplicitForm& form) {
    const auto read = parse(module.files[0], form.text);
    auto kernel = bind(*read, options);
    SourceMap sources;
    for (size_t i = 0; i < module.files.size(); ++i)
        sources.add(module.files[i], i == 0 ? module.text : std::string());
    kernel->relocate(form.lines, std::move(sources));
    return kernel;
}

}  // namespace ptosim::assembly
