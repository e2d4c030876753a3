#include "sim/check/checkers/race.h"

#include <algorithm>

#include "isa/table/instruction_table.h"
#include "isa/table/internal_flags.h"

namespace ptosim::check {
namespace {

constexpr unsigned kGlobalPageBits = 16;
constexpr unsigned kLocalPageBits = 14;

template <size_t... I>
std::array<Shadow, kSpaceCount> local_shadows(Budget& budget, std::index_sequence<I...>) {
    return {((void)I, Shadow(kLocalPageBits, budget))...};
}

// True if each region has bytes before or after all of the other: two tiles, rather than one and its window.
bool overlap_in_part(const Region& a, const Region& b) {
    const Region& first = a.begin < b.begin ? a : b;
    const Region& second = a.begin < b.begin ? b : a;
    return first.begin < second.begin && second.begin < first.end() && first.end() < second.end();
}

std::string pipe_text(Pipe pipe) { return std::string(name(pipe)); }

std::string_view instruction_name(const Record& record) {
    if (!record.scalar) return info(record.opcode).name;
    if (record.atomic) return "atomic operation";
    return record.write ? "scalar store" : "scalar load";
}

std::string_view operand_name(const Record& record) {
    if (record.scalar) return {};
    const auto operands = info(record.opcode).operands;
    return record.operand < operands.size() ? operands[record.operand].name : std::string_view{};
}

// True if both accesses carry a unit flag: M and FIX hand the accumulator over in hardware.
bool handed_over(const Record& a, const Record& b) {
    return a.handshake && b.handshake && a.stamp.pipe != b.stamp.pipe;
}

// "TLOAD 'dst'"
std::string what(const Record& record) {
    std::string text{instruction_name(record)};
    const std::string_view operand = operand_name(record);
    if (!operand.empty()) text += " '" + std::string(operand) + "'";
    return text;
}

// According to pull request 674 of PTOAS, its assembler omits the barrier between vector instructions if the first one
// writes exactly the bytes that the second one reads, without gaps, in at least this number of repeats. No public
// document or measurement confirms that the hardware orders them, and CANN's page of PipeBarrier requires the barrier.
constexpr uint64_t kPrunedRepeats = 16, kRepeatBytes = 256;

std::string pruned_note() {
    return "PTOAS omits this barrier (pull request 674) because the first writes exactly the bytes that the second "
           "reads, in at least " +
           std::to_string(kPrunedRepeats) +
           " repeats. It is open if the hardware orders them: the documents of CANN require the barrier";
}

bool assembler_orders(const Record& first, const Record& second) {
    const Region& region = first.region;
    const bool whole = region.lines == 1 || region.pitch == region.width;
    return first.write && !second.write && first.stamp.pipe == Pipe::kV &&
           first.region == second.region && whole &&
           region.end() - region.begin > (kPrunedRepeats - 1) * kRepeatBytes;
}

// True if two stores of different blocks share less than a block of 32 bytes, and one of them can store whole blocks only:
// its part of the data does not end at a block's end.
bool is_rounded_tail(const Record& a, const Record& b) {
    constexpr uint64_t kBlockBytes = 32;
    if (!a.write || !b.write) return false;
    const Range bytes = common(a.region, b.region);
    const auto copies_blocks = [](const Record& record) {
        return !record.scalar && instruction_name(record).starts_with("copy_ubuf_to_gm") &&
               instruction_name(record).find("align") == std::string_view::npos;
    };
    return bytes.end - bytes.begin < kBlockBytes && (copies_blocks(a) || copies_blocks(b));
}

bool same_core(const Record& a, const Record& b) { return a.stamp.core == b.stamp.core; }
bool same_run(const Record& a, const Record& b) {
    return same_core(a, b) && a.stamp.block == b.stamp.block;
}

}  // namespace

RaceChecker::RaceChecker(Shared& shared, Findings& findings)
    : Checker{shared, findings}, global_{kGlobalPageBits, shared.budget} {}

void RaceChecker::on_launch(const LaunchEvent& event) {
    global_ = Shadow(kGlobalPageBits, budget_);
    global_used_ = false;
    pending_.clear();
    local_.clear();
    for (size_t i = 0; i < event.cores.size(); ++i)
        local_.push_back(local_shadows(budget_, std::make_index_sequence<kSpaceCount>{}));
}

Shadow& RaceChecker::shadow(const Touch& touch) {
    if (touch.global) {
        constexpr uint64_t kFarBelow = uint64_t{1} << 40;
        const GlobalMemory::Allocation* first =
            global_used_ ? nullptr : memory_.find(touch.record.region.begin);
        if (first != nullptr) global_.set_origin(first->address - kFarBelow);
        global_used_ = global_used_ || first != nullptr;
        return global_;
    }
    return local_[touch.memory][static_cast<size_t>(touch.space)];
}

namespace {

// The scalar that passes through scratch.
uint64_t staged_scalar(const Instruction& instruction) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_scalar()) return instruction.operands[i].scalar.bits;
    return 0;
}

}  // namespace

// True if both write the same scalar into their scratch.
bool RaceChecker::same_staged(const Touch& later, const Record& earlier) const {
    if (!later.staged) return false;
    const auto before = staged_.find({earlier.stamp.core, earlier.sequence});
    return before != staged_.end() && before->second == *later.staged;
}

void RaceChecker::on_start_accesses(const InstructionEvent& event, const Footprint& footprint) {
    const Instruction& instruction = *event.instruction;
    Touch touch;
    touch.record.handshake = instruction.attributes.phase != UnitFlagPhase::kUnspecified;
    touch.record.opcode = instruction.opcode;
    touch.record.location = instruction.location;
    touch.record.sequence = event.sequence;
    touch.record.time = event.time;
    bool checking = true;
    const auto set = [&](const Piece& piece) {
        touch.record.operand = piece.operand;
        touch.record.write = piece.writes;
        touch.record.atomic = piece.atomic;
        touch.record.reads = piece.reads;
        const Arch arch = timelines_.arch();
        const bool scalar = read_by_scalar_unit(instruction, piece.operand, arch) ||
                            (checking && written_by_scalar_unit(instruction, piece.operand, arch));
        touch.record.stamp =
            timelines_.now(event.core, scalar ? Pipe::kS : event.pipe, piece.writes);
        touch.staged = written_by_scalar_unit(instruction, piece.operand, arch)
                           ? std::optional{staged_scalar(instruction)}
                           : std::nullopt;
        touch.record.region = piece.region;
        touch.global = piece.global;
        touch.space = piece.space;
        touch.memory = piece.memory;
    };
    // An instruction does not race with itself.
    for (const Piece& piece : footprint) {
        set(piece);
        check(touch);
    }
    checking = false;  // everything after it on its pipe waits for the scalar unit, too
    for (const Piece& piece : footprint) {
        set(piece);
        if (touch.staged) staged_[{touch.record.stamp.core, touch.record.sequence}] = *touch.staged;
        remember(touch);
    }
}

void RaceChecker::on_scalar_access(const ScalarAccessEvent& event) {
    Touch touch;
    touch.record.stamp = timelines_.now(event.core, Pipe::kS, event.access.writes);
    touch.memory = touch.record.stamp.core;
    touch.record.scalar = true;
    touch.record.by_pointer = event.by_pointer;
    touch.record.past_cache = event.past_cache;
    touch.record.atomic = event.access.reads && event.access.writes;
    touch.record.location = event.location;
    touch.record.sequence = event.sequence;
    touch.record.time = event.time;
    touch.record.write = event.access.writes;
    touch.record.region = range_of(event.access);
    touch.record.reads = event.access.reads;
    touch.global = event.access.global;
    touch.space = event.access.space;
    check(touch);
    remember(touch);
}

void RaceChecker::check(const Touch& touch) {
    const Record& later = touch.record;
    shadow(touch).visit(later.region, later.write, [&](const Record& earlier) {
        const bool agree = earlier.past_cache && later.past_cache;
        if (earlier.atomic && later.atomic && !agree) return false;
        // Scalar units may synchronise by polling through their caches.
        if (earlier.by_pointer && later.by_pointer && !same_run(earlier, later)) return false;
        const bool ordered = timelines_.ordered(earlier.stamp, later.stamp, touch.global);
        if (ordered && shared_.dependences != nullptr && later.stamp.pipe == Pipe::kV &&
            earlier.stamp.pipe == Pipe::kV && earlier.stamp.core == later.stamp.core)
            shared_.dependences->dependence(earlier.stamp, later.stamp);
        if (!ordered && !agree && !handed_over(earlier, later) && !same_staged(touch, earlier))
            report(touch, earlier);
        return ordered && later.write && covers(later.region, earlier.region);
    });
}

void RaceChecker::remember(const Touch& touch) { shadow(touch).insert(touch.record); }

// Accesses of one core are reported in program order, even if they were reversed in this run.
void RaceChecker::report(const Touch& touch, const Record& other) {
    const bool swapped = same_run(touch.record, other) && other.sequence > touch.record.sequence;
    const Record& first = swapped ? touch.record : other;
    const Record& second = swapped ? other : touch.record;
    const char* kind = !first.write ? "WAR" : second.reads ? "RAW" : "WAW";
    const char* code = !same_run(first, second)                ? "G04"
                       : first.stamp.pipe == second.stamp.pipe ? "E04"
                       : kind[2] == 'R'                        ? "E02"
                       : kind[0] == 'R'                        ? "E01"
                                                               : "E03";
    std::string site = std::string(code) + kind;
    for (const Record* record : {&first, &second})
        for (const unsigned part : {unsigned{record->location.file}, record->location.line,
                                    unsigned{record->location.column}, unsigned{record->operand}})
            site += "/" + std::to_string(part);
    const auto make = [&] { return describe(touch, first, second, code, kind); };
    if (!touch.global || !may_poll(first, second)) return findings_.add(site, make);
    const Record& store = first.write ? first : second;
    const Record& load = first.write ? second : first;
    pending_[site].try_emplace({load.stamp.core, store.stamp.core, common(first.region, second.region).begin},
                               Pending{touch, first, second});
}

// True for a store and a load of a few bytes by two cores.
bool RaceChecker::may_poll(const Record& first, const Record& second) {
    if (same_core(first, second) || first.write == second.write) return false;
    const Record& store = first.write ? first : second;
    const Record& load = first.write ? second : first;
    const bool stored =
        store.stamp.pipe == Pipe::kMTE3 || store.stamp.pipe == Pipe::kFIX || store.stamp.pipe == Pipe::kS;
    const bool loaded = load.stamp.pipe == Pipe::kMTE2 || load.stamp.pipe == Pipe::kS;
    return stored && loaded && PolledStores::is_small(store.region) && PolledStores::is_small(load.region);
}

void RaceChecker::on_launch_end(Cycle) {
    for (const auto& [site, pairs] : pending_)
        for (const auto& [cores, pair] : pairs) {
            const auto& [loader, storer, begin] = cores;
            const auto& [touch, first, second] = pair;
            if (shared_.polled.polls(loader, storer, common(first.region, second.region))) continue;
            findings_.add(site, [&] { return describe(touch, first, second, "G04", first.write ? "RAW" : "WAR"); });
        }
    pending_.clear();
}

Diagnostic RaceChecker::describe(const Touch& touch, const Record& first, const Record& second,
                                 const char* code, const char* kind) const {
    const std::string here = name(timelines_.core(second.stamp.core).id);
    const std::string there = name(timelines_.core(first.stamp.core).id);
    const Range bytes = common(first.region, second.region);
    const GlobalMemory::Allocation* argument = touch.global ? memory_.find(bytes.begin) : nullptr;
    const uint64_t base = argument != nullptr ? argument->address : 0;
    const std::string where = argument != nullptr ? argument->name
                              : touch.global      ? "global memory"
                                                  : std::string(name(touch.space));
    std::string between;
    if (!same_core(first, second))
        between = "between cores " + there + " and " + here;
    else if (!same_run(first, second))
        between = "between blocks " + std::to_string(first.stamp.block) + " and " +
                  std::to_string(second.stamp.block);
    else if (first.stamp.pipe == second.stamp.pipe)
        between = "inside pipe " + pipe_text(second.stamp.pipe);
    else
        between =
            "between pipes " + pipe_text(first.stamp.pipe) + " and " + pipe_text(second.stamp.pipe);

    const auto site = [&](const Record& record, const Range& touched) {
        Site at;
        shared_.sources->locate(at, record.location);
        at.core = name(timelines_.core(record.stamp.core).id);
        at.pipe = pipe_text(record.stamp.pipe);
        at.instruction = instruction_name(record);
        at.operand = operand_name(record);
        at.cycle = record.time;
        at.has_cycle = true;
        at.byte_begin = touched.begin - base;
        at.byte_end = touched.end - base;
        return at;
    };
    const auto side = [&](const char* which, const Record& record) {
        RelatedSite other{site(record, {record.region.begin, record.region.end()}), {}};
        other.text = std::string(which) + ": " + what(record) + " at " +
                     location_text(*shared_.sources, record.location) + ", " + other.core + "/" +
                     other.pipe + ", block " + std::to_string(record.stamp.block) + ", cycle " +
                     std::to_string(record.time) + ", bytes [" + std::to_string(other.byte_begin) +
                     ", " + std::to_string(other.byte_end) + ") of " + where;
        return other;
    };
    Diagnostic d;
    static_cast<Site&>(d) = site(second, bytes);
    d.code = code;
    d.category = Category::kRace;
    d.message = std::string(kind) + " race in " + where + " " + between + ": " + what(second) +
                (kind[0] == 'R' ? " reads" : " writes") + " what " + what(first) + " at " +
                location_text(*shared_.sources, first.location) +
                (first.write ? " writes" : " reads") + ", and nothing orders them";
    d.related = {side("first", first)};
    d.notes = {side("second", second).text};
    const auto side_of = [](const Record& record) {
        return Unordered{record.location, record.stamp.pipe, record.stamp.core, record.stamp.block};
    };
    d.hint = ordering_hint(side_of(first), side_of(second), *shared_.sources, run_as());
    if (touch.global && is_rounded_tail(first, second))
        d.hint = "DataCopy stores whole blocks of 32 bytes, so a part that ends within one writes into the next "
                 "part: store the tail with DataCopyPad, which stores any number of bytes";
    if (d.code == "E04" && assembler_orders(first, second)) d.notes.push_back(pruned_note());
    if (!touch.global && overlap_in_part(first.region, second.region))
        d.hint = "the two operands overlap in part: give their tiles separate bytes; or, if the overlap is "
                 "intended, " + d.hint;
    if (std::string flag = flag_between(first, second); !flag.empty())
        d.notes.push_back(std::move(flag));
    return d;
}

RunAs RaceChecker::run_as() const {
    if (!timelines_.runs_tasks()) return RunAs::kLaunch;
    return traits_of(timelines_.arch()).tasks_know_subblock ? RunAs::kTask
                                                            : RunAs::kTaskWithoutSubblock;
}

// If a flag is meant at all, it is the one that was set last.
std::string RaceChecker::flag_between(const Record& first, const Record& second) const {
    const Pipe source = first.stamp.pipe, destination = second.stamp.pipe;
    if (!same_run(first, second) || source == destination || first.stamp.store) return {};
    const Timelines::Flag* last = nullptr;
    unsigned id = 0;
    for (const auto& [key, flag] : timelines_.core(second.stamp.core).flags) {
        const auto& [from, to, number] = key;
        if (from != source || to != destination || flag.sets == 0) continue;
        if (last != nullptr && last->set_time > flag.set_time) continue;
        last = &flag;
        id = number;
    }
    if (last == nullptr) return {};
    const SourceMap& sources = *shared_.sources;
    const std::string set = spelling_of(sources, last->set).flag("set", source, destination, id) +
                            " at " + location_text(sources, last->set);
    if (last->clock[source] < first.stamp.tick)
        return set + " is executed before " + location_text(sources, first.location) +
               ": it does not order later work";
    if (!last->pending) return {};
    return set + " is executed after " + location_text(sources, first.location) +
           ", but nothing before " + location_text(sources, second.location) + " waits for it";
}

PTOSIM_CHECKER(race) = row_of<RaceChecker>(
    {.name = "race",
     .chosen = Chosen::kInAll,
     .codes = "E01 E02 E03 E04 G04",
     .about = "unordered accesses to the same byte, at least one of them a write",
     .order = 40,
     .by_pointers = true});

}  // namespace ptosim::check
