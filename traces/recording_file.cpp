#include "traces/recording_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "isa/instruction_table.h"
#include "isa/output_file.h"

namespace ptosim {

namespace {

constexpr char kMagic[] = "ptosim recording";  // and the version, 4 bytes
constexpr size_t kMagicBytes = sizeof kMagic - 1;
constexpr size_t kBlockBytes = size_t{1} << 16;
constexpr uint32_t kMostBlockBytes = 1u << 30;
constexpr size_t kLeastRecordBytes = 12;

// Of a block: payload bytes, records, CRC-32 of the payload; little-endian.
struct BlockHead {
    uint32_t bytes = 0, records = 0, crc = 0;
};
constexpr size_t kBlockHeadBytes = 12;

void put32(uint8_t* to, uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}
uint32_t get32(const uint8_t* from) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= uint32_t{from[i]} << (8 * i);
    return value;
}

uint32_t checksum(const uint8_t* data, size_t bytes) {
    return static_cast<uint32_t>(crc32(0, data, static_cast<uInt>(bytes)));
}

}  // namespace

// Values of the file format: never renumber.
enum class RecordingWriter::Kind : uint8_t {
    kFacts = 1,
    kCore = 2,
    kSource = 3,
    kOperands = 4,
    kLaunchBegin = 5,
    kLaunchEnd = 6,
    kRun = 10,  // 7, 8 and 9 were instructions, waits and flags of version 1
    kDiagnostic = 11,
    kOutput = 12,
    kEnd = 13,
    kAssumption = 14,
    kForm = 15,
    kInstruction = 16,
    kCause = 17,
    kWait = 18,
    kWay = 19,
    kFlag = 20,
    kRunBegin = 21,
};

// Numbers things of so many words from 0, as they are met.
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
    Record& place(SourceLocation at) {
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

// What came after a torn block could not be read: the first failure is the last write.
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
}

void RecordingWriter::core(CoreId core) {
    Record(*this, Kind::kCore).number(static_cast<uint64_t>(core.type)).number(core.index);
}

void RecordingWriter::source(const Sources::File& file) {
    Record(*this, Kind::kSource).text(file.name).text(file.text);
}

void RecordingWriter::operands(const OperandSet& set) {
    Record record(*this, Kind::kOperands);
    for (const OperandSet::Item& item : set.items)
        record.number(item.place)
            .number(item.dtype)
            .number(item.roles)
            .number(item.rows)
            .number(item.cols)
            .number(item.address)
            .number(item.bytes);
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
            .place(i.location);
    return number;
}

void RecordingWriter::instruction(const InstructionRecord& i) {
    const uint64_t form = form_of(i);
    Record record(*this, Kind::kInstruction);
    record.number(i.core).number(i.sequence).number(form);
    record.number(i.issued).number(i.started - i.issued).number(i.pipe_free - i.started);
    record.number(i.completed - i.started);
    if (i.l2_hit_bytes + i.l2_miss_bytes > 0) record.number(i.l2_hit_bytes).number(i.l2_miss_bytes);
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
    record.place(c.waiter).place(c.release);
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
            .place(f.set_location)
            .place(f.wait_location);
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

void RecordingWriter::assumption(const std::string& path) {
    Record(*this, Kind::kAssumption).text(path);
}

void RecordingWriter::end(Cycle time, bool early) {
    Record(*this, Kind::kEnd).number(time).number(early);
}

namespace {

// The fields of one record. Those that are not there are zero or empty.
class Fields {
 public:
    Fields(const uint8_t* begin, const uint8_t* end) : at_{begin}, end_{end} {}
    uint64_t number() {
        uint64_t value = 0;
        for (unsigned shift = 0; at_ != end_ && shift < 64; shift += 7) {
            const uint8_t byte = *at_++;
            value |= uint64_t{byte & 0x7Fu} << shift;
            if ((byte & 0x80) == 0) break;
        }
        return value;
    }
    template <class T>
    T as() {
        return static_cast<T>(number());
    }
    template <class T>
    T choice(T count) {  // of an enumeration of so many
        const uint64_t value = number();
        valid_ &= value < static_cast<uint64_t>(count);
        return static_cast<T>(valid_ ? value : 0);
    }
    std::string text() { return std::string(view()); }
    std::string_view view() {
        const uint64_t size = std::min<uint64_t>(number(), static_cast<uint64_t>(end_ - at_));
        const char* begin = reinterpret_cast<const char*>(at_);
        at_ += size;
        return {begin, size};
    }
    SourceLocation place() {
        SourceLocation result;
        result.line = as<uint32_t>();
        if (result.line == 0) return result;
        result.file = as<uint16_t>();
        result.column = as<uint16_t>();
        return result;
    }
    bool below(uint64_t value, size_t size) {
        valid_ &= value < size;
        return valid_;
    }
    bool valid() const { return valid_; }

 private:
    const uint8_t* at_;
    const uint8_t* end_;
    bool valid_ = true;
};

constexpr auto kPipes = static_cast<Pipe>(kPipeCount);
constexpr auto kPipesAndAll = static_cast<Pipe>(static_cast<unsigned>(Pipe::kAll) + 1);
constexpr auto kCoreTypes = static_cast<CoreType>(2);
constexpr auto kArchs = static_cast<Arch>(kArchCount);

class Reader {
 public:
    explicit Reader(RecordingBuilder& to) : to_{to} {}

    // The records of a block that is not there to its end.
    void part(const uint8_t* data, size_t bytes) {
        const uint8_t* const end = data + bytes;
        while (end - data >= 5 && data[0] != 0 &&
               get32(data + 1) <= static_cast<size_t>(end - data - 5)) {
            const uint32_t length = get32(data + 1);
            Fields fields(data + 5, data + 5 + length);
            if (!record(data[0], fields)) ++skipped_;
            data += 5 + length;
        }
    }
    // Whether the block was whole and its records could be walked through.
    bool block(const uint8_t* data, size_t bytes, uint32_t records) {
        const uint8_t* const end = data + bytes;
        while (records-- > 0) {
            if (end - data < 5) return false;
            const uint8_t kind = data[0];
            const uint32_t length = get32(data + 1);
            data += 5;
            if (length > static_cast<size_t>(end - data)) return false;
            Fields fields(data, data + length);
            if (!record(kind, fields)) ++skipped_;
            data += length;
        }
        return data == end;
    }
    uint64_t skipped() const { return skipped_; }

 private:
    // False: nothing that this version knows.
    bool record(uint8_t kind, Fields& f) {
        switch (kind) {
            case 1:
                return facts(f);
            case 2:
                return core(f);
            case 3:
                return source(f);
            case 4:
                return operands(f);
            case 5:
                return launch_begin(f);
            case 6:
                to_.launch_end(f.number());
                return true;
            case 10:
                return run(f, &RecordingBuilder::run);
            case 11:
                return diagnostic(f);
            case 12:
                return output(f);
            case 13:
                return end(f);
            case 14:
                to_.assumption(f.text());
                return true;
            case 15:
                return form(f);
            case 16:
                return instruction(f);
            case 17:
                return cause(f);
            case 18:
                return wait(f);
            case 19:
                return way(f);
            case 20:
                return flag(f);
            case 21:
                return run(f, &RecordingBuilder::run_begin);
            default:
                return false;
        }
    }

    bool facts(Fields& f) {
        ChipFacts facts;
        facts.read_bytes_per_second = f.number();
        facts.write_bytes_per_second = f.number();
        facts.queue_depth = f.number();
        facts.aics = f.number();
        facts.aivs = f.number();
        facts.vector_bytes_per_cycle = f.number();
        list(f, facts.buffer_bytes);
        list(f, facts.cube_operations_per_second);
        facts.peaks.read_bytes = f.number();
        facts.peaks.written_bytes = f.number();
        list(f, facts.peaks.products);
        to_.facts(facts);
        return true;
    }
    template <size_t N>
    static void list(Fields& f, std::array<uint64_t, N>& values) {
        const uint64_t count = std::min<uint64_t>(f.number(), 1024);
        for (size_t i = 0; i < count; ++i) {
            const uint64_t value = f.number();
            if (i < N) values[i] = value;
        }
    }
    bool core(Fields& f) {
        const auto type = f.choice(kCoreTypes);
        if (f.valid()) to_.core({type, f.as<uint16_t>()});
        return f.valid();
    }
    bool source(Fields& f) {
        std::string name = f.text();
        to_.source({std::move(name), f.text()});
        return true;
    }
    bool operands(Fields& f) {
        OperandSet set;
        for (OperandSet::Item& item : set.items) {
            item.place = f.as<uint8_t>();
            item.dtype = f.as<uint8_t>();
            item.roles = f.as<uint8_t>();
            item.rows = f.as<uint32_t>();
            item.cols = f.as<uint32_t>();
            item.address = f.as<uint32_t>();
            item.bytes = f.as<uint32_t>();
            const bool place = item.place == OperandSet::kGlobalPlace || item.place <= kSpaceCount;
            if (!place || item.dtype >= static_cast<uint8_t>(DType::kCount)) item = {};
        }
        to_.operands(set);
        return true;
    }
    bool launch_begin(Fields& f) {
        LaunchRecord launch;
        launch.kernel = f.text();
        launch.chip = f.text();
        launch.clock_hz = f.number();
        launch.blocks = f.as<uint32_t>();
        launch.begin = launch.end = f.number();
        launch.arch = f.choice(kArchs);
        to_.launch_begin(launch);
        return true;
    }
    // Forms, causes and ways are numbered by their order: one that cannot be used keeps its number.
    bool form(Fields& f) {
        std::optional<InstructionRecord>& form = forms_.emplace_back(InstructionRecord());
        const InstructionInfo* info = find_instruction(f.view());
        form->pipe = f.choice(kPipes);
        form->flags = f.as<uint8_t>();
        form->operands = f.as<uint32_t>();
        form->location = f.place();
        const bool valid = f.below(form->operands, to_.peek().operands.size()) && info != nullptr;
        if (valid)
            form->opcode = info->opcode;
        else
            form.reset();
        return valid;
    }
    bool instruction(Fields& f) {
        const auto core = f.as<uint16_t>();
        const auto sequence = f.as<uint32_t>();
        const uint64_t form = f.number();
        if (!f.below(core, to_.peek().cores.size()) || !f.below(form, forms_.size()) ||
            !forms_[form])
            return false;
        InstructionRecord i = *forms_[form];
        i.core = core;
        i.sequence = sequence;
        i.issued = f.number();
        i.started = i.issued + f.number();
        i.pipe_free = i.started + f.number();
        i.completed = i.started + f.number();
        i.l2_hit_bytes = f.as<uint32_t>();
        i.l2_miss_bytes = f.as<uint32_t>();
        to_.instruction(i);
        return true;
    }
    bool cause(Fields& f) {
        WaitCause& c = causes_.emplace_back();
        c.reason = f.choice(static_cast<BlockReason>(kBlockReasonCount));
        c.source = f.choice(kPipesAndAll);
        c.destination = f.choice(kPipesAndAll);
        c.id = f.as<uint8_t>();
        const std::string_view opcode = f.view();
        const InstructionInfo* info = opcode.empty() ? nullptr : find_instruction(opcode);
        if (info != nullptr) c.opcode = info->opcode;
        c.released_core.type = f.choice(kCoreTypes);
        c.released_core.index = f.as<uint16_t>();
        c.waiter = f.place();
        c.release = f.place();
        return true;
    }
    bool wait(Fields& f) {
        WaitRecord w;
        w.core = f.as<uint16_t>();
        w.pipe = f.choice(kPipes);
        w.sequence = f.as<uint32_t>();
        w.begin = f.number();
        w.end = w.begin + f.number();
        w.open = f.number() != 0;
        w.released_by = f.as<uint32_t>();
        const uint64_t cause = f.number();
        if (!f.below(w.core, to_.peek().cores.size()) || !f.below(cause, causes_.size()))
            return false;
        w.cause = causes_[cause];
        to_.wait(w);
        return true;
    }
    bool way(Fields& f) {
        FlagRecord& r = ways_.emplace_back();
        r.cross_core = f.number() != 0;
        r.id = f.as<uint8_t>();
        r.source = f.choice(kPipes);
        r.destination = f.choice(kPipes);
        r.set_location = f.place();
        r.wait_location = f.place();
        return true;
    }
    bool flag(Fields& f) {
        const auto core = f.as<uint16_t>(), from = f.as<uint16_t>();
        const uint64_t way = f.number();
        const size_t cores = to_.peek().cores.size();
        if (!f.below(core, cores) || !f.below(from, cores) || !f.below(way, ways_.size()))
            return false;
        FlagRecord r = ways_[way];
        r.core = core;
        r.from = from;
        r.set_sequence = f.as<uint32_t>();
        r.wait_sequence = f.as<uint32_t>();
        r.set = f.number();
        const uint64_t taken = f.number();
        r.consumed = taken == 0 ? kNever : r.set + taken - 1;
        to_.flag(r);
        return true;
    }
    bool run(Fields& f, void (RecordingBuilder::*take)(const RunRecord&)) {
        RunRecord r;
        r.core = f.as<uint16_t>();
        r.begin = f.number();
        r.end = r.begin + f.number();
        r.open = f.number() != 0;
        r.identity.core = f.choice(kCoreTypes);
        r.identity.block = f.as<uint32_t>();
        r.identity.blocks = f.as<uint32_t>();
        r.identity.subblock = f.as<uint32_t>();
        r.identity.subblocks = f.as<uint32_t>();
        if (!f.below(r.core, to_.peek().cores.size())) return false;
        (to_.*take)(r);
        return true;
    }
    static void site(Fields& f, Site& s) {
        s.file = f.text();
        s.location.line = f.as<uint32_t>();
        s.location.file = f.as<uint16_t>();
        s.location.column = f.as<uint16_t>();
        s.source_line = f.text();
        s.core = f.text();
        s.pipe = f.text();
        s.instruction = f.text();
        s.operand = f.text();
        s.cycle = f.number();
        s.has_cycle = f.number() != 0;
        s.byte_begin = f.number();
        s.byte_end = f.number();
    }
    bool diagnostic(Fields& f) {
        Diagnostic d;
        d.code = f.text();
        d.category = f.choice(static_cast<Category>(static_cast<unsigned>(Category::kInput) + 1));
        d.message = f.text();
        d.hint = f.text();
        site(f, d);
        d.count = f.number();
        const uint64_t notes = std::min<uint64_t>(f.number(), 100000);
        for (uint64_t i = 0; i < notes; ++i) d.notes.push_back(f.text());
        const uint64_t edges = std::min<uint64_t>(f.number(), 100000);
        for (uint64_t i = 0; i < edges; ++i) {
            WaitEdge edge;
            edge.waiter = f.text();
            edge.holder = f.text();
            edge.what = f.text();
            edge.file = f.text();
            edge.line = f.as<uint32_t>();
            edge.in_cycle = f.number() != 0;
            d.waits.push_back(std::move(edge));
        }
        const uint64_t places = std::min<uint64_t>(f.number(), 100000);
        for (uint64_t i = 0; i < places; ++i) {
            RelatedSite related;
            related.text = f.text();
            site(f, related);
            d.related.push_back(std::move(related));
        }
        to_.diagnostic(d);
        return true;
    }
    bool output(Fields& f) {
        OutputRecord o;
        o.parameter = f.as<uint32_t>();
        o.file = f.text();
        o.sha256 = f.text();
        to_.output(o);
        return true;
    }
    bool end(Fields& f) {
        const Cycle time = f.number();
        to_.end(time, f.number() != 0);
        return true;
    }

    RecordingBuilder& to_;
    std::vector<std::optional<InstructionRecord>> forms_;  // empty: of no use
    std::vector<WaitCause> causes_;
    std::vector<FlagRecord> ways_;
    uint64_t skipped_ = 0;
};

// Reads blocks until the file ends or one is damaged; returns what is wrong with it, if anything.
std::string read_blocks(std::ifstream& stream, Reader& reader) {
    std::vector<uint8_t> payload;
    for (;;) {
        uint8_t bytes[kBlockHeadBytes];
        stream.read(reinterpret_cast<char*>(bytes), sizeof bytes);
        if (stream.gcount() == 0) return {};
        const BlockHead head{get32(bytes), get32(bytes + 4), get32(bytes + 8)};
        if (stream.gcount() < static_cast<std::streamsize>(sizeof bytes)) return "is cut off";
        if (head.bytes > kMostBlockBytes) return "is damaged";
        payload.resize(head.bytes);
        stream.read(reinterpret_cast<char*>(payload.data()), head.bytes);
        if (stream.gcount() < static_cast<std::streamsize>(head.bytes)) {
            reader.part(payload.data(), static_cast<size_t>(stream.gcount()));
            return "is cut off";
        }
        if (checksum(payload.data(), payload.size()) != head.crc ||
            !reader.block(payload.data(), payload.size(), head.records))
            return "is damaged";
    }
}

}  // namespace

Recording read_recording(const std::filesystem::path& given) {
    std::error_code ignored;
    const std::filesystem::path path =
        std::filesystem::is_directory(given, ignored) ? given / kRecordingName : given;
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        fail_input("I01", "cannot read " + path.string(),
                   "a recorded run is what 'ptosim run KERNEL --trace DIR' leaves in DIR");
    uint8_t head[kMagicBytes + 4] = {};
    stream.read(reinterpret_cast<char*>(head), sizeof head);
    if (stream.gcount() < static_cast<std::streamsize>(sizeof head) ||
        std::memcmp(head, kMagic, kMagicBytes) != 0)
        fail_input("I41", path.string() + " is no recording of ptosim",
                   "give the folder that 'ptosim run KERNEL --trace DIR' wrote");
    const uint32_t version = get32(head + kMagicBytes);

    RecordingBuilder builder;
    builder.expect(static_cast<size_t>(std::filesystem::file_size(path, ignored)) /
                   kLeastRecordBytes);
    Reader reader(builder);
    const std::string problem = read_blocks(stream, reader);
    if (version != kRecordingVersion)
        builder.gap("the recording is of version " + std::to_string(version) +
                    ", this program writes version " + std::to_string(kRecordingVersion));
    if (reader.skipped() > 0)
        builder.gap(std::to_string(reader.skipped()) +
                    " records are of a kind that this program does not know; they are left out");
    const bool ended = builder.ended();
    const std::string what = problem.empty() ? "has no end: the run was broken off" : problem;
    Recording recording = builder.take();
    if (!ended || !problem.empty())
        recording.gaps.insert(
            recording.gaps.begin(),
            "the recording " + what + "; it goes up to cycle " + std::to_string(recording.end));
    return recording;
}

}  // namespace ptosim
