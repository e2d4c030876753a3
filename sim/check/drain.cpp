#include "sim/check/drain.h"

#include <algorithm>

#include "isa/table/instruction_table.h"

namespace ptosim::check {

void DrainChecker::launch(const LaunchEvent& event) {
    sources_ = event.sources;
    stores_.assign(event.cores.size(), {});
}

void DrainChecker::start(const InstructionEvent& event, const Footprint& footprint) {
    const auto stores = [](const Piece& piece) { return piece.global && piece.writes; };
    if (event.pipe == Pipe::kS || std::none_of(footprint.begin(), footprint.end(), stores)) return;
    const Stamp now = timelines_.now(event.core, event.pipe);
    stores_[now.core][static_cast<size_t>(event.pipe)] = {
        now.tick, info(event.instruction->opcode).name, event.instruction->location, event.time};
}

void DrainChecker::block_end(const RunEvent& event) {
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
                        " may still be in flight when its block ends: nothing makes the scalar "
                        "unit wait for " +
                        std::string(name(pipe));
            d.hint =
                "end the kernel with " + spelling_of(*sources_, store.location).barrier(Pipe::kAll);
            sources_->locate(d, store.location);
            d.core = name(event.core);
            d.pipe = name(pipe);
            d.instruction = store.instruction;
            d.cycle = store.time;
            d.has_cycle = true;
            return d;
        });
    }
}

}  // namespace ptosim::check
