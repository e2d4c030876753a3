// Keeps operands of a run: the values of tiles, and who stored what to global memory.
#pragma once

#include <unordered_map>
#include <vector>

#include "isa/core/global_view.h"
#include "sim/machine/observe/data_observer.h"
#include "traces/record/record_sink.h"

namespace ptosim {

class DataKeeper : public Observer, public DataObserver {
 public:
    // Sends at most `most_bytes` of kept data to `sink`, first come. Tiles with equal values are
    // kept once; for tiles that have no room it keeps the result of facts_of().
    DataKeeper(RecordSink& sink, uint64_t most_bytes);

    bool follows_instructions() const override { return false; }
    unsigned needs() const override { return 1u << kSynchronised | 1u << kAccesses; }
    bool follows_data(CoreId, uint64_t) const override { return records_left_ > 0; }
    void on_data_begin(const DataEvent& event) override { keep(event, OperandSet::kRead); }
    void on_data_end(const DataEvent& event) override { keep(event, OperandSet::kWritten); }
    void on_complete(const InstructionEvent& event) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;

    // Finds the last writer of this byte of global memory.
    void find_writer(uint64_t address, MismatchRecord& to) const;
    // Number of tiles whose values had no room; full(): true if no more instructions are kept.
    uint64_t without_values() const { return without_values_; }
    bool full() const { return records_left_ == 0; }

 private:
    struct Store {
        CoreId core;
        uint32_t sequence = 0;
        bool scalar = false;
        uint64_t begin = 0, end = 0;
        uint32_t view = 0;  // index into views_; of the scalar unit: none
    };
    void keep(const DataEvent& event, OperandSet::Role role);
    void keep_tile(ValuesRecord record, const Tile& tile, const std::byte* base);
    uint32_t number_of(TileValues&& values);
    void add(Store store, const GlobalView* view);

    RecordSink& sink_;
    uint64_t tile_bytes_left_;
    uint64_t records_left_;
    uint64_t without_values_ = 0;
    std::vector<TileValues> tiles_;
    std::unordered_multimap<uint64_t, uint32_t> by_hash_;  // of tiles_
    std::vector<Store> stores_;                            // in order of completion
    std::vector<GlobalView> views_;
    bool stores_left_out_ = false;
};

}  // namespace ptosim
