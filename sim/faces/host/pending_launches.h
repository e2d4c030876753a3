// Launches in streams that the chip has not run yet. If a program has several streams, a launch begins only when the
// host does something other than launching, so that launches of several streams run at once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ptosim/launch.h"

namespace ptosim {

class PendingLaunches {
 public:
    struct Launch {
        explicit Launch(const ptosim_launch_request& request);

        std::string module, site, name, file;
        unsigned line = 0;
        uint32_t number = 0;  // of the launch in its source
        int64_t blocks = 0;
        void* stream = nullptr;
        std::vector<uint64_t> words;
        std::vector<unsigned> after;  // numbers of launches that must end before it begins

        // Valid until the launch is moved.
        ptosim_launch_request request() const;
    };

    bool empty() const { return launches_.empty(); }
    void add(const ptosim_launch_request& request);
    // Places an event after the last launch of a stream. Returns false if there is none.
    bool record(void* event, void* stream);
    // Further work of the stream comes after the event's launch, if that is pending.
    void await(void* stream, void* event);
    // Removes and returns all launches, and for each event the launch that it follows.
    struct Taken {
        std::vector<Launch> launches;
        std::map<void*, unsigned> events;
    };
    Taken take();

 private:
    std::vector<Launch> launches_;
    std::map<void*, unsigned> last_;                  // by stream
    std::map<void*, std::vector<unsigned>> awaited_;  // by stream: launches of events awaited since its last launch
    std::map<void*, unsigned> events_;
};

}  // namespace ptosim
