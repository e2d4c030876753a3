// Global memory: a reserved range of the host's address space with an allocation table.
//
// A device address is the host address of the same byte, so that a pointer in a native kernel is an ordinary pointer.
// Every access of a tile operation is checked against the table all the same. Red zones lie between allocations;
// touching them, or released memory, raises a signal. If memory is a device's (use_pages), tile operations and scalar
// accesses may extend as far as the pages of allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace ptosim {

struct GlobalView;
struct Problem;

class GlobalMemory {
 public:
    struct Allocation {
        uint64_t address = 0;
        uint64_t size = 0;  // as requested
        std::string name;   // "argument 2", for messages
        uint64_t room = 0;  // bytes taken for it, including its red zone
        bool shared = false;  // open at all times
    };

    static constexpr uint64_t kCapacity = uint64_t{256} << 30;
    // Reserves `capacity` bytes of address space, which cost memory only when touched. `device`: number of its device
    // in this process, from 0; each has other addresses.
    explicit GlobalMemory(uint64_t capacity = kCapacity, unsigned device = 0);
    ~GlobalMemory();
    GlobalMemory(const GlobalMemory&) = delete;
    GlobalMemory& operator=(const GlobalMemory&) = delete;

    // Returns zeroed bytes, aligned to 512. Throws DiagnosticError (input) if they do not fit.
    uint64_t allocate(uint64_t size, std::string name);
    // Returns bytes for data that a kernel's image contains and a device has in global memory: the
    // same ones at each call with these data. Throws as allocate() does.
    uint64_t place_of(std::span<const std::byte> data, const std::string& name);
    // Returns false if `address` is not the start of an allocation.
    bool release(uint64_t address);

    // From now on memory can also be used beyond an allocation, as far as every page of `bytes` bytes (from the begin
    // of this memory) holds a part of an allocation. Bytes between allocations are zero until written. 0: allocations
    // end at their sizes.
    void use_pages(uint64_t bytes) { page_bytes_ = bytes; }
    // Makes these bytes, or the bytes of a view, usable if they lie in such pages; otherwise returns false. Bytes that
    // begin in released memory are not usable.
    bool open_pages(uint64_t address, uint64_t size);
    bool open_pages(const GlobalView& view);
    uint64_t page_bytes() const { return page_bytes_; }

    // True for addresses in this memory, allocated or not.
    bool reserves(uint64_t address) const;
    // The first address and the number of bytes.
    uint64_t base() const { return reinterpret_cast<uint64_t>(base_); }
    uint64_t capacity() const { return capacity_; }

    // Memory of another device of this process, which must live as long as this object. If it is `usable` here, the
    // functions for addresses and views below find its allocations, too.
    void set_peer(const GlobalMemory& memory, bool usable);
    // Only allocations can be used; between close() and open() not even they, so that a program that uses a device
    // pointer on the host is caught. Open at first.
    void open();
    void close();
    // Open or close only the allocation that holds `address`.
    void open(uint64_t address) const;
    void close(uint64_t address) const;
    // Keeps the allocation that begins at `address` open until it is released.
    void share(uint64_t address);

    // All allocations, by address.
    const std::map<uint64_t, Allocation>& allocations() const { return allocations_; }
    // The allocation that holds `address`, or the closest one below it for messages.
    const Allocation* find(uint64_t address) const;
    // The released allocation that held `address`; null if there is none. Addresses are reused after all others are
    // used up, the lowest first.
    const Allocation* freed(uint64_t address) const;
    // True if [address, address + size) lies in one allocation.
    bool contains(uint64_t address, uint64_t size) const;
    // holds(): true if a view lies in one allocation. explain(): the problem with one that does not (G01).
    bool holds(const GlobalView& view) const;
    Problem explain(const GlobalView& view) const;
    // Text such as "argument 2 + 64", independent of the address at which memory was reserved.
    std::string describe(uint64_t address) const;

    static std::byte* host(uint64_t address) { return reinterpret_cast<std::byte*>(address); }

 private:
    // The memory with that address: a peer's, or this one.
    const GlobalMemory& memory_of(uint64_t address) const;
    bool is_usable(const GlobalMemory& memory) const;
    void protect(const Allocation& allocation, bool usable) const;
    // A released range of this size; {} if there is none.
    std::optional<Allocation> take_released(uint64_t room);
    void forget_opened(uint64_t begin, uint64_t end);
    bool in_pages(uint64_t address, uint64_t size) const;
    std::map<uint64_t, uint64_t>::iterator opened_from(uint64_t address);

    std::byte* base_ = nullptr;
    uint64_t capacity_ = 0;
    const unsigned device_;
    std::map<const GlobalMemory*, bool> peers_;  // usable or not
    uint64_t next_ = 0;
    uint64_t page_bytes_ = 0;
    bool open_ = true;
    std::map<uint64_t, Allocation> allocations_;  // by address
    std::map<uint64_t, Allocation> freed_;        // by address
    std::map<std::pair<const std::byte*, size_t>, uint64_t> placed_;  // data of images
    // Begin and end of disjoint ranges of host pages beyond allocations.
    std::map<uint64_t, uint64_t> opened_;
};

}  // namespace ptosim
