// Races between a host and the kernels that it has launched, and between kernels of two streams.
//
// A launch is asynchronous: its work is complete for the host when the host has waited for its
// stream or for a later event of it, and for another stream when that has waited for such an event.
// An access by the host itself (copy, memset, free) or by another stream to bytes of work that is
// not complete for it is a finding (H26) if one of the two writes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/check/checker.h"

namespace ptosim::check {

class HostOrder final : public Checker {
 public:
    using Checker::Checker;
    using Handle = const void*;  // of a stream or an event

    void on_host_allocate(uint64_t address, uint64_t size, const std::string& name,
                          std::byte fresh) override;
    // "aclrtFree": also forgets what was done to it.
    void on_host_release(uint64_t address) override;
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;
    // Bytes that the host reads or writes by itself, before it goes on: "aclrtMemcpy".
    void access(const char* what, uint64_t address, uint64_t size, bool writes);
    // Work in a stream: its accesses come between the two. `site`: of the launch. Several works may be open, those of
    // the kernels of a launch in their order: the order among these is what the race checker looks at.
    void begin(Handle stream, std::string what, const Site& site);
    void touch(const Region& region, bool writes) { touch(0, region, writes); }
    void end();
    void on_part(const PartEvent& event) override;

    void record(Handle event, Handle stream);
    void await(Handle stream, Handle event);  // by a stream
    void await_event(Handle event);           // by the host
    void await_stream(Handle stream);
    void await_all();

 private:
    using Clock = std::map<Handle, uint64_t>;  // by stream: how many of its works are complete
    struct Stream {
        uint64_t works = 0;  // that it was given
        Clock clock;
    };
    // Merged ranges by their begin.
    using Ranges = std::map<uint64_t, uint64_t>;
    struct Work {
        Handle stream = nullptr;
        uint64_t number = 0;  // in its stream
        std::string what;
        Site site;
        Ranges read, written;
        size_t charged = 0;
        Clock clock;  // works of all streams that are complete for it
    };
    struct Allocation {
        uint64_t size = 0;
        std::string name;
    };
    static constexpr size_t kMostRanges = 4096;
    static constexpr uint64_t kBytesPerRange = 64;

    static void join(Clock& clock, const Clock& other);
    Stream& stream(Handle handle) { return streams_[handle]; }
    size_t part_of(CoreId core) const;
    void touch(size_t part, const Region& region, bool writes);
    void add(Ranges& ranges, uint64_t begin, uint64_t end);
    static Range overlap(const Ranges& ranges, uint64_t begin, uint64_t end);
    static bool completed(const Clock& clock, const Work& work);
    void forget();
    void check(const Work& earlier, const std::string& who, uint64_t begin, uint64_t end,
               bool writes, const Site& site);

    std::map<uint64_t, Allocation> allocations_;
    std::map<Handle, Stream> streams_;
    std::map<Handle, Clock> events_;
    Clock host_;
    std::vector<Work> works_;  // not complete for the host
    std::vector<Work> open_;
    std::map<std::pair<CoreType, uint16_t>, size_t> parts_;  // by core: the kernel that it runs
};

}  // namespace ptosim::check
