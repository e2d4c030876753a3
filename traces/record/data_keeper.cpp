#include "traces/record/data_keeper.h"

#include <functional>
#include <utility>

#include "isa/table/access.h"
#include "isa/table/instruction_table.h"

namespace ptosim {

namespace {

constexpr uint64_t kRecordBytes = 64;  // of one operand, without its values
constexpr size_t kMostStores = size_t{1} << 18;

bool has_role(OperandRole role, OperandSet::Role asked) {
    return role == OperandRole::kInOut ||
           role == (asked == OperandSet::kRead ? OperandRole::kIn : OperandRole::kOut);
}

// Finds the row and column of this byte in the view as a matrix; false if it is in none of its
// elements.
bool find_in(const GlobalView& view, uint64_t address, MismatchRecord& to) {
    const int64_t width = bits(view.dtype);
    const auto rows = view.matrix_rows(), columns = view.matrix_cols();
    const int64_t channels = view.block_channels();
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
            const int64_t first = view.matrix_offset(row, column) * width / 8;
            const auto begin = view.address + static_cast<uint64_t>(first);
            const auto bytes = static_cast<uint64_t>((channels * width + 7) / 8);
            if (address - begin >= bytes) continue;
            to.row = channels == 1 ? static_cast<int32_t>(row) : -1;
            to.column = channels == 1 ? static_cast<int32_t>(column) : -1;
            return true;
        }
    return false;
}

}  // namespace

DataKeeper::DataKeeper(RecordSink& sink, uint64_t most_bytes)
    : sink_{sink},
      tile_bytes_left_{most_bytes / 4 * 3},
      records_left_{std::max<uint64_t>(1, most_bytes / 4 / kRecordBytes)} {}

void DataKeeper::keep(const DataEvent& event, OperandSet::Role role) {
    const Instruction& instruction = event.execution.instruction;
    const auto& roles = info(instruction.opcode).operands;
    for (unsigned i = 0; i < instruction.operand_count && records_left_ > 0; ++i) {
        const Operand& operand = instruction.operands[i];
        const OperandRole own = i < roles.size() ? roles[i].role : OperandRole::kIn;
        if (!operand.is_tile() || !has_role(own, role)) continue;
        ValuesRecord record;
        record.core = event.core;
        record.sequence = static_cast<uint32_t>(event.sequence);
        record.operand = static_cast<uint8_t>(i);
        record.role = role;
        record.space = operand.tile.space;
        record.address = operand.tile.address;
        keep_tile(record, operand.tile, event.execution.bytes[i]);
    }
}

void DataKeeper::keep_tile(ValuesRecord record, const Tile& tile, const std::byte* base) {
    TileValues values = values_of(tile, base);
    record.facts = facts_of(values);
    record.tile = number_of(std::move(values));
    without_values_ += record.tile == ValuesRecord::kNotKept;
    --records_left_;
    sink_.values(record);
}

uint32_t DataKeeper::number_of(TileValues&& values) {
    const uint64_t hash = std::hash<std::string>()(values.bytes);
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry)
        if (tiles_[entry->second] == values) return entry->second;
    if (values.bytes.size() > tile_bytes_left_) return ValuesRecord::kNotKept;
    tile_bytes_left_ -= values.bytes.size();
    const auto number = static_cast<uint32_t>(tiles_.size());
    by_hash_.emplace(hash, number);
    sink_.tile(values);
    tiles_.push_back(std::move(values));
    return number;
}

void DataKeeper::add(Store store, const GlobalView* view) {
    if (stores_.size() == kMostStores) {
        stores_left_out_ = true;
        return;
    }
    if (view != nullptr) {
        store.view = static_cast<uint32_t>(views_.size());
        views_.push_back(*view);
    }
    stores_.push_back(store);
}

void DataKeeper::on_complete(const InstructionEvent& event) {
    if (event.instruction == nullptr) return;
    const Instruction& instruction = *event.instruction;
    bool global = false;
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        global |= instruction.operands[i].is_global();
    if (!global) return;
    for (const Access& access : accesses(instruction))
        if (access.global && access.writes && access.view != nullptr)
            add({event.core, static_cast<uint32_t>(event.sequence), false, access.begin,
                 access.end},
                access.view);
}

void DataKeeper::on_scalar_access(const ScalarAccessEvent& event) {
    if (event.access.global && event.access.writes)
        add({event.core, static_cast<uint32_t>(event.sequence), true, event.access.begin,
             event.access.end},
            nullptr);
}

void DataKeeper::find_writer(uint64_t address, MismatchRecord& to) const {
    to.writer = MismatchRecord::kNobody;
    if (stores_left_out_) to.writer = MismatchRecord::kUnknown;
    for (auto store = stores_.rbegin(); store != stores_.rend() && !stores_left_out_; ++store) {
        if (address < store->begin || address >= store->end) continue;
        if (!store->scalar && !find_in(views_[store->view], address, to)) continue;
        to.writer = store->scalar ? MismatchRecord::kScalarUnit : MismatchRecord::kInstruction;
        to.core = store->core;
        to.sequence = store->sequence;
        return;
    }
}

}  // namespace ptosim
