// The kernel texts of all launches of a run, kept after their kernels are gone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/core/kernel.h"

namespace ptosim {

// The function of a library that a line calls, and that issues instructions of an opcode there.
struct CallRecord {
    SourceLocation at;  // of the run; its column is 0
    Opcode opcode{};
    SourceMap::Call call;
};

// Every launch has its own SourceMap and numbers its files from 0. Sources concatenates them:
// run_location() converts a location of a launch into a location of the run.
class Sources {
 public:
    // The launch that now begins; null if it has no texts. The map is copied, and must live until
    // end_launch(), if that is called.
    void begin_launch(std::string_view kernel, const SourceMap* map);
    // Takes over the calls that the launch's kernel has noted while it ran; returns the new ones.
    std::vector<CallRecord> end_launch();
    SourceLocation run_location(SourceLocation of_launch) const;

    // All files of the run in the order of SourceLocation::file, and the way back from a recording.
    struct File {
        std::string name;
        std::string text;
    };
    size_t size() const;
    File file(size_t index) const;
    void restore(File file);

    // True if it is new.
    bool note_call(const CallRecord& record);
    bool has_calls() const { return !calls_.empty(); }
    // True if a header whose name begins with `header` has issued an instruction.
    bool calls_into(std::string_view header) const;
    // The call that issues instructions of this opcode at a location of the run; null if the line
    // issues them itself.
    const SourceMap::Call* call(SourceLocation location, Opcode opcode) const;

    // "gemm.pto:87" for a location of the run; empty if it is unknown.
    std::string text(SourceLocation location) const;
    // "net.py:12": the origin of the line if its text gives one; empty otherwise.
    std::string origin(SourceLocation location) const;
    // Sets the text of a file that a recording names and does not contain.
    void set_text(size_t index, std::string text);
    // The text of the line, without the newline; empty if it is unknown.
    std::string_view line(SourceLocation location) const;

 private:
    struct Entry {
        std::string kernel;
        const SourceMap* original = nullptr;  // compared only, never followed
        SourceMap map;
        uint32_t base = 0;
    };
    const Entry* find(SourceLocation location) const;

    std::vector<Entry> entries_;
    std::unordered_map<uint64_t, SourceMap::Call> calls_;  // by location and opcode
    const SourceMap* launch_ = nullptr;                    // of the current launch
    uint32_t base_ = 0;  // of the current launch
    bool known_ = false;
};

}  // namespace ptosim
