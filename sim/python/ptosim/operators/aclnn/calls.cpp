// Calls of operators: requests to `ptosim op --serve`, and launches of the compiled variants.
#include "engine.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "opdev/data_type_utils.h"
#include "opdev/op_errno.h"
#include "ptosim/device.h"

namespace ptosim_aclnn {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

std::string hex(const void* data, size_t count) {
    std::string text;
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < count; ++i) {
        text += kDigits[bytes[i] >> 4];
        text += kDigits[bytes[i] & 15];
    }
    return text;
}

std::vector<unsigned char> from_hex(const std::string& text) {
    std::vector<unsigned char> bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(std::stoi(text.substr(i, 2), nullptr, 16)));
    return bytes;
}

template <class T>
std::string joined(const T* values, uint64_t count) {
    std::ostringstream text;
    text.precision(9);
    for (uint64_t i = 0; i < count; ++i) text << ' ' << values[i];
    return text.str();
}

// Folders of operators; never destroyed, because libraries add to it while they are loaded.
struct Folders {
    std::mutex mutex;
    std::vector<std::string> all;
    static Folders& get() {
        static Folders& folders = *new Folders;
        return folders;
    }
};

// The process that answers requests.
class Server {
 public:
    static Server& get() {
        static Server& server = *new Server;
        return server;
    }

    // The lines of the answer without the last one; empty if the process has ended.
    std::vector<std::string> ask(const std::string& request) {
        if (in_ == nullptr) start();
        std::vector<std::string> lines;
        if (in_ == nullptr) return lines;
        std::fputs(request.c_str(), out_);
        std::fflush(out_);
        std::string line;
        for (int c; (c = std::fgetc(in_)) != EOF;)
            if (c != '\n')
                line += static_cast<char>(c);
            else if (line == "end")
                return lines;
            else
                lines.push_back(std::move(line)), line.clear();
        return {};
    }

 private:
    FILE* in_ = nullptr;
    FILE* out_ = nullptr;

    void start() {
        const char* const chosen = std::getenv("PTOSIM_PROGRAM");
        const char* const program = chosen != nullptr ? chosen : PTOSIM_PROGRAM_PATH;
        int to[2], from[2];
        if (pipe2(to, 02000000) != 0 || pipe2(from, 02000000) != 0) return;  // O_CLOEXEC
        ::signal(SIGPIPE, SIG_IGN);
        const pid_t child = fork();
        if (child == 0) {
            dup2(to[0], 0);
            dup2(from[1], 1);
            execl(program, program, "op", "--serve", static_cast<char*>(nullptr));
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        if (child < 0) return;
        out_ = fdopen(to[1], "w");
        in_ = fdopen(from[0], "r");
    }
};

std::mutex& calls_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

void describe(std::string& text, const aclTensor* tensor) {
    const auto& shape = tensor->GetStorageShape();
    text += "tensor " + std::to_string(static_cast<int>(tensor->GetDataType())) + " " +
            std::to_string(static_cast<int>(tensor->GetStorageFormat())) + " ";
    if (tensor->GetPlacement() == gert::kOnHost && tensor->GetData() != nullptr)
        text += "=" + hex(tensor->GetData(),
                          op::CalcShapeBytes(shape.GetShapeSize(), tensor->GetDataType()));
    else
        text += "-";
    text += " " + std::to_string(shape.GetDimNum());
    for (size_t i = 0; i < shape.GetDimNum(); ++i) text += " " + std::to_string(shape.GetDim(i));
    text += "\n";
}

std::string request_of(const char* what, const Call& call) {
    std::string text = std::string("request ") + what + "\n";
    Folders& folders = Folders::get();
    {
        const std::lock_guard lock(folders.mutex);
        for (const std::string& folder : folders.all) text += "folder " + folder + "\n";
    }
    if (const char* more = std::getenv("PTOSIM_OPERATORS")) {
        std::istringstream list(more);
        for (std::string folder; std::getline(list, folder, ':');)
            if (!folder.empty()) text += "folder " + folder + "\n";
    }
    text += "parts " PTOSIM_PARTS "\n";
    text += "op " + call.type + "\n";
    for (const auto* side : {&call.inputs, &call.outputs})
        for (const Tensors& list : *side) {
            text += std::string(side == &call.inputs ? "input " : "output ") +
                    std::to_string(list.size()) + "\n";
            for (const aclTensor* tensor : list) describe(text, tensor);
        }
    for (const std::string& attribute : call.attributes) text += "attr " + attribute + "\n";
    return text + "end\n";
}

// True if the answer is a failure, which is reported.
bool failed(const Call& call, const std::vector<std::string>& answer) {
    if (answer.empty()) {
        report("'ptosim op --serve' has ended while it prepared " + call.type);
        return true;
    }
    if (answer[0].rfind("error ", 0) != 0) return false;
    const std::vector<unsigned char> bytes = from_hex(answer[0].substr(6));
    report(call.type + ": " + std::string(bytes.begin(), bytes.end()));
    return true;
}

}  // namespace

std::string word_of(bool value) { return value ? "bool 1" : "bool 0"; }
std::string word_of(int64_t value) { return "int " + std::to_string(value); }
std::string word_of(float value) { return "float" + joined(&value, 1); }
std::string word_of(const char* text) {
    const std::string given = text != nullptr ? text : "";
    return "str " + hex(given.data(), given.size());
}
std::string word_of(const aclIntArray* list) {
    return "list_int" + (list != nullptr ? joined(list->GetData(), list->Size()) : "");
}
std::string word_of(const aclFloatArray* list) {
    return "list_float" + (list != nullptr ? joined(list->GetData(), list->Size()) : "");
}
std::string word_of(const aclBoolArray* list) {
    return "list_bool" + (list != nullptr ? joined(list->GetData(), list->Size()) : "");
}

Call::Call(const char* op, op::OpArgContext& arguments) : type(op) {
    add(inputs, *arguments.GetOpArg(op::OP_INPUT_ARG));
    add(outputs, *arguments.GetOpArg(op::OP_OUTPUT_ARG));
    add_attributes(*arguments.GetOpArg(op::OP_ATTR_ARG));
}

Call::Call(const char* op, op::OpArgList& in, op::OpArgList& out, op::OpArgList& attrs) : type(op) {
    add(inputs, in);
    add(outputs, out);
    add_attributes(attrs);
}

void Call::add(std::vector<Tensors>& lists, op::OpArgList& arguments) {
    for (size_t i = 0; i < arguments.count; ++i) {
        Tensors list;
        void* const pointer = arguments[i]->pointer;
        if (pointer != nullptr && arguments[i].type == op::OpArgType::OPARG_ACLTENSOR)
            list.push_back(static_cast<const aclTensor*>(pointer));
        if (pointer != nullptr && arguments[i].type == op::OpArgType::OPARG_ACLTENSOR_LIST) {
            const auto& tensors = *static_cast<const aclTensorList*>(pointer);
            for (uint64_t at = 0; at < tensors.Size(); ++at) list.push_back(tensors[at]);
        }
        lists.push_back(std::move(list));
    }
}

void Call::add_attributes(op::OpArgList& arguments) {
    for (size_t i = 0; i < arguments.count; ++i) {
        op::OpArg& argument = arguments[i];
        void* const pointer = argument->pointer;
        switch (argument.type) {
            case op::OpArgType::OPARG_BOOL:
                attributes.push_back(word_of(argument->value != 0));
                break;
            case op::OpArgType::OPARG_INT:
            case op::OpArgType::OPARG_UINT:
            case op::OpArgType::OPARG_IMPLMODE:
            case op::OpArgType::OPARG_DATATYPE:
                attributes.push_back(word_of(argument->ivalue));
                break;
            case op::OpArgType::OPARG_FLOAT:
                attributes.push_back(word_of(argument->fvalue));
                break;
            case op::OpArgType::OPARG_DOUBLE:
                attributes.push_back(word_of(static_cast<float>(argument->dvalue)));
                break;
            case op::OpArgType::OPARG_STRING:
                attributes.push_back(word_of(static_cast<const char*>(pointer)));
                break;
            case op::OpArgType::OPARG_ACLSCALAR:
                attributes.push_back(word_of(
                    pointer != nullptr ? static_cast<const aclScalar*>(pointer)->ToFloat() : 0.0F));
                break;
            case op::OpArgType::OPARG_INT_LIST:
                attributes.push_back(word_of(static_cast<const aclIntArray*>(pointer)));
                break;
            case op::OpArgType::OPARG_FLOAT_LIST:
                attributes.push_back(word_of(static_cast<const aclFloatArray*>(pointer)));
                break;
            case op::OpArgType::OPARG_BOOL_LIST:
                attributes.push_back(word_of(static_cast<const aclBoolArray*>(pointer)));
                break;
            default:
                bad_attribute = true;
        }
    }
}

aclnnStatus plan(const Call& call, const Plan*& made) {
    const std::lock_guard lock(calls_mutex());
    static auto& plans = *new std::map<std::string, const Plan*>;
    if (call.bad_attribute) {
        report(call.type + " has an attribute of a type that is not supported");
        return ACLNN_ERR_PARAM_INVALID;
    }
    const std::string request = request_of("plan", call);
    const auto known = plans.find(request);
    if (known != plans.end()) {
        made = known->second;
        return ACLNN_SUCCESS;
    }
    const std::vector<std::string> answer = Server::get().ask(request);
    if (failed(call, answer)) return ACLNN_ERR_INNER_TILING_ERROR;
    auto* plan = new Plan;
    std::string library;
    for (const std::string& line : answer) {
        std::istringstream words(line);
        std::string what, kind;
        words >> what;
        if (what == "library") library = line.substr(8);
        if (what == "launch") words >> plan->blocks >> plan->workspace;
        if (what == "server") words >> plan->server;
        if (what == "group") {
            words >> kind;
            const std::vector<unsigned char> name = from_hex(kind);
            plan->groups.emplace_back(name.begin(), name.end());
        }
        if (what == "data") words >> kind, plan->data = from_hex(kind);
        if (what == "argument") {
            Argument argument{};
            words >> kind >> argument.place;
            argument.kind = kind == "in"      ? Argument::kInput
                            : kind == "out"   ? Argument::kOutput
                            : kind == "group" ? Argument::kGroup
                                              : Argument::kData;
            plan->arguments.push_back(argument);
        }
    }
    void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded != nullptr)
        plan->launch = reinterpret_cast<Plan::Launch>(dlsym(loaded, "ptosim_operator_launch"));
    if (plan->launch == nullptr) {
        const char* const reason = dlerror();
        report(call.type + ": the compiled variant cannot be loaded: " +
               (reason != nullptr ? reason : library));
        return ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
    }
    plans.emplace(request, plan);
    made = plan;
    return ACLNN_SUCCESS;
}

aclnnStatus infer(const Call& call, std::vector<Shape>& shapes) {
    const std::lock_guard lock(calls_mutex());
    const std::vector<std::string> answer = Server::get().ask(request_of("shapes", call));
    if (failed(call, answer)) return ACLNN_ERR_INNER_INFERSHAPE_ERROR;
    for (const std::string& line : answer) {
        std::istringstream words(line);
        std::string what;
        Shape shape{};
        words >> what >> shape.dtype;
        for (int64_t extent; words >> extent;) shape.dims.push_back(extent);
        if (what == "shape") shapes.push_back(std::move(shape));
    }
    return ACLNN_SUCCESS;
}

// The address of the context of a group, or null if its name is empty.
aclnnStatus context_of(const Call& call, const std::string& group, int server, void*& context) {
    context = nullptr;
    if (group.empty()) return ACLNN_SUCCESS;
    if (server != kAiCore) {
        report(call.type + " sends its data by the server of HCCL on the " +
               (server == kCcu ? "CCU" : "AICPU") +
               ", which belongs to a closed library; operators whose kernels access the windows of "
               "other ranks run");
        return ACLNN_ERR_PARAM_INVALID;
    }
    return ptosim_operator_context(group.c_str(), &context) == 0 ? ACLNN_SUCCESS
                                                                 : ACLNN_ERR_RUNTIME_ERROR;
}

aclnnStatus launch(const Plan& plan, const Call& call, int server, void* workspace,
                   aclrtStream stream) {
    std::vector<const aclTensor*> inputs, outputs;
    for (const Tensors& list : call.inputs) inputs.insert(inputs.end(), list.begin(), list.end());
    for (const Tensors& list : call.outputs)
        outputs.insert(outputs.end(), list.begin(), list.end());
    // Plans live as long as the process, so the copy may run later.
    char* const data = static_cast<char*>(workspace) + plan.data_offset();
    if (aclrtMemcpyAsync(data, plan.data.size(), plan.data.data(), plan.data.size(),
                         ACL_MEMCPY_HOST_TO_DEVICE, stream) != ACL_SUCCESS)
        return ACLNN_ERR_RUNTIME_ERROR;
    std::vector<void*> words;
    for (const Argument& argument : plan.arguments) {
        if (argument.kind == Argument::kData) {
            words.push_back(data + argument.place);
            continue;
        }
        if (argument.kind == Argument::kGroup) {
            const aclnnStatus status =
                context_of(call, plan.groups.at(argument.place),
                           server != kUnstated ? server : plan.server, words.emplace_back());
            if (status != ACLNN_SUCCESS) return status;
            continue;
        }
        const auto& side = argument.kind == Argument::kInput ? inputs : outputs;
        words.push_back(argument.place < side.size() ? side[argument.place]->GetData() : nullptr);
    }
    words.push_back(workspace);
    words.push_back(data);
    plan.launch(plan.blocks, stream, words.data());
    return ACLNN_SUCCESS;
}

}  // namespace ptosim_aclnn

void ptosim_aclnn_operators(const char* folders) {
    auto& known = ptosim_aclnn::Folders::get();
    const std::lock_guard lock(known.mutex);
    std::istringstream list(folders);
    for (std::string folder; std::getline(list, folder, ':');)
        if (!folder.empty()) known.all.push_back(folder);
}
