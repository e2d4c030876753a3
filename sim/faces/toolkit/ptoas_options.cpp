#include "sim/faces/toolkit/ptoas_options.h"

#include <array>

#include "isa/core/arch.h"
#include "isa/core/diagnostic.h"
#include "sim/faces/toolkit/tool_options.h"

namespace ptosim::toolkit {
namespace {

constexpr std::string_view kPasses = "ptosim does not have these passes";
constexpr std::string_view kFusion = "tile operations are run as they are written";
constexpr std::string_view kBelow = "it concerns code below the tile level";

// hw-native-sys/PTOAS tools/ptoas, v0.27 and v0.60, and calls in pto-dsl, PyPTO and pto-isa.
constexpr auto kPtoasOptions = [] {
    using enum PtoasEffect;
    return std::to_array<ToolOption<PtoasEffect>>({
        {"o", true, kOutput,
         "C++; an object, if its name ends with `.o`; `-` or none: the standard output"},
        {"pto-arch", true, kArch,
         "`a2`, `a3`, `a5`; default: what the module declares (`pto.target_arch`), else `a3`"},
        {"pto-level", true, kLevel,
         "`level2`: addresses are planned, and none may be given; `level3`: all are given"},
        {"plan-memory-impl", true, kPlanner, "`legacy`, `modern`: as `--plan` of `ptosim run`"},
        {"enable-insert-sync", false, kFlags,
         "puts flags into functions that have none (`--sync insert` of `ptosim run`)"},
        {"enable-graph-sync-solver", false, kFlags, "the same: there is one way to find flags"},
        {"enable-bufid_sync", false, kFlags, "the same: flags instead of buffer ids"},
        {"enable-inject-barrier-all-sync", false, kFlags, "the same: flags instead of barriers"},
        {"emit-pto-ir", false, kText, "writes `.pto` with all addresses and flags instead of C++"},
        {"pto-backend", true, kBackend, "`emitc`, `vpto`: tile operations run alike here"},
        {"version", false, kVersion, "the release that scripts take it for"},
        {"print-version", false, kVersion, "the same"},
        {"help", false, kHelp, "this table"},
        {"disable-infer-layout", false, kIgnored,
         "layouts that are not written are always inferred"},
        {"emit-addptr-trace", false, kIgnored, "the C++ has no pointer arithmetic to comment on"},
        {"plan-memory-order-by-size", false, kIgnored,
         "`--plan-memory-impl=modern` orders by size"},
        {"graph-sync-solver-event-id-max", true, kIgnored, "flags use the ids that there are"},
        {"enable-tile-op-expand", false, kIgnored, kFusion},
        {"enable-op-fusion", false, kIgnored, kFusion},
        {"enable-vexpdif-fusion", false, kIgnored, kFusion},
        {"enable-shape-inference", false, kIgnored, kFusion},
        {"enable-unroll-after-loop-fusion", false, kIgnored, kFusion},
        {"enable-vfsim-costmodel-optimization", false, kIgnored, kFusion},
        {"enable-vpto-soft-postupdate", false, kIgnored, kBelow},
        {"enable-bisheng-vec-misched", false, kIgnored, kBelow},
        {"bisheng-vf-auto-sync", true, kIgnored, kBelow},
        {"vpto-scheduler", true, kIgnored, kBelow},
        {"vpto-lowering-strategy", true, kIgnored, kBelow},
        {"vpto-fix-vfsimt-size", true, kIgnored, kBelow},
        {"simt-fastmath", false, kIgnored, kBelow},
        {"cann-output-version", true, kIgnored, "ptosim has one form of kernels"},
        {"enable-bufid-sync-debug", false, kIgnored, kPasses},
        {"pto-insert-sync-debug", true, kIgnored, kPasses},
        {"mlir-print-ir-after", true, kIgnored, kPasses},
        {"mlir-print-ir-before", true, kIgnored, kPasses},
        {"mlir-print-ir-tree-dir", true, kIgnored, kPasses},
        {"mlir-*", false, kIgnored, kPasses},
        {"emit-vpto", false, kRefused, kBelow},
        {"emit-vpto-llvm-ir", false, kRefused, kBelow},
        {"vpto-emit-hivm-llvm", false, kRefused, kBelow},
        {"vpto-print-ir", false, kRefused, kBelow},
        {"dump-vpto-ir", false, kRefused, kBelow},
        {"pto-print-seam-ir", false, kRefused, kBelow},
        {"pto-seam-ir-file", true, kRefused, kBelow},
        {"dump-vfsim-unroll-test", false, kRefused, kBelow},
    });
}();

// Its value must be one of the accepted values.
[[noreturn]] void refuse_value(const ToolOption<PtoasEffect>& row, const std::string& value,
                               const char* accepted) {
    fail_input("H04",
               "ptoas: --" + std::string(row.name) + "=" + value + " is not one of its values",
               accepted);
}

class PtoasParser {
 public:
    explicit PtoasParser(const std::vector<std::string>& words) : words_{words} {}

    PtoasOptions run() {
        for (at_ = 0; at_ < words_.size(); ++at_) {
            const std::string& word = words_[at_];
            if (word == "-" || !word.starts_with("-"))
                input(word);
            else
                option();
        }
        return std::move(options_);
    }

 private:
    void input(const std::string& word) {
        if (has_input_)
            fail_input("H04", "ptoas: '" + word + "' is a second input", "it assembles one file");
        has_input_ = true;
        options_.input = word;
    }

    void option() {
        const auto [row, value] = take_option<PtoasEffect>("ptoas", kPtoasOptions, words_, at_);
        const bool off = !row.has_value && (value == "false" || value == "0");
        if (!off) apply(row, value);
    }

    void apply(const ToolOption<PtoasEffect>& row, const std::string& value) {
        using enum PtoasEffect;
        switch (row.effect) {
            case kOutput:
                options_.output = value;
                return;
            case kArch:
                options_.arch = parse_arch(value);
                if (value != "a2" && value != "a3" && value != "a5")
                    refuse_value(row, value, "a2, a3, a5");
                return;
            case kLevel:
                if (value != "level1" && value != "level2" && value != "level3")
                    refuse_value(row, value, "level1, level2, level3");
                options_.level = value == "level3" ? PtoasLevel::kAddressed : PtoasLevel::kPlanned;
                return;
            case kPlanner:
                if (value != "legacy" && value != "modern")
                    refuse_value(row, value, "legacy, modern");
                options_.plan = value == "modern" ? assembly::PlanPolicy::kLargestFirst
                                                  : assembly::PlanPolicy::kInOrder;
                return;
            case kFlags:
                options_.insert_flags = true;
                return;
            case kText:
                options_.emit_text = true;
                return;
            case kBackend:
                if (value != "emitc" && value != "vpto") refuse_value(row, value, "emitc, vpto");
                return;
            case kVersion:
                options_.version = true;
                return;
            case kHelp:
                options_.help = true;
                return;
            case kIgnored:
            case kRefused:
                return;
        }
    }

    const std::vector<std::string>& words_;
    size_t at_ = 0;
    bool has_input_ = false;
    PtoasOptions options_;
};

}  // namespace

std::string ptoas_options_markdown() { return options_table<PtoasEffect>(kPtoasOptions); }

PtoasOptions parse_ptoas(const std::vector<std::string>& words) { return PtoasParser(words).run(); }

}  // namespace ptosim::toolkit
