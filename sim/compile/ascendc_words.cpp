#include "sim/compile/ascendc_words.h"

#include <vector>

#include "sim/compile/parameter_lists.h"

namespace ptosim {
namespace {

constexpr std::string_view kClearWorkspace = "clearWorkspace";

bool names_clear(const TokenText& text) { return text.source().find(kClearWorkspace) != std::string_view::npos; }

// Name of the marked parameter.
std::string workspace_of(const TokenText& text, size_t list) {
    const size_t end = text.after_bracket(list) - 1;
    bool marked = false;
    std::string last;
    for (size_t i = list + 1; i <= end; ++i) {
        if (i == end || text.is(i, ',')) {
            if (marked) return last;
            continue;
        }
        if (is_workspace_mark(text, i))
            marked = true;
        else if (text.token(i).kind == Token::Kind::kWord)
            last = text.text(i);
    }
    return {};
}

// A definition such as TQueBind<src, dst, depth, mask>::EnQue(TBufHandle buf) { ... }
struct MemberDefinition {
    std::vector<std::string> arguments;  // of the class template, if it is one
    std::string_view name;
    size_t list = TokenText::kNone, body = TokenText::kNone;
};

MemberDefinition member_of(const TokenText& text, size_t i) {
    MemberDefinition found;
    if (text.is(i + 1, '<')) {
        i += 2;
        for (size_t first = i; i < text.size() && !text.is(i, ';'); ++i) {
            if (!text.is(i, ',') && !text.is(i, '>')) continue;
            found.arguments.emplace_back(text.range(first, i));
            first = i + 1;
            if (text.is(i, '>')) break;
        }
    }
    if (!text.is(i + 1, ':') || !text.is(i + 2, ':') || !text.is(i + 4, '(')) return {};
    found.name = text.text(i + 3);
    found.list = i + 4;
    found.body = text.after_bracket(found.list);
    while (found.body != TokenText::kNone && found.body < text.size() &&
           text.token(found.body).kind == Token::Kind::kWord)
        ++found.body;  // const
    return found.body != TokenText::kNone && text.is(found.body, '{') ? found : MemberDefinition{};
}

// The call of tensor_queues.hpp without the depth at its end; empty if the function calls another one that has the
// call.
std::string queue_step(const TokenText& text, size_t i, const MemberDefinition& member) {
    const std::string names = parameter_names(text, member.list);
    const bool takes_handle = text.text(member.list + 1) == "TBufHandle";
    const bool takes_tensor = text.text(member.list + 1) == "LocalTensor";
    const auto moves = [](const char* kind, const std::string& buffer) {
        return "queue_moves(this, this->bufStart, this->bufNum, ::PTOSIM_QUEUE_" + std::string(kind) + ", " + buffer;
    };
    if (member.name == "EnQue" && takes_handle) return moves("ENQUE", names);
    if (member.name == "FreeBuffer" && takes_handle) return moves("FREE", names);
    if (member.name == "DeQue" && takes_tensor) return moves("DEQUE", names + ".GetBufferHandle()");
    if (member.name == "DeQue" && text.text(i - 1) == "TBufHandle") return moves("DEQUE", "nullptr");
    const std::string_view body = text.range(member.body, text.after_bracket(member.body));
    const bool in_place = member.name == "AllocTensor" && takes_tensor && body.find("AllocBuffer") == body.npos;
    if (member.name == "AllocBuffer" || in_place)
        return "queue_allocates(this, this->bufStart, this->bufNum, this->bufCursor";
    return {};
}

}  // namespace

bool is_workspace_mark(const TokenText& text, size_t i) {
    return text.token(i).kind == Token::Kind::kWord && text.text(i) == kWorkspaceMark;
}

std::string workspace_setup(const TokenText& text, size_t list, bool clears) {
    const std::string name = workspace_of(text, list);
    if (name.empty()) return {};
    std::string setup = " __set_kfc_workspace_addr(" + name + ");";
    if (clears && names_clear(text)) setup += " AscendC::" + std::string(kClearWorkspace) + "(" + name + ");";
    return setup + " " + name + " = AscendC::GetUserWorkspace(" + name + ");";
}

size_t function_body(const TokenText& text, size_t mark) {
    size_t i = mark + 1;
    while (i < text.size() && !text.is(i, '(') && !text.is(i, ';')) ++i;
    if (!text.is(i, '(')) return TokenText::kNone;
    size_t body = text.after_bracket(i);
    if (body == TokenText::kNone) return body;
    while (body < text.size() && text.token(body).kind == Token::Kind::kWord) ++body;  // const, noexcept
    return text.is(body, '{') ? body : TokenText::kNone;
}

ScalarFunction scalar_function_of(const TokenText& text, size_t mark) {
    size_t name = mark + 1;
    while (name < text.size() && !text.is(name, '(') && !text.is(name, ';')) {
        const bool has_brackets =
            text.text(name) == "__attribute__" && text.is(name + 1, '(');  // an address space
        name = has_brackets ? text.after_bracket(name + 1) : name + 1;
    }
    if (name >= text.size() || !text.is(name--, '(')) return {};
    size_t list = name + 1;
    const std::string_view function = text.text(name);
    if (text.is(list + 1, ')') && text.is(list + 2, '(')) list += 2;  // operator()(index)
    if (function != "GetValue" && function != "SetValue" && function != "operator") return {};
    const size_t after = text.after_bracket(list);
    if (after == TokenText::kNone) return {};
    size_t body = after;
    while (body < text.size() && text.token(body).kind == Token::Kind::kWord) ++body;  // const
    if (!text.is(body, '{')) return {};
    const std::string names = parameter_names(text, list);
    const char* const kind = function == "SetValue"   ? "STORE"
                             : function == "GetValue" ? "LOAD"
                                                      : "REFERENCE";
    return {body, "::pto::ptosim_detail::scalar_access(*this, " + names.substr(0, names.find(',')) +
                      ", PTOSIM_SCALAR_" + kind + ");"};
}

namespace {

constexpr std::string_view kDetail = "::pto::ptosim_detail::";

// Two ends of a queue between vector and cube cores (TSCM) are on different cores.
ObservedFunction queue_function(const TokenText& text, size_t i, const MemberDefinition& member) {
    if (member.arguments.size() < 3) return {};
    const std::string step = queue_step(text, i, member);
    if (step.empty()) return {};
    return {member.body, " if constexpr (GetPosition(" + member.arguments[0] + ", " + member.arguments[1] +
                             ") != TPosition::TSCM) " + std::string(kDetail) + step + ", " + member.arguments[2] + ");"};
}

// InitBuffer(T& que, uint8_t num, uint32_t len), InitBuffer(TBuf<pos>& buf, uint32_t len) of a pipe or a pool.
ObservedFunction buffer_function(const TokenText& text, const MemberDefinition& member, bool of_pipe) {
    if (member.name != "InitBuffer") return {};
    const std::string names = parameter_names(text, member.list);
    const std::string first = names.substr(0, names.find(','));
    const bool queue = text.text(member.list + 1) != "TBuf";
    if (queue && names.find("num") == names.npos) return {};
    std::string memory, position = "0", count = "1";
    if (queue) {
        memory = "GetBufferPos(T::srcPosition, T::dstPosition)";
        if (of_pipe) position = "1 + static_cast<unsigned>(GetPosition(T::srcPosition, T::dstPosition))";
        // A TSCM lies at the other end of L1.
        count = "T::dstPosition == TPosition::TSCM ? 0 : num";
    } else {
        memory = "GetPhyType(" + std::string(text.text(member.list + 3)) + ")";
    }
    return {member.body, " const " + std::string(kDetail) + "BufferScope ptosim_buffers(" + first +
                             ".bufStart, static_cast<unsigned>(" + memory + "), " + position + ", " + count + ");"};
}

ObservedFunction tensor_function(const TokenText& text, const MemberDefinition& member) {
    const std::string detail(kDetail);
    if (member.name == "GetPhyAddr" && !text.is(member.list + 1, ')'))
        return {member.body, " " + detail +
                                 "note_tensor(this->address_, static_cast<unsigned>(GetPhyType(TPosition("
                                 "this->address_.logicPos))));"};
    if (member.name == "SetBufferLen" && parameter_names(text, member.list).ends_with("dataLen"))
        return {member.body, " " + detail + "note_length<PrimType>(this->address_, dataLen);"};
    if (member.name == "CreateTensor")
        return {member.body, " " + detail +
                                 "declare_tensor(static_cast<unsigned>(GetPhyType(pos)), addr, tileSize * "
                                 "sizeof(PrimType));"};
    return {};
}

// DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count)
ObservedFunction copy_function(const TokenText& text, size_t i) {
    if (!text.is(i + 1, '(') || text.text(i - 1) != "void") return {};
    const size_t body = text.after_bracket(i + 1);
    if (body == TokenText::kNone || !text.is(body, '{')) return {};
    const std::string names = parameter_names(text, i + 1);
    if (!names.ends_with("count")) return {};
    return {body, " " + std::string(kDetail) + "check_copy<PrimT<T>>(count);"};
}

// ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t count)
ObservedFunction sum_function(const TokenText& text, size_t i) {
    if (!text.is(i + 1, '(') || text.text(i - 1) != "void") return {};
    const size_t body = text.after_bracket(i + 1);
    if (body == TokenText::kNone || !text.is(body, '{')) return {};
    if (parameter_names(text, i + 1) != "dst,src,sharedTmpBuffer,count") return {};
    return {body, " " + std::string(kDetail) + "check_work_of_sum<PrimT<T>>(sharedTmpBuffer, count);"};
}

}  // namespace

ObservedFunction observed_function_at(const TokenText& text, size_t i) {
    if (i == 0 || text.token(i).kind != Token::Kind::kWord) return {};
    const std::string_view word = text.text(i);
    if (word == "DataCopy") return copy_function(text, i);
    if (word == "ReduceSum") return sum_function(text, i);
    const bool queue = word == "TQueBind", pipe = word == "TPipe", pool = word == "TBufPool";
    const bool tensor = word == "LocalTensor";
    if (!queue && !pipe && !pool && !tensor) return {};
    const MemberDefinition member = member_of(text, i);
    if (member.body == TokenText::kNone) return {};
    if (queue) return queue_function(text, i, member);
    if (tensor) return tensor_function(text, member);
    if (pipe && member.name == "ResetPool") return {member.body, " " + std::string(kDetail) + "forget_buffers();"};
    return buffer_function(text, member, pipe);
}

}  // namespace ptosim
