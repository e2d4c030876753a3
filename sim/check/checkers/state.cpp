// State of a core that a block leaves for the next kernel (sim/machine/core/core_state.h), and its use by a
// later kernel.
//
// A kernel that leaves state is a finding unless a later kernel sets it before its first use, as kernels do that begin
// with InitSocState(). A kernel that uses it is one in any case, and then explains the other.
#include <map>

#include "sim/check/checker.h"

namespace ptosim::check {
namespace {

class StateChecker final : public Checker {
 public:
    using Checker::Checker;

    void on_launch(const LaunchEvent&) override { ++launch_; }

    void on_block_end(const RunEvent& event) override {
        std::erase_if(pending_, [&](const auto& entry) {
            const Pending& pending = entry.second;
            return pending.launch != launch_ && pending.number < 32 && (event.written >> pending.number & 1) != 0;
        });
        for (const LeftState& left : event.left) {
            const std::string at = site("E33", left.where, left.what);
            if (!pending_.contains(at)) pending_.emplace(at, Pending{left.number, launch_, describe(left, event)});
        }
    }

    void on_carried_state(const CarriedStateEvent& event) override {
        std::erase_if(pending_, [&](const auto& entry) { return entry.second.number == event.number; });
        findings_.add(site("E34", event.location, event.what), [&] {
            Diagnostic d = finding("E34", event.location, event.core, event.time);
            d.instruction = event.instruction;
            d.message = std::string(event.instruction) + " uses " + std::string(event.what) +
                        ", which this kernel has not set: an earlier kernel has left it, set at " +
                        std::string(event.set);
            d.hint = "call InitSocState() at the begin of the kernel, or set " + std::string(event.what) +
                     " before its first use";
            return d;
        });
    }

    void on_host_end() override {
        for (auto& [at, pending] : pending_) findings_.add(at, [&] { return std::move(pending.finding); });
        pending_.clear();
    }

 private:
    struct Pending {
        unsigned number = 0;
        unsigned launch = 0;
        Diagnostic finding;
    };

    static std::string site(const char* code, SourceLocation at, std::string_view what) {
        return std::string(code) + "/" + std::to_string(at.file) + "/" + std::to_string(at.line) + "/" +
               std::to_string(at.column) + "/" + std::string(what);
    }
    Diagnostic describe(const LeftState& left, const RunEvent& event) const {
        Diagnostic d = finding("E33", left.where, event.core, event.time);
        d.message = left.what + " when the kernel ends: " + left.effect;
        d.hint = left.mend;
        return d;
    }
    Diagnostic finding(const char* code, SourceLocation where, CoreId core, Cycle time) const {
        Diagnostic d;
        d.code = code;
        d.category = Category::kSync;
        shared_.sources->locate(d, where);
        d.core = name(core);
        d.cycle = time;
        d.has_cycle = true;
        return d;
    }

    unsigned launch_ = 0;
    std::map<std::string, Pending> pending_;  // by site
};

}  // namespace

PTOSIM_CHECKER(state) = row_of<StateChecker>(
    {.name = "state",
     .chosen = Chosen::kInAll,
     .codes = "E33 E34",
     .about = "modes, registers and unit flags of a core that a kernel leaves for the next one, or uses without "
              "setting them",
     .order = 95});

}  // namespace ptosim::check
