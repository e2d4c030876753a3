// A chip waits for a signal. Another chip, a separate process, has ended without setting it.
#include "sim/faces/mpmd/signal_board.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "sim/faces/mpmd/task_port.h"

namespace ptosim::mpmd {
namespace {

// The state that another chip's process writes.
void other_chip(SharedWord set) {
    const pid_t child = fork();
    if (child == 0) {
        setenv("PTOSIM_CHIP_NUMBER", "1", 1);
        SignalBoard board;
        board.begin_run();
        board.set(set, "meet at barrier.py:19");
        board.set(set, "meet at barrier.py:20");
        board.end_run(true);
        board.write();
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
}

TEST_CASE("A signal that does not come") {
    const auto folder = std::filesystem::temp_directory_path() / "ptosim_signal_board_test";
    std::filesystem::create_directories(folder);
    setenv("PTOSIM_FINDINGS", folder.c_str(), 1);
    setenv("PTOSIM_CHIP_NUMBER", "0", 1);
    constexpr uint64_t kSize = 8192;
    const int file = memfd_create("window", 0);
    REQUIRE(ftruncate(file, kSize) == 0);
    GlobalMemory memory;
    Windows windows;
    const auto window = reinterpret_cast<uint64_t>(windows.map(memory, kSize, file));
    close(file);
    const SharedWord awaited = windows.word_at(window + 4100);
    CHECK(awaited.offset == 4100);
    SharedWord other = awaited;
    other.offset = 4104;
    other_chip(other);

    SignalBoard board;
    SignalWaits waits(windows, board);
    SourceMap sources;
    const uint16_t python = sources.add("barrier.py", "\n\n    wait(signal)\n", SourceLanguage::kCpp);
    const CoreId core{CoreType::kAIV, 2};
    // A load that has read the same value twice has no condition; the interpreter provides one.
    waits.add(core, "meet", {window + 4100, 0, "", {python, 0, 3}}, sources);
    waits.add(core, "meet", {window + 4100, 0, "is >= 1", {python, 0, 3}}, sources);
    waits.add(core, "meet", {window + 4100, 0, "", {python, 0, 3}}, sources);
    Diagnostic deadlock;
    deadlock.code = "E05";
    waits.explain(deadlock, sources);
    const std::string message = deadlock.message.substr(0, deadlock.message.find("(0x")) +
                                deadlock.message.substr(deadlock.message.find(") is"));
    CHECK(message ==
          "deadlock: task meet on AIV02 of chip 0 waits for a signal that never arrives: word 1025 of a window ) is 0, "
          "and the task continues when it is >= 1");
    CHECK(deadlock.file == "barrier.py");
    CHECK(deadlock.location.line == 3);
    REQUIRE(deadlock.notes.size() == 1);
    CHECK(deadlock.notes[0] ==
          "chip 1 has ended its run; it has never set this word, but 1 other words of the window, e.g. in meet at "
          "barrier.py:20");
    CHECK(board.others(other) == std::vector<std::string>{"chip 1 has ended its run; it has set this word 2 times, "
                                                          "last in meet at barrier.py:20"});
    // A signal that has come is no longer awaited.
    waits.remove(core);
    Diagnostic second;
    second.code = "E05";
    second.message = "deadlock: as before";
    waits.explain(second, sources);
    CHECK(second.message == "deadlock: as before");
    unsetenv("PTOSIM_FINDINGS");
    unsetenv("PTOSIM_CHIP_NUMBER");
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ptosim::mpmd
