// Device memory that neither the host nor a kernel has used.
#include <map>

#include "sim/check/checker.h"

namespace ptosim::check {
namespace {

class UnusedMemory final : public Checker {
 public:
    using Checker::Checker;
    void on_host_allocate(uint64_t address, uint64_t size, const std::string& name,
                          std::byte /*fresh*/) override {
        allocations_[address] = {size, name, false};
    }
    void on_host_release(uint64_t address) override;
    void on_host_write(uint64_t address, uint64_t size) override {
        if (size > 0) use(address);
    }
    void on_host_read(uint64_t address, uint64_t) override { use(address); }
    void on_host_end() override {
        while (!allocations_.empty()) on_host_release(allocations_.begin()->first);
    }
    void on_start_accesses(const InstructionEvent&, const Footprint& footprint) override {
        for (const Piece& piece : footprint)
            if (piece.global) use(piece.region.begin);
    }
    void on_scalar_access(const ScalarAccessEvent& event) override {
        if (event.access.global && (event.access.writes || !event.by_pointer))
            use(event.access.begin);
    }

 private:
    struct Allocation {
        uint64_t size = 0;
        std::string name;
        bool used = false;
    };

    void use(uint64_t address) {
        const auto next = allocations_.upper_bound(address);
        if (next == allocations_.begin()) return;
        auto& [begin, allocation] = *std::prev(next);
        if (address - begin < allocation.size) allocation.used = true;
    }

    std::map<uint64_t, Allocation> allocations_;
};

void UnusedMemory::on_host_release(uint64_t address) {
    const auto found = allocations_.find(address);
    if (found == allocations_.end()) return;
    const Allocation allocation = std::move(found->second);
    allocations_.erase(found);
    if (allocation.used) return;
    findings_.add("H25/" + allocation.name, [&] {
        Diagnostic d;
        d.code = "H25";
        d.category = Category::kSync;
        d.message = allocation.name + " (" + std::to_string(allocation.size) +
                    " bytes) has been used by neither the host nor a kernel";
        d.hint = "leave the allocation out, or give it to the kernel that it is for";
        return d;
    });
}

}  // namespace

PTOSIM_CHECKER(unused) = row_of<UnusedMemory>({.name = "unused",
                                               .codes = "H25",
                                               .about = "device memory that was never used",
                                               .order = 100});

}  // namespace ptosim::check
