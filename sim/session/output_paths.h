// Files that a run reads and writes, and the check of the paths of its outputs.
//
// An output may not replace an input of the run (a kernel, an array, a golden: the next run would compare with itself)
// nor another output. A folder of recordings belongs to one run at a time, and holds the files of one run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptosim {

class OutputPaths {
 public:
    // A file that is read. `what` names it in messages: "the kernel", "--golden 2=c.npy".
    void add_input(const std::string& path, const std::string& what);
    // A file that will be written. Throws DiagnosticError (I62) if it is an input or another output, under any name or
    // link, or an existing source. `own` is an input that it may replace (inout=x:x). "-" and special files are not
    // checked.
    void add_output(const std::string& path, const std::string& what, const std::string& own = {});
    // The same for the text of a kernel, which may replace a source.
    void add_kernel_output(const std::string& path, const std::string& what);
    // A document for standard output, which has room for one.
    void add_standard_output(const std::string& what);

 private:
    struct Listed {
        std::filesystem::path path;
        std::string what;
    };
    void add(const std::string& path, const std::string& what, const std::string& own);
    std::vector<Listed> inputs_, outputs_;
    std::string standard_output_;  // the document on standard output
};

// The folder of a recording while a run writes into it.
class TraceFolder {
 public:
    // Makes the folder, and removes the recording of an earlier run and the files made from it. Throws DiagnosticError:
    // I02 if it cannot be written, I63 if another run is recording into it.
    explicit TraceFolder(const std::string& path);
    ~TraceFolder();
    TraceFolder(const TraceFolder&) = delete;
    TraceFolder& operator=(const TraceFolder&) = delete;

 private:
    int lock_ = -1;
};

}  // namespace ptosim
