// The kernel texts of all launches of a run, kept after their kernels are gone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/kernel.h"

namespace ptosim {

// Every launch has its own SourceMap and numbers its files from 0. Sources concatenates them:
// run_location() converts a location of a launch into a location of the run.
class Sources {
 public:
    // The launch that now begins; null if it has no texts. The map is copied.
    void begin_launch(std::string_view kernel, const SourceMap* map);
    SourceLocation run_location(SourceLocation of_launch) const;

    // All files of the run in the order of SourceLocation::file, and the way back from a recording.
    struct File {
        std::string name;
        std::string text;
    };
    size_t size() const;
    File file(size_t index) const;
    void restore(File file);

    // "gemm.pto:87" for a location of the run; empty if it is unknown.
    std::string text(SourceLocation location) const;
    // "net.py:12": what the line was made from, where its text says so; empty otherwise.
    std::string origin(SourceLocation location) const;
    // Of a recording that was read: the text of a file that it names and does not have.
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
    uint32_t base_ = 0;  // of the current launch
    bool known_ = false;
};

}  // namespace ptosim
