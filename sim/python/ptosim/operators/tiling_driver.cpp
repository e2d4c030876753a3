// Runs the host functions of one operator: prints its definition, infers the shapes of its outputs,
// and runs its tiling. `host.py` compiles it with the headers of a checkout of metadef, and writes
// its requests.
//
//   driver LIBRARY definition            operators of the library for the simulated chip, as JSON
//   driver LIBRARY tiling < REQUEST      shapes of outputs, then the choice of the tiling, as JSON
//   driver LIBRARY shapes < REQUEST      shapes of outputs only
//   driver LIBRARY classes < REQUEST     the structures of its lines "class" only
//
// A request has a line for each fact, words separated by spaces, in the order of the definition:
//   op TYPE
//   input COUNT / output COUNT                      instances of the next parameter
//   tensor DTYPE FORMAT FILE|- RANK|? DIMENSIONS    one instance; "of" DIMENSIONS behind: an array
//   in
//                                                   blocks; ?: an output whose shape is
//   inferred attr KIND VALUES                                KIND: bool, int, float, str (hex),
//   their lists class NAME                                      a registered structure of tiling
//   data
#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "base/context_builder/op_tiling_parse_context_builder.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tiling_data.h"
#include "graph/tensor.h"
#include "platform/platform_ascendc.h"
#include "platform/platform_infos_def.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry_base.h"
#include "register/tilingdata_base.h"

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        char code[8];
        if (c == '"' || c == '\\')
            out += std::string("\\") + c;
        else if (static_cast<unsigned char>(c) < 0x20) {
            std::snprintf(code, sizeof code, "\\u%04x", c);
            out += code;
        } else
            out += c;
    }
    return out + '"';
}

std::string hex(const unsigned char* bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < count; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

std::string from_hex(const std::string& text) {
    std::string bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
    return bytes;
}

template <class T>
std::string numbers(const std::vector<T>& values) {
    std::string text = "[";
    for (const T& value : values)
        text += (text.size() > 1 ? "," : "") + std::to_string(static_cast<long long>(value));
    return text + "]";
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

// The chip's name in definitions of operators: ascend910b.
std::string short_soc() {
    const char* name = ptosim_chip_figure("version", "Short_SoC_version");
    return name != nullptr ? lower(name) : "";
}

}  // namespace

// Definitions of operators show their members to the classes of these names.
namespace ops {

class Generator {
    // A function that the definition of an operator names; null without a definition.
    template <class Get>
    static auto of(const char* type, Get get) {
        using Function = decltype(get(std::declval<OpDef&>()));
        for (const ge::AscendString& name : OpDefFactory::GetAllOp())
            if (std::strcmp(name.GetString(), type) == 0) {
                OpDef op = OpDefFactory::OpDefCreate(type);
                return Function(get(op));
            }
        return Function(nullptr);
    }

 public:
    static std::string definitions(const std::string& soc) {
        std::string text;
        for (const ge::AscendString& name : OpDefFactory::GetAllOp()) {
            OpDef op = OpDefFactory::OpDefCreate(name.GetString());
            text += (text.empty() ? "\n" : ",\n") + definition(op, name.GetString(), soc);
        }
        return "[" + text + "]";
    }
    static gert::OpImplRegisterV2::TilingKernelFunc tiling(const char* type) {
        return of(type, [](OpDef& op) { return op.AICore().GetTiling(); });
    }
    static gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape(const char* type) {
        return of(type, [](OpDef& op) { return op.GetInferShape(); });
    }
    static gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_type(const char* type) {
        return of(type, [](OpDef& op) { return op.GetInferDataType(); });
    }

 private:
    static std::string parameters(std::vector<OpParamDef>& all) {
        std::string text;
        for (OpParamDef& param : all) {
            text += text.empty() ? "" : ",";
            text += "{\"name\":" + quoted(param.GetParamName().GetString()) +
                    ",\"kind\":" + std::to_string(static_cast<int>(param.GetParamType())) +
                    ",\"dtypes\":" + numbers(param.GetDataTypes()) +
                    ",\"formats\":" + numbers(param.GetFormats()) +
                    ",\"value\":" + quoted(param.GetValueDepend().GetString()) + ",\"init\":" +
                    (param.GetInitValueType() == InitValueType::INIT_VALUE_DEFAULT &&
                             param.GetInitValueList().empty()
                         ? "false"
                         : "true") +
                    ",\"computed\":" + (param.IsOutputShapeDependOnCompute() ? "true" : "false") +
                    "}";
        }
        return "[" + text + "]";
    }
    static std::string definition(OpDef& op, const char* type, const std::string& soc) {
        auto& configs = op.AICore().GetAICoreConfigs();
        std::string socs, inputs = "[]", outputs = "[]", settings;
        for (auto& [name, config] : configs)
            socs += (socs.empty() ? "" : ",") + quoted(name.GetString());
        const auto found = configs.find(soc.c_str());
        if (found != configs.end()) {
            auto in = op.GetMergeInputs(found->second);
            auto out = op.GetMergeOutputs(found->second);
            op.FullPermutation(in, out);
            inputs = parameters(in);
            outputs = parameters(out);
            for (auto& [key, value] : found->second.GetCfgInfo())
                settings += (settings.empty() ? "" : ",") + quoted(key.GetString()) + ":" +
                            quoted(value.GetString());
        }
        std::string attrs;
        for (OpAttrDef& attr : op.GetAttrs())
            attrs += std::string(attrs.empty() ? "" : ",") +
                     "{\"name\":" + quoted(attr.GetName().GetString()) +
                     ",\"type\":" + quoted(attr.GetCfgDataType().GetString()) +
                     ",\"required\":" + (attr.IsRequired() ? "true" : "false") + ",\"default\":" +
                     quoted(attr.IsRequired() ? "" : attr.GetAttrDefaultVal("[]").GetString()) +
                     "}";
        // Attributes that name groups of ranks, and what moves their data, by number
        // (ops::HcclServerType).
        std::string groups;
        for (const ge::AscendString& name : op.MC2().GetHcclGroups())
            groups += (groups.empty() ? "" : ",") + quoted(name.GetString());
        const int server = static_cast<int>(op.MC2().GetHcclServerType(soc.c_str()));
        return "{\"type\":" + quoted(type) + ",\"soc\":" + quoted(soc) + ",\"socs\":[" + socs +
               "],\"inputs\":" + inputs + ",\"outputs\":" + outputs + ",\"attrs\":[" + attrs +
               "],\"groups\":[" + groups + "],\"server\":" + std::to_string(server) +
               ",\"settings\":{" + settings + "}}";
    }
};

}  // namespace ops

namespace {

struct Instance {
    ge::DataType dtype = ge::DT_UNDEFINED;
    ge::Format format = ge::FORMAT_ND;
    std::string data;
    bool open = false;
    gert::Tensor* tensor = nullptr;
};

struct Request {
    std::string op;
    std::vector<uint32_t> input_counts, output_counts;
    std::deque<Instance> inputs, outputs;
    std::vector<std::pair<std::string, std::vector<std::string>>> attrs;
    std::vector<std::string> classes;
    bool guessed = false;  // shapes of outputs are those of inputs
};

gert::Tensor* new_tensor(const gert::Shape& shape, Instance& of, const gert::Shape& logical = {}) {
    const bool in_blocks = logical.GetDimNum() != 0;
    gert::StorageShape both;
    both.MutableOriginShape() = in_blocks ? logical : shape;
    both.MutableStorageShape() = shape;
    return new gert::Tensor(
        both, gert::StorageFormat(in_blocks ? ge::FORMAT_ND : of.format, of.format, {}),
        gert::kOnHost, of.dtype, of.data.empty() ? nullptr : &of.data[0]);
}

Request read_request() {
    Request request;
    bool outputs = false;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "op")
            words >> request.op;
        else if (what == "input" || what == "output") {
            uint32_t count = 0;
            words >> count;
            outputs = what == "output";
            (outputs ? request.output_counts : request.input_counts).push_back(count);
        } else if (what == "tensor") {
            int dtype = 0, format = 0;
            std::string file, rank;
            words >> dtype >> format >> file >> rank;
            std::deque<Instance>& all = outputs ? request.outputs : request.inputs;
            all.emplace_back();
            Instance& made = all.back();
            made.dtype = static_cast<ge::DataType>(dtype);
            made.format = static_cast<ge::Format>(format);
            made.open = rank == "?";
            if (file != "-") {
                std::ifstream data(file, std::ios::binary);
                made.data.assign(std::istreambuf_iterator<char>(data), {});
            }
            gert::Shape shape, logical;
            gert::Shape* part = &shape;
            for (std::string word; words >> word;)
                if (word == "of")
                    part = &logical;
                else
                    part->AppendDim(std::stoll(word));
            made.tensor = new_tensor(shape, made, logical);
        } else if (what == "attr") {
            std::string kind;
            words >> kind;
            request.attrs.emplace_back(kind, std::vector<std::string>());
            for (std::string value; words >> value;) request.attrs.back().second.push_back(value);
        } else if (what == "class") {
            std::string name;
            words >> name;
            request.classes.push_back(name);
        }
    }
    return request;
}

template <class Builder>
void append_attrs(Builder& builder, const Request& request) {
    for (const auto& [kind, values] : request.attrs) {
        const std::string first = values.empty() ? "" : values[0];
        if (kind == "bool") builder.AppendAttr(first == "1");
        if (kind == "int") builder.AppendAttr(static_cast<int64_t>(std::stoll(first)));
        if (kind == "float") builder.AppendAttr(std::stof(first));
        if (kind == "str") builder.AppendAttr(ge::AscendString(from_hex(first).c_str()));
        if (kind == "list_int") {
            std::vector<int64_t> list;
            for (const std::string& value : values) list.push_back(std::stoll(value));
            builder.AppendAttr(list);
        }
        if (kind == "list_float") {
            std::vector<float> list;
            for (const std::string& value : values) list.push_back(std::stof(value));
            builder.AppendAttr(list);
        }
        if (kind == "list_bool") {
            std::vector<bool> list;
            for (const std::string& value : values) list.push_back(value == "1");
            builder.AppendAttr(list);
        }
        if (kind == "list_list_int") {  // rows end with ';'
            std::vector<std::vector<int64_t>> rows(1);
            for (const std::string& value : values)
                if (value == ";")
                    rows.emplace_back();
                else
                    rows.back().push_back(std::stoll(value));
            rows.pop_back();
            builder.AppendAttr(rows);
        }
    }
}

template <class Builder>
void identify(Builder& builder, const Request& request) {
    builder.OpType(request.op.c_str()).OpName(request.op.c_str());
    // The builder refuses operators without a parameter on either side.
    const auto counts = [](const std::vector<uint32_t>& given) { return given.empty() ? std::vector<uint32_t>{0} : given; };
    builder.IOInstanceNum(counts(request.input_counts), counts(request.output_counts));
}

template <class Builder>
void describe_inputs(Builder& builder, const Request& request) {
    size_t at = 0;
    for (const Instance& one : request.inputs)
        builder.InputTensorDesc(at++, one.dtype, one.format, one.format);
}

template <class Builder>
void describe_outputs(Builder& builder, const Request& request) {
    size_t at = 0;
    for (const Instance& one : request.outputs)
        builder.OutputTensorDesc(at++, one.dtype, one.format, one.format);
}

std::vector<gert::Tensor*> tensors(const std::deque<Instance>& all) {
    std::vector<gert::Tensor*> list;
    for (const Instance& one : all) list.push_back(one.tensor);
    return list;
}

[[noreturn]] void stop(const std::string& reason) {
    std::cerr << "\ndriver: " << reason << "\n";
    std::exit(1);
}

using Functions = gert::OpImplRegistry::OpImplFunctionsV2;

void infer_outputs(Request& request, const Functions* functions) {
    if (std::none_of(request.outputs.begin(), request.outputs.end(),
                     [](const Instance& o) { return o.open; }))
        return;
    auto infer_type = functions != nullptr ? functions->infer_datatype : nullptr;
    if (infer_type == nullptr) infer_type = ops::Generator::infer_type(request.op.c_str());
    if (infer_type != nullptr) {
        gert::OpInferDataTypeContextBuilder builder;
        identify(builder, request);
        append_attrs(builder, request);
        describe_inputs(builder, request);
        for (size_t i = 0; i < request.outputs.size(); ++i)
            builder.OutputTensorDesc(i, request.outputs[i].format, request.outputs[i].format);
        auto holder = builder.Build();
        if (infer_type(holder.GetContext()) == 0)
            for (size_t i = 0; i < request.outputs.size(); ++i) {
                const ge::DataType type = holder.GetContext()->GetOutputDataType(i);
                if (request.outputs[i].dtype == ge::DT_UNDEFINED) request.outputs[i].dtype = type;
            }
    }
    auto infer_shape = functions != nullptr ? functions->infer_shape : nullptr;
    if (infer_shape == nullptr) infer_shape = ops::Generator::infer_shape(request.op.c_str());
    if (infer_shape == nullptr) {  // marked in the answer
        for (size_t i = 0; i < request.outputs.size(); ++i)
            if (request.outputs[i].open && !request.inputs.empty()) {
                const Instance& like = request.inputs[std::min(i, request.inputs.size() - 1)];
                request.outputs[i].tensor =
                    new_tensor(like.tensor->GetStorageShape(), request.outputs[i]);
                request.guessed = true;
            }
        return;
    }
    gert::OpInferShapeContextBuilder builder;
    identify(builder, request);
    append_attrs(builder, request);
    builder.InputTensors(tensors(request.inputs));
    describe_outputs(builder, request);
    auto holder = builder.Build();
    if (infer_shape(holder.GetContext()) != 0)
        stop("shapes: the operator's function of shapes refuses the inputs");
    for (size_t i = 0; i < request.outputs.size(); ++i)
        if (request.outputs[i].open) {
            const gert::Shape* shape = holder.GetContext()->GetOutputShape(i);
            request.outputs[i].tensor = new_tensor(*shape, request.outputs[i]);
        }
}

std::string fields_of(optiling::TilingDef& data) {
    std::string text;
    for (const optiling::FieldInfo& field : data.GetFieldInfo()) {
        const char kind = field.classType_[0];
        text += (text.empty() ? "[" : ",[") +
                quoted(kind == '2' ? field.structType_ : field.dtype_) + "," + quoted(field.name_) +
                "," + std::to_string(kind == '1' ? static_cast<long long>(field.arrSize_) : -1) +
                "]";
    }
    return "[" + text + "]";
}

void print_shapes(const char* name, const std::deque<Instance>& all) {
    std::cout << "\"" << name << "\":[";
    for (size_t i = 0; i < all.size(); ++i) {
        const gert::Shape& shape = all[i].tensor->GetStorageShape();
        std::vector<int64_t> dims;
        for (size_t d = 0; d < shape.GetDimNum(); ++d) dims.push_back(shape.GetDim(d));
        std::cout << (i == 0 ? "" : ",") << "{\"dtype\":" << static_cast<int>(all[i].dtype)
                  << ",\"shape\":" << numbers(dims) << "}";
    }
    std::cout << "],";
}

void print_classes(const Request& request) {
    std::cout << "\"classes\":{";
    bool first = true;
    for (const std::string& name : request.classes) {
        const auto made =
            optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance(name.c_str());
        if (made == nullptr) continue;
        std::cout << (first ? "" : ",") << quoted(name)
                  << ":{\"class\":" << quoted(made->GetTilingClassName())
                  << ",\"fields\":" << fields_of(*made) << "}";
        first = false;
    }
    std::cout << "}";
}

int tile(bool shapes_only) {
    Request request = read_request();
    const Functions* functions = gert::OpImplRegistry::GetInstance().GetOpImpl(request.op.c_str());
    infer_outputs(request, functions);
    std::cout << "{";
    print_shapes("outputs", request.outputs);
    std::cout << "\"guessed\":" << (request.guessed ? "true" : "false")
              << (shapes_only ? "}\n" : ",");
    std::cout << std::flush;
    if (shapes_only) return 0;

    auto tiling = functions != nullptr ? functions->tiling : nullptr;
    if (tiling == nullptr) tiling = ops::Generator::tiling(request.op.c_str());
    if (tiling == nullptr) stop("tiling: the operator registers no tiling");
    fe::PlatFormInfos chip;
    chip.Init();
    static std::vector<uint64_t> nothing(8192);
    void* compiled = nothing.data();
    if (functions != nullptr && functions->compile_info_creator != nullptr)
        compiled = functions->compile_info_creator();
    if (functions != nullptr && functions->tiling_parse != nullptr) {
        gert::OpTilingParseContextBuilder builder;
        identify(builder, request);
        append_attrs(builder, request);
        describe_inputs(builder, request);
        describe_outputs(builder, request);
        builder.CompiledJson("{}").CompiledInfo(compiled).PlatformInfo(&chip);
        auto holder = builder.Build();
        if (functions->tiling_parse(reinterpret_cast<gert::KernelContext*>(holder.GetContext())) !=
            0)
            stop("tiling: the operator's preparation of its tiling fails");
    }

    constexpr size_t kRoom = 1 << 20, kWorkspaces = 16;
    auto workspace = gert::ContinuousVector::Create<size_t>(kWorkspaces);
    gert::OpTilingContextBuilder builder;
    identify(builder, request);
    append_attrs(builder, request);
    gert::Dim3 blocks(1), grid(1);
    builder.InputTensors(tensors(request.inputs)).OutputTensors(tensors(request.outputs));
    builder.CompileInfo(compiled).PlatformInfo(&chip).Deterministic(0).TilingDataSize(kRoom);
    builder.Workspace(reinterpret_cast<gert::ContinuousVector*>(workspace.get()));
    builder.SimtBlockDim(&blocks).SimtGridDim(&grid);
    auto holder = builder.Build();
    gert::TilingContext* context = holder.GetContext();
    context->SetTilingKey(0);  // operators with one variant set none
    const auto status = tiling(context);
    if (status != 0) stop("tiling: the operator's tiling refuses the inputs");

    const uint64_t key = context->GetTilingKey();
    size_t bytes = 0;
    const auto* sizes = reinterpret_cast<gert::TypedContinuousVector<size_t>*>(workspace.get());
    for (size_t i = 0; i < sizes->GetSize(); ++i) bytes += (sizes->GetData()[i] + 511) / 512 * 512;
    const gert::TilingData* data = context->GetRawTilingData();
    std::cout << "\"key\":" << key << ",\"blocks\":" << context->GetBlockDim()
              << ",\"workspace\":" << bytes << ",\"schedule\":" << context->GetScheduleMode()
              << ",\"ub\":" << context->GetLocalMemorySize() << ",\"data\":\""
              << hex(static_cast<const unsigned char*>(data->GetData()), data->GetDataSize())
              << "\",";
    print_classes(request);
    std::cout << "}\n";
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) stop("two arguments are needed: LIBRARY, and definition, tiling or shapes");
    if (dlopen(argv[1], RTLD_LAZY | RTLD_GLOBAL) == nullptr)
        stop(std::string("library: ") + dlerror());
    // Ascend C's library asks for the chip of this process, whose name it would get from a library of the runtime.
    platform_ascendc::PlatformAscendCManager::GetInstance("the simulated chip");
    if (std::strcmp(argv[2], "definition") == 0) {
        std::cout << ops::Generator::definitions(short_soc()) << "\n";
        return 0;
    }
    if (std::strcmp(argv[2], "classes") == 0) {
        std::cout << "{";
        print_classes(read_request());
        std::cout << "}\n";
        return 0;
    }
    return tile(std::strcmp(argv[2], "shapes") == 0);
}
