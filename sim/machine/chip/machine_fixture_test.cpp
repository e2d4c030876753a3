// The fixture of the machine's tests. It has the name of a test so that only their program contains it.
#include "sim/machine/chip/machine_fixture.h"

#include <algorithm>
#include <ostream>

namespace ptosim {

ChipModel tiny_chip() {
    constexpr Milli kCycle = 1000;
    constexpr uint64_t kPlenty = 1'000'000'000'000;  // bytes per second: 1000 per cycle
    ChipModel chip;
    chip.name = "tiny";
    chip.arch = Arch::kA2A3;
    chip.clock = 1'000'000'000;
    chip.clusters = 1;
    chip.cluster.aivs = 2;
    for (const Space space : {Space::kUB, Space::kL1, Space::kL0A, Space::kL0B, Space::kL0C})
        chip.buffer_bytes[static_cast<size_t>(space)] = 128 * 1024;
    chip.queue.depth = 4;
    chip.flags.ids = 8;
    chip.flags.sets = 1;
    chip.scalar.issue = chip.scalar.operation = 1 * kCycle;
    chip.scalar.load = 50 * kCycle;
    chip.launch.block_start = 10 * kCycle;
    chip.sync.cross_core_latency = 100 * kCycle;
    chip.aiv.gm_to_ub.rate = chip.aiv.ub_to_gm.rate = 100 * kCycle;
    chip.aiv.gm_to_ub.latency = 20 * kCycle;
    chip.aiv.ub_to_gm.latency = 30 * kCycle;
    chip.aic.gm_to_l1 = chip.aiv.gm_to_ub;
    chip.aiv.vector.ports = 1 * kCycle;
    chip.aic.cube.k_per_cycle[static_cast<size_t>(DType::kF16)] = 16 * kCycle;
    chip.aic.cube.k_granule[static_cast<size_t>(DType::kF16)] = 16;
    chip.aic.l0c_to_gm.rate = 10 * kCycle;
    chip.aic.l0c_to_gm.latency = 30 * kCycle;
    chip.aiv.vector.rate[static_cast<size_t>(Opcode::kTABS)].start = 5 * kCycle;
    chip.memory.l2.read = chip.memory.l2.write = chip.memory.hbm.rate = kPlenty;
    chip.memory.outstanding = kPlenty;
    chip.memory.hbm.bypass_l2 = 1000;
    return chip;
}

namespace {

Tile ub(unsigned slot, int bytes) {
    Tile tile = make_tile(Space::kUB, DType::kF32, 1, bytes / 4);
    tile.address = slot * 16 * 1024;
    return tile;
}

GlobalView row(uint64_t address, int bytes) {
    GlobalView view;
    view.address = address;
    view.shape[4] = bytes / 4;
    for (int d = 0; d < 4; ++d) view.stride[static_cast<size_t>(d)] = bytes / 4;
    return view;
}

Instruction flag(Opcode opcode, Pipe source, Pipe destination, unsigned id) {
    Instruction instruction(opcode);
    instruction.attributes.source_pipe = source;
    instruction.attributes.destination_pipe = destination;
    instruction.attributes.event_id = static_cast<uint8_t>(id);
    return instruction;
}

std::string lane(const BlockEvent& event) {
    return name(event.core) + "/" + std::string(name(event.pipe));
}

}  // namespace

Instruction load(unsigned slot, uint64_t address, int bytes) {
    return Instruction(Opcode::kTLOAD).add(ub(slot, bytes)).add(row(address, bytes));
}
Instruction store(uint64_t address, unsigned slot, int bytes) {
    return Instruction(Opcode::kTSTORE).add(row(address, bytes)).add(ub(slot, bytes));
}
Instruction absolute(unsigned destination, unsigned source, int bytes) {
    return Instruction(Opcode::kTABS).add(ub(destination, bytes)).add(ub(source, bytes));
}
Instruction set_flag(Pipe source, Pipe destination, unsigned id) {
    return flag(Opcode::kSET_FLAG, source, destination, id);
}
Instruction wait_flag(Pipe source, Pipe destination, unsigned id) {
    return flag(Opcode::kWAIT_FLAG, source, destination, id);
}
Instruction barrier(Pipe pipe) { return flag(Opcode::kPIPE_BARRIER, pipe, pipe, 0); }
Instruction cross_set(Pipe pipe, unsigned id, unsigned mode) {
    Instruction set = flag(Opcode::kCROSS_SET, pipe, pipe, id);
    set.attributes.cross_mode = static_cast<uint8_t>(mode);
    return set;
}
Instruction cross_wait(unsigned id) { return flag(Opcode::kCROSS_WAIT, Pipe::kS, Pipe::kS, id); }
Instruction get_buffer(Pipe pipe, unsigned id, unsigned mode) {
    Instruction get = flag(Opcode::kGET_BUF, pipe, pipe, id);
    get.attributes.buffer_mode = static_cast<uint8_t>(mode);
    return get;
}
Instruction release_buffer(Pipe pipe, unsigned id, unsigned mode) {
    Instruction release = flag(Opcode::kRLS_BUF, pipe, pipe, id);
    release.attributes.buffer_mode = static_cast<uint8_t>(mode);
    return release;
}

namespace {

Tile accumulator() {
    return make_tile(Space::kL0C, DType::kF32, 16, 128, OuterLayout::kColMajor,
                     InnerLayout::kRowMajor, 1024);
}

}  // namespace

Instruction product(UnitFlagPhase phase) {
    Instruction product(Opcode::kTMATMUL);
    product.add(accumulator());
    product.add(make_tile(Space::kL0A, DType::kF16, 16, 256, OuterLayout::kRowMajor,
                          InnerLayout::kRowMajor));
    product.add(make_tile(Space::kL0B, DType::kF16, 256, 128, OuterLayout::kRowMajor,
                          InnerLayout::kColMajor));
    product.attributes.phase = phase;
    return product;
}

Instruction store_product(uint64_t address, UnitFlagPhase phase) {
    GlobalView view;
    view.address = address;
    view.shape[3] = 16;
    view.shape[4] = 128;
    view.stride = {16 * 128, 16 * 128, 16 * 128, 128, 1};
    Instruction store = Instruction(Opcode::kTSTORE).add(view).add(accumulator());
    store.attributes.phase = phase;
    return store;
}

std::ostream& operator<<(std::ostream& out, const Times& times) {
    return out << "{issued " << times.issued << ", started " << times.started << ", pipe free "
               << times.pipe_free << ", complete " << times.complete << "}";
}

std::ostream& operator<<(std::ostream& out, const Stall& stall) {
    return out << "{" << stall.pipe << " " << name(stall.reason) << " " << stall.begin << " to "
               << stall.end << ", released by " << stall.released_by << "}";
}

Machine::Machine(ChipModel model, const MakeMemory& memory)
    : chip_{"chip", std::move(model), memory} {
    chip_.attach(this);
}

uint64_t Machine::memory(uint64_t bytes) { return chip_.global().allocate(bytes, "array"); }

LaunchOptions Machine::one_block() {
    LaunchOptions options;
    options.blocks = 1;
    return options;
}

LaunchResult Machine::run(Script aiv, LaunchOptions options) {
    return run_cluster({}, std::move(aiv), std::move(options));
}

LaunchResult Machine::run_cluster(Script aic, Script aiv, LaunchOptions options) {
    const ScriptKernel kernel(std::move(aic), std::move(aiv));
    return chip_.launch(kernel, {}, options);
}

Times Machine::times(CoreId core, unsigned instruction) const {
    const auto& list = completed_.at({core.type, core.index});
    std::vector<uint64_t> numbers;
    for (const auto& [sequence, times] : list) numbers.push_back(sequence);
    std::sort(numbers.begin(), numbers.end());
    for (const auto& [sequence, times] : list)
        if (sequence == numbers.at(instruction)) return times;
    return {};
}

Stall Machine::first_stall(const std::string& lane) const {
    for (const Stall& stall : stalls_)
        if (stall.pipe == lane) return stall;
    return {};
}

void Machine::on_launch(const LaunchEvent& event) {
    begin_ = event.time;
    completed_.clear();
    open_.clear();
    stalls_.clear();
    blocks_.clear();
}

void Machine::on_block_begin(const RunEvent& event) {
    blocks_[event.identity.block] = {event.core, event.time - begin_, 0};
}

void Machine::on_block_end(const RunEvent& event) {
    blocks_[event.identity.block].end = event.time - begin_;
}

void Machine::on_complete(const InstructionEvent& event) {
    completed_[{event.core.type, event.core.index}].push_back(
        {event.sequence,
         {event.issued - begin_, event.started - begin_, event.pipe_free - begin_,
          event.time - begin_}});
}

void Machine::on_block(const BlockEvent& event) {
    open_[lane(event)] = {lane(event), event.reason, event.time - begin_, 0, 0};
}

void Machine::on_unblock(const BlockEvent& event) {
    Stall stall = open_.at(lane(event));
    stall.end = event.time - begin_;
    stall.released_by = event.released_by;
    stalls_.push_back(stall);
}

}  // namespace ptosim
