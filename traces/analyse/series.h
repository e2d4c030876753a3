// Time series: bandwidth per path, depth of queues, occupancy of buffers.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/record/recording.h"

namespace ptosim {

// A value from each cycle on, up to the next point. The first point is at the begin of the run.
struct Series {
    std::string name;    // "GM->L1", "MTE2 queue", "UB"
    std::string unit;    // "MB/s", "instructions", "bytes"
    int32_t core = -1;   // index into Recording::cores; -1: of the chip
    uint64_t limit = 0;  // capacity of the counted resource; 0: none
    std::vector<std::pair<Cycle, uint64_t>> points;

    uint64_t highest() const;
};

inline constexpr size_t kSeriesPoints = 1000;

// The way that an instruction's bytes go, and how many. Instructions of one opcode and operands
// share an answer.
class Paths {
 public:
    explicit Paths(const Recording& recording);
    struct Move {
        int32_t path = -1;  // index into names(); -1: it moves none
        uint64_t bytes = 0;
    };
    const Move& of(const InstructionRecord& record);
    const std::vector<std::string>& names() const { return names_; }  // "GM->L1", "L1->L0A"

 private:
    Move find(const InstructionRecord& record);

    const Recording& recording_;
    std::vector<std::string> names_;
    struct Known {
        Opcode opcode = Opcode::kCount;
        Move move;
    };
    std::vector<Known> first_;  // by operand set: of the first opcode that had it
    std::map<std::pair<uint32_t, Opcode>, Move> others_;
};

// Bytes that the instructions of a path carry, spread evenly over their time, in at most `bins`
// equal stretches of the run.
std::vector<Series> bandwidth_series(const Recording& recording, size_t bins = kSeriesPoints);
// Bytes per second that L2 held and did not hold, of transfers between it and the cores: "L2 hits",
// "L2 misses".
std::vector<Series> l2_series(const Recording& recording, size_t bins = kSeriesPoints);
// Instructions issued and not started, by core and pipe; where there are more than `most` changes,
// the highest value of each of `most` stretches.
std::vector<Series> queue_series(const Recording& recording, size_t most = kSeriesPoints);
// Tensors that EnQue of a TQue has put, once their flag is set, and DeQue has not taken, by core and
// queue. Queues whose ends are on one pipe set no flags, and are not counted.
std::vector<Series> tensor_series(const Recording& recording, size_t most = kSeriesPoints);
// Bytes of tiles from their first write to their last read, by core and memory. The peaks include
// all changes.
std::vector<Series> occupancy_series(const Recording& recording, size_t most = kSeriesPoints);

}  // namespace ptosim
