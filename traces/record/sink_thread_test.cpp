#include "traces/record/sink_thread.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "traces/record/recorder.h"
#include "traces/record/test_events.h"
#include "traces/traces.h"

using namespace ptosim;
using namespace ptosim::test;

namespace {

InstructionRecord numbered(uint32_t sequence) {
    InstructionRecord record;
    record.issued = record.started = record.pipe_free = record.completed = sequence;
    record.sequence = sequence;
    record.flags = InstructionRecord::kStarted | InstructionRecord::kCompleted;
    return record;
}

struct FailingSink : RecordingBuilder {
    void instruction(const InstructionRecord& record) override {
        if (record.sequence == 5000) throw std::runtime_error("no room");
        RecordingBuilder::instruction(record);
    }
};

}  // namespace

TEST_CASE("what goes through a thread arrives as it was, in its order") {
    RecordingBuilder direct, behind;
    {
        Recorder recorder(direct);
        small_run().play(recorder);
        recorder.finish();
    }
    SinkThread thread(behind);
    {
        Recorder recorder(thread);
        small_run().play(recorder);
        recorder.finish();
    }
    thread.finish();
    const Recording a = direct.take(), b = behind.take();
    REQUIRE(a.instructions.size() == b.instructions.size());
    for (size_t i = 0; i < a.instructions.size(); ++i) {
        CHECK(a.instructions[i].sequence == b.instructions[i].sequence);
        CHECK(a.instructions[i].completed == b.instructions[i].completed);
        CHECK(a.operands_of(a.instructions[i]) == b.operands_of(b.instructions[i]));
    }
    CHECK(a.waits.size() == b.waits.size());
    CHECK(a.flags.size() == b.flags.size());
    CHECK(a.runs.size() == b.runs.size());
    CHECK(a.end == b.end);
}

TEST_CASE("many more than wait at a time arrive") {
    RecordingBuilder builder;
    SinkThread thread(builder);
    thread.core({CoreType::kAIC, 0});
    for (uint32_t i = 0; i < 20'000; ++i) thread.instruction(numbered(i));
    thread.end(20'000, false);
    thread.finish();
    const Recording recording = builder.take();
    REQUIRE(recording.instructions.size() == 20'000);
    CHECK(recording.instructions.back().sequence == 19'999);
}

TEST_CASE("what the sink throws comes out of a later call") {
    FailingSink sink;
    SinkThread thread(sink);
    CHECK_THROWS_AS(
        [&] {
            for (uint32_t i = 0; i < 20'000; ++i) thread.instruction(numbered(i));
            thread.finish();
        }(),
        std::runtime_error);
}
