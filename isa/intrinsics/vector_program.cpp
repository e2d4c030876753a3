#include "isa/intrinsics/vector_program.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

namespace ptosim {
namespace {

using Bytes = std::bitset<kVectorBytes>;  // of a register

using Interval = VectorProgram::Extent;

// All bytes of the lanes of such a width whose first byte is in `bits`.
Bytes whole_lanes(const Bytes& bits, size_t width) {
    Bytes result;
    for (size_t lane = 0; lane < kVectorBytes; lane += width)
        if (bits[lane])
            for (size_t byte = 0; byte < width; ++byte) result.set(lane + byte);
    return result;
}

Interval hull(const Bytes& bytes) {
    if (bytes.none()) return {};
    Interval result{static_cast<uint32_t>(bytes._Find_first()), kVectorBytes};
    while (!bytes[result.end - 1]) --result.end;
    return result;
}

bool is_load(VectorOpcode opcode) { return info(opcode).unit == VectorUnit::kLoad; }
bool is_store(VectorOpcode opcode) { return info(opcode).unit == VectorUnit::kStore; }
bool is_predicate_store(VectorOpcode opcode) {
    return is_store(opcode) && info(opcode).source(0) == VectorValue::kPredicate;
}
bool follows_indices(const VectorOperation& op) {
    return op.opcode == VectorOpcode::kVGATHER2 || op.opcode == VectorOpcode::kVGATHERB ||
           op.opcode == VectorOpcode::kVSCATTER;
}

// Bytes that have been stored for certain: intervals that do not touch, in order.
class StoredBytes {
 public:
    void add(Interval interval) {
        if (interval.begin == interval.end) return;
        auto first = std::find_if(list_.begin(), list_.end(),
                                  [&](const Interval& i) { return i.end >= interval.begin; });
        auto last = first;
        for (; last != list_.end() && last->begin <= interval.end; ++last) {
            interval.begin = std::min(interval.begin, last->begin);
            interval.end = std::max(interval.end, last->end);
        }
        list_.insert(list_.erase(first, last), interval);
    }
    // The parts of an interval outside these intervals.
    void rest(Interval interval, std::vector<Interval>& to) const {
        for (const Interval& stored : list_) {
            if (stored.end <= interval.begin) continue;
            if (stored.begin >= interval.end) break;
            if (stored.begin > interval.begin) to.push_back({interval.begin, stored.begin});
            interval.begin = std::min(stored.end, interval.end);
        }
        if (interval.begin < interval.end) to.push_back(interval);
    }

 private:
    std::vector<Interval> list_;
};

// Runs of equal length and distance become one, and the nearest ones, until few enough are left.
std::vector<ByteRuns> runs_of(std::vector<Interval> intervals, unsigned most) {
    std::sort(intervals.begin(), intervals.end(),
              [](Interval a, Interval b) { return a.begin < b.begin; });
    std::vector<Interval> merged;
    for (const Interval& interval : intervals) {
        if (interval.begin == interval.end) continue;
        if (!merged.empty() && interval.begin <= merged.back().end)
            merged.back().end = std::max(merged.back().end, interval.end);
        else
            merged.push_back(interval);
    }
    std::vector<ByteRuns> runs;
    for (const Interval& interval : merged) {
        const uint32_t length = interval.end - interval.begin;
        if (!runs.empty() && runs.back().length == length) {
            ByteRuns& last = runs.back();
            const uint32_t pitch = interval.begin - (last.end() - length);
            if (last.count == 1 || last.pitch == pitch) {
                last.pitch = pitch;
                ++last.count;
                continue;
            }
        }
        runs.push_back({interval.begin, length, length, 1});
    }
    while (runs.size() > most) {
        size_t nearest = 0;
        for (size_t i = 1; i + 1 < runs.size(); ++i)
            if (runs[i + 1].begin - runs[i].end() < runs[nearest + 1].begin - runs[nearest].end())
                nearest = i;
        const uint32_t length = runs[nearest + 1].end() - runs[nearest].begin;
        runs[nearest] = {runs[nearest].begin, length, length, 1};
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
    }
    return runs;
}

}  // namespace

// Facts about a program before it runs: predicates that do not depend on data, and the bytes of each result that are
// used.
struct VectorProgram::Analysis {
    explicit Analysis(std::vector<VectorOperation>& operations) : operations{operations} {
        uint32_t values = 1;
        for (const VectorOperation& op : operations)
            for (uint32_t result : op.results) values = std::max(values, result + 1);
        fixed.resize(values);
        used.resize(values);
        find_predicates();
        if (std::any_of(operations.begin(), operations.end(), &follows_indices)) find_registers();
        find_uses();
    }

    std::vector<VectorOperation>& operations;
    std::vector<std::optional<Bytes>> fixed;  // predicates, by value
    std::vector<Bytes> used;                  // bytes, by value
    // Registers that do not depend on data, by value; only where an operation follows indices.
    std::vector<std::optional<VectorRegister>> constants;

    // Bytes of active lanes, as far as the predicate is fixed.
    Bytes active(const VectorOperation& op, size_t width) const {
        if (op.mask == 0 || !fixed[op.mask]) return Bytes{}.set();
        return whole_lanes(*fixed[op.mask], width);
    }

    void find_predicates() {
        std::array<VectorRegister, 8> file;
        for (const VectorOperation& op : operations) {
            const VectorOperationInfo& row = info(op.opcode);
            if (row.unit != VectorUnit::kCompute || row.result(0) != VectorValue::kPredicate)
                continue;
            bool constant = op.mask == 0 || fixed[op.mask].has_value();
            for (unsigned i = 0; i < row.sources(); ++i)
                constant = constant && row.source(i) == VectorValue::kPredicate &&
                           fixed[op.sources[i]].has_value();
            if (!constant) continue;
            // Computed by the same code as in a run: sources are registers 1 to 3, the mask is 4.
            VectorOperation here = op;
            const auto load = [&](uint32_t& value, uint32_t slot) {
                if (value == 0) return;
                for (size_t i = 0; i < kVectorBytes; ++i)
                    file[slot].bytes[i] = (*fixed[value])[i] ? std::byte{1} : std::byte{0};
                value = slot;
            };
            for (uint32_t i = 0; i < row.sources(); ++i) load(here.sources[i], i + 1);
            load(here.mask, 4);
            here.results = {5, 6};
            VectorLanes(file.data(), nullptr, 0, Numerics::kIEEE).compute(here);
            for (unsigned i = 0; i < row.results(); ++i) {
                Bytes& bits = fixed[op.results[i]].emplace();
                for (size_t byte = 0; byte < kVectorBytes; ++byte)
                    bits[byte] = file[5 + i].bytes[byte] != std::byte{0};
            }
        }
    }

    // True if all that an operation reads is fixed; its sources as registers 1 to 4, its mask as 5.
    bool load_fixed(const VectorOperation& op, VectorOperation& here, std::array<VectorRegister, 8>& file) const {
        const VectorOperationInfo& row = info(op.opcode);
        const auto take = [&](uint32_t value, VectorValue kind, uint32_t slot) {
            if (kind == VectorValue::kRegister) {
                if (!constants[value]) return false;
                file[slot] = *constants[value];
                return true;
            }
            if (!fixed[value]) return false;
            for (size_t i = 0; i < kVectorBytes; ++i)
                file[slot].bytes[i] = (*fixed[value])[i] ? std::byte{1} : std::byte{0};
            return true;
        };
        for (uint32_t i = 0; i < row.sources(); ++i) {
            if (!take(op.sources[i], row.source(i), i + 1)) return false;
            here.sources[i] = i + 1;
        }
        if (op.merges) {
            if (!take(op.sources[3], VectorValue::kRegister, 4)) return false;
            here.sources[3] = 4;
        }
        if (op.mask == 0) return true;
        here.mask = 5;
        return take(op.mask, VectorValue::kPredicate, 5);
    }
    void find_registers() {
        constants.resize(fixed.size());
        std::array<VectorRegister, 8> file;
        for (const VectorOperation& op : operations) {
            const VectorOperationInfo& row = info(op.opcode);
            if (row.unit != VectorUnit::kCompute || row.result(0) != VectorValue::kRegister) continue;
            VectorOperation here = op;
            if (!load_fixed(op, here, file)) continue;
            here.results = {6, 7};
            VectorLanes(file.data(), nullptr, 0, Numerics::kA5).compute(here);
            for (unsigned i = 0; i < row.results(); ++i)
                if (row.result(i) == VectorValue::kRegister) constants[op.results[i]] = file[6 + i];
        }
    }

    // The accesses to UB of an operation that follows indices, if these do not depend on data; adjacent elements are
    // merged.
    std::optional<std::vector<Interval>> indexed(const VectorOperation& op) const {
        const bool scatters = op.opcode == VectorOpcode::kVSCATTER;
        const uint32_t index = op.sources[scatters ? 1 : 0];
        if (!constants[index] || (op.mask != 0 && !fixed[op.mask])) return std::nullopt;
        const bool by_blocks = op.opcode == VectorOpcode::kVGATHERB;
        const size_t width = by_blocks ? 4 : bytes(op.to, 1), size = by_blocks ? kBlockBytes : bytes(op.type, 1);
        const size_t count = by_blocks ? kVectorBytes / kBlockBytes : kVectorBytes / std::max(width, size);
        std::vector<uint64_t> at;
        for (size_t i = 0; i < count; ++i) {
            if (op.mask != 0 && !(*fixed[op.mask])[i * width]) continue;
            uint64_t value = 0;
            std::memcpy(&value, constants[index]->bytes.data() + i * width, width);
            at.push_back(op.address + value * (by_blocks ? 1 : size));
        }
        std::sort(at.begin(), at.end());
        std::vector<Interval> result;
        for (const uint64_t begin : at) {
            if (begin + size > UINT32_MAX) continue;  // beyond UB: not accessed
            const auto first = static_cast<uint32_t>(begin), end = static_cast<uint32_t>(begin + size);
            if (!result.empty() && first <= result.back().end)
                result.back().end = std::max(result.back().end, end);
            else
                result.push_back({first, end});
        }
        return result;
    }

    void find_uses() {
        for (size_t i = operations.size(); i > 0; --i) {
            const VectorOperation& op = operations[i - 1];
            const VectorOperationInfo& row = info(op.opcode);
            const size_t width = bytes(op.type, 1);
            Bytes needed = Bytes{}.set();
            if (op.opcode == VectorOpcode::kVSTS && op.mode < VectorMode::k1ptB8)
                needed = active(op, element_bytes(op.mode));
            else if (op.opcode == VectorOpcode::kVSTUS)
                for (size_t byte = op.scalar; byte < kVectorBytes; ++byte) needed.reset(byte);
            else if (row.masked() && row.unit == VectorUnit::kCompute)
                needed = active(op, width);
            if (row.lanewise && row.result(0) == VectorValue::kRegister) {
                Bytes wanted;
                for (unsigned r = 0; r < row.results(); ++r)
                    if (row.result(r) == VectorValue::kRegister) wanted |= used[op.results[r]];
                // A predicate that it makes besides is of the same lanes.
                if (row.results() == 1 || row.result(1) == VectorValue::kRegister) needed &= wanted;
                if (op.merges) used[op.sources[3]] |= wanted;
            } else if (op.merges) {
                used[op.sources[3]].set();
            }
            for (unsigned s = 0; s < row.sources(); ++s)
                if (row.source(s) == VectorValue::kRegister) used[op.sources[s]] |= needed;
        }
    }

    // The bytes that a store by lanes may write.
    Interval stored(const VectorOperation& op) const {
        const VectorFootprint footprint = footprint_of(op);
        if (op.opcode != VectorOpcode::kVSTS || op.mask == 0 || !fixed[op.mask])
            return {0, footprint.bytes};
        using enum VectorMode;
        switch (op.mode) {
            case kNormB8:
            case kNormB16:
            case kNormB32:
                return hull(active(op, element_bytes(op.mode)));
            case kPkB16:
                return narrowed(hull(active(op, 2)), 2);
            case kPkB32:
                return narrowed(hull(active(op, 4)), 2);
            case kPkB64:
                return narrowed(hull(active(op, 8)), 2);
            case kPk4B32:
                return narrowed(hull(active(op, 4)), 4);
            default:
                return {0, footprint.bytes};
        }
    }
    // True if a store writes all bytes of that.
    bool is_certain(const VectorOperation& op) const {
        if (op.opcode == VectorOpcode::kVSTUR || op.opcode == VectorOpcode::kVSCATTER) return false;
        if (op.mask == 0 || !info(op.opcode).masked()) return true;
        using enum VectorMode;
        if (op.mode == k1ptB8 || op.mode == k1ptB16 || op.mode == k1ptB32) return true;
        if (!fixed[op.mask]) return false;
        const size_t width = op.mode == kPkB64 ? 8 : element_bytes(op.mode);
        const Bytes bytes = active(op, width);
        return bytes.count() == hull(bytes).end - hull(bytes).begin;
    }
    static Interval narrowed(Interval lanes, uint32_t by) {
        return {lanes.begin / by, lanes.end / by};
    }
};

VectorProgram::VectorProgram(std::vector<VectorOperation> operations)
    : operations_{std::move(operations)} {
    check();
    const Analysis analysis(operations_);
    std::vector<Interval> read, written;
    StoredBytes stored;
    // Bytes that the function has stored before do not count as read.
    const auto touch = [&](const VectorOperation& op, Interval bytes) {
        if (is_load(op.opcode)) return stored.rest(bytes, read);
        written.push_back(bytes);
        if (analysis.is_certain(op)) stored.add(bytes);
    };
    uint32_t appended = 0;  // bytes of VSTUR, at most
    extents_.resize(operations_.size());
    for (VectorOperation& op : operations_) {
        Extent& extent = extents_[static_cast<size_t>(&op - operations_.data())];
        if (op.opcode == VectorOpcode::kSPRCLR) appended = 0;
        if (!is_load(op.opcode) && !is_store(op.opcode)) continue;
        const uint32_t bytes = footprint_of(op).bytes;
        Interval part{0, bytes};
        switch (op.opcode) {
            case VectorOpcode::kVSLDB:
            case VectorOpcode::kVSSTB: {
                const Bytes active = op.mask != 0 && analysis.fixed[op.mask]
                                         ? *analysis.fixed[op.mask]
                                         : Bytes{}.set();
                for (uint32_t block = 0; block < kVectorBytes / kBlockBytes; ++block) {
                    if (!active[4 * block]) continue;
                    const uint32_t at =
                        op.address + (op.repeat_stride + block * op.block_stride) * kBlockBytes;
                    touch(op, {at, at + kBlockBytes});
                    extent = {extent.end == 0 ? at : std::min(extent.begin, at),
                              std::max(extent.end, at + kBlockBytes)};
                }
                continue;
            }
            case VectorOpcode::kVGATHER2:
            case VectorOpcode::kVGATHERB:
            case VectorOpcode::kVSCATTER:
                if (const auto accesses = analysis.indexed(op)) {
                    for (const Interval& access : *accesses) touch(op, access);
                    if (!accesses->empty()) extent = {accesses->front().begin, accesses->back().end};
                } else {
                    touch(op, {op.address, op.address + bytes});
                }
                continue;
            case VectorOpcode::kVSTUR:
                appended += kVectorBytes;
                part.end = appended;
                break;
            case VectorOpcode::kVLDS:
            case VectorOpcode::kVLDUS:
                if (bytes != kVectorBytes) break;
                part = hull(analysis.used[op.results[0]]);
                op.scalar = part.end == 0 ? 1 : part.end;
                part.end = std::max(part.end, 1u);
                break;
            default:
                if (is_store(op.opcode)) part = analysis.stored(op);
                break;
        }
        extent = {op.address + part.begin, op.address + part.end};
        touch(op, extent);
    }
    reads_ = runs_of(std::move(read), kMostRuns);
    writes_ = runs_of(std::move(written), kMostRuns);
    assign_registers();
}

void VectorProgram::check() const {
    std::vector<VectorValue> values{VectorValue::kNone};
    for (size_t at = 0; at < operations_.size(); ++at) {
        const VectorOperation& op = operations_[at];
        const VectorOperationInfo& row = info(op.opcode);
        const auto fail = [&](std::string_view code, std::string message, std::string hint) {
            throw Fault{at, std::string(code), std::string(row.name) + " " + std::move(message),
                        std::move(hint)};
        };
        const auto uses = [&](uint32_t value, VectorValue kind, std::string_view what) {
            if (value < values.size() && values[value] == kind) return;
            fail("V01", "uses " + std::string(what) + " that nothing has set in this function",
                 "set it first; registers and predicates do not keep their values from one function to the next");
        };
        for (unsigned i = 0; i < row.sources(); ++i)
            uses(op.sources[i], row.source(i),
                 row.source(i) == VectorValue::kRegister ? "a register" : "a predicate");
        if (op.merges) uses(op.sources[3], VectorValue::kRegister, "a register");
        if (op.mask != 0) uses(op.mask, VectorValue::kPredicate, "a predicate");
        if (!row.types.contains(op.type))
            fail("V02", "does not take lanes of " + std::string(name(op.type)),
                 "it takes " + to_text(row.types));
        if (!has_mode(op.opcode, op.mode))
            fail("V04", "has no such distribution",
                 "loads and stores have different distributions");
        if (op.opcode == VectorOpcode::kVSTUS && op.scalar > kVectorBytes)
            fail("V04", "stores " + std::to_string(op.scalar) + " bytes, and a register has 256",
                 "store a register at a time");
        const VectorFootprint footprint = footprint_of(op);
        if (op.address % footprint.alignment != 0)
            fail("V03",
                 "is at byte " + std::to_string(op.address) + " of UB, which is not a multiple of " +
                     std::to_string(footprint.alignment),
                 "move the data, or use an unaligned access (vldas and vldus, vstus and vstas)");
        for (unsigned i = 0; i < row.results(); ++i) {
            if (op.results[i] == 0 || op.results[i] > op.results.size() * operations_.size())
                fail("V01", "has a result without a number", "number results from 1 on");
            values.resize(std::max<size_t>(values.size(), op.results[i] + 1));
            values[op.results[i]] = row.result(i);
        }
    }
}

// Each value has a register from the operation that makes it to the last that reads it.
void VectorProgram::assign_registers() {
    std::vector<size_t> last;
    const auto each = [](VectorOperation& op, auto&& f) {
        for (uint32_t& source : op.sources)
            if (source != 0) f(source);
        if (op.mask != 0) f(op.mask);
    };
    for (size_t at = 0; at < operations_.size(); ++at) {
        for (uint32_t result : operations_[at].results)
            if (result >= last.size()) last.resize(result + 1);
        for (uint32_t result : operations_[at].results) last[result] = at;
        each(operations_[at], [&](uint32_t value) { last[value] = at; });
    }
    std::vector<uint32_t> slot_of(last.size()), free;
    for (size_t at = 0; at < operations_.size(); ++at) {
        VectorOperation& op = operations_[at];
        std::vector<uint32_t> ended;  // values that nobody reads any more
        each(op, [&](uint32_t& value) {
            if (last[value] == at && std::find(ended.begin(), ended.end(), value) == ended.end())
                ended.push_back(value);
            value = slot_of[value];
        });
        // Results do not take the slots of sources: an operation may write one before it has read
        // all.
        for (uint32_t& result : op.results) {
            if (result == 0) continue;
            if (last[result] == at) ended.push_back(result);
            if (free.empty()) free.push_back(registers_++);
            result = slot_of[result] = free.back();
            free.pop_back();
        }
        for (const uint32_t value : ended) free.push_back(slot_of[value]);
    }
}

VectorProgram::Outside VectorProgram::run(Core& core) const {
    std::vector<VectorRegister> file(registers_);
    VectorLanes lanes(file.data(), core.ub, core.ub_bytes, core.numerics);
    lanes.appended = core.ar;
    for (const VectorOperation& op : operations_) lanes.compute(op);
    core.ar = lanes.appended;
    return {lanes.outside, lanes.first_outside};
}

std::vector<VectorProgram::Extent> VectorProgram::extents(const Core& core) const {
    std::vector<Extent> result = extents_;
    const auto appends = [](const VectorOperation& op) {
        return op.opcode == VectorOpcode::kVSTUR;
    };
    if (std::none_of(operations_.begin(), operations_.end(), appends)) return result;
    std::vector<std::byte> copy(core.ub, core.ub + core.ub_bytes);
    std::vector<VectorRegister> file(registers_);
    VectorLanes lanes(file.data(), copy.data(), core.ub_bytes, core.numerics);
    lanes.appended = core.ar;
    for (size_t i = 0; i < operations_.size(); ++i) {
        const uint32_t begin = operations_[i].address + lanes.appended;
        lanes.compute(operations_[i]);
        if (appends(operations_[i])) result[i] = {begin, begin + lanes.squeezed};
    }
    return result;
}

std::vector<UnsetBytes> VectorProgram::depending(const Core& core,
                                                 std::span<const UnsetBytes> unset) const {
    // As f32 and f16: 0, NaN, large, large below 0; as integers: 0, the largest or -1, large ones
    // of both signs.
    constexpr std::array kFills{0x00, 0xFF, 0x4B, 0xCB};
    Extent changed{UINT32_MAX, 0};  // what a run reads and writes
    const auto cover = [&](uint64_t begin, uint64_t end) {
        changed = {
            static_cast<uint32_t>(std::min<uint64_t>(changed.begin, begin)),
            static_cast<uint32_t>(std::max<uint64_t>(changed.end, std::min(end, core.ub_bytes)))};
    };
    for (const std::vector<ByteRuns>* runs : {&reads_, &writes_})
        for (const ByteRuns& run : *runs) cover(run.begin, run.end());
    for (const Extent& extent : extents_)
        if (extent.end != 0) cover(extent.begin, extent.end);
    if (follows_data()) cover(0, core.ub_bytes);
    if (changed.begin >= changed.end) return {};
    const auto filled_with = [&](uint32_t byte, int fill, uint8_t bits) {
        return (core.ub[byte] & ~std::byte{bits}) |
               (static_cast<std::byte>(fill) & std::byte{bits});
    };
    std::vector<uint8_t> unset_bits(core.ub_bytes);
    for (const UnsetBytes& bytes : unset)
        std::fill(unset_bits.begin() + bytes.begin, unset_bits.begin() + bytes.end, bytes.bits);
    std::array<std::vector<std::byte>, kFills.size()> copies;
    for (size_t i = 0; i < kFills.size(); ++i) {
        copies[i].resize(core.ub_bytes);
        std::copy(core.ub + changed.begin, core.ub + changed.end,
                  copies[i].begin() + changed.begin);
        for (const UnsetBytes& bytes : unset)
            for (uint32_t at = bytes.begin; at < bytes.end; ++at)
                copies[i][at] = filled_with(at, kFills[i], bytes.bits);
        Core on_copy = core;
        on_copy.ub = copies[i].data();
        run(on_copy);
    }
    std::vector<UnsetBytes> result;
    const auto is_predicate = [&](uint32_t byte) {
        for (size_t i = 0; i < operations_.size(); ++i)
            if (is_predicate_store(operations_[i].opcode) && extents_[i].begin <= byte &&
                byte < extents_[i].end)
                return true;
        return false;
    };
    const auto may_be_stored = [&](uint32_t byte) {
        return follows_data() ||
               std::any_of(writes_.begin(), writes_.end(), [byte](const ByteRuns& run) {
                   return run.begin <= byte && byte < run.end() &&
                          (byte - run.begin) % run.pitch < run.length;
               });
    };
    for (uint32_t byte = changed.begin; byte < changed.end; ++byte) {
        std::byte differing{0};
        bool filled = unset_bits[byte] != 0;
        for (size_t i = 0; i < kFills.size(); ++i) {
            differing |= copies[i][byte] ^ copies[0][byte];
            filled = filled && copies[i][byte] == filled_with(byte, kFills[i], unset_bits[byte]);
        }
        if (differing == std::byte{0} || (filled && !may_be_stored(byte))) continue;
        const uint8_t bits = is_predicate(byte) ? static_cast<uint8_t>(differing) : 0xFF;
        if (!result.empty() && result.back().end == byte && result.back().bits == bits)
            ++result.back().end;
        else
            result.push_back({byte, byte + 1, bits});
    }
    return result;
}

bool VectorProgram::follows_data() const {
    return std::any_of(operations_.begin(), operations_.end(), [](const VectorOperation& op) {
        using enum VectorOpcode;
        return op.opcode == kVGATHER2 || op.opcode == kVGATHERB || op.opcode == kVSCATTER ||
               op.opcode == kVSTUR;
    });
}

namespace {

// Programs by the bytes of their operations.
class Programs {
 public:
    uint64_t number(std::vector<VectorOperation> operations) {
        const std::string key(reinterpret_cast<const char*>(operations.data()),
                              operations.size() * sizeof(VectorOperation));
        {
            const std::shared_lock lock(mutex_);
            if (const auto found = by_bytes_.find(key); found != by_bytes_.end())
                return found->second;
        }
        auto program = std::make_unique<const VectorProgram>(std::move(operations));
        const std::unique_lock lock(mutex_);
        const auto [found, is_new] = by_bytes_.try_emplace(key, list_.size());
        if (is_new) list_.push_back(std::move(program));
        return found->second;
    }
    const VectorProgram& at(uint64_t number) const {
        const std::shared_lock lock(mutex_);
        return *list_.at(number);
    }

 private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<std::string, uint64_t> by_bytes_;
    std::vector<std::unique_ptr<const VectorProgram>> list_;
};

Programs& programs() {
    static auto& all = *new Programs;
    return all;
}

Tile tile_of(const ByteRuns& runs) {
    Tile tile;
    tile.space = Space::kUB;
    tile.dtype = DType::kU8;
    tile.address = runs.begin;
    tile.rows = tile.valid_rows = static_cast<int32_t>(runs.count);
    tile.cols = tile.valid_cols = static_cast<int32_t>(runs.length);
    tile.pitch = static_cast<int32_t>(runs.pitch);
    return tile;
}

}  // namespace

uint64_t vector_program(std::vector<VectorOperation> operations) {
    return programs().number(std::move(operations));
}
const VectorProgram& vector_program(uint64_t number) { return programs().at(number); }
const VectorProgram& vector_program(const Instruction& instruction) {
    return vector_program(instruction.operands[2 * VectorProgram::kMostRuns].scalar.bits);
}

Instruction vector_function(uint64_t number, SourceLocation where) {
    const VectorProgram& program = vector_program(number);
    Instruction instruction(Opcode::kVECTOR_FUNCTION, where);
    const auto add = [&](const std::vector<ByteRuns>& runs) {
        for (unsigned i = 0; i < VectorProgram::kMostRuns; ++i)
            instruction.add(i < runs.size() ? Operand(tile_of(runs[i])) : Operand());
    };
    add(program.writes());
    add(program.reads());
    return instruction.add(Scalar{number, DType::kU64});
}

}  // namespace ptosim
