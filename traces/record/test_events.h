// Replacement of the machine for tests: plays events to observers.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "isa/table/instruction_table.h"
#include "traces/record/recorder.h"

namespace ptosim::test {

inline constexpr CoreId kAic0{CoreType::kAIC, 0}, kAiv0{CoreType::kAIV, 0},
    kAiv1{CoreType::kAIV, 1};

inline Instruction flag_instruction(Opcode opcode, Pipe source, Pipe destination, uint8_t id,
                                    uint32_t line) {
    Instruction instruction{opcode, {0, 1, line}};
    instruction.attributes.source_pipe = source;
    instruction.attributes.destination_pipe = destination;
    instruction.attributes.event_id = id;
    return instruction;
}

inline Instruction tile_instruction(Opcode opcode, uint32_t line) {
    Instruction instruction{opcode, {0, 1, line}};
    const Tile tile = make_tile(Space::kUB, DType::kF32, 16, 64);
    GlobalView view;
    view.dtype = DType::kF32;
    view.shape = {1, 1, 1, 16, 64};
    if (opcode == Opcode::kTLOAD) return instruction.add(tile).add(view);
    if (opcode == Opcode::kTSTORE) return instruction.add(view).add(tile);
    return instruction.add(tile).add(tile).add(tile);
}

// Collects events in any order and plays them in order of time; events of one cycle in the order
// in which they were added, between the begin and the end of a launch.
class Tape {
 public:
    explicit Tape(uint64_t clock_hz = 1'000'000'000, std::string text = {}) : clock_hz_{clock_hz} {
        const bool given = !text.empty();
        for (int line = 1; line <= 99 && !given; ++line)
            text += "line " + std::to_string(line) + "\n";
        sources_->add("add.pto", text, SourceLanguage::kAssembly);
    }

    Tape& at(Cycle time, std::function<void(Observer&)> event, int rank = 1) {
        events_.push_back({time, rank, std::move(event)});
        return *this;
    }
    Tape& launch(Cycle begin, Cycle end, std::vector<CoreId> cores, bool ends = true) {
        at(
            begin,
            [sources = sources_, clock_hz = clock_hz_, begin, cores](Observer& o) {
                LaunchEvent e{"add", "ascend910b1", clock_hz, 4, cores, sources.get(), begin};
                o.on_launch(e);
            },
            0);
        if (ends)
            at(
                end, [end](Observer& o) { o.on_launch_end(end); }, 2);
        return *this;
    }
    // The kernel notes that a function of a library issues instructions of this name at a line.
    Tape& call(Cycle time, uint32_t line, const char* instruction, const char* function) {
        return at(time, [sources = sources_, line, instruction, function](Observer&) {
            sources->note_call({0, 0, line}, instruction, {function, "kernel_library.h:1"});
        });
    }
    Tape& run(CoreId core, uint32_t block, Cycle begin, Cycle end) {
        RunEvent e{core, {core.type, block, 4, 0, 1}, begin};
        at(begin, [e](Observer& o) { o.on_block_begin(e); });
        e.time = end;
        if (end != kNever) at(end, [e](Observer& o) { o.on_block_end(e); });
        return *this;
    }
    // kNever marks an event that does not happen any more.
    Tape& instruction(CoreId core, Pipe pipe, uint64_t sequence, const Instruction& what,
                      Cycle issue, Cycle start, Cycle pipe_free, Cycle complete) {
        InstructionEvent e{core, pipe, sequence, nullptr, issue, issue, start, pipe_free, 0, 0};
        auto play = [&](Cycle time, void (Observer::*call)(const InstructionEvent&)) {
            if (time == kNever) return;
            e.time = time;
            at(time, [e, what, call](Observer& o) {
                InstructionEvent with = e;
                with.instruction = &what;
                (o.*call)(with);
            });
        };
        play(issue, &Observer::on_issue);
        play(start, &Observer::on_start);
        play(complete, &Observer::on_complete);
        return *this;
    }
    Tape& wait(CoreId core, Pipe pipe, BlockReason reason, uint64_t sequence,
               const Instruction* what, Cycle begin, Cycle end, CoreId released = {},
               Pipe released_pipe = Pipe::kS, uint64_t released_by = 0) {
        BlockEvent e{core,  pipe,        reason,        nullptr, sequence,
                     begin, released_by, released_pipe, released};
        const Instruction copy = what == nullptr ? Instruction{} : *what;
        const bool present = what != nullptr;
        auto play = [&](void (Observer::*call)(const BlockEvent&)) {
            at(e.time, [e, copy, present, call](Observer& o) {
                BlockEvent with = e;
                if (present) with.instruction = &copy;
                (o.*call)(with);
            });
        };
        play(&Observer::on_block);
        e.time = end;
        if (end != kNever) play(&Observer::on_unblock);
        return *this;
    }
    Tape& flag(Cycle time, CoreId core, const Instruction& what, uint64_t sequence, bool set,
               bool cross = false, CoreId from = {}) {
        const Attributes& a = what.attributes;
        FlagEvent e{core, a.source_pipe, a.destination_pipe, a.event_id, cross,
                    from, sequence,      what.location,      time};
        return at(time, [e, set](Observer& o) { set ? o.on_flag_set(e) : o.on_flag_wait(e); });
    }

    void play(Observer& observer) const {
        std::vector<const Event*> order;
        for (const Event& event : events_) order.push_back(&event);
        std::stable_sort(order.begin(), order.end(), [](const Event* a, const Event* b) {
            return a->time != b->time ? a->time < b->time : a->rank < b->rank;
        });
        for (const Event* event : order) event->call(observer);
    }

 private:
    struct Event {
        Cycle time;
        int rank;
        std::function<void(Observer&)> call;
    };
    uint64_t clock_hz_;
    std::shared_ptr<SourceMap> sources_ = std::make_shared<SourceMap>();
    std::vector<Event> events_;
};

// One vector core: load, flag, add, barrier, drain. The hand-computed totals are in
// accounting_test.cpp.
//
//   cycle   100 102  104 106   112        152  160       180  185   200
//   S       |run --------------|drain ----------------------|
//   MTE2        |TLOAD --------------------|...|
//   V                    |wait MTE2->V #0 -----|TADD ----|barr|
inline Tape small_run(uint64_t clock_hz = 1'000'000'000) {
    Tape tape{clock_hz};
    const Instruction load = tile_instruction(Opcode::kTLOAD, 10);
    const Instruction set = flag_instruction(Opcode::kSET_FLAG, Pipe::kMTE2, Pipe::kV, 0, 11);
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE2, Pipe::kV, 0, 12);
    const Instruction add = tile_instruction(Opcode::kTADD, 13);
    const Instruction barrier =
        flag_instruction(Opcode::kPIPE_BARRIER, Pipe::kAll, Pipe::kV, 0, 14);
    tape.launch(100, 200, {kAiv0});
    tape.run(kAiv0, 3, 100, 185);
    tape.instruction(kAiv0, Pipe::kMTE2, 0, load, 102, 102, 152, 160);
    tape.flag(160, kAiv0, set, 1, true);
    tape.instruction(kAiv0, Pipe::kMTE2, 1, set, 104, 152, 152, 160);
    tape.wait(kAiv0, Pipe::kV, BlockReason::kFlag, 2, &wait, 106, 160, kAiv0, Pipe::kMTE2, 1);
    tape.flag(160, kAiv0, wait, 2, false);
    tape.instruction(kAiv0, Pipe::kV, 2, wait, 106, 160, 160, 160);
    tape.instruction(kAiv0, Pipe::kV, 3, add, 108, 160, 180, 185);
    tape.wait(kAiv0, Pipe::kV, BlockReason::kBarrier, 4, &barrier, 180, 185);
    tape.instruction(kAiv0, Pipe::kV, 4, barrier, 110, 185, 185, 185);
    tape.wait(kAiv0, Pipe::kS, BlockReason::kDrain, 5, nullptr, 112, 185);
    return tape;
}

// A vector core whose lines call a library:
//
//   cycle   10        20       50   60   70     80     100    110
//   MTE2    |TLOAD ------------|....|
//   V                 |wait MTE2->V #0 --|TADD -|TMUL -|TADD -|
inline Tape library_run() {
    Tape tape{1'000'000'000,
              "x = queue.AllocTensor<float>();\nDataCopy(x, from, 1024);\nqueue.EnQue(x);\n"
              "x = queue.DeQue<float>();\nAdd(y, x, x);\nown(y);\n"};
    const Instruction set = flag_instruction(Opcode::kSET_FLAG, Pipe::kMTE2, Pipe::kV, 0, 3);
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE2, Pipe::kV, 0, 4);
    tape.launch(0, 120, {kAiv0}).run(kAiv0, 0, 0, 120);
    tape.call(5, 2, "TLOAD", "DataCopy").call(5, 3, "SET_FLAG", "EnQue");
    tape.call(5, 4, "WAIT_FLAG", "DeQue").call(5, 5, "TADD", "Add").call(5, 5, "TMUL", "Add");
    tape.instruction(kAiv0, Pipe::kMTE2, 0, tile_instruction(Opcode::kTLOAD, 2), 10, 10, 50, 60);
    tape.flag(60, kAiv0, set, 1, true);
    tape.instruction(kAiv0, Pipe::kMTE2, 1, set, 12, 50, 50, 60);
    tape.wait(kAiv0, Pipe::kV, BlockReason::kFlag, 2, &wait, 20, 70, kAiv0, Pipe::kMTE2, 1);
    tape.flag(70, kAiv0, wait, 2, false);
    tape.instruction(kAiv0, Pipe::kV, 2, wait, 14, 70, 70, 70);
    tape.instruction(kAiv0, Pipe::kV, 3, tile_instruction(Opcode::kTADD, 5), 16, 70, 80, 80);
    tape.instruction(kAiv0, Pipe::kV, 4, tile_instruction(Opcode::kTMUL, 5), 18, 80, 100, 100);
    tape.instruction(kAiv0, Pipe::kV, 5, tile_instruction(Opcode::kTADD, 6), 20, 100, 110, 110);
    return tape;
}

// A vector core that adds twice in each of `rounds` rounds of an inner loop, in two of an outer
// one. Every instruction takes 10 cycles.
inline Tape loop_run(unsigned rounds) {
    Tape tape{1'000'000'000,
              "func {\n  scf.for %i = %a to %b {\n    load\n    scf.for %j = %a to %b {\n"
              "      add\n      add\n    }\n  }\n}\n"};
    Cycle now = 0;
    uint64_t sequence = 0;
    const auto issue = [&](Opcode opcode, Pipe pipe, uint32_t line) {
        tape.instruction(kAiv0, pipe, sequence++, tile_instruction(opcode, line), now, now,
                         now + 10, now + 10);
        now += 10;
    };
    for (int outer = 0; outer < 2; ++outer) {
        issue(Opcode::kTLOAD, Pipe::kMTE2, 3);
        for (unsigned inner = 0; inner < rounds; ++inner) {
            issue(Opcode::kTADD, Pipe::kV, 5);
            issue(Opcode::kTADD, Pipe::kV, 6);
        }
    }
    return tape.launch(0, now, {kAiv0}).run(kAiv0, 0, 0, now);
}

// Two cores: AIC00 loads and signals AIV00 and AIV01, which wait for it and then never get the
// flag that AIV00 waits for: a deadlock. Stops at cycle 500.
inline Tape deadlock_run(bool launch_ends) {
    Tape tape;
    const Instruction load = tile_instruction(Opcode::kTLOAD, 20);
    const Instruction signal = flag_instruction(Opcode::kCROSS_SET, Pipe::kMTE2, Pipe::kAll, 3, 21);
    Instruction take = flag_instruction(Opcode::kCROSS_WAIT, Pipe::kAll, Pipe::kAll, 3, 30);
    const Instruction wait = flag_instruction(Opcode::kWAIT_FLAG, Pipe::kMTE3, Pipe::kV, 1, 31);
    const Instruction add = tile_instruction(Opcode::kTADD, 32);
    tape.launch(0, 500, {kAic0, kAiv0, kAiv1}, launch_ends);
    tape.run(kAic0, 0, 0, 140).run(kAiv0, 0, 0, kNever).run(kAiv1, 0, 0, 120);
    tape.instruction(kAic0, Pipe::kMTE2, 0, load, 10, 10, 90, 100);
    tape.flag(100, kAic0, signal, 1, true, true, kAic0);
    tape.instruction(kAic0, Pipe::kMTE2, 1, signal, 12, 90, 90, 100);
    for (CoreId aiv : {kAiv0, kAiv1}) {
        tape.wait(aiv, Pipe::kS, BlockReason::kCrossCore, 0, &take, 20, 110, kAic0, Pipe::kMTE2, 1);
        Instruction taken = take;  // the machine tells which pipes took part
        taken.attributes.source_pipe = Pipe::kMTE2;
        taken.attributes.destination_pipe = Pipe::kS;
        tape.flag(110, aiv, taken, 0, false, true, kAic0);
    }
    tape.wait(kAiv0, Pipe::kV, BlockReason::kFlag, 1, &wait, 112, kNever);
    tape.instruction(kAiv0, Pipe::kV, 1, wait, 112, kNever, kNever, kNever);
    tape.instruction(kAiv0, Pipe::kV, 2, add, 114, kNever, kNever, kNever);
    tape.instruction(kAiv0, Pipe::kMTE2, 3, load, 116, 120, 130, kNever);
    tape.wait(kAiv0, Pipe::kS, BlockReason::kDrain, 4, nullptr, 118, kNever);
    tape.at(500, [](Observer& o) {
        Diagnostic d;
        d.code = "E01";
        d.category = Category::kDeadlock;
        d.message = "nothing can move any more";
        d.file = "add.pto";
        d.location = {0, 1, 31};
        d.core = "AIV00";
        d.pipe = "V";
        d.cycle = 500;
        d.has_cycle = true;
        o.on_diagnostic(d);
    });
    return tape;
}

// A new empty folder, removed at the end.
class Folder {
 public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "ptosim-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

inline std::string read(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// Code of the error with which a call fails; empty if it does not.
inline std::string code_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const DiagnosticError& error) {
        return error.diagnostics().front().code;
    }
    return {};
}

}  // namespace ptosim::test
