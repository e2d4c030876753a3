#include "sim/native/thread_log.h"

namespace ptosim {

ThreadLog::ThreadLog() : events_{new ptosim_thread_event[(kEvents + 1) * kWarpLanes]()} {
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) begins_[lane] = &events_[lane * (kEvents + 1) + 1];
    ends_ = begins_;
}

}  // namespace ptosim
