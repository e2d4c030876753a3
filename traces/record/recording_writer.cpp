#include "traces/record/recording_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "isa/table/instruction_table.h"
#include "sim/files/output_file.h"
#include "traces/record/recording_format.h"

namespace ptosim {

// Numbers things of kWords words from 0, in the order of their first appearance.
template <size_t kWords>
class RecordingWriter::Numbers {
 public:
    using Words = std::array<uint64_t, kWords>;
    struct Number {
        uint32_t number;
        bool is_new;
    };
    Number of(const Words& words) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        Slot& slot = find(words);
        if (slot.number != kFree) return {slot.number, false};
        slot = {words, count_};
        return {count_++, true};
    }

 private:
    static constexpr uint32_t kFree = UINT32_MAX;
    struct Slot {
        Words words;
        uint32_t number = kFree;
    };
    Slot& find(const Words& words) {
        uint64_t hash = 0;
        for (const uint64_t word : words) hash = (hash ^ word ^ hash >> 29) * 0x9E3779B97F4A7C15u;
        size_t at = hash >> 32 & (slots_.size() - 1);
        while (slots_[at].number != kFree && slots_[at].words != words)
            at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }
    void grow() {
        std::vector<Slot> old(std::max<size_t>(128, 2 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.number != kFree) find(slot.words) = slot;
    }

    std::vector<Slot> slots_;  // a power of two, never more than half of them taken
    uint32_t count_ = 0;
};

namespace {
uint64_t word(SourceLocation at) {
    return uint64_t{at.line} << 32 | uint64_t{at.file} << 16 | at.column;
}
}  // namespace

// One record on its way into the block: a kind, a length in four bytes, and numbers of seven bits a
// byte.
class RecordingWriter::Record {
 public:
    static constexpr size_t kMostShortBytes = 512;  // of records without texts

    Record(RecordingWriter& writer, Kind kind) : writer_{writer}, begin_{writer.used_} {
        make_room(kMostShortBytes);
        *at_ = static_cast<uint8_t>(kind);
        at_ += kHeadBytes;
    }
    ~Record() noexcept(false) {
        uint8_t* const block = writer_.block_.data();
        writer_.used_ = static_cast<size_t>(at_ - block);
        put32(block + begin_ + 1, static_cast<uint32_t>(writer_.used_ - begin_ - kHeadBytes));
        ++writer_.records_;
        if (writer_.used_ >= kBlockBytes) writer_.flush();
    }
    [[gnu::always_inline]] inline Record& number(uint64_t value) {
        if (end_ - at_ < kMostNumberBytes) [[unlikely]]
            make_room(kMostNumberBytes);
        uint8_t* at = at_;
        for (; value >= 0x80; value >>= 7) *at++ = static_cast<uint8_t>(value | 0x80);
        *at++ = static_cast<uint8_t>(value);
        at_ = at;
        return *this;
    }
    Record& text(std::string_view value) {
        number(value.size());
        if (static_cast<size_t>(end_ - at_) < value.size()) make_room(value.size());
        at_ = std::copy(value.begin(), value.end(), at_);
        return *this;
    }
    Record& location(SourceLocation at) {
        number(at.line);
        return at.line == 0 ? *this : number(at.file).number(at.column);
    }

 private:
    static constexpr ptrdiff_t kMostNumberBytes = 10;
    static constexpr size_t kHeadBytes = 5;
    [[gnu::noinline]] void grow(size_t used, size_t bytes) {
        writer_.block_.resize(2 * (used + bytes));
    }
    void make_room(size_t bytes) {
        std::vector<uint8_t>& block = writer_.block_;
        const size_t used = at_ == nullptr ? begin_ : static_cast<size_t>(at_ - block.data());
        if (block.size() - used < bytes) [[unlikely]]
            grow(used, bytes);
        at_ = block.data() + used;
        end_ = block.data() + block.size();
    }

    RecordingWriter& writer_;
    size_t begin_;           // in the block
    uint8_t* at_ = nullptr;  // where the next byte goes
    uint8_t* end_ = nullptr;
};

RecordingWriter::RecordingWriter(std::filesystem::path path, Failure failure)
    : path_{std::move(path)},
      failure_{failure},
      forms_{std::make_unique<Numbers<2>>()},
      causes_{std::make_unique<Numbers<4>>()},
      ways_{std::make_unique<Numbers<3>>()} {
    const SizeSignalHeld held;
    file_ = std::fopen(path_.c_str(), "wb");
    if (file_ == nullptr) fail(errno);
    uint8_t head[kMagicBytes + 4];
    std::memcpy(head, kMagic, kMagicBytes);
    put32(head + kMagicBytes, kRecordingVersion);
    if (std::fwrite(head, sizeof head, 1, file_) != 1) fail(errno);
    block_.resize(kBlockBytes + Record::kMostShortBytes);
}

RecordingWriter::~RecordingWriter() {
    const SizeSignalHeld held;
    if (file_ != nullptr) std::fclose(file_);
}

void RecordingWriter::fail(int error) {
    fail_input("I40",
               "cannot write " + path_.string() + ": " + std::generic_category().message(error),
               "free some space, or record into another folder");
}

// Nothing after a torn block could be read, so the first failure is the last write.
void RecordingWriter::flush() {
    const SizeSignalHeld held;
    if (error_ == 0 && !write_block()) error_ = errno;
    used_ = 0;
    records_ = 0;
    if (error_ != 0 && failure_ == Failure::kAtOnce) fail(error_);
}

bool RecordingWriter::write_block() {
    if (records_ > 0) {
        uint8_t head[kBlockHeadBytes];
        put32(head, static_cast<uint32_t>(used_));
        put32(head + 4, records_);
        put32(head + 8, checksum(block_.data(), used_));
        if (std::fwrite(head, sizeof head, 1, file_) != 1 ||
            std::fwrite(block_.data(), used_, 1, file_) != 1)
            return false;
    }
    return std::fflush(file_) == 0;
}

void RecordingWriter::close() {
    const SizeSignalHeld held;
    flush();
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    if (error_ != 0) fail(error_);
}

void RecordingWriter::facts(const ChipFacts& facts) {
    Record record(*this, Kind::kFacts);
    record.number(facts.read_bytes_per_second).number(facts.write_bytes_per_second);
    record.number(facts.queue_depth).number(facts.aics).number(facts.aivs);
    record.number(facts.vector_bytes_per_cycle);
    record.number(facts.buffer_bytes.size());
    for (uint64_t bytes : facts.buffer_bytes) record.number(bytes);
    record.number(facts.cube_operations_per_second.size());
    for (uint64_t rate : facts.cube_operations_per_second) record.number(rate);
    record.number(facts.peaks.read_bytes).number(facts.peaks.written_bytes);
    record.number(facts.peaks.products.size());
    for (uint64_t products : facts.peaks.products) record.number(products);
    for (const uint64_t* rate : rates(facts)) record.number(*rate);
    for (const TimeGrade* grade : grades(facts.grades))
        record.number(static_cast<uint64_t>(*grade));
    for (const uint64_t error : facts.grades.error) record.number(error);
    record.number(facts.l2_bytes);
}

void RecordingWriter::core(CoreId core) {
    Record(*this, Kind::kCore).number(static_cast<uint64_t>(core.type)).number(core.index);
}

void RecordingWriter::source(const Sources::File& file) {
    Record(*this, Kind::kSource).text(file.name).text(file.text);
}

void RecordingWriter::call(const CallRecord& record) {
    Record(*this, Kind::kCall)
        .location(record.at)
        .text(info(record.opcode).name)
        .text(record.call.function)
        .text(record.call.header);
}

void RecordingWriter::operands(const OperandSet& set) {
    Record record(*this, Kind::kOperands);
    for (const OperandSet::Item& item : set.items)
        record.number(item.memory)
            .number(item.dtype)
            .number(item.roles)
            .number(item.rows)
            .number(item.cols)
            .number(item.address)
            .number(item.bytes);
    record.number(set.items[0].banks);
}

void RecordingWriter::cost(const CostRecord& cost) {
    Record record(*this, Kind::kCost);
    record.text(info(cost.opcode).name).number(cost.operands);
    record.number(cost.basis.transfer_cycles);
    for (const uint16_t part : cost.basis.parts) record.number(part);
}

void RecordingWriter::launch_begin(const LaunchRecord& launch) {
    Record record(*this, Kind::kLaunchBegin);
    record.text(launch.kernel).text(launch.chip).number(launch.clock_hz);
    record.number(launch.blocks).number(launch.begin).number(static_cast<uint64_t>(launch.arch));
}

void RecordingWriter::launch_end(Cycle time) {
    Record(*this, Kind::kLaunchEnd).number(time);
    flush();  // between two launches a host may do anything
}

// Opcodes go by number, and the table of numbers changes: the file names those it uses.
uint64_t RecordingWriter::form_of(const InstructionRecord& i) {
    const auto [number, is_new] =
        forms_->of({static_cast<uint64_t>(i.opcode) << 48 | static_cast<uint64_t>(i.pipe) << 40 |
                        uint64_t{i.flags} << 32 | i.operands,
                    word(i.location)});
    if (is_new)
        Record(*this, Kind::kForm)
            .text(info(i.opcode).name)
            .number(static_cast<uint64_t>(i.pipe))
            .number(i.flags)
            .number(i.operands)
            .location(i.location);
    return number;
}

void RecordingWriter::instruction(const InstructionRecord& i) {
    const uint64_t form = form_of(i);
    Record record(*this, Kind::kInstruction);
    record.number(i.core).number(i.sequence).number(form);
    record.number(i.issued).number(i.started - i.issued).number(i.pipe_free - i.started);
    record.number(i.completed - i.started);
    if (i.l2_hit_bytes + i.l2_miss_bytes > 0) record.number(i.l2_hit_bytes).number(i.l2_miss_bytes);
    if (i.l2_again > 0) record.number(i.l2_again);
}

uint64_t RecordingWriter::cause_of(const WaitCause& c) {
    const auto [number, is_new] = causes_->of(
        {static_cast<uint64_t>(c.reason) << 48 | static_cast<uint64_t>(c.source) << 40 |
             static_cast<uint64_t>(c.destination) << 32 | static_cast<uint64_t>(c.opcode),
         uint64_t{c.id} << 32 | static_cast<uint64_t>(c.released_core.type) << 16 |
             c.released_core.index,
         word(c.waiter), word(c.release)});
    if (!is_new) return number;
    Record record(*this, Kind::kCause);
    record.number(static_cast<uint64_t>(c.reason)).number(static_cast<uint64_t>(c.source));
    record.number(static_cast<uint64_t>(c.destination)).number(c.id);
    record.text(c.opcode == Opcode::kCount ? std::string_view() : info(c.opcode).name);
    record.number(static_cast<uint64_t>(c.released_core.type)).number(c.released_core.index);
    record.location(c.waiter).location(c.release);
    return number;
}

void RecordingWriter::wait(const WaitRecord& w) {
    const uint64_t cause = cause_of(w.cause);
    Record record(*this, Kind::kWait);
    record.number(w.core).number(static_cast<uint64_t>(w.pipe)).number(w.sequence);
    record.number(w.begin).number(w.end - w.begin).number(w.open).number(w.released_by);
    record.number(cause);
}

uint64_t RecordingWriter::way_of(const FlagRecord& f) {
    const auto [number, is_new] = ways_->of({static_cast<uint64_t>(f.cross_core) << 32 |
                                                 static_cast<uint64_t>(f.source) << 16 |
                                                 static_cast<uint64_t>(f.destination) << 8 | f.id,
                                             word(f.set_location), word(f.wait_location)});
    if (is_new)
        Record(*this, Kind::kWay)
            .number(f.cross_core)
            .number(f.id)
            .number(static_cast<uint64_t>(f.source))
            .number(static_cast<uint64_t>(f.destination))
            .location(f.set_location)
            .location(f.wait_location);
    return number;
}

void RecordingWriter::flag(const FlagRecord& f) {
    const uint64_t way = way_of(f);
    Record record(*this, Kind::kFlag);
    record.number(f.core).number(f.from).number(way);
    record.number(f.set_sequence).number(f.wait_sequence).number(f.set);
    record.number(f.consumed == kNever ? 0 : f.consumed - f.set + 1);
}

void RecordingWriter::run_begin(const RunRecord& r) {
    Record record(*this, Kind::kRunBegin);
    put(record, r);
}

void RecordingWriter::run(const RunRecord& r) {
    Record record(*this, Kind::kRun);
    put(record, r);
}

void RecordingWriter::put(Record& record, const RunRecord& r) {
    record.number(r.core).number(r.begin).number(r.end - r.begin).number(r.open);
    record.number(static_cast<uint64_t>(r.identity.core)).number(r.identity.block);
    record.number(r.identity.blocks).number(r.identity.subblock).number(r.identity.subblocks);
}

void RecordingWriter::put(Record& record, const Site& s) {
    record.text(s.file).number(s.location.line).number(s.location.file).number(s.location.column);
    record.text(s.source_line).text(s.core).text(s.pipe).text(s.instruction).text(s.operand);
    record.number(s.cycle).number(s.has_cycle).number(s.byte_begin).number(s.byte_end);
}

void RecordingWriter::diagnostic(const Diagnostic& d) {
    Record record(*this, Kind::kDiagnostic);
    record.text(d.code).number(static_cast<uint64_t>(d.category)).text(d.message).text(d.hint);
    put(record, d);
    record.number(d.count).number(d.notes.size());
    for (const std::string& note : d.notes) record.text(note);
    record.number(d.waits.size());
    for (const WaitEdge& edge : d.waits) {
        record.text(edge.waiter).text(edge.holder).text(edge.what).text(edge.file);
        record.number(edge.line).number(edge.in_cycle);
    }
    record.number(d.related.size());
    for (const RelatedSite& site : d.related) {
        record.text(site.text);
        put(record, site);
    }
}

void RecordingWriter::output(const OutputRecord& o) {
    Record record(*this, Kind::kOutput);
    record.number(o.parameter).text(o.file).text(o.sha256);
}

void RecordingWriter::tile(const TileValues& t) {
    Record record(*this, Kind::kTile);
    record.number(static_cast<uint64_t>(t.dtype)).number(t.rows).number(t.columns).text(t.bytes);
}

void RecordingWriter::values(const ValuesRecord& v) {
    Record record(*this, Kind::kValues);
    record.number(static_cast<uint64_t>(v.core.type)).number(v.core.index).number(v.sequence);
    record.number(v.operand).number(v.role).number(static_cast<uint64_t>(v.space));
    record.number(v.address).number(v.tile == ValuesRecord::kNotKept ? 0 : uint64_t{v.tile} + 1);
    record.number(v.facts.nans).number(v.facts.infinities);
    record.number(std::bit_cast<uint64_t>(v.facts.least));
    record.number(std::bit_cast<uint64_t>(v.facts.most));
}

void RecordingWriter::mismatch(const MismatchRecord& m) {
    Record record(*this, Kind::kMismatch);
    record.number(m.parameter).text(m.file).number(m.elements).number(m.differ);
    record.text(m.index).text(m.found).text(m.expected).number(m.writer);
    record.number(static_cast<uint64_t>(m.core.type)).number(m.core.index).number(m.sequence);
    record.number(static_cast<uint64_t>(m.row + 1)).number(static_cast<uint64_t>(m.column + 1));
}

void RecordingWriter::program(const ProgramRecord& p) {
    Record record(*this, Kind::kProgram);
    record.text(p.facts).number(p.limits.size());
    for (const ProgramRecord::Limit& limit : p.limits) {
        record.number(limit.kind).text(limit.what).text(limit.why).number(limit.saving);
        record.text(limit.file).number(limit.line);
    }
    record.number(p.path.size());
    for (const ProgramRecord::Task& task : p.path) {
        record.number(static_cast<uint64_t>(task.core.type)).number(task.core.index);
        record.number(task.begin).number(task.end - task.begin);
    }
    for (const ProgramRecord::Limit& limit : p.limits) record.text(limit.text);
    record.text(p.failure).text(p.failure_hint);
}

void RecordingWriter::warp(const WarpRecord& w) {
    Record(*this, Kind::kWarp)
        .number(w.core)
        .number(w.warp)
        .number(static_cast<uint64_t>(w.state))
        .number(w.begin)
        .number(w.end - w.begin);
}

void RecordingWriter::threads(const ThreadRecord& t) {
    Record record(*this, Kind::kThreads);
    record.location(t.at);
    const ThreadReport& r = t.report;
    for (const uint64_t number :
         {r.blocks, r.warps, r.cycles, r.global, r.lines, r.least_lines, r.missed, r.local,
          r.passes, r.coalesced, r.without_conflicts, r.hidden})
        record.number(number);
    for (const uint64_t cycles : r.states) record.number(cycles);
    for (const ThreadSite& site : {r.uncoalesced, r.conflicting})
        record.location(site.at)
            .number(site.lost)
            .number(site.times)
            .number(static_cast<uint64_t>(site.stride));
}

void RecordingWriter::rerun(const RerunRecord& record) {
    Record(*this, Kind::kRerun).number(record.blocks).number(record.cycles);
}

void RecordingWriter::assumption(const std::string& path) {
    Record(*this, Kind::kAssumption).text(path);
}

void RecordingWriter::end(Cycle time, bool early) {
    Record(*this, Kind::kEnd).number(time).number(early);
}

}  // namespace ptosim
