#include "sim/machine/sample/sampled_port.h"

#include <algorithm>
#include <utility>

#include "isa/core/opcode.h"

namespace ptosim {
namespace {

constexpr uint64_t kMostPutOff = 1 << 20;  // instructions
constexpr uint64_t kOdd = 0x9E3779B97F4A7C15u;

// Cores that a signal or barrier concerns.
SignalReach reach_of(const Instruction& instruction) {
    constexpr uint8_t kWithinCluster = 2;  // mode of a signal
    switch (instruction.opcode) {
        case Opcode::kINTRA_SET:
        case Opcode::kINTRA_WAIT:
            return SignalReach::kCluster;
        case Opcode::kCROSS_SET:
        case Opcode::kCROSS_WAIT:
            return instruction.attributes.cross_mode == kWithinCluster ? SignalReach::kCluster
                                                                       : SignalReach::kChip;
        case Opcode::kSYNCALL:
            return SignalReach::kChip;
        default:
            return SignalReach::kNone;
    }
}

}  // namespace

SampledPort::SampledPort(KernelPort& port, Sampler& sampler)
    : RelayedPort(port, port.identity()), sampler_{sampler}, core_{port} {
    sampler_.join(*this);
}

SampledPort::~SampledPort() { sampler_.leave(*this); }

unsigned SampledPort::cluster() const {
    return identity().core == CoreType::kAIC ? core_index() : core_index() / 2;
}

// ---- measuring ----------------------------------------------------------------------------

bool SampledPort::measured() const {
    if (begun_.size() <= kLeastAgain || length() == 0 || period_number_ != finder_.number() ||
        period() == 0)
        return false;
    constexpr Milli kEqual = 200;  // within half a per cent
    if (begun_.size() > kMostPeriods) return true;
    if (spread() * kEqual > period()) return false;
    return begun_.size() > kLeastPeriods ||
           (last_period_ != 0 &&
            std::max(period(), last_period_) - std::min(period(), last_period_) <=
                period() / kEqual);
}

Milli SampledPort::period() const {
    return (begun_.back() - begun_.front()) * 1000 / (begun_.size() - 1);
}

Milli SampledPort::spread() const {
    const size_t half = (begun_.size() - 1) / 2, last = begun_.size() - 1;
    const Milli first = (begun_[half] - begun_[0]) * 1000 / half;
    const Milli second = (begun_[last] - begun_[half]) * 1000 / (last - half);
    return std::max(first, second) - std::min(first, second);
}

SignalReach SampledPort::reach() const {
    const auto in_period = [&](uint64_t signal) {
        return signal != 0 && signal + length() > finder_.added();
    };
    if (in_period(chip_signal_)) return SignalReach::kChip;
    return in_period(cluster_signal_) ? SignalReach::kCluster : SignalReach::kNone;
}

void SampledPort::note_signal(const Instruction& instruction) {
    const SignalReach reach = reach_of(instruction);
    if (reach == SignalReach::kCluster) cluster_signal_ = finder_.added();
    if (reach == SignalReach::kChip) chip_signal_ = finder_.added();
}

SignalCounts SampledPort::signals() const {
    SignalCounts counts;
    for (const Item& item : period_) {
        const bool in_cluster = reach_of(item.instruction) == SignalReach::kCluster;
        switch (item.instruction.opcode) {
            case Opcode::kINTRA_SET:
                ++counts.sets_for_one;
                break;
            case Opcode::kINTRA_WAIT:
                ++counts.waits_for_one;
                break;
            case Opcode::kCROSS_SET:
                ++(in_cluster ? counts.sets_in_cluster : counts.sets_for_all);
                break;
            case Opcode::kCROSS_WAIT:
                ++(in_cluster ? counts.waits_in_cluster : counts.waits_for_all);
                break;
            case Opcode::kSYNCALL:
                ++counts.sets_for_all;
                ++counts.waits_for_all;
                break;
            default:
                break;
        }
    }
    return counts;
}

void SampledPort::begin_period() {
    if (period_number_ != finder_.number()) {
        period_number_ = finder_.number();
        last_period_ = 0;
        begun_.clear();
    }
    if (begun_.size() > kMostPeriods) begun_.erase(begun_.begin());
    begun_.push_back(core_.cycle());
    sampler_.period_began();
}

// Keeps the last period, of which the finder has just added an instruction.
void SampledPort::remember(const Instruction& instruction, bool begins_period) {
    if (period_.size() != finder_.length()) {
        period_.resize(finder_.length());
        remembered_ = 0;
    }
    if (period_.empty()) return;
    const uint64_t at = (finder_.added() - 1) % length();
    Item& item = period_[at];
    item.work = work_;
    item.begins_period = begins_period;
    item.instruction.assign(instruction);
    item.addresses = 0;
    for_addresses(item.instruction, [&](uint64_t&) { ++item.addresses; });
    if (begins_period) begin_ = at;
    ++remembered_;
}

// ---- running ahead ------------------------------------------------------------------------

void SampledPort::run_ahead(uint64_t periods) {
    if (remembered_ < length() || !rest_.empty() || at_once_) return;
    most_ = std::min(kMostPutOff, periods * length());
    runs_ahead_ = count_ < most_;
    if (count_ == 0) next_ = finder_.added();
}

// Returns true if more instructions shall follow.
bool SampledPort::put_off(const Instruction& instruction) {
    if (count_ == 0) next_ = finder_.added() - 1;
    for_addresses(const_cast<Instruction&>(instruction),
                  [&](uint64_t& address) { addresses_.push_back(address); });
    ++count_;
    return count_ < most_;
}

void SampledPort::stop_ahead() {
    if (!runs_ahead_) return;
    runs_ahead_ = false;
    sampler_.ran_ahead();
}

// Number of begins of periods from now to the one that is nearest to this time.
uint64_t SampledPort::begins_until(Cycle near) const {
    const Milli passed = (near - std::min(near, begun_.back())) * 1000;
    return std::max<uint64_t>(1, (passed + period() / 2) / period());
}

// Number of instructions from the next one to that begin of a period.
uint64_t SampledPort::to_begin(uint64_t begins) const {
    return (begin_ + length() - next_ % length()) % length() + (begins - 1) * length();
}

uint64_t SampledPort::available(Cycle near) const {
    if (length() == 0 || skips()) return 0;
    const uint64_t before = to_begin(begins_until(near));
    return before > count_ ? 0 : (count_ - before) / length();
}

void SampledPort::skip_at(Cycle near, uint64_t periods) {
    begins_ = begins_until(near);
    skipped_periods_ = periods;
}

void SampledPort::list_transfers(Cycle near, From from) {
    listed_from_ = to_begin(skips() ? begins_ : begins_until(near));
    listed_ = from == From::kNow ? 0 : listed_from_;
    listed_addresses_ = 0;
    for (uint64_t i = 0; i < listed_; ++i)
        listed_addresses_ += period_[(next_ + i) % length()].addresses;
}

const Instruction* SampledPort::next_transfer(uint64_t periods) {
    const uint64_t end = listed_from_ + periods * length();
    while (listed_ < end) {
        const Item& item = period_[(next_ + listed_++) % length()];
        if (item.addresses == 0) continue;
        transfer_.assign(item.instruction);
        for_addresses(transfer_,
                      [&](uint64_t& address) { address = addresses_[listed_addresses_++]; });
        return &transfer_;
    }
    return nullptr;
}

// The next instruction begins a period at which others are skipped.
void SampledPort::drop_skipped() {
    sampler_.skips_now();
    const uint64_t count = skipped_periods_ * length();
    uint64_t addresses = 0;
    for (const Item& item : period_) addresses += item.addresses;
    addresses_.erase(addresses_.begin(),
                     addresses_.begin() + static_cast<ptrdiff_t>(addresses * skipped_periods_));
    next_ += count;
    count_ -= count;
    skipped_periods_ = 0;
    last_period_ = period();
    begun_.clear();
    sampler_.skipped();
}

void SampledPort::issue_item(const Item& item) {
    if (item.work.operations != 0) core_.scalar_work(item.work.operations, item.work.where);
    if (item.work.code != 0) core_.scalar_code(item.work.code);
}

// Issues what was put off. Meanwhile the sampler may decide to skip a part of it.
void SampledPort::issue_put_off() {
    if (issuing_) return;
    issuing_ = true;
    Instruction instruction;
    while (count_ > 0 && !runs_ahead_) {
        const Item* item = &period_[next_ % length()];
        if (item->begins_period && skips()) {
            if (begins_ == 1)
                drop_skipped();
            else
                --begins_;
        }
        if (count_ == 0) break;
        item = &period_[next_ % length()];
        instruction.assign(item->instruction);
        for_addresses(instruction, [&](uint64_t& address) {
            address = addresses_.front();
            addresses_.pop_front();
        });
        ++next_;
        --count_;
        issue_item(*item);
        if (item->begins_period) begin_period();
        core_.issue(instruction);
    }
    if (!rest_.empty()) remembered_ = 0;
    for (const Item& item : std::exchange(rest_, {})) {
        issue_item(item);
        if (item.begins_period) begin_period();
        core_.issue(item.instruction);
    }
    issuing_ = false;
}

// Before a call that has an effect at once.
void SampledPort::put_off_no_more() {
    at_once_ = true;
    const bool was_ahead = runs_ahead_;
    stop_ahead();
    issue_put_off();
    if (was_ahead) issue_item({work_, false, 0, {}});
    at_once_ = false;
    work_ = {};
}

// ---- KernelPort ---------------------------------------------------------------------------

void SampledPort::issue(const Instruction& instruction) {
    const uint64_t number = signature(instruction) + work_.operations * kOdd;
    const bool repeats = runs_ahead_ && finder_.repeats(number, length());
    const bool begins = finder_.add(number, instruction.location);
    note_signal(instruction);
    if (repeats) {
        work_ = {};
        if (put_off(instruction)) return;
        stop_ahead();
        return issue_put_off();
    }
    if (runs_ahead_) {
        rest_.push_back({std::exchange(work_, {}), begins, 0, {}});
        rest_.back().instruction.assign(instruction);
        stop_ahead();
        return issue_put_off();
    }
    remember(instruction, begins);
    work_ = {};
    if (begins) begin_period();
    core_.issue(instruction);
}

void SampledPort::scalar_work(unsigned operations, SourceLocation where) {
    work_.operations += operations;
    work_.where = where;
    if (!runs_ahead_) core_.scalar_work(operations, where);
}

void SampledPort::scalar_code(uint64_t instructions) {
    work_.code += instructions;
    if (!runs_ahead_) core_.scalar_code(instructions);
}

#define PTOSIM_AT_ONCE(RESULT, NAME, PARAMETERS, ARGUMENTS) \
    RESULT SampledPort::NAME PARAMETERS {                   \
        put_off_no_more();                                  \
        return core_.NAME ARGUMENTS;                        \
    }
PTOSIM_AT_ONCE(std::unique_ptr<ThreadRun>, begin_threads, (const ThreadLaunch& launch), (launch))
PTOSIM_AT_ONCE(void, load_line, (uint64_t address), (address))
PTOSIM_AT_ONCE(uint64_t, load_global,
               (uint64_t address, DType type, ScalarPath path, SourceLocation where),
               (address, type, path, where))
PTOSIM_AT_ONCE(void, store_global,
               (uint64_t address, DType type, uint64_t bits, ScalarPath path, SourceLocation where),
               (address, type, bits, path, where))
PTOSIM_AT_ONCE(void, store_line,
               (uint64_t address, DType type, uint64_t bits, SourceLocation where),
               (address, type, bits, where))
PTOSIM_AT_ONCE(uint64_t, atomic_global,
               (uint64_t address, DType type, AtomicMode mode, uint64_t bits, SourceLocation where),
               (address, type, mode, bits, where))
PTOSIM_AT_ONCE(void, read_signals, (const GlobalView& view, SourceLocation where), (view, where))
PTOSIM_AT_ONCE(void, use_cache, (const CacheUse& use), (use))
PTOSIM_AT_ONCE(void, follow_pointer, (const CacheUse& use), (use))
PTOSIM_AT_ONCE(void, follow_local,
               (uint64_t address, uint64_t size, bool writes, SourceLocation where),
               (address, size, writes, where))
PTOSIM_AT_ONCE(uint64_t, load_local, (const Tile& tile, int64_t offset, SourceLocation where),
               (tile, offset, where))
PTOSIM_AT_ONCE(void, store_local,
               (const Tile& tile, int64_t offset, uint64_t bits, SourceLocation where),
               (tile, offset, bits, where))
PTOSIM_AT_ONCE(uint64_t, result_register, (unsigned which, SourceLocation where), (which, where))
PTOSIM_AT_ONCE(void, print, (std::string_view text), (text))
PTOSIM_AT_ONCE(uint64_t, cycle, (), ())
PTOSIM_AT_ONCE(uint64_t, system_counter, (), ())
#undef PTOSIM_AT_ONCE

}  // namespace ptosim
