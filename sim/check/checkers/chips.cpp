// Unordered accesses of two chips to a window, and signals between chips that may be lost. Accesses are compared on the
// chip that owns the window; those of one chip are compared by its own race checker.
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "isa/table/instruction_table.h"
#include "sim/check/checker.h"

namespace ptosim::check {
namespace {

constexpr unsigned kPageBits = 16;
constexpr unsigned kCoreBits = 10;     // of Stamp::core, under the number of the chip
constexpr uint64_t kWindowBytes = uint64_t{1} << 40;  // between windows in the shadow
constexpr uint64_t kLineBytes = 64;
constexpr uint32_t kHost = (1 << kCoreBits) - 1;  // in place of a core

class ChipsChecker final : public Checker {
 public:
    ChipsChecker(Shared& shared, Findings& findings)
        : Checker{shared, findings}, shadow_{kPageBits, shared.budget}, lines_{kPageBits, shared.budget} {}
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;
    void on_window_access(unsigned from, const WindowAccess& access, const OtherChips& clock) override;
    void on_host_write(uint64_t address, uint64_t size) override { host_access(address, size, true); }
    void on_host_read(uint64_t address, uint64_t size) override { host_access(address, size, false); }

 private:
    using Names = WindowAccess::Names;
    struct Side {
        unsigned chip = 0;
        Names names;
    };
    void begin(const Peers::Place& place, WindowAccess access, CoreId core, Pipe pipe, bool writes);
    void host_access(uint64_t address, uint64_t size, bool writes);
    void compare(unsigned chip, const WindowAccess& access, const OtherChips& clock);
    void compare_lines(const WindowAccess& access, const Record& record, const OtherChips& clock);
    void check_signal(unsigned chip, const WindowAccess& access, const Record& record);
    Record record_of(unsigned chip, const WindowAccess& access);
    bool ordered(const Record& earlier, const OtherChips& clock) const;
    Side side(const Record& record) const { return sides_[record.sequence]; }
    Diagnostic describe(const char* code, const Record& first, const Record& second, const Range& bytes) const;
    void report_race(const Record& first, const Record& second);
    std::string site_key(const char* code, const Record& first, const Record& second) const;

    Shadow shadow_;
    Shadow lines_;  // stores that rewrite their lines, as regions of whole lines
    std::vector<Side> sides_;
    std::map<std::pair<unsigned, Names>, size_t> numbers_;  // of sides
    std::map<uint64_t, uint64_t> windows_;                  // numbers, by the address of the first byte
};

std::string operand_text(const InstructionInfo& row, uint8_t operand) {
    std::string text{row.name};
    if (operand < row.operands.size()) text += " '" + std::string(row.operands[operand].name) + "'";
    return text;
}

std::string named(const WindowAccess::Names& names) {
    return names.what + (names.file.empty() ? "" : " at " + names.file + ":" + std::to_string(names.line));
}

bool is_of_host(const Record& record) { return (record.stamp.core & ((1u << kCoreBits) - 1)) == kHost; }

unsigned chip_of(const Record& record) { return record.stamp.core >> kCoreBits; }

void ChipsChecker::on_start_accesses(const InstructionEvent& event, const Footprint& footprint) {
    if (!shared_.chips.joined()) return;
    for (const Piece& piece : footprint) {
        const auto place = piece.global ? shared_.chips.place_of(piece.region.begin) : std::nullopt;
        if (!place) continue;
        WindowAccess access;
        access.width = piece.region.width;
        access.pitch = piece.region.pitch;
        access.lines = piece.region.lines;
        access.reads = piece.reads;
        access.writes = piece.writes;
        access.atomic = piece.atomic;
        access.time = event.time;
        Site at;
        shared_.sources->locate(at, event.instruction->location);
        const InstructionInfo& row = info(event.instruction->opcode);
        access.names = {name(event.core), std::string(name(event.pipe)), std::string(row.name),
                        operand_text(row, piece.operand), at.file, at.location.line};
        begin(*place, std::move(access), event.core, event.pipe, piece.writes);
    }
}

void ChipsChecker::on_scalar_access(const ScalarAccessEvent& event) {
    if (!event.access.global || event.by_pointer || !shared_.chips.joined()) return;
    const auto place = shared_.chips.place_of(event.access.begin);
    if (!place) return;
    WindowAccess access;
    access.width = event.access.end - event.access.begin;
    access.lines = 1;
    access.reads = event.access.reads;
    access.writes = event.access.writes;
    access.atomic = access.reads && access.writes;
    access.signal = event.past_cache;
    access.stored = event.stored;
    access.rewrites_line = event.rewrites_line;
    access.time = event.time;
    Site at;
    shared_.sources->locate(at, event.location);
    const std::string what = access.atomic ? "atomic operation" : access.writes ? "scalar store" : "scalar load";
    access.names = {name(event.core), "S", what, what, at.file, at.location.line};
    begin(*place, std::move(access), event.core, Pipe::kS, access.writes);
}

void ChipsChecker::begin(const Peers::Place& place, WindowAccess access, CoreId core, Pipe pipe, bool writes) {
    const Stamp now = timelines_.now(core, pipe, writes);
    access.begin = place.offset;
    access.window = place.address - place.offset;
    access.timeline = now.core * kLanes + now.lane();
    access.tick = now.tick;
    access.launch = shared_.chips.launch_number();
    const OtherChips clock = timelines_.chips_before(core, pipe);
    if (place.chip == shared_.chips.chip())
        compare(place.chip, access, clock);
    else
        shared_.chips.tell_access(place.chip, access, clock);
}

// A host accesses windows of its own chip only. Its order with kernels of this chip: host_order.cpp.
void ChipsChecker::host_access(uint64_t address, uint64_t size, bool writes) {
    const auto place = shared_.chips.place_of(address);
    if (!place || place->chip != shared_.chips.chip() || size == 0) return;
    const auto access = shared_.chips.host_access();
    if (!access) return;
    WindowAccess window;
    window.begin = place->offset;
    window.window = place->address - place->offset;
    window.width = size;
    window.timeline = kHost * kLanes;
    window.tick = 1;
    window.launch = access->launch;
    window.time = access->time;
    window.reads = !writes;
    window.writes = writes;
    window.names.core = "host";
    window.names.what = "a copy by the host";
    compare(place->chip, window, access->clock);
}

void ChipsChecker::on_window_access(unsigned from, const WindowAccess& access, const OtherChips& clock) {
    compare(from, access, clock);
}

Record ChipsChecker::record_of(unsigned chip, const WindowAccess& access) {
    const uint64_t window = windows_.try_emplace(access.window, windows_.size() + 1).first->second;
    Record record;
    record.region = {window * kWindowBytes + access.begin, access.width, access.pitch, access.lines};
    record.stamp = {static_cast<uint16_t>(chip << kCoreBits | access.timeline / kLanes),
                    static_cast<Pipe>(access.timeline % kLanes % kPipeCount), access.tick, access.launch,
                    access.timeline % kLanes == kScalarStores};
    record.reads = access.reads;
    record.write = access.writes;
    record.atomic = access.atomic;
    record.past_cache = access.signal;
    record.time = access.time;
    const auto [number, is_new] = numbers_.try_emplace({chip, access.names}, sides_.size());
    if (is_new) sides_.push_back({chip, access.names});
    record.sequence = number->second;
    return record;
}

// `clock`: that of the later access.
bool ChipsChecker::ordered(const Record& earlier, const OtherChips& clock) const {
    const uint32_t core = earlier.stamp.core & ((1u << kCoreBits) - 1);
    return clock.covers(static_cast<uint16_t>(chip_of(earlier)), earlier.stamp.block,
                        core * kLanes + earlier.stamp.lane(), earlier.stamp.tick);
}

void ChipsChecker::compare(unsigned chip, const WindowAccess& access, const OtherChips& clock) {
    const Record later = record_of(chip, access);
    if (chip != shared_.chips.chip()) check_signal(chip, access, later);
    shadow_.visit(later.region, later.write, [&](const Record& earlier) {
        const bool same = chip_of(earlier) == chip;
        const bool before = same ? later.write && earlier.stamp.lane() == later.stamp.lane() &&
                                       earlier.stamp.core == later.stamp.core
                                 : ordered(earlier, clock);
        const bool signals = earlier.past_cache && later.past_cache;
        const bool lost = signals && earlier.write && later.write && !earlier.atomic && !later.atomic;
        if (!same && !before && (!signals || lost) && !(earlier.atomic && later.atomic)) report_race(earlier, later);
        return before && later.write && covers(later.region, earlier.region);
    });
    compare_lines(access, later, clock);
    shadow_.insert(later);
}

// A store that writes its whole line back undoes what others write into the line after it was read.
void ChipsChecker::compare_lines(const WindowAccess& access, const Record& record, const OtherChips& clock) {
    if (!record.write) return;
    const auto conflict = [&](const Record& line, const Record& other, const Record& earlier) {
        if (chip_of(line) == chip_of(other) || ordered(earlier, clock)) return;
        findings_.add(site_key("E18", earlier, record), [&] {
            const Range bytes = common(line.region, other.region);
            Diagnostic d = describe("E18", earlier, record, bytes);
            d.message = "a line of 64 bytes in the window of chip " + std::to_string(shared_.chips.chip()) +
                        " is written back whole by " + side(line).names.what + " of chip " +
                        std::to_string(chip_of(line)) + ", and " + side(other).names.what + " of chip " +
                        std::to_string(chip_of(other)) +
                        " writes other bytes of it: one of the two is lost if they meet";
            d.hint = "place words that different chips set in separate lines of 64 bytes, or add to them (AtomicAdd)";
            return d;
        });
    };
    lines_.visit(record.region, true, [&](const Record& line) {
        const Region word{line.region.begin + line.location.line, line.location.column, 0, 1};
        if (overlap(word, record.region)) return false;
        conflict(line, record, line);
        return false;
    });
    if (!access.rewrites_line) return;
    Record line = record;
    line.region = {record.region.begin / kLineBytes * kLineBytes, kLineBytes, 0, 1};
    line.location.line = static_cast<uint32_t>(record.region.begin % kLineBytes);
    line.location.column = static_cast<uint16_t>(record.region.width);
    shadow_.visit(line.region, false, [&](const Record& other) {
        if (!overlap(other.region, record.region)) conflict(line, other, other);
        return false;
    });
    lines_.insert(line);
}

// Another chip has set a word of this one to the value that it had.
void ChipsChecker::check_signal(unsigned chip, const WindowAccess& access, const Record& record) {
    if (!access.repeats) return;
    std::optional<Record> set;
    shadow_.visit(record.region, false, [&](const Record& earlier) {
        if (earlier.past_cache && earlier.write && chip_of(earlier) == chip) set = earlier;
        return false;
    });
    if (!set) return;  // its first one
    findings_.add(site_key("E32", *set, record), [&] {
        Diagnostic d = describe("E32", *set, record, common(set->region, record.region));
        d.message = "a signal of chip " + std::to_string(chip) + " sets a word of chip " +
                    std::to_string(shared_.chips.chip()) + " to " + std::to_string(access.stored) +
                    ", which it still has from an earlier signal: no wait can tell the two apart";
        d.hint = "let the receiver clear the word and answer before it is set again, or send a number that grows";
        return d;
    });
}

std::string ChipsChecker::site_key(const char* code, const Record& first, const Record& second) const {
    std::string key = code;
    for (const Record* record : {&first, &second}) {
        const Side at = side(*record);
        key += "/" + std::to_string(at.chip) + "/" + at.names.file + "/" + std::to_string(at.names.line) + "/" +
               at.names.what;
    }
    return key;
}

void ChipsChecker::report_race(const Record& first, const Record& second) {
    const bool lost = first.past_cache && second.past_cache;
    const char* const code = lost ? "E32" : "G15";
    findings_.add(site_key(code, first, second), [&] {
        const Side one = side(first), other = side(second);
        Diagnostic d = describe(code, first, second, common(first.region, second.region));
        const std::string window = "the window of chip " + std::to_string(shared_.chips.chip());
        const std::string chips = "chips " + std::to_string(one.chip) + " and " + std::to_string(other.chip);
        if (lost) {
            d.message = "two stores of " + chips + " to one word in " + window +
                        " are not ordered: the signal of the first is lost if the second comes before it was seen";
            d.hint = "let the chip that clears or sets the word first notify the other one, or add to it (AtomicAdd)";
            return d;
        }
        const bool of_host = is_of_host(first) || is_of_host(second);
        const char* const kind = !first.write ? "WAR" : second.reads ? "RAW" : "WAW";
        d.message = std::string(kind) + " race in " + window + " between " + chips + ": " + other.names.what +
                    (kind[0] == 'R' ? " reads" : " writes") + " what " + named(one.names) + (first.write ? " writes" : " reads") +
                    ", and no " + (of_host ? "meeting of the hosts" : "signal") + " orders them";
        d.hint = of_host ? "let the hosts meet (HcclBarrier, MPI_Barrier) between the copy and the launch"
                         : "let chip " + std::to_string(one.chip) + " wait for its pipe " + one.names.pipe +
                 " (pipe_barrier(PIPE_ALL)), then notify, and chip " + std::to_string(other.chip) +
                 " wait for that signal before its access";
        return d;
    });
}

Diagnostic ChipsChecker::describe(const char* code, const Record& first, const Record& second,
                                  const Range& bytes) const {
    const auto fill = [&](Site& at, const Record& record) {
        const Names& names = sides_[record.sequence].names;
        at.file = names.file;
        at.location.line = names.line;
        at.core = "chip " + std::to_string(chip_of(record)) + " " + names.core;
        at.pipe = names.pipe;
        at.instruction = names.instruction;
        at.cycle = record.time;
        at.has_cycle = true;
        at.byte_begin = bytes.begin % kWindowBytes;
        at.byte_end = bytes.end % kWindowBytes;
    };
    const auto text = [&](const char* which, const Record& record) {
        const Names& names = sides_[record.sequence].names;
        return std::string(which) + ": " + named(names) + ", chip " + std::to_string(chip_of(record)) + " " + names.core +
               (names.pipe.empty() ? "" : "/" + names.pipe) + ", cycle " +
               std::to_string(record.time) + ", bytes [" + std::to_string(record.region.begin % kWindowBytes) + ", " +
               std::to_string(record.region.end() % kWindowBytes) + ") of the window of chip " +
               std::to_string(shared_.chips.chip());
    };
    Diagnostic d;
    fill(d, second);
    d.code = code;
    d.category = Category::kRace;
    RelatedSite other;
    fill(other, first);
    other.text = text("first", first);
    d.related = {std::move(other)};
    d.notes = {text("second", second)};
    return d;
}

}  // namespace

PTOSIM_CHECKER(chips) = row_of<ChipsChecker>(
    {.name = "race",
     .chosen = Chosen::kInAll,
     .codes = "E18 E32 G15",
     .about = "unordered accesses of two chips with one clock to a window, and signals between them that may be lost",
     .order = 45});

}  // namespace ptosim::check
