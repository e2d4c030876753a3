// ptosim as a library: a chip, its memory, kernels and launches, and what came of them.
//
//   ptosim::Device device(ptosim::Chip("ascend910b1"));
//   ptosim::Kernel kernel = device.load("softmax.pto");
//   ptosim::Array x = device.put(input), y = device.allocate(bytes);
//   device.launch(kernel, {x, y, 512}, 16);
//   device.read(y, output.data(), bytes);
//   ptosim::Result result = device.finish();       // cycles, findings, JSON
//
// Link with libptosim (CMake: find_package(ptosim), ptosim::ptosim; or pkg-config ptosim). C++17;
// nothing else of the simulator is included. What is wrong with a kernel is a Finding of the
// launch; what cannot be used at all (a file, a name, an argument) is thrown as an Error, before
// anything has been done. Codes are those of isa/core/diagnostics.tsv.
//
// A process has one Device, made once, and used by one thread at a time: another chip needs another
// process. Nothing depends on the number of threads of the host.
#ifndef PTOSIM_PTOSIM_HPP
#define PTOSIM_PTOSIM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#define PTOSIM_API __attribute__((visibility("default")))

namespace ptosim {
inline namespace v1 {

// Something wrong. Empty texts and zeros: does not apply.
struct Finding {
    std::string code;         // "E05"
    std::string category;     // illegal, undefined, race, sync, deadlock, unsupported, input
    std::string message;      // what was found
    std::string hint;         // what to do about it
    std::string file;         // where in the kernel
    unsigned line = 0;        // from 1
    unsigned column = 0;      // from 1
    std::string core;         // "AIC00"
    std::string pipe;         // "MTE2"
    std::string instruction;  // "TADD"
    std::string operand;      // "src1"
    uint64_t cycle = 0;       // core cycles since the chip came up
    uint64_t count = 1;       // how often it was met at this place
    std::string text;         // all of it, as the command line prints it
};

// Unusable input. what() is the message of the first finding.
class PTOSIM_API Error : public std::runtime_error {
 public:
    explicit Error(std::vector<Finding> findings);
    ~Error() override;
    const std::vector<Finding>& findings() const noexcept { return findings_; }

 private:
    std::vector<Finding> findings_;
};

// A chip and its parameters (`ptosim chips NAME` prints them with units, grades and sources).
class PTOSIM_API Chip {
 public:
    // A name ("ascend910b1") or a chip file. Throws Error (I20, I22).
    explicit Chip(std::string name_or_file = "ascend910b1");
    // Overrides one parameter: set("aiv.ub.bytes", "256KiB"). Throws Error (I21) and changes
    // nothing if there is no such parameter, or the chip cannot be like that.
    Chip& set(const std::string& path, const std::string& value);

    const std::string& name() const noexcept { return name_; }
    uint64_t clock_hz() const noexcept { return clock_hz_; }
    unsigned clusters() const noexcept { return clusters_; }  // of one AIC and its AIVs
    unsigned aivs_per_cluster() const noexcept { return aivs_per_cluster_; }
    const std::string& file() const noexcept { return file_; }  // what the constructor was given
    const std::vector<std::string>& overrides() const noexcept { return overrides_; }

    // The chips that can be named.
    static std::vector<std::string> names();

 private:
    void read(const std::vector<std::string>& overrides);
    std::string file_, name_;
    std::vector<std::string> overrides_;
    uint64_t clock_hz_ = 0;
    unsigned clusters_ = 0, aivs_per_cluster_ = 0;
};

// Settings with which a device runs kernels; the words equal the options of `ptosim run`.
struct Options {
    std::string mode = "full";      // data and time; "timing"; "functional": data alone
    bool sample = false;            // with mode timing: skip periods of long regular runs
    std::string numerics = "ieee";  // the profile by which is computed
    std::string sync;               // "explicit", "auto", "insert"; empty: as the kernel has flags
    std::string check = "none";     // "all", or names of checkers, "bounds,race"
    uint64_t check_memory = 1024;   // MiB of shadow memory for the checkers
    std::string suppress;           // file of known findings
    unsigned threads = 0;           // that compute data; 0: as many as the host has
    std::string trace;              // folder for the recording, and the files made from it
    std::string trace_formats = "html,report,agent,chrome";
    uint64_t keep_data = 0;  // MiB of what instructions read and write that the recording keeps
};

// Settings for making a kernel from its file or text.
struct KernelOptions {
    std::string entry;                    // which function; may be empty if there is one
    std::vector<std::string> parameters;  // NAME=VALUE of a .pto kernel that declares some
    std::vector<std::string> defines;     // NAME[=VALUE] of a C++ source
    std::vector<std::string> includes;    // folders with headers of a C++ source
    std::string cores;                    // of a C++ source: aic, aiv, mix; empty: as it asks
    std::string name = "kernel.pto";      // of text, in messages and reports
};

struct Parameter {
    std::string name;
    bool pointer = false;   // to an array, or else a scalar
    std::string dtype;      // "f16": of the elements, or of the scalar
    int64_t elements = 0;   // at least, of an array; 0: not known before the launch
    bool any_type = false;  // an array of elements of any type
};

// A kernel that a device has loaded. Copies are the same kernel.
class PTOSIM_API Kernel {
 public:
    const std::string& name() const noexcept;
    const std::vector<Parameter>& parameters() const noexcept;
    struct Loaded;

 private:
    friend class Device;
    std::shared_ptr<const Loaded> loaded_;
};

// Bytes of device memory.
struct Array {
    uint64_t address = 0;  // on the device
    uint64_t bytes = 0;
};

// One argument of a launch: an array, nullptr, or a number, which is converted to the parameter's
// type and must fit it.
class Argument {
 public:
    Argument(const Array& array) : kind_{Kind::kAddress}, integer_{array.address} {}
    Argument(std::nullptr_t) : kind_{Kind::kAddress} {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    Argument(T value)
        : kind_{std::is_floating_point_v<T> ? Kind::kReal
                : std::is_signed_v<T>       ? Kind::kSigned
                                            : Kind::kUnsigned},
          integer_{static_cast<uint64_t>(std::is_floating_point_v<T> ? T() : value)},
          real_{static_cast<double>(value)} {}

    enum class Kind { kAddress, kSigned, kUnsigned, kReal };
    Kind kind() const noexcept { return kind_; }
    uint64_t integer() const noexcept { return integer_; }
    double real() const noexcept { return real_; }

 private:
    Kind kind_;
    uint64_t integer_ = 0;
    double real_ = 0;
};

struct Launch {
    std::string kernel;
    unsigned blocks = 0;
    uint64_t cycles = 0;  // of the core clock, from the launch to the end of its last block
    double time_us = 0;
    uint64_t instructions = 0;
    bool finished = false;          // false: an error or a deadlock stopped it
    std::vector<Finding> findings;  // of the machine; those of checkers come with the Result
};

struct Result {
    std::string chip;
    std::vector<Launch> launches;  // without their findings
    uint64_t cycles = 0;           // from the first launch to the end of the last one
    double time_us = 0;
    uint64_t instructions = 0;
    std::vector<Finding> findings;     // all of them, the most important first
    std::vector<std::string> assumed;  // parameters of the chip that the times rest on, and that
                                       // no one has measured
    std::vector<std::string> files;    // that were written into the trace's folder
    std::string summary;               // text: time, shares of the pipes, what limits the run
    std::string json;                  // the result JSON (docs/formats.md)
    int exit_code = 0;                 // what `ptosim run` would return
};

// The device of this process.
class PTOSIM_API Device {
 public:
    // Throws Error: an option that is none of its words (I00, I16), a second device (I60).
    explicit Device(const Chip& chip = Chip(), const Options& options = {});
    ~Device();  // without finish() nothing is written
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    // A .pto file, a C++ source (which is compiled first), or what `ptosim build` made. Throws
    // Error, with a finding for each thing that is wrong with the text.
    Kernel load(const std::string& file, const KernelOptions& options = {});
    // .pto text.
    Kernel load_text(const std::string& text, const KernelOptions& options = {});

    // `bytes` of device memory; unwritten bytes are undefined (read as zeros, and with check = "init" a finding).
    // Throws Error (I30).
    Array allocate(uint64_t bytes);
    void release(const Array& array);
    // Throw Error (I61) for bytes outside of the array.
    void write(const Array& array, const void* from, uint64_t bytes, uint64_t offset = 0);
    void read(const Array& array, void* to, uint64_t bytes, uint64_t offset = 0) const;
    // A copy of host elements on the device.
    template <class T>
    Array put(const std::vector<T>& elements) {
        static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
        const Array array = allocate(elements.size() * sizeof(T));
        write(array, elements.data(), array.bytes);
        return array;
    }
    template <class T>
    std::vector<T> get(const Array& array) const {
        std::vector<T> elements(static_cast<size_t>(array.bytes / sizeof(T)));
        read(array, elements.data(), elements.size() * sizeof(T));
        return elements;
    }

    // Runs a kernel to its end, one argument per parameter. `blocks` 0: as many as fit at once, or 1 if the kernel
    // never asks for its block index. Throws Error (I14, I61) for arguments that do not fit, and after a launch that
    // did not finish. Kernels print to standard output.
    Launch launch(const Kernel& kernel, const std::vector<Argument>& arguments,
                  unsigned blocks = 0);

    // Ends the run: the recording is closed and files are made from it. Nothing else can be called
    // after it but read(). Throws Error (I40) if they cannot be written, (I31) if checkers were
    // short of memory.
    Result finish();

 private:
    struct State;
    std::unique_ptr<State> state_;
};

// Operations on tiles without a kernel around them (docs/running.md): names without %, with their types, in order.
struct Fragment {
    std::string text;  // operations of .pto, one a line
    std::vector<std::pair<std::string, std::string>> tiles;   // {"a", "vec, 16x64xf32"}
    std::vector<std::pair<std::string, std::string>> arrays;  // {"x", "64x1024xf32"}
    std::vector<std::pair<std::string, std::string>> values;  // {"n", "index=5"}
    std::string core = "vector";                              // or "cube"
    unsigned repeat = 1;                                      // in a loop
    std::string memory = "l2";                                // where the arrays are: or "hbm"
};

struct Cost {
    uint64_t cycles = 0;  // from the issue of the first instruction until the last one has ended
    double time_us = 0;
    uint64_t instructions = 0;
};

// The time of fragments, for compilers that ask thousands of times. It takes the chip of this process, which cannot
// also have a Device (I60). Fragments run in another process. One thread at a time.
class PTOSIM_API CostOracle {
 public:
    explicit CostOracle(const Chip& chip = Chip());
    ~CostOracle();
    CostOracle(const CostOracle&) = delete;
    CostOracle& operator=(const CostOracle&) = delete;
    // The same fragment has the same cost, whatever requests preceded it. Throws Error: the problems of the fragment,
    // with its lines.
    Cost cost(const Fragment& fragment);
    // Answers a request of `ptosim cost`; the answer contains any errors. Throws Error (I66) where no process can be
    // started.
    std::string answer(const std::string& line);

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace v1
}  // namespace ptosim

#endif
