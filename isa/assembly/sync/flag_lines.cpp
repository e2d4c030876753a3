#include "isa/assembly/sync/flag_lines.h"

#include <map>

#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

namespace {

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

}  // namespace

// Lines that compute event ids from the number of a loop's iteration. Each value is computed once,
// at the beginning of the body or after the loop.
class IterationNumbers {
 public:
    IterationNumbers(std::string_view text, TextEdits& edits)
        : edits_{edits}, prefix_{unused_prefix(text, "ptosim_round")} {}

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

    // The number of the iteration, or of all iterations.
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

    TextEdits& edits_;
    const std::string prefix_;
    unsigned next_ = 0;
    const Operation* loop_ = nullptr;
    bool behind_ = false;
    std::map<std::pair<const Operation*, bool>, std::string> counts_;
    std::map<std::tuple<const Operation*, bool, uint8_t, uint8_t, uint8_t>, std::string> ids_;
};

FlagLines::FlagLines(std::string_view text, TextEdits& edits)
    : edits_{edits}, iteration_numbers_{std::make_unique<IterationNumbers>(text, edits)} {}

FlagLines::~FlagLines() = default;

void FlagLines::add(const SyncInsertion& insertion) {
    const std::string line =
        line_of(insertion, insertion.ids > 1 ? iteration_numbers_->id(insertion) : std::string());
    if (insertion.kind == SyncInsertion::Kind::kBarrier) {
        if (!barriers_.insert({insertion.operation, insertion.behind, line}).second) return;
    } else {
        ++(insertion.kind == SyncInsertion::Kind::kSet ? sets_ : waits_);
    }
    const uint32_t of = insertion.of != nullptr ? insertion.of->location.line : 0;
    if (insertion.behind)
        edits_.line_behind(*insertion.operation, line, of);
    else
        edits_.line_before(*insertion.operation, line, of);
}

}  // namespace ptosim::assembly
