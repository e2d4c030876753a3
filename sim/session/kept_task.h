// A task of a program of many kernels, kept in a folder: its kernels, their arguments, and the device's memory at its
// begin. `ptosim exec --keep-task` writes it, other commands run it as a kernel (task_kernel.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/numeric/dtype.h"
#include "sim/machine/memory/global_memory.h"
#include "sim/machine/observe/core_id.h"

namespace ptosim {

struct KeptTask {
    // A kernel on one core.
    struct Part {
        CoreId core;
        std::string kernel;
        std::string file;                // of the folder: its images
        std::string source;              // the user's file; empty: unknown
        std::vector<std::string> build;  // words of `ptosim build`, from a file of the folder on; empty: unknown
        uint64_t arguments = 0;          // device address of their words
    };
    // An array among the arguments, with its elements row by row.
    struct Array {
        std::string name;
        DType dtype = DType::kU8;
        std::vector<int64_t> shape;
        uint64_t address = 0;
        bool written = false;
    };
    struct Memory {
        uint64_t base = 0;  // of GlobalMemory
        std::vector<GlobalMemory::Allocation> allocations;
        // Address and size of the ranges whose bytes kMemoryFile holds one after the other. A later one replaces an earlier
        // one.
        std::vector<std::pair<uint64_t, uint64_t>> ranges;
    };

    std::string name;    // "r0t5"; empty: the runtime has not named it
    std::string kernel;  // of its first part
    std::string chip;
    std::vector<std::string> overrides;
    std::string numerics;
    std::vector<Part> parts;
    std::vector<Array> arrays;
    Memory memory;

    // Text such as "r0t5 (add)".
    std::string text() const { return name.empty() ? kernel : name + " (" + kernel + ")"; }
};

// A task to keep, and the folder for it: "r0t5=DIR", "add=DIR", with a number after the task ("add:4").
struct TaskWish {
    std::string task, folder;    // as written
    std::optional<uint64_t> id;  // of the runtime, ring << 32 | number; empty: `kernel` names it
    std::string kernel;
    uint64_t number = 0;  // the block of an id, or which task of the kernel
};
// Throws DiagnosticError (I70) for other texts.
TaskWish parse_task_wish(const std::string& text);
// Makes the folder, and removes a task in it. Throws DiagnosticError (I70) for a folder of other files.
void prepare_task_folder(const std::string& folder);

inline constexpr const char* kTaskFile = "task.json";
inline constexpr const char* kMemoryFile = "memory";

// True if a folder holds a kept task.
bool is_kept_task(const std::string& folder);
// Writes and reads the file kTaskFile of a folder. Both throw DiagnosticError (I02, I70).
void write_task(const std::string& folder, const KeptTask& task);
KeptTask read_task(const std::string& folder);
// Makes the allocations of the task in a memory without any, and reads their bytes. Throws DiagnosticError (I70).
void restore_memory(const std::string& folder, const KeptTask& task, GlobalMemory& memory);

}  // namespace ptosim
