// Flags, signals and barriers of a bound kernel. Expected values are worked out by hand.

#include <catch2/catch.hpp>

#include "isa/assembly/bind/recording_port.h"
#include "isa/core/signal_listener.h"

using namespace ptosim;
using namespace ptosim::assembly;

TEST_CASE("flags, events and barriers name pipes and ids", "[assembly][sync]") {
    auto r = run_body(R"(
      %arr = pto.declare_eventid_array -> !pto.eventid_array<4>
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      pto.eventid_array_set %arr[%c1], %c5 : !pto.eventid_array<4>
      %e = pto.eventid_array_get %arr[%c1] : !pto.eventid_array<4>
      pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]
      pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]
      pto.set_flag_dyn[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, %e]
      pto.record_event[#pto.pipe_event_type<TLOAD>, #pto.sync_op_type<TVEC>, <EVENT_ID1>]
      pto.wait_event[<TVEC>, <TSTORE_VEC>, <EVENT_ID0>]
      pto.barrier <PIPE_ALL>
      pto.barrier #pto.pipe<PIPE_V>
      pto.sync.set <PIPE_MTE3>, 4 {ffts_mode = 1 : i32}
      pto.sync.wait <PIPE_V>, 4)");
    const auto& issued = r.port.issued;
    REQUIRE(issued.size() == 9);
    CHECK(issued[0].opcode == Opcode::kSET_FLAG);
    CHECK(issued[0].attributes.source_pipe == Pipe::kMTE2);
    CHECK(issued[0].attributes.destination_pipe == Pipe::kV);
    CHECK(issued[0].attributes.event_id == 3);
    CHECK(issued[1].opcode == Opcode::kWAIT_FLAG);
    CHECK(issued[1].attributes.event_id == 3);
    CHECK(issued[2].attributes.event_id == 5);
    CHECK(issued[2].attributes.destination_pipe == Pipe::kMTE3);
    CHECK(issued[3].attributes.source_pipe == Pipe::kMTE2);
    CHECK(issued[4].opcode == Opcode::kWAIT_FLAG);
    CHECK(issued[4].attributes.destination_pipe == Pipe::kMTE3);
    CHECK(issued[5].attributes.destination_pipe == Pipe::kAll);
    CHECK(issued[6].attributes.destination_pipe == Pipe::kV);
    CHECK(issued[7].opcode == Opcode::kCROSS_SET);
    CHECK(issued[7].attributes.cross_mode == 1);
    CHECK(issued[7].attributes.source_pipe == Pipe::kMTE3);
    CHECK(issued[8].opcode == Opcode::kCROSS_WAIT);
    CHECK(issued[8].attributes.event_id == 4);

    CHECK(bind_text(kernel_text("pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]"))
              ->has_explicit_sync());
    CHECK(bind_text(kernel_text("pto.barrier <PIPE_V>"))->has_explicit_sync());
    CHECK_FALSE(bind_text(kernel_text("pto.barrier <PIPE_ALL>"))->has_explicit_sync());
}

TEST_CASE("signals from core to core are those of a5, or signals of mode 2", "[assembly][sync]") {
    const std::string text = kernel_text(R"(
      %e = arith.constant 7 : index
      pto.set_intra_block <PIPE_MTE3>, 3
      pto.wait_intra_block <PIPE_V>, %e
      pto.set_cross_block <PIPE_MTE3>, 1)");
    for (const Arch arch : {Arch::kA5, Arch::kA2A3}) {
        BindOptions options = test_options();
        options.arch = arch;
        const bool a5 = arch == Arch::kA5;
        RecordingPort port;
        const uint64_t argument = 0;
        bind_text(text, options)->run(port, {&argument, 1});
        REQUIRE(port.issued.size() == 3);
        CHECK(port.issued[0].opcode == (a5 ? Opcode::kINTRA_SET : Opcode::kCROSS_SET));
        CHECK(port.issued[0].attributes.event_id == 3);
        CHECK(port.issued[0].attributes.cross_mode == 2);
        CHECK(port.issued[1].opcode == (a5 ? Opcode::kINTRA_WAIT : Opcode::kCROSS_WAIT));
        CHECK(port.issued[1].attributes.event_id == 7);
        CHECK(port.issued[1].attributes.destination_pipe == Pipe::kV);
        CHECK(port.issued[2].opcode == Opcode::kCROSS_SET);
        CHECK(port.issued[2].attributes.cross_mode == 0);
    }
}

TEST_CASE("a barrier of all cores names its cores and, if soft, a workspace", "[assembly][sync]") {
    const auto text = [](const std::string& call) {
        return kernel_text("%n = arith.constant 4 : i32\n%i = arith.constant 4 : index\n" + call);
    };
    RecordingPort port;
    const uint64_t argument = 0;
    bind_text(text("pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = "
                   "#pto.sync_core_type<aic_only>"))
        ->run(port, {&argument, 1});
    REQUIRE(port.issued.size() == 1);
    CHECK(port.issued[0].opcode == Opcode::kSYNCALL);
    CHECK(port.issued[0].attributes.sync_cores == SyncCores::kAIC);
    const auto code = [&](const std::string& call) {
        try {
            bind_text(text(call));
        } catch (const DiagnosticError& error) {
            return error.diagnostics().front().code;
        }
        return std::string();
    };
    CHECK(code("pto.syncall(%n : i32) mode = #pto.sync_all_mode<hard>, core_type = "
               "#pto.sync_core_type<mix>") == "K06");
    CHECK(code("pto.syncall() mode = #pto.sync_all_mode<soft>, core_type = "
               "#pto.sync_core_type<mix>") == "K06");
    CHECK(code("pto.syncall(%n : i32) mode = #pto.sync_all_mode<soft>, core_type = "
               "#pto.sync_core_type<mix>") == "K07");
    CHECK(code("pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = "
               "#pto.sync_core_type<none>") == "K09");
}

TEST_CASE("in a launch that kernels share, a soft barrier counts its cores in memory",
          "[assembly][sync]") {
    // Other cores come one by one, each before this one looks again.
    struct Port : RecordingPort {
        explicit Port(uint64_t others) : others_to_come{others} {}
        uint64_t load_global(uint64_t address, DType, ScalarPath, SourceLocation) override {
            ++looks;
            if (others_to_come != 0) --others_to_come, ++memory[address];
            return memory[address];
        }
        bool shares_launch() const override { return true; }
        uint64_t others_to_come, looks = 0;
    };
    const auto run = [](Port& port, const std::string& cores) {
        bind_text(
            kernel_text("%n = arith.constant 4 : i32\npto.syncall(%ws, %n : !pto.ptr<i32>, i32)"
                        " mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<" +
                            cores + ">",
                        ", %ws: !pto.ptr<i32>"))
            ->run(port, std::vector<uint64_t>{4096, 8192});
    };
    SECTION("it waits for the others") {
        Port port(3);
        run(port, "aiv_only");
        CHECK(port.memory.at(8192) == 4);
        CHECK(port.looks == 3);
        REQUIRE(port.issued.size() == 2);
        for (const Instruction& instruction : port.issued)
            CHECK(instruction.opcode == Opcode::kPIPE_BARRIER);
    }
    SECTION("the workspace is used again") {
        Port port(3);
        port.memory[8192] = 4;
        run(port, "mix");
        CHECK(port.memory.at(8192) == 8);
    }
    SECTION("without the others it never goes on") {
        Port port(2);
        CHECK_THROWS_AS(run(port, "aiv_only"), RecordingPort::Stopped);
    }
    SECTION("a core of the other type only waits for its pipes") {
        Port port(0);
        run(port, "aic_only");
        CHECK(port.memory.empty());
        CHECK(port.issued.size() == 1);
    }
    SECTION("in a launch of its own flags do it") {
        RecordingPort port;
        bind_text(kernel_text("pto.syncall(%ws : !pto.ptr<i32>) mode = #pto.sync_all_mode<soft>, "
                              "core_type = #pto.sync_core_type<mix>",
                              ", %ws: !pto.ptr<i32>"))
            ->run(port, std::vector<uint64_t>{4096, 8192});
        REQUIRE(port.issued.size() == 1);
        CHECK(port.issued[0].opcode == Opcode::kSYNCALL);
    }
}

TEST_CASE("a port may follow waits for signals", "[assembly][sync]") {
    struct ListeningPort : RecordingPort, SignalListener {
        uint64_t load_global(uint64_t address, DType type, ScalarPath path,
                             SourceLocation where) override {
            if (++loads == 3) memory[address] = 5;  // another core has added to it
            return RecordingPort::load_global(address, type, path, where);
        }
        void awaits(const AwaitedSignal& signal) override { awaited.push_back(signal); }
        void no_longer_awaits() override { ++ended; }
        unsigned loads = 0, ended = 0;
        std::vector<AwaitedSignal> awaited;
    } port;
    const auto kernel = bind_text(R"(module {
func.func @k(%s: !pto.ptr<i32>) {
  %c1 = arith.constant 1 : index
  %v = arith.constant 4 : i32
  %view = pto.make_tensor_view %s, shape = [%c1, %c1], strides = [%c1, %c1] : !pto.tensor_view<?x?xi32>
  %word = pto.partition_view %view, offsets = [%c1, %c1], sizes = [%c1, %c1] : !pto.tensor_view<?x?xi32> -> !pto.partition_tensor_view<1x1xi32>
  pto.comm.twait(%word, %v : !pto.partition_tensor_view<1x1xi32>, i32) {cmp = #pto<wait_cmp ge>}
  return
}
})");
    const uint64_t arguments[] = {4096};
    port.memory[4096 + 8] = 2;
    kernel->run(port, arguments);
    REQUIRE(port.awaited.size() == 2);
    CHECK(port.awaited[1].address == 4096 + 8);
    CHECK(port.awaited[1].present == 2);
    CHECK(port.awaited[1].condition == "is >= 4");
    CHECK(port.awaited[1].where.line == 7);
    CHECK(port.ended == 1);
}
