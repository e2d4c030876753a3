// Races between a host and the kernels that it has launched, and between kernels of two streams.
//
// A launch is asynchronous. Its work is complete for the host after the host has waited for its stream or for a later
// event of it, and complete for another stream after that stream has waited for such an event. If the host (copy,
// memset, free) or another stream accesses bytes of work that is not complete for it, and one of the two writes, this
// is a finding (H26).
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
    // "aclrtFree": also forgets earlier accesses to the allocation.
    void on_host_release(uint64_t address) override;
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;
    // The host itself reads or writes bytes before it continues, e.g. by "aclrtMemcpy".
    void access(const char* what, uint64_t address, uint64_t size, bool writes);
    // Begin and end of work in a stream; touch() adds its accesses between them. `site`: of the launch. Several works
    // may be open, for the kernels of one launch in their order; the race checker examines the order among these.
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
    using Clock = std::map<Handle, uint64_t>;  // by stream: number of complete works
    struct Stream {
        uint64_t works = 0;  // number of works given to it
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
        Clock clock;  // complete works of all streams, for this one
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
    std::vector<Work> works_;  // works that are not complete for the host
    std::vector<Work> open_;
    std::map<std::pair<CoreType, uint16_t>, size_t> parts_;  // by core: the kernel on it
};

}  // namespace ptosim::check
