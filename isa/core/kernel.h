// A kernel as the machine sees it: a control flow per core that issues instructions.
//
// Front ends (the assembly interpreter, native kernels) implement Kernel; cores implement KernelPort. Neither depends
// on the other's implementation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/core/core_registers.h"
#include "isa/core/instruction.h"

namespace ptosim {

class ThreadRun;
struct ThreadLaunch;

// The language of the kernel that a text belongs to, whatever the name of its file.
enum class SourceLanguage : uint8_t { kAssembly, kCpp };

// The texts that locations point into.
class SourceMap {
 public:
    // Returns the index for SourceLocation::file. Text may be empty if it is not available.
    uint16_t add(std::string name, std::string text, SourceLanguage language);
    std::string_view file(SourceLocation location) const;
    // kAssembly for an unknown location.
    SourceLanguage language(SourceLocation location) const;
    // The line without its end; empty if unknown.
    std::string_view line(SourceLocation location) const;
    size_t size() const { return files_.size(); }
    std::string_view text(uint16_t file) const { return files_.at(file).text; }
    // Fills file, location, source_line and call.
    void locate(Site& site, SourceLocation location) const;
    // A function of a library that a line calls, and the line of the library's header that issues an
    // instruction there.
    struct Call {
        std::string function;
        std::string header;
        friend bool operator==(const Call&, const Call&) = default;
    };
    void note_call(SourceLocation location, std::string_view instruction, Call call);
    // The call that issues an instruction of this name at a line; null if the line issues it itself.
    const Call* call(SourceLocation location, std::string_view instruction) const;
    struct CallKey {
        uint16_t file = 0;
        uint32_t line = 0;
        std::string instruction;
        auto operator<=>(const CallKey&) const = default;
    };
    const std::map<CallKey, Call>& calls() const { return calls_; }
    // "WHAT at FILE:LINE", for a note.
    RelatedSite related(std::string_view what, SourceLocation location) const;

 private:
    struct File {
        std::string name;
        std::string text;
        SourceLanguage language = SourceLanguage::kAssembly;
        std::vector<size_t> line_starts;
    };
    std::vector<File> files_;
    std::map<CallKey, Call> calls_;
};

// The position of a core in a launch.
struct BlockIdentity {
    CoreType core = CoreType::kAIC;
    uint32_t block = 0;
    uint32_t blocks = 1;
    uint32_t subblock = 0;   // 0 or 1 on an AIV of a mixed launch, otherwise 0
    uint32_t subblocks = 1;  // AIVs that share a block
};

// Uses of a scalar unit's data cache: loads and stores that go through it, and its cleaning, which writes lines back
// and drops them. Nothing keeps it coherent with what others do to global memory (CANN, DataCacheCleanAndInvalid).
struct CacheUse {
    // kAwait: what the scalar unit does next comes after all its stores (dsb); without an address.
    enum class Kind : uint8_t { kLoad, kStore, kClean, kAwait };
    static constexpr uint64_t kLineBytes = 64;
    Kind kind = Kind::kLoad;
    uint64_t address = 0;
    uint64_t size = 0;  // bytes; 0: the cleaning of all of it
    SourceLocation where;
};

// A vector instruction whose mask, set by an earlier line, keeps lanes from being written.
struct MaskedWrite {
    uint64_t begin = 0, end = 0;  // bytes of UB that it would write with all lanes
    unsigned lanes = 0;           // active ones
    SourceLocation mask;          // line that has set the mask
    SourceLocation where;
    std::string_view instruction;
};

// Memories whose accesses by pointers observers receive.
struct WatchedMemory {
    bool local = false;  // UB; also the writes to registers of the core
    uint64_t global_begin = 0, global_size = 0;
};

// Lines of global memory that the data cache of a scalar unit holds, for compiled code that looks up its loads: the line
// of an address is held if it is lines[line % count]. `count` is a power of two, or 0.
struct CachedLines {
    const uint64_t* lines = nullptr;
    uint64_t count = 0;
    uint64_t global_begin = 0, global_size = 0;
};

// Path of a scalar load or store to global memory. ld_dev, st_dev, signals and all atomic operations bypass the cache:
// cores synchronise with them, because other cores see their writes at once. kUnseen takes the time of a load past the
// cache, and observers do not receive it: the kernel's code then loads through a pointer, which is reported itself.
enum class ScalarPath : uint8_t { kThroughCache, kPastCache, kUnseen };

// An instruction that a port has issued and can issue again at less cost.
struct ReadyInstruction {
    Instruction given;  // as the control flow gave it
};

// Interface of a kernel's control flow to its core. Calls may block (simulated) time; all of them throw to end the
// kernel when the run stops early.
class KernelPort {
 public:
    virtual ~KernelPort() = default;
    virtual const BlockIdentity& identity() const = 0;
    virtual Arch arch() const = 0;
    // Puts an instruction into its pipe's queue, in program order; waits while the queue is full.
    // Checks legality and addresses first: DiagnosticError, and nothing has happened.
    virtual void issue(const Instruction& instruction) = 0;
    // Like issue(). Returns what issue_again() needs, which is valid until the kernel's control
    // flow ends; null: the port keeps nothing of this instruction.
    virtual const ReadyInstruction* issue_and_keep(const Instruction& instruction) {
        issue(instruction);
        return nullptr;
    }
    // Issues a kept instruction, with these addresses of its global views in the order of its
    // operands. They differ by multiples of kViewAlignment from the addresses of `ready.given`
    // (isa/core/instruction_hash.h).
    virtual void issue_again(const ReadyInstruction& /*ready*/,
                             std::span<const uint64_t> /*addresses*/) {}
    // Charges scalar operations done since the last call (address arithmetic, loop control);
    // `where` is the last of them, if it is known.
    virtual void scalar_work(unsigned operations, SourceLocation where = {}) = 0;
    // Charges the operations between two looks at a word that another core writes.
    static constexpr unsigned kOperationsBetweenLooks = 16;
    void pause(SourceLocation where = {}) { scalar_work(kOperationsBetweenLooks, where); }
    // Charges the compiled code of the kernel executed since the last call, in instructions of the host.
    virtual void scalar_code(uint64_t /*instructions*/) {}
    // A scalar load from or store to global memory; `bits` are right-aligned.
    virtual uint64_t load_global(uint64_t device_address, DType type, ScalarPath path,
                                 SourceLocation where) = 0;
    virtual void store_global(uint64_t device_address, DType type, uint64_t bits, ScalarPath path,
                              SourceLocation where) = 0;
    // A store through the data cache whose line is cleaned at once: the line of 64 bytes is fetched,
    // changed and written back whole. Data that others write into the line meanwhile are lost.
    virtual void store_line(uint64_t device_address, DType type, uint64_t bits,
                            SourceLocation where) = 0;
    virtual CachedLines cached_lines() const { return {}; }
    // The device address of data in the kernel's image, which a device has in global memory. Its
    // present bytes are there afterwards. 0: this port has no memory.
    virtual uint64_t image_data(std::span<const std::byte> /*data*/, const std::string& /*name*/) {
        return 0;
    }
    // The first address and the bytes of global memory.
    virtual std::pair<uint64_t, uint64_t> global_range() const { return {0, 0}; }
    // Charges a load by a pointer in compiled code, whose line the data cache did not hold.
    virtual void load_line(uint64_t /*device_address*/) {}
    // An atomic read, change and write of memory; returns the bits before it.
    virtual uint64_t atomic_global(uint64_t device_address, DType type, AtomicMode mode,
                                   uint64_t bits, SourceLocation where) = 0;
    // The kernel is about to read signals, the words of a view, with a load for each.
    virtual void read_signals(const GlobalView&, SourceLocation) {}
    // Called after the cache has been cleaned. For observers only: data are in memory at once.
    virtual void use_cache(const CacheUse&) {}
    // For observers: the kernel's code is about to load or store through a pointer, without a port.
    virtual void follow_pointer(const CacheUse&) {}
    // The same for bytes of UB.
    virtual void follow_local(uint64_t /*address*/, uint64_t /*size*/, bool /*writes*/, SourceLocation) {}
    // The memories for which these calls are needed.
    virtual WatchedMemory watched() const { return {}; }
    // The registers that the core keeps; null without them.
    virtual CoreRegisters* registers() { return nullptr; }
    // For observers: an instruction reads a register that only an earlier block has written.
    virtual void use_left_register(unsigned /*number*/, std::string_view /*instruction*/, SourceLocation) {}
    // For observers: such an instruction is about to be issued.
    virtual void note_masked_write(const MaskedWrite&) {}
    // TGETVAL and TSETVAL: element `offset` from the tile's address.
    virtual uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation where) = 0;
    virtual void store_local(const Tile& tile, int64_t offset, uint64_t bits,
                             SourceLocation where) = 0;
    // The current value of a register that instructions of pipe V write (IntrinsicState).
    virtual uint64_t result_register(unsigned /*which*/, SourceLocation) { return 0; }
    // Byte 0 of an on-chip memory, for control flow that follows pointers into it; null without one.
    virtual std::byte* local_bytes(Space) { return nullptr; }
    // Bytes of an on-chip memory of this core; 0: unknown.
    virtual uint64_t local_size(Space) const { return 0; }
    // A problem that the control flow finds and that goes unnoticed on a device.
    virtual void warn(Diagnostic) {}
    // Threads of a block begin, after all that pipe V has got. Null: they take no time.
    virtual std::unique_ptr<ThreadRun> begin_threads(const ThreadLaunch&);
    // Output of a kernel's print, in issue order.
    virtual void print(std::string_view text) = 0;
    // Core cycles since the simulation began.
    virtual uint64_t cycle() = 0;
    // Index of this core among the chip's cores of its type.
    virtual unsigned core_index() const = 0;
    // Ticks of the chip's system counter since the simulation began.
    virtual uint64_t system_counter() = 0;
    // True if the kernel may be one of several in a launch, on some of the launch's cores. Flags of
    // all cores do not join those; a soft barrier (`pto.syncall`) counts them in global memory.
    virtual bool shares_launch() const { return false; }
    // Calls a function that the kernel declares without a body and is compiled with, if this port has it. Passes one
    // word for each argument, as in KernelArguments, and returns the result's word.
    virtual std::optional<uint64_t> call_external(std::string_view /*function*/,
                                                  std::span<const uint64_t> /*words*/) {
        return std::nullopt;
    }
};

struct Parameter {
    enum class Kind : uint8_t { kPointer, kScalar };
    std::string name;
    Kind kind = Kind::kPointer;
    DType dtype = DType::kF32;  // of the elements pointed to, or of the scalar
    bool untyped = false;       // a pointer to elements of a type that only the kernel knows
    // A pointer that the kernel turns into views: the elements of the largest one if that is
    // static, otherwise 0.
    int64_t elements = 0;
    SourceLocation location;
};

// Form of a kernel's control flow: a program of steps, which a front end can also examine; or code, which only runs.
enum class KernelForm : uint8_t { kSteps, kCode };

// One value per parameter: a device address, or a scalar's bits.
using KernelArguments = std::span<const uint64_t>;

class Kernel {
 public:
    virtual ~Kernel() = default;
    virtual std::string_view name() const = 0;
    virtual const SourceMap& sources() const = 0;
    virtual std::span<const Parameter> parameters() const = 0;
    // True if that core type executes it. Both: a block is a cluster (1 AIC + 2 AIVs).
    virtual bool runs_on(CoreType core) const = 0;
    // True if its text orders its pipes itself (any flag, event or single-pipe barrier).
    virtual bool has_explicit_sync() const = 0;
    // True if its control flow may follow pointers to global memory without its port: then data must be there at the
    // time at which they take effect.
    virtual bool follows_pointers() const { return false; }
    // False if its control flow must be at the instruction that the scalar unit issues, and each result in memory when
    // its instruction completes.
    virtual bool runs_ahead() const { return !follows_pointers(); }
    // True if its control flow uses nothing that cores of different clusters share: no global memory, and nothing
    // outside of the simulator. The time of its clusters can then be simulated apart.
    virtual bool keeps_clusters_apart() const { return false; }
    // A source of compiled code whose accesses by pointers observers do not receive; empty: there is none.
    virtual std::string_view unrecorded_source() const { return {}; }
    virtual KernelForm form() const { return KernelForm::kCode; }
    // Runs the control flow of one core. Called concurrently (as coroutines) for many cores.
    virtual void run(KernelPort& port, KernelArguments arguments) const = 0;
};

}  // namespace ptosim
