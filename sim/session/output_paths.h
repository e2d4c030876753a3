// Which files a run reads and writes, and so where its outputs may go.
//
// An output may not replace what the run reads (a kernel, an input, a golden: the next run would
// compare with itself), nor another output; a folder of recordings belongs to one run at a time,
// and holds what one run has left.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptosim {

class OutputPaths {
 public:
    // A file that is read. `what` names it in messages: "the kernel", "--golden 2=c.npy".
    void add_input(const std::string& path, const std::string& what);
    // A file that will be written. Throws DiagnosticError (I62) if it is an input or another
    // output, by whatever names and links, or a source that is there already; `own` is an input
    // that it may replace (inout=x:x). "-", and what is no regular file, can be anything.
    void add_output(const std::string& path, const std::string& what, const std::string& own = {});
    // The same for the text of a kernel, which may replace a source.
    void add_kernel_output(const std::string& path, const std::string& what);
    // A document that goes to standard output, which has room for one.
    void add_standard_output(const std::string& what);

 private:
    struct Listed {
        std::filesystem::path path;
        std::string what;
    };
    void add(const std::string& path, const std::string& what, const std::string& own);
    std::vector<Listed> inputs_, outputs_;
    std::string standard_output_;  // what is written there
};

// The folder of a recording while a run writes into it.
class TraceFolder {
 public:
    // Makes the folder, and removes what an earlier recorded run has left in it: its recording, and
    // the files that are made from one. Throws DiagnosticError: I02 if it cannot be written, I63 if
    // another run is recording into it.
    explicit TraceFolder(const std::string& path);
    ~TraceFolder();
    TraceFolder(const TraceFolder&) = delete;
    TraceFolder& operator=(const TraceFolder&) = delete;

 private:
    int lock_ = -1;
};

}  // namespace ptosim
