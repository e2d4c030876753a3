#include "isa/assembly/bind/address_writer.h"

#include <functional>

namespace ptosim::assembly {

namespace {

class AddressWriter {
 public:
    AddressWriter(const Module& module, const SourceMap& sources, TextEdits& edits)
        : module_{module},
          sources_{sources},
          edits_{edits},
          prefix_{unused_prefix(module.text, "ptosim_addr")} {}

    void add(const BindRecord::PlannedAddress& planned) {
        const Operation& op = *planned.operation;
        if (op.name == "pto.reserve_buffer") return write_base(op, planned.address);
        if (!planned.scratch.empty()) return write_scratch(planned);
        const size_t at = offset(op.name);
        if (at == std::string::npos || module_.text[at - 1] == '"')
            fail(op,
                 "the generic form of '" + std::string(op.name) + "' cannot be given an address");
        edits_.add(at + op.name.size(), " addr = " + address_before(op, planned.address));
    }

 private:
    // The value that holds an address, made before the operation.
    std::string address_before(const Operation& op, uint64_t address) {
        const std::string name = "%" + prefix_ + std::to_string(next_name_++);
        edits_.line_before(op, name + " = arith.constant " + std::to_string(address) + " : i64");
        return name;
    }

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
        sources_.locate(diagnostic, op.location);
        throw DiagnosticError(std::move(diagnostic));
    }

    // Inserts an alloc_tile before the instruction, and its value and type into ins(...).
    void write_scratch(const BindRecord::PlannedAddress& planned) {
        const Operation& op = *planned.operation;
        const Clause* ins = op.clause("ins");
        const std::string_view text = module_.text;
        const size_t before = planned.scratch_operand;
        const size_t item = ins == nullptr || before == 0 || before > ins->items.size()
                                ? std::string::npos
                                : offset(ins->items[before - 1].text);
        // Older files write ins(%a : T, %b : T).
        const bool each_typed = item != std::string::npos && before > 1 && typed(ins->items[0]);
        const size_t type =
            item == std::string::npos ? item : end_of_type(item, each_typed ? 1 : before);
        if (type == std::string::npos)
            fail(op, "this form of '" + std::string(op.name) + "' cannot be given a scratch tile");
        const std::string address = address_before(op, planned.address), tile = address + "_tmp";
        edits_.line_before(op,
                           tile + " = pto.alloc_tile addr = " + address + " : " + planned.scratch);
        if (each_typed) {
            edits_.add(type, ", " + tile + " : " + planned.scratch);
            return;
        }
        edits_.add(text.find_first_of(",:){ \t\r\n", item), ", " + tile);
        edits_.add(type, ", " + planned.scratch);
    }

    // True if a ':' follows the value itself.
    bool typed(const Item& item) const {
        const std::string_view text = module_.text;
        const size_t end = text.find_first_of(",:){ \t\r\n", offset(item.text));
        const size_t next = text.find_first_not_of(" \t\r\n", end);
        return next != std::string_view::npos && text[next] == ':';
    }

    // End of the `count`-th type after the ':' of the list that contains `at`.
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

    const Module& module_;
    const SourceMap& sources_;
    TextEdits& edits_;
    const std::string prefix_;
    unsigned next_name_ = 0;
};

}  // namespace

void write_addresses(const Module& module, const SourceMap& sources,
                     std::span<const BindRecord::PlannedAddress> addresses, TextEdits& edits) {
    AddressWriter writer(module, sources, edits);
    for (const BindRecord::PlannedAddress& planned : addresses) writer.add(planned);
}

}  // namespace ptosim::assembly
