#include "sim/session/changed_kernel.h"

#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/files/files.h"

namespace ptosim {
namespace {

using check::MendStep;

bool same_line(SourceLocation a, SourceLocation b) { return a.file == b.file && a.line == b.line; }

// Issues the inserted operations around the lines that the control flow visits.
class ChangedPort final : public ForwardingPort {
 public:
    ChangedPort(KernelPort& port, const std::vector<MendStep>& steps)
        : ForwardingPort{port}, steps_{steps} {
        issue_all(MendStep::Place::kBeforeLoop, {});
    }
    void end() {
        leave();
        issue_all(MendStep::Place::kAfterLoop, {});
    }
    void issue(const Instruction& instruction) override {
        for (const MendStep& step : steps_) {
            if (step.kind == MendStep::Kind::kInsert || !is_at(step, instruction.location) ||
                step.opcode != instruction.opcode)
                continue;
            if (step.kind == MendStep::Kind::kRemove) return;
            Instruction other = instruction;
            other.attributes.event_id = step.id;
            return port_.issue(other);
        }
        visit(instruction.location, static_cast<int>(instruction.opcode));
        port_.issue(instruction);
    }

 private:
    static constexpr int kScalar = -1;

    void touch(SourceLocation where) override { visit(where, kScalar); }
    bool is_here(const MendStep& step) const { return step.core == port_.identity().core; }
    bool is_at(const MendStep& step, SourceLocation where) const {
        return is_here(step) && same_line(step.at, where);
    }
    void issue_all(MendStep::Place place, SourceLocation where) {
        const bool lines = place == MendStep::Place::kBefore || place == MendStep::Place::kAfter;
        for (const MendStep& step : steps_) {
            if (step.kind != MendStep::Kind::kInsert || step.place != place) continue;
            if (lines ? !is_at(step, where) : !is_here(step)) continue;
            Instruction inserted(step.opcode, step.at);
            inserted.attributes.source_pipe = step.source;
            inserted.attributes.destination_pipe = step.destination;
            inserted.attributes.event_id = step.id;
            port_.issue(inserted);
        }
    }
    void leave() {
        if (here_) issue_all(MendStep::Place::kAfter, *here_);
        here_.reset();
    }
    // A line is visited anew if its first operation comes again.
    void visit(SourceLocation where, int what) {
        if (here_ && same_line(*here_, where) && what != first_) return;
        leave();
        here_ = where;
        first_ = what;
        issue_all(MendStep::Place::kBefore, where);
    }

    const std::vector<MendStep>& steps_;
    std::optional<SourceLocation> here_;
    int first_ = 0;
};

// Holds instructions back, and issues them later.
class TrialPort final : public ForwardingPort {
 public:
    TrialPort(KernelPort& port, const std::vector<TrialStep>& steps)
        : ForwardingPort{port}, steps_{steps}, before_(steps.size()) {}
    void end() { flush(); }

    void issue(const Instruction& instruction) override {
        for (size_t i = 0; i < steps_.size(); ++i)
            if (steps_[i].core == port_.identity().core &&
                handle(steps_[i], before_[i], instruction))
                return;
        pass(instruction);
    }

 private:
    using Kind = TrialStep::Kind;

    // Memory accesses of the scalar unit keep their place: held instructions come before them.
    void touch(SourceLocation) override { flush(); }

    // Returns true if the instruction has been dealt with.
    bool handle(const TrialStep& step, std::optional<Instruction>& before,
                const Instruction& instruction) {
        const bool here =
            step.opcode == instruction.opcode && same_line(step.at, instruction.location);
        switch (step.kind) {
            case Kind::kOneMoreSlot: {
                if (!here) return false;
                const std::optional<Instruction> last = std::exchange(before, instruction);
                if (last) pass(*last);
                return true;
            }
            case Kind::kAhead: {
                if (here) {
                    flush();
                    holds_ = &step;
                    held_.push_back(instruction);
                    return true;
                }
                if (holds_ != &step) return false;
                const uint32_t line = instruction.location.line;
                if (line >= step.loop_begin && line < step.at.line) return false;
                held_.push_back(instruction);
                return true;
            }
            case Kind::kRemove: {
                if (step.opcode == Opcode::kPIPE_BARRIER) return here;
                const Attributes& a = instruction.attributes;
                return (instruction.opcode == Opcode::kSET_FLAG ||
                        instruction.opcode == Opcode::kWAIT_FLAG) &&
                       a.source_pipe == step.source && a.destination_pipe == step.destination &&
                       (step.ids >> a.event_id & 1) != 0;
            }
            case Kind::kSetAfter: {
                if (here) {
                    port_.issue(instruction);
                    flush();
                    return true;
                }
                if (same_line(step.to, instruction.location)) {
                    flush();
                    port_.issue(instruction);
                    holds_ = &step;
                    return true;
                }
                if (holds_ != &step) return false;
                held_.push_back(instruction);
                return true;
            }
            case Kind::kWaitBefore: {
                if (here) {
                    if (before) port_.issue(*std::exchange(before, instruction));
                    before = instruction;
                    return true;
                }
                if (before && same_line(step.to, instruction.location)) {
                    port_.issue(*before);
                    before.reset();
                }
                return false;
            }
        }
        return false;
    }
    void pass(const Instruction& instruction) {
        if (holds_ != nullptr && holds_->kind == Kind::kSetAfter)
            held_.push_back(instruction);
        else
            port_.issue(instruction);
    }
    void flush() {
        holds_ = nullptr;
        std::vector<Instruction> held;
        held.swap(held_);
        for (const Instruction& instruction : held) port_.issue(instruction);
    }

    const std::vector<TrialStep>& steps_;
    std::vector<std::optional<Instruction>> before_;  // by step
    const TrialStep* holds_ = nullptr;
    std::vector<Instruction> held_;
};

}  // namespace

void ChangedKernel::run(KernelPort& port, KernelArguments arguments) const {
    ChangedPort changed(port, steps_);
    kernel_.run(changed, arguments);
    changed.end();
}

void TrialKernel::run(KernelPort& port, KernelArguments arguments) const {
    TrialPort changed(port, steps_);
    kernel_.run(changed, arguments);
    changed.end();
}

std::string pack(const Trial& trial) {
    std::string text =
        std::to_string(trial.blocks) + " " + std::to_string(static_cast<int>(trial.check));
    for (const TrialStep& s : trial.steps)
        for (const uint64_t field :
             {static_cast<uint64_t>(s.kind), uint64_t{s.at.file}, uint64_t{s.at.line},
              uint64_t{s.at.column}, static_cast<uint64_t>(s.opcode), static_cast<uint64_t>(s.core),
              uint64_t{s.to.file}, uint64_t{s.to.line}, uint64_t{s.to.column},
              uint64_t{s.loop_begin}, static_cast<uint64_t>(s.source),
              static_cast<uint64_t>(s.destination), uint64_t{s.ids}})
            text += " " + std::to_string(field);
    return text;
}

Trial unpack_trial(const std::string& text) {
    std::istringstream fields(text);
    Trial trial;
    unsigned check = 0;
    fields >> trial.blocks >> check;
    trial.check = static_cast<Trial::Check>(check);
    for (std::array<uint64_t, 13> f{};;) {
        for (uint64_t& field : f) fields >> field;
        if (!fields) return trial;
        TrialStep& s = trial.steps.emplace_back();
        s.kind = static_cast<TrialStep::Kind>(f[0]);
        s.at = {static_cast<uint16_t>(f[1]), static_cast<uint16_t>(f[3]),
                static_cast<uint32_t>(f[2])};
        s.opcode = static_cast<Opcode>(f[4]);
        s.core = static_cast<CoreType>(f[5]);
        s.to = {static_cast<uint16_t>(f[6]), static_cast<uint16_t>(f[8]),
                static_cast<uint32_t>(f[7])};
        s.loop_begin = static_cast<uint32_t>(f[9]);
        s.source = static_cast<Pipe>(f[10]);
        s.destination = static_cast<Pipe>(f[11]);
        s.ids = static_cast<uint32_t>(f[12]);
    }
}

void TrialResults::add(const Trial& trial, std::optional<Cycle> cycles) {
    results_[pack(trial)] = cycles.value_or(0);
}

void TrialResults::write(const std::filesystem::path& folder) const {
    if (results_.empty()) return;
    std::string text;
    for (const auto& [trial, cycles] : results_)
        text += std::to_string(cycles) + "\t" + trial + "\n";
    write_file((folder / kFile).string(), text);
}

TrialResults TrialResults::read(const std::filesystem::path& folder) {
    TrialResults read;
    if (!std::filesystem::exists(folder / kFile)) return read;
    std::istringstream lines(read_file((folder / kFile).string()));
    for (std::string line; std::getline(lines, line);)
        if (const size_t tab = line.find('\t'); tab != line.npos)
            read.results_[line.substr(tab + 1)] = std::strtoull(line.c_str(), nullptr, 10);
    return read;
}

TryChange TrialResults::attempt() const {
    if (results_.empty()) return {};
    return [this](const Trial& trial) -> std::optional<Cycle> {
        const auto found = results_.find(pack(trial));
        if (found == results_.end() || found->second == 0) return {};
        return found->second;
    };
}

}  // namespace ptosim
