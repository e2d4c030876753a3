#include "sim/debug/code_values.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>

#include "isa/core/diagnostic.h"
#include "isa/core/tile.h"
#include "sim/native/type_names.h"

namespace ptosim::debug {
namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result + "\"";
}

[[noreturn]] void fail_without_variables() {
    fail_input("I69", "the kernel was compiled without its variables",
               "build it with -g (and -O0, otherwise many are optimised out), or give the source to 'ptosim debug'");
}

// A type without "const" and "&".
bool begins(std::string_view type, std::string_view name) {
    if (type.starts_with("const ")) type.remove_prefix(6);
    return type.starts_with(name);
}
bool is_tile(std::string_view type) { return begins(type, "pto::Tile<") && type.find('*') == type.npos; }
bool is_tensor(std::string_view type) { return begins(type, "AscendC::LocalTensor<") && type.find('*') == type.npos; }

// "float" of "AscendC::LocalTensor<float> &".
std::string element_of(const std::string& type) {
    const size_t open = type.find('<') + 1;
    return type.substr(open, type.rfind('>') - open);
}

bool is_own_header(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path().filename();
    return folder == "cce" || folder == "ptosim";
}

// Of the file that makes a kernel of a task's function (sim/faces/mpmd/python).
constexpr const char* kTaskEntry = "ptosim_task";

uint64_t number_in(const std::string& value) {
    uint64_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
}

using Ask = std::function<std::string(const std::string&)>;

// Fields of pto::Tile (include/pto/common/tile.hpp).
Json tile_fields(const std::string& tile, const Ask& ask) {
    Json fields = Json::object();
    for (const char* field : {"space", "dtype", "outer", "inner", "fractal", "rows", "cols", "pitch"})
        fields[field] = number_in(ask(tile + ".description->" + field));
    fields["address"] = number_in(ask(tile + ".address"));
    fields["valid_rows"] = number_in(ask(tile + ".RowMaskInternal"));
    fields["valid_cols"] = number_in(ask(tile + ".ColMaskInternal"));
    return fields;
}

// The memory of a position of Ascend C on AIVs and AICs; empty for those of global memory.
std::optional<Space> space_of(std::string_view position) {
    using Row = std::pair<const char*, Space>;
    static constexpr std::array kSpaces{
        Row{"VECIN", Space::kUB}, Row{"VECOUT", Space::kUB}, Row{"VECCALC", Space::kUB}, Row{"LCM", Space::kUB},
        Row{"A1", Space::kL1},    Row{"B1", Space::kL1},     Row{"C1", Space::kL1},      Row{"TSCM", Space::kL1},
        Row{"A2", Space::kL0A},   Row{"B2", Space::kL0B},    Row{"CO1", Space::kL0C},    Row{"C2", Space::kBias}};
    for (const auto& [name, space] : kSpaces)
        if (position == name) return space;
    return {};
}

// Fields of AscendC::LocalTensor: its elements as one row.
Json tensor_fields(const std::string& tensor, const std::string& element, const Ask& ask) {
    const std::string position = ask("(AscendC::TPosition)" + tensor + ".address_.logicPos");
    const auto space = space_of(std::string_view(position).substr(position.rfind(':') + 1));
    const auto dtype = element_type(element);
    if (!space || !dtype) return {};
    const uint64_t elements = number_in(ask(tensor + ".address_.dataLen")) * 8 / bits(*dtype);
    Json fields{{"space", static_cast<unsigned>(*space)}, {"dtype", static_cast<unsigned>(*dtype)}, {"rows", 1}, {"valid_rows", 1}};
    fields["cols"] = fields["valid_cols"] = elements;
    fields["address"] = number_in(ask(tensor + ".address_.bufferAddr"));
    return fields;
}

uint32_t line_in(const Json& frame) {
    const std::string text = frame.value("line", "");
    uint32_t line = 0;
    std::from_chars(text.data(), text.data() + text.size(), line);
    return line;
}

}  // namespace

void CodeValues::show(const std::string& core) {
    const std::string shown = core + " " + std::to_string(timeline_.moment());
    if (shown == shown_) return;
    const Json code = timeline_.ask({{"about", "code"}, {"core", core}});
    CodeState state;
    auto library = libraries_.find(core);
    if (library == libraries_.end()) library = libraries_.find(core.substr(0, 3));
    if (library == libraries_.end()) fail_input("I69", "no code runs on " + core);
    state.library = library->second;
    state.base = code.at("base").get<uint64_t>();
    state.registers = code.at("registers").get<std::vector<uint64_t>>();
    state.known = code.at("known").get<uint32_t>();
    state.memory = [this](uint64_t address, uint64_t size) {
        return timeline_.ask({{"about", "memory"}, {"address", address}, {"size", size}}).text();
    };
    shown_.clear();
    gdb_.show(std::move(state));
    const std::string user_file = code.value("file", "");
    const Json answer = gdb_.command("-stack-list-frames 0 63");
    std::vector<Json> frames;
    for (const Json& one : answer.at("stack").elements()) {
        const std::string file = one.value("file", "");
        // The entries of kernels, tasks and functions of threads are the simulator's.
        if (file.empty() || (!frames.empty() && is_own_header(file)) || one.value("func", "") == kTaskEntry) break;
        // Functions of a library's headers that the user's code has called are left out.
        if (frames.empty() && !user_file.empty() && file != user_file && !file.ends_with("/" + user_file)) continue;
        frames.push_back(Json{{"level", one.value("level", "")}, {"function", one.value("func", "")},
                              {"file", one.value("fullname", file)}, {"line", line_in(one)}});
    }
    while (!frames.empty() && frames.back().at("file").text().starts_with("/usr/")) frames.pop_back();  // called by an entry
    frames_ = Json::array();
    for (Json& frame : frames) frames_.push_back(std::move(frame));
    if (frames_.empty()) fail_without_variables();
    shown_ = shown;
}

Json CodeValues::frames(const std::string& core) {
    show(core);
    return frames_;
}

std::string CodeValues::place(const std::string& core, size_t frame) {
    show(core);
    if (frame >= frames_.size())
        fail_input("I69", core + " has " + std::to_string(frames_.size()) + " frames, and none with the number " + std::to_string(frame));
    return " --thread 1 --frame " + frames_[frame].at("level").text();
}

Json CodeValues::variables(const std::string& core, size_t frame) {
    const Json answer = gdb_.command("-stack-list-variables" + place(core, frame) + " --simple-values");
    Json list = Json::array();
    for (const Json& one : answer.at("variables").elements()) {
        const std::string type = one.value("type", "");
        std::string value = one.value("value", "{...}");
        // Arrays of bytes are no texts: only the address.
        if (const size_t quote = value.find(" \""); type.ends_with('*') && quote != value.npos) value.erase(quote);
        list.push_back(Json{{"name", one.value("name", "")}, {"type", type}, {"value", value}});
    }
    return list;
}

// Members below "public" and "private" of gdb belong to the structure itself.
void CodeValues::add_members(const std::string& variable, Json& list) {
    constexpr size_t kMostMembers = 256;
    const Json answer = gdb_.command("-var-list-children --all-values " + variable + " 0 " + std::to_string(kMostMembers));
    if (!answer.contains("children")) return;
    for (const Json& child : answer.at("children").elements()) {
        const std::string name = child.value("exp", ""), part = child.value("name", "");
        if (!child.contains("type")) {
            add_members(part, list);
            continue;
        }
        if (list.size() == kMostMembers) return;
        std::string value = child.value("value", "");
        if (child.value("numchild", "0") != "0" && (value.empty() || value.starts_with('['))) value = "{...}";
        const Json path = gdb_.command("-var-info-path-expression " + part);
        list.push_back(Json{{"name", name}, {"type", child.value("type", "")}, {"value", value}, {"expression", path.value("path_expr", "")}});
    }
}

Json CodeValues::members(const std::string& core, size_t frame, const std::string& expression) {
    const Json made = gdb_.command("-var-create" + place(core, frame) + " - * " + quoted(expression));
    const std::string variable = made.value("name", "");
    Json list = Json::array();
    try {
        add_members(variable, list);
    } catch (const DiagnosticError&) {
        gdb_.command("-var-delete " + variable);
        throw;
    }
    gdb_.command("-var-delete " + variable);
    return list;
}

bool CodeValues::knows(const std::string& core, size_t frame, const std::string& expression) {
    try {
        return !type(core, frame, expression).empty();
    } catch (const DiagnosticError&) {
        return false;
    }
}

std::string CodeValues::value(const std::string& core, size_t frame, const std::string& expression) {
    const std::string at = place(core, frame);
    try {
        return gdb_.command("-data-evaluate-expression" + at + " " + quoted(expression)).value("value", "");
    } catch (const DiagnosticError& error) {
        if (variables(core, frames_.size() - 1).empty()) fail_without_variables();
        const std::string message = error.diagnostics().front().message;
        if (message.find("optimized out") == message.npos) throw;
        fail_input("I69", "'" + expression + "' has no value at this line of optimised code", "build it with -g -O0, or give the source to 'ptosim debug'");
    }
}

std::string CodeValues::type(const std::string& core, size_t frame, const std::string& expression) {
    // -var-create would name a type of the user for the same type.
    const std::string asked = quoted(expression);
    std::string text = gdb_.console(place(core, frame), "ptype/rmt " + asked.substr(1, asked.size() - 2));
    while (text.ends_with('\n')) text.pop_back();
    const size_t close = text.rfind('}');
    const std::string behind = close == text.npos ? "" : text.substr(close + 1);  // of a class: "*" or "&"
    text.erase(std::min(text.size(), text.find('\n')));
    for (const char* before : {"type = ", "const ", "class ", "struct "})
        if (text.starts_with(before)) text.erase(0, std::string_view(before).size());
    if (text.ends_with(" {")) text.erase(text.size() - 2);
    return text + behind;
}

Json CodeValues::tile(const std::string& core, size_t frame, const std::string& text) {
    for (const std::string& expression : {text, text.substr(0, text.rfind('['))}) try {
            const std::string type = this->type(core, frame, expression);
            const auto ask = [&](const std::string& of) { return value(core, frame, of); };
            Json tile;
            if (is_tile(type)) tile = tile_fields("(" + expression + ")", ask);
            if (is_tensor(type)) tile = tensor_fields("(" + expression + ")", element_of(type), ask);
            if (tile.is_null()) continue;
            tile["expression"] = expression;
            return tile;
        } catch (const DiagnosticError&) {  // not an expression
        }
    return {};
}

}  // namespace ptosim::debug
