// A loaded device image: its kernels, and one copy of its statics for each core.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ptosim/assembly.h"
#include "ptosim/launch.h"
#include "sim/native/image.h"

namespace ptosim {

// Libraries that are loaded later call the simulator through the symbols of the process. A program that has loaded
// libptosim locally, as Python does, lacks them until this call.
void make_symbols_known();

class NativeLibrary {
 public:
    // Loads the first copy. `origin` names the file in messages. Throws DiagnosticError (H01).
    NativeLibrary(NativeImage image, std::string origin);
    ~NativeLibrary();
    NativeLibrary(const NativeLibrary&) = delete;
    NativeLibrary& operator=(const NativeLibrary&) = delete;

    CoreType core() const { return image_.core; }
    Arch arch() const { return image_.arch; }
    const std::string& module() const { return image_.module; }
    const std::vector<std::string>& sources() const { return image_.sources; }
    // The texts of its sources, read on first use; empty if one cannot be read.
    const std::vector<std::string>& texts();
    // True if its code reads its part of a launch from the simulator (ptosim_self).
    bool asks_for_identity() const { return asks_for_identity_; }
    // True if its code reports loads and stores by pointers.
    bool reports_accesses() const { return reports_accesses_; }
    // True if cores have separate copies, because it has statics.
    bool copied() const { return copied_; }
    // Its kernels in the order of registration, which is the same in every copy.
    const std::vector<ptosim_entry>& entries() const { return copies_.begin()->second.entries; }
    // The kernels in PTO assembly inside them.
    const std::vector<ptosim_assembly>& assemblies() const {
        return copies_.begin()->second.assemblies;
    }
    // Begins of its functions, in order.
    std::vector<uint64_t> function_offsets() const { return ptosim::function_offsets(image_.bytes); }
    // An object of its image. All copies have the same bytes of constants, which are those of the
    // first copy.
    struct Data {
        std::span<const std::byte> bytes;
        const std::string* name = nullptr;
        uint64_t offset = 0;  // of the address in it
    };
    // The object that holds an address; {} if there is none.
    std::optional<Data> data_at(uint64_t address);
    // A path for other processes to read the library while it is loaded; empty if there is none.
    std::string symbol_file();
    // Entry `index` in the copy of a core.
    const ptosim_entry& entry(size_t index, unsigned core);

 private:
    struct Copy {
        void* handle = nullptr;
        uint64_t base = 0;  // address of offset 0
        int file = -1;  // kept open for lines of code (sim/native/code_location.h)
        std::vector<ptosim_entry> entries;
        std::vector<ptosim_assembly> assemblies;
    };
    Copy load() const;

    NativeImage image_;
    std::vector<std::string> texts_;
    std::string origin_;
    bool copied_;
    bool asks_for_identity_;
    bool locates_accesses_;  // compiled with access_flags()
    bool reports_accesses_;
    std::optional<std::vector<ImageObject>> objects_{};  // read on first use
    int symbols_ = -1;                 // an open file with its bytes
    std::map<unsigned, Copy> copies_;  // by core; a single one if there are no statics
};

}  // namespace ptosim
