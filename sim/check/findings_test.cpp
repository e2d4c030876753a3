#include "sim/check/findings.h"

#include <catch2/catch.hpp>

namespace ptosim::check {
namespace {

std::string hint(RunAs run_as, uint32_t block_of_second) {
    const SourceLocation line{0, 1, 7};
    return ordering_hint({line, Pipe::kMTE3, 1, 4}, {line, Pipe::kMTE3, 2, block_of_second},
                         SourceMap{}, run_as);
}

bool says(const std::string& text, std::string_view word) { return text.find(word) != text.npos; }

TEST_CASE("What AIVs of a cluster are told apart by depends on what they run") {
    CHECK(says(hint(RunAs::kLaunch, 4), "give each sub-block its part (pto.get_subblock_idx)"));
    CHECK(says(hint(RunAs::kLaunch, 5), "give each block separate bytes"));
    for (const uint32_t block : {4u, 5u}) {
        // The blocks of a program are its clusters: no kernel is launched on them.
        CHECK(says(hint(RunAs::kTask, block), "the same line in two tasks"));
        CHECK_FALSE(says(hint(RunAs::kTask, block), "subblock"));
        CHECK(says(hint(RunAs::kTaskWithoutSubblock, block), "get_subblockid() is 0 in each"));
    }
}

TEST_CASE("hints are in the language of the text, whatever the name of its file", "[findings]") {
    SourceMap sources;
    const uint16_t assembly = sources.add("softmax.mlir", "", SourceLanguage::kAssembly);
    const uint16_t compiled = sources.add("softmax.pto", "", SourceLanguage::kCpp);
    CHECK(spelling_of(sources, {assembly, 0, 1}).barrier(Pipe::kV) == "pto.barrier <PIPE_V>");
    CHECK(spelling_of(sources, {compiled, 0, 1}).barrier(Pipe::kV) == "pipe_barrier(PIPE_V)");
}

}  // namespace
}  // namespace ptosim::check
