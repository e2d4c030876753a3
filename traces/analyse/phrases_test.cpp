#include <catch2/catch.hpp>

#include "sim/machine/observe/library_calls.h"
#include "traces/analyse/phrases.h"
#include "traces/record/test_events.h"

using namespace ptosim;
using namespace ptosim::test;

TEST_CASE("advice speaks as the library that a kernel calls") {
    const auto slot = [](Library library, const std::string& queue) {
        return phrase(Phrase::kOneMoreSlot, library,
                      {{"pipe", "MTE2"}, {"queue", queue}, {"call", "AllocTensor"}});
    };
    CHECK(slot(Library::kNone, "in") == "Add a slot to the buffer that MTE2 fills");
    CHECK(slot(Library::kAscendC, "in").find("buffer to queue in (BUFFER_NUM") !=
          std::string::npos);
    CHECK(slot(Library::kAscendC, "") == "Add a slot to the buffer that MTE2 fills");  // of which queue?
    CHECK(purpose_of("DeQue") == CallPurpose::kQueue);
    CHECK(purpose_of("IterateAll") == CallPurpose::kOther);
    for (unsigned i = 0; i < static_cast<unsigned>(Phrase::kCount); ++i)
        for (const Library library : {Library::kNone, Library::kAscendC}) {
            const std::string text = phrase(static_cast<Phrase>(i), library,
                                            {{"pipe", "MTE2"},
                                             {"core", "AIV"},
                                             {"queue", "in"},
                                             {"call", "DataCopy"},
                                             {"flag", "MTE2->V #0"},
                                             {"other", "Add at 3"}});
            CHECK(!text.empty());
            CHECK(text.find_first_of("{}") == std::string::npos);
        }
}

TEST_CASE("the library of a run is known by its headers") {
    const auto library = [](const Tape& tape) {
        Recorder recorder;
        tape.play(recorder);
        return library_of(recorder.recording().sources);
    };
    CHECK(library(small_run()) == Library::kNone);
    CHECK(library(library_run()) == Library::kAscendC);
}

TEST_CASE("a queue is named by what its call is a member of") {
    CHECK(object_of_call("auto x = inQueue.AllocTensor<float>();", "AllocTensor") == "inQueue");
    CHECK(object_of_call("this->in_->EnQue(x);", "EnQue") == "in_");
    CHECK(object_of_call("AllocTensor(x); a.AllocTensor();", "AllocTensor") == "a");
    CHECK(object_of_call("EnQue(x)", "EnQue").empty());
    CHECK(object_of_call("x = queues[i].DeQue();", "DeQue").empty());
    CHECK(object_of_call("", "DeQue").empty());
}
