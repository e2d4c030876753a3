// Sampled time: a run in --mode timing whose cores repeat themselves for a long time is simulated
// in part.
//
// While all cores that run a block repeat a period (PeriodFinder), the sampler measures how long
// periods take. Then it lets the control flows run ahead, whose instructions are put off. As many
// periods as all cores still repeat are skipped: each core continues with its instructions of a
// later period, and the time of the skipped ones is added to the result. The machine does not
// notice, because its pipes, flags and signals are in the same state whenever a period begins. Data
// that the skipped transfers would have brought into L2 is brought into it. Cores that exchange
// signals skip equally often.
//
// Then the sampler measures again. If periods take as long as before, it skips twice as long the
// next time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine/event/cycle.h"
#include "sim/machine/sample/sampled_machine.h"

namespace ptosim {

class SampledPort;

class Sampler {
 public:
    explicit Sampler(SampledMachine& machine) : machine_{machine} {}
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    struct Result {
        Cycle skipped = 0;    // cycles that the run would have taken beyond the simulated ones
        Cycle deviation = 0;  // by which the skipped cycles may differ: periods varied as much
        uint64_t instructions = 0;  // that were skipped
        unsigned times = 0;         // a stretch was skipped
    };
    Result result() const;
    SampledMachine& machine() { return machine_; }

    // ---- for ports

    void join(SampledPort& port) { ports_.push_back(&port); }
    void leave(SampledPort& port);
    // A period of a port has begun.
    void period_began();
    // The control flow of a port has run ahead as far as it shall, or can.
    void ran_ahead();
    // A port is about to skip periods, others may follow.
    void skips_now();
    // A port has skipped periods.
    void skipped();

 private:
    enum class Stage : uint8_t { kMeasuring, kRunningAhead, kSkipping };

    // Ports that skip together, because they exchange signals.
    struct Group {
        std::vector<SampledPort*> ports;
        std::vector<uint64_t> periods;  // of each port, in a common stretch
        Milli length = 0;               // time of the common stretch
        uint64_t available = 0;         // such stretches
        uint64_t count = 0;             // of them are skipped
    };

    bool all_measured();
    void set_budget();
    void begin_measuring();
    std::vector<Group> groups() const;
    static bool find_stretch(Group& group, Cycle near);
    static bool balanced(const Group& group);
    bool decide();
    bool choose_counts(std::vector<Group>& all, Milli& time);
    uint64_t pass(const std::vector<Group>& all, uint64_t stretches);
    uint64_t alike_stretches(const std::vector<Group>& all, uint64_t most, Milli length);

    SampledMachine& machine_;
    std::vector<SampledPort*> ports_;
    size_t unmeasured_ = 0;  // a port that was not measured when last looked at
    Stage stage_ = Stage::kMeasuring;
    Cycle near_ = 0;    // time at which cores skip
    Milli budget_ = 0;  // time that may be skipped before periods are measured again
    uint64_t last_pace_ =
        0;  // mean time of an instruction when last measured, in millionths of cycles
    Milli last_skipped_ = 0;       // time skipped since then
    std::vector<Group> skipping_;  // groups whose transfers L2 has not seen yet
    int64_t time_ = 0;             // skipped, in thousandths of cycles
    Milli deviation_ = 0;
    bool all_begun_ = false;       // a period of each port, after which
    Cycle measured_from_ = 0;      // measuring began,
    uint64_t behind_l2_from_ = 0;  // when so many bytes had been transferred behind L2
    Result result_;
};

}  // namespace ptosim
