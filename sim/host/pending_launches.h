// Launches that streams have been given and the chip has not run yet: where a program has several streams, a launch
// begins when the host does something else than to launch, so that those of several streams run at once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ptosim/launch.h"

namespace ptosim {

class PendingLaunches {
 public:
    struct Launch {
        std::string module, site, name, file;
        unsigned line = 0;
        int64_t blocks = 0;
        void* stream = nullptr;
        std::vector<uint64_t> words;
        std::vector<unsigned> after;  // numbers of launches that end before it begins

        // Valid as long as the launch is where it is.
        ptosim_launch_request request() const;
    };

    bool empty() const { return launches_.empty(); }
    void add(const ptosim_launch_request& request);
    // An event comes after the last launch of a stream. False if there is none.
    bool record(void* event, void* stream);
    // What the stream is given from now on comes after the event's launch, if that is pending.
    void await(void* stream, void* event);
    // All of them, and for each event the launch that it comes after; nothing is pending any more.
    struct Taken {
        std::vector<Launch> launches;
        std::map<void*, unsigned> events;
    };
    Taken take();

 private:
    std::vector<Launch> launches_;
    std::map<void*, unsigned> last_;                  // by stream
    std::map<void*, std::vector<unsigned>> awaited_;  // by stream: of events since its last launch
    std::map<void*, unsigned> events_;
};

}  // namespace ptosim
