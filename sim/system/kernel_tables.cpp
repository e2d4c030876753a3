#include "sim/system/kernel_tables.h"

#include <array>
#include <charconv>
#include <set>
#include <tuple>

namespace ptosim {
namespace {

std::string decimal(double value) {
    std::array<char, 40> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 3).ptr};
}

std::string quoted(const std::string& text) { return text.find_first_of(",;") == text.npos ? text : '"' + text + '"'; }

// Columns "Shapes", "Data Types", "Formats" of tensors.
std::string columns(const std::vector<StepNode::Tensor>& tensors) {
    std::string shapes, types, formats;
    for (const StepNode::Tensor& tensor : tensors) {
        const char* const between = &tensor == tensors.data() ? "" : ";";
        shapes += between;
        for (size_t i = 0; i < tensor.shape.size(); ++i) shapes += (i == 0 ? "" : ",") + std::to_string(tensor.shape[i]);
        types += between + tensor.type;
        formats += between + tensor.format;
    }
    return quoted(shapes) + "," + quoted(types) + "," + quoted(formats);
}

// Rows of ProfilingDataSource, msmodeling tensor_cast/performance_model/profiling_database.
void add_kernels(const SystemStep& step, std::map<std::string, std::string>& files) {
    for (const StepNode& node : step.nodes) {
        if (!node.kernel) continue;
        std::string& table = files["kernels/" + node.kernel->type + ".csv"];
        if (table.empty())
            table = "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,"
                    "Average Duration(us)\n";
        table += columns(node.kernel->inputs) + "," + columns(node.kernel->outputs) + "," + decimal(node.us) + "\n";
    }
}

struct Communication {
    Collective collective;
    const char* table;
    const char* operation;
    bool of_a_part;  // message_bytes are those of one rank's part
};
constexpr Communication kCommunication[] = {
    {Collective::kAllReduce, "hcom_allReduce_", "tensor_cast.all_reduce.default", false},
    {Collective::kReduceScatter, "hcom_reduceScatter_", "tensor_cast.reduce_scatter.default", true},
    {Collective::kAllGather, "hcom_allGather_", "tensor_cast.all_gather.default", true},
    {Collective::kAllToAll, "hcom_alltoallv_", "tensor_cast.all_to_all.default", false},
};

// Number of the outermost level that a group spans, from 0 for the outermost of the system.
uint64_t tier_of(const SystemModel& system, uint64_t ranks, uint64_t apart) {
    std::vector<uint64_t> spans{system.dies, system.devices()};
    for (const SystemModel::Network& network : system.networks)
        if (network.members > 1) spans.push_back(spans.back() * network.members);
    if (system.dies == 1) spans.erase(spans.begin());
    for (size_t i = 0; i < spans.size(); ++i)
        if (ranks * apart <= spans[i]) return spans.size() - 1 - i;
    return 0;
}

void add_communication(const SystemModel& system, const SystemStep& step, std::map<std::string, std::string>& files) {
    std::set<std::pair<uint64_t, uint64_t>> groups;
    if (system.devices() > 1) groups.insert({system.devices(), 1});
    for (const StepNode& node : step.nodes)
        if (node.collective && node.ranks > 1) groups.insert({node.ranks, node.apart});
    constexpr uint64_t kLeast = 1 << 10, kMost = 512 << 20;
    for (const Communication& one : kCommunication) {
        std::string& table = files[std::string("hccl/") + one.table + ".csv"];
        table = "message_bytes,num_devices,dtype,topology_tier,Duration(us),bandwidth_gbps\n";
        for (const auto& [ranks, apart] : groups)
            for (uint64_t bytes = kLeast; bytes <= kMost; bytes *= 2) {
                const double us =
                    collective_time(system, one.collective, one.of_a_part ? bytes * ranks : bytes, ranks, apart).us;
                table += std::to_string(bytes) + "," + std::to_string(ranks) + ",DT_BF16," +
                         std::to_string(tier_of(system, ranks, apart)) + "," + decimal(us) + "," +
                         decimal(static_cast<double>(bytes) / us / 1e3) + "\n";
            }
    }
}

std::string op_mapping(const SystemModel& system, const SystemStep& step) {
    std::string text = "version: \"ptosim\"\ndevice: \"" + system.name +
                       "\"\ncommunication_data_ref: \"../hccl/\"\ncommunication_fallback: analytic\n\n"
                       "operator_mappings:\n";
    std::set<std::string> written;
    for (const StepNode& node : step.nodes) {
        if (!node.kernel || node.kernel->operation.empty() || !written.insert(node.kernel->operation).second) continue;
        text += "  \"" + node.kernel->operation + "\":\n    kernel_type: " + node.kernel->type + "\n";
    }
    for (const Communication& one : kCommunication)
        text += std::string("  \"") + one.operation + "\":\n    kernel_type: " + one.table +
                "\n    category: communication\n";
    return text;
}

}  // namespace

std::map<std::string, std::string> kernel_tables(const SystemModel& system, const SystemStep& step) {
    std::map<std::string, std::string> files;
    add_kernels(step, files);
    add_communication(system, step, files);
    files["kernels/op_mapping.yaml"] = op_mapping(system, step);
    return files;
}

}  // namespace ptosim
