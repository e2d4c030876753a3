#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "isa/core/input_file.h"
#include "isa/table/instruction_table.h"
#include "traces/record/recording_file.h"
#include "traces/record/recording_format.h"

namespace ptosim {

namespace {

// The fields of one record. Missing fields are zero or empty.
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
    SourceLocation location() {
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
    // A time, in cycles from one that was read before; wraps, as the writer's difference does.
    Cycle time(Cycle since = 0) {
        const Cycle result = since + number();
        valid_ &= result <= kLatestTime;
        return valid_ ? result : since;
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
constexpr auto kTimeGrades = static_cast<TimeGrade>(kTimeGradeCount);
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
    // True if the block was whole and all its records could be read.
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
        switch (static_cast<RecordKind>(kind)) {
            case RecordKind::kFacts:
                return facts(f);
            case RecordKind::kCore:
                return core(f);
            case RecordKind::kSource:
                return source(f);
            case RecordKind::kCall:
                return call(f);
            case RecordKind::kOperands:
                return operands(f);
            case RecordKind::kLaunchBegin:
                return launch_begin(f);
            case RecordKind::kLaunchEnd:
                to_.launch_end(f.time());
                return true;
            case RecordKind::kRun:
                return run(f, &RecordingBuilder::run);
            case RecordKind::kDiagnostic:
                return diagnostic(f);
            case RecordKind::kOutput:
                return output(f);
            case RecordKind::kTile:
                return tile(f);
            case RecordKind::kValues:
                return values(f);
            case RecordKind::kMismatch:
                return mismatch(f);
            case RecordKind::kProgram:
                return program(f);
            case RecordKind::kWarp:
                return warp(f);
            case RecordKind::kThreads:
                return threads(f);
            case RecordKind::kRerun:
                return rerun(f);
            case RecordKind::kEnd:
                return end(f);
            case RecordKind::kAssumption:
                to_.assumption(f.text());
                return true;
            case RecordKind::kForm:
                return form(f);
            case RecordKind::kInstruction:
                return instruction(f);
            case RecordKind::kCause:
                return cause(f);
            case RecordKind::kWait:
                return wait(f);
            case RecordKind::kWay:
                return way(f);
            case RecordKind::kFlag:
                return flag(f);
            case RecordKind::kRunBegin:
                return run(f, &RecordingBuilder::run_begin);
            case RecordKind::kCost:
                return cost(f);
            default:
                return false;
        }
    }

    bool facts(Fields& f) {
        ChipFacts facts;
        facts.read_bytes_per_second = f.number();
        facts.write_bytes_per_second = f.number();
        facts.queue_depth = f.number();
        facts.aics = f.as<uint16_t>();  // as many as a CoreId can name
        facts.aivs = f.as<uint16_t>();
        facts.vector_bytes_per_cycle = f.number();
        list(f, facts.buffer_bytes);
        list(f, facts.cube_operations_per_second);
        facts.peaks.read_bytes = f.number();
        facts.peaks.written_bytes = f.number();
        list(f, facts.peaks.products);
        for (uint64_t* rate : rates(facts)) *rate = f.number();
        for (TimeGrade* grade : grades(facts.grades)) *grade = f.choice(kTimeGrades);
        for (uint64_t& error : facts.grades.error) error = f.number();
        facts.l2_bytes = f.number();
        to_.facts(facts);
        return true;
    }
    bool cost(Fields& f) {
        CostRecord record;
        const InstructionInfo* const row = find_instruction_or_intrinsic(f.text());
        record.operands = f.as<uint32_t>();
        record.basis.transfer_cycles = f.as<uint32_t>();
        for (uint16_t& part : record.basis.parts) part = f.as<uint16_t>();
        if (row == nullptr || !f.valid()) return false;
        record.opcode = row->opcode;
        to_.cost(record);
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
    bool call(Fields& f) {
        CallRecord record;
        record.at = f.location();
        const InstructionInfo* const row = find_instruction_or_intrinsic(f.view());
        record.call.function = f.text();
        record.call.header = f.text();
        if (row == nullptr || record.at.line == 0) return false;
        record.opcode = row->opcode;
        to_.call(record);
        return true;
    }
    bool operands(Fields& f) {
        OperandSet set;
        for (OperandSet::Item& item : set.items) {
            item.memory = f.as<uint8_t>();
            item.dtype = f.as<uint8_t>();
            item.roles = f.as<uint8_t>();
            item.rows = f.as<uint32_t>();
            item.cols = f.as<uint32_t>();
            item.address = f.as<uint32_t>();
            item.bytes = f.as<uint32_t>();
            const bool valid =
                item.memory == OperandSet::kGlobalMemory || item.memory <= kSpaceCount;
            if (!valid || item.dtype >= static_cast<uint8_t>(DType::kCount)) item = {};
        }
        set.items[0].banks = f.as<uint8_t>();
        to_.operands(set);
        return true;
    }
    bool launch_begin(Fields& f) {
        LaunchRecord launch;
        launch.kernel = f.text();
        launch.chip = f.text();
        launch.clock_hz = f.number();
        launch.blocks = f.as<uint32_t>();
        launch.begin = launch.end = f.time();
        launch.arch = f.choice(kArchs);
        to_.launch_begin(launch);
        return true;
    }
    // Operands of a flag are its pipes.
    static bool names_pipes(Opcode opcode, const OperandSet& set) {
        if (opcode != Opcode::kSET_FLAG && opcode != Opcode::kWAIT_FLAG) return true;
        return set.items[0].memory < kPipeCount && set.items[1].memory < kPipeCount;
    }
    // Forms, causes and ways are numbered by their order: one that cannot be used keeps its number.
    bool form(Fields& f) {
        std::optional<InstructionRecord>& form = forms_.emplace_back(InstructionRecord());
        const InstructionInfo* info = find_instruction_or_intrinsic(f.view());
        form->pipe = f.choice(kPipes);
        form->flags = f.as<uint8_t>();
        form->operands = f.as<uint32_t>();
        form->location = f.location();
        const bool valid = f.below(form->operands, to_.peek().operands.size()) && info != nullptr &&
                           names_pipes(info->opcode, to_.peek().operands[form->operands]);
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
        i.issued = f.time();
        i.started = f.time(i.issued);
        i.pipe_free = f.time(i.started);
        i.completed = f.time(i.started);
        i.l2_hit_bytes = f.as<uint32_t>();
        i.l2_miss_bytes = f.as<uint32_t>();
        i.l2_again = f.as<uint16_t>();
        if (f.valid()) to_.instruction(i);
        return f.valid();
    }
    bool cause(Fields& f) {
        WaitCause& c = causes_.emplace_back();
        c.reason = f.choice(static_cast<BlockReason>(kBlockReasonCount));
        c.source = f.choice(kPipesAndAll);
        c.destination = f.choice(kPipesAndAll);
        c.id = f.as<uint8_t>();
        const std::string_view opcode = f.view();
        const InstructionInfo* info = opcode.empty() ? nullptr : find_instruction_or_intrinsic(opcode);
        if (info != nullptr) c.opcode = info->opcode;
        c.released_core.type = f.choice(kCoreTypes);
        c.released_core.index = f.as<uint16_t>();
        c.waiter = f.location();
        c.release = f.location();
        return true;
    }
    bool wait(Fields& f) {
        WaitRecord w;
        w.core = f.as<uint16_t>();
        w.pipe = f.choice(kPipes);
        w.sequence = f.as<uint32_t>();
        w.begin = f.time();
        w.end = f.time(w.begin);
        w.open = f.number() != 0;
        w.released_by = f.as<uint32_t>();
        const uint64_t cause = f.number();
        if (!f.below(w.core, to_.peek().cores.size()) || !f.below(cause, causes_.size()))
            return false;
        w.cause = causes_[cause];
        if (f.valid()) to_.wait(w);
        return f.valid();
    }
    bool way(Fields& f) {
        FlagRecord& r = ways_.emplace_back();
        r.cross_core = f.number() != 0;
        r.id = f.as<uint8_t>();
        r.source = f.choice(kPipes);
        r.destination = f.choice(kPipes);
        r.set_location = f.location();
        r.wait_location = f.location();
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
        r.set = f.time();
        const Cycle behind = f.time(r.set);
        r.consumed = behind == r.set ? kNever : behind - 1;
        if (f.valid()) to_.flag(r);
        return f.valid();
    }
    bool run(Fields& f, void (RecordingBuilder::*take)(const RunRecord&)) {
        RunRecord r;
        r.core = f.as<uint16_t>();
        r.begin = f.time();
        r.end = f.time(r.begin);
        r.open = f.number() != 0;
        r.identity.core = f.choice(kCoreTypes);
        r.identity.block = f.as<uint32_t>();
        r.identity.blocks = f.as<uint32_t>();
        r.identity.subblock = f.as<uint32_t>();
        r.identity.subblocks = f.as<uint32_t>();
        if (!f.below(r.core, to_.peek().cores.size())) return false;
        if (f.valid()) (to_.*take)(r);
        return f.valid();
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
        const uint64_t count = std::min<uint64_t>(f.number(), 100000);
        for (uint64_t i = 0; i < count; ++i) {
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
    // Numbered by their order, too.
    bool tile(Fields& f) {
        TileValues t;
        t.dtype = f.choice(DType::kCount);
        t.rows = f.as<uint32_t>();
        t.columns = f.as<uint32_t>();
        t.bytes = f.text();
        constexpr uint32_t kMostRows = 1u << 24;
        const bool valid = f.below(t.rows, kMostRows) && f.below(t.columns, kMostRows) &&
                           uint64_t{t.rows} * t.columns * kept_bytes(t.dtype) == t.bytes.size();
        to_.tile(valid ? t : TileValues());
        return valid;
    }
    bool values(Fields& f) {
        ValuesRecord v;
        v.core.type = f.choice(kCoreTypes);
        v.core.index = f.as<uint16_t>();
        v.sequence = f.as<uint32_t>();
        v.operand = f.as<uint8_t>();
        v.role = f.choice(static_cast<OperandSet::Role>(OperandSet::kWritten + 1));
        v.space = f.choice(Space::kCount);
        v.address = f.as<uint32_t>();
        const uint64_t tile = f.number();
        v.tile = tile == 0 ? ValuesRecord::kNotKept : static_cast<uint32_t>(tile - 1);
        v.facts.nans = f.number();
        v.facts.infinities = f.number();
        v.facts.least = std::bit_cast<double>(f.number());
        v.facts.most = std::bit_cast<double>(f.number());
        if (!f.valid() || (tile != 0 && !f.below(tile - 1, to_.peek().tiles.size()))) return false;
        to_.values(v);
        return true;
    }
    bool mismatch(Fields& f) {
        MismatchRecord m;
        m.parameter = f.as<uint32_t>();
        m.file = f.text();
        m.elements = f.number();
        m.differ = f.number();
        m.index = f.text();
        m.found = f.text();
        m.expected = f.text();
        m.writer = f.choice(static_cast<MismatchRecord::Writer>(MismatchRecord::kNobody + 1));
        m.core.type = f.choice(kCoreTypes);
        m.core.index = f.as<uint16_t>();
        m.sequence = f.as<uint32_t>();
        m.row = static_cast<int32_t>(f.as<uint32_t>()) - 1;
        m.column = static_cast<int32_t>(f.as<uint32_t>()) - 1;
        if (f.valid()) to_.mismatch(m);
        return f.valid();
    }
    bool warp(Fields& f) {
        WarpRecord w;
        w.core = f.as<uint16_t>();
        w.warp = f.as<uint16_t>();
        w.state = f.choice(static_cast<ThreadState>(kThreadStates));
        w.begin = f.time();
        w.end = f.time(w.begin);
        if (!f.valid() || !f.below(w.core, to_.peek().cores.size())) return false;
        to_.warp(w);
        return true;
    }
    bool threads(Fields& f) {
        ThreadRecord t;
        t.at = f.location();
        ThreadReport& r = t.report;
        for (uint64_t* const number :
             {&r.blocks, &r.warps, &r.cycles, &r.global, &r.lines, &r.least_lines, &r.missed,
              &r.local, &r.passes, &r.coalesced, &r.without_conflicts, &r.hidden})
            *number = f.number();
        for (uint64_t& cycles : r.states) cycles = f.number();
        for (ThreadSite* const site : {&r.uncoalesced, &r.conflicting}) {
            site->at = f.location();
            site->lost = f.number();
            site->times = f.number();
            site->stride = static_cast<int64_t>(f.number());
        }
        if (f.valid()) to_.threads(t);
        return f.valid();
    }
    bool rerun(Fields& f) {
        RerunRecord rerun;
        rerun.blocks = f.as<uint32_t>();
        rerun.cycles = f.number();
        if (f.valid()) to_.rerun(rerun);
        return true;
    }
    bool program(Fields& f) {
        ProgramRecord p;
        p.facts = f.text();
        const uint64_t count = std::min<uint64_t>(f.number(), 1024);
        for (uint64_t i = 0; i < count; ++i) {
            ProgramRecord::Limit& limit = p.limits.emplace_back();
            limit.kind = f.choice(ProgramRecord::kKinds);
            limit.what = f.text();
            limit.why = f.text();
            limit.saving = f.number();
            limit.file = f.text();
            limit.line = f.as<uint32_t>();
        }
        constexpr uint64_t kMostTasks = 1 << 24;
        const uint64_t tasks = std::min(f.number(), kMostTasks);
        for (uint64_t i = 0; i < tasks && f.valid(); ++i) {
            ProgramRecord::Task& task = p.path.emplace_back();
            task.core.type = f.choice(kCoreTypes);
            task.core.index = f.as<uint16_t>();
            task.begin = f.time();
            task.end = f.time(task.begin);
        }
        // Empty in files that were written before these texts were.
        for (ProgramRecord::Limit& limit : p.limits) limit.text = f.text();
        p.failure = f.text();
        p.failure_hint = f.text();
        if (f.valid()) to_.program(p);
        return f.valid();
    }
    bool end(Fields& f) {
        const Cycle time = f.time();
        const bool early = f.number() != 0;
        if (f.valid()) to_.end(time, early);
        return f.valid();
    }

    RecordingBuilder& to_;
    std::vector<std::optional<InstructionRecord>> forms_;  // empty: of no use
    std::vector<WaitCause> causes_;
    std::vector<FlagRecord> ways_;
    uint64_t skipped_ = 0;
};

// Reads blocks until the file of `size` bytes ends or a block is damaged; returns the damage, or
// nothing.
std::string read_blocks(std::ifstream& stream, uint64_t size, Reader& reader) {
    std::vector<uint8_t> payload;
    for (;;) {
        uint8_t bytes[kBlockHeadBytes];
        stream.read(reinterpret_cast<char*>(bytes), sizeof bytes);
        if (stream.gcount() == 0) return {};
        const BlockHead head{get32(bytes), get32(bytes + 4), get32(bytes + 8)};
        if (stream.gcount() < static_cast<std::streamsize>(sizeof bytes)) return "is cut off";
        if (head.bytes > kMostBlockBytes) return "is damaged";
        // Damaged lengths are not believed.
        const auto left = size - std::min(size, static_cast<uint64_t>(stream.tellg()));
        payload.resize(std::min<uint64_t>(head.bytes, left));
        stream.read(reinterpret_cast<char*>(payload.data()),
                    static_cast<std::streamsize>(payload.size()));
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

std::filesystem::path recording_path(const std::filesystem::path& given) {
    std::error_code ignored;
    return std::filesystem::is_directory(given, ignored) ? given / kRecordingName : given;
}

Recording read_recording(const std::filesystem::path& given) {
    std::error_code ignored;
    const std::filesystem::path path = recording_path(given);
    if (!std::filesystem::exists(path, ignored))
        fail_input("I01", "cannot read " + path.string(),
                   "a recorded run is what 'ptosim run KERNEL --trace DIR' leaves in DIR");
    const InputFile regular(path.string());
    std::ifstream stream(path, std::ios::binary);
    uint8_t head[kMagicBytes + 4] = {};
    stream.read(reinterpret_cast<char*>(head), sizeof head);
    if (stream.gcount() < static_cast<std::streamsize>(sizeof head) ||
        std::memcmp(head, kMagic, kMagicBytes) != 0)
        fail_input("I41", path.string() + " is not a recording of ptosim",
                   "give the folder that 'ptosim run KERNEL --trace DIR' wrote");
    const uint32_t version = get32(head + kMagicBytes);

    RecordingBuilder builder;
    const uint64_t size = std::filesystem::file_size(path, ignored);
    builder.expect(static_cast<size_t>(size) / kLeastRecordBytes);
    Reader reader(builder);
    const std::string problem = read_blocks(stream, size, reader);
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

Recording read_reportable(const std::filesystem::path& path) {
    Recording recording = read_recording(path);
    if (!recording.gaps.empty() && recording.instructions.empty())
        fail_input("I41",
                   path.string() + ": " + recording.gaps.front() +
                       ", before the first instruction, and there is nothing to report",
                   "run the kernel again with --trace, and let it end");
    return recording;
}

}  // namespace ptosim
