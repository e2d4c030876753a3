// Stores that may still be in flight when their block ends.
//
// The machine ends a block only when its pipes are empty, and so do the runtimes of the public suites. A kernel that
// cannot rely on that must let the scalar unit wait for the last stores, by a barrier of all pipes or by a flag.
#include <algorithm>
#include <array>

#include "isa/table/instruction_table.h"
#include "sim/check/checker.h"

namespace ptosim::check {
namespace {

class DrainChecker final : public Checker {
 public:
    using Checker::Checker;
    void on_launch(const LaunchEvent& event) override;
    void on_block_begin(const RunEvent& event) override {
        stores_[timelines_.index(event.core)] = {};
    }
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_block_end(const RunEvent& event) override;

 private:
    // The last store of a pipe to global memory; tick 0: none.
    struct Store {
        Tick tick = 0;
        std::string_view instruction;
        SourceLocation location;
        Cycle time = 0;
    };

    std::vector<std::array<Store, kPipeCount>> stores_;  // by core
};

void DrainChecker::on_launch(const LaunchEvent& event) {
    stores_.assign(event.cores.size(), {});
}

void DrainChecker::on_start_accesses(const InstructionEvent& event, const Footprint& footprint) {
    const auto stores = [](const Piece& piece) { return piece.global && piece.writes; };
    if (event.pipe == Pipe::kS || std::none_of(footprint.begin(), footprint.end(), stores)) return;
    const Stamp now = timelines_.now(event.core, event.pipe);
    stores_[now.core][static_cast<size_t>(event.pipe)] = {
        now.tick, info(event.instruction->opcode).name, event.instruction->location, event.time};
}

void DrainChecker::on_block_end(const RunEvent& event) {
    const uint16_t core = timelines_.index(event.core);
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const Store& store = stores_[core][p];
        const Pipe pipe = static_cast<Pipe>(p);
        if (store.tick == 0 || timelines_.scalar_clock(core, pipe) >= store.tick) continue;
        const std::string site = "E12/" + std::to_string(store.location.file) + "/" +
                                 std::to_string(store.location.line) + "/" +
                                 std::to_string(store.location.column);
        findings_.add(site, [&] {
            Diagnostic d;
            d.code = "E12";
            d.category = Category::kSync;
            d.message = std::string(store.instruction) +
                        " may still be in flight when its block ends, because the scalar unit does not wait for " +
                        std::string(name(pipe));
            d.hint = "end the kernel with " +
                     spelling_of(*shared_.sources, store.location).barrier(Pipe::kAll);
            shared_.sources->locate(d, store.location);
            d.core = name(event.core);
            d.pipe = name(pipe);
            d.instruction = store.instruction;
            d.cycle = store.time;
            d.has_cycle = true;
            return d;
        });
    }
}

}  // namespace

PTOSIM_CHECKER(drain) = row_of<DrainChecker>(
    {.name = "drain",
     .codes = "E12",
     .about = "stores that the scalar unit has not waited for when its block ends",
     .order = 10});

}  // namespace ptosim::check
