#include "traces/record/recording_cache.h"

#include "traces/record/recording_file.h"

namespace ptosim {

Recording RecordingCache::take(const std::filesystem::path& path) {
    return count_ <= limit_ ? memory_.take() : read_recording(path);
}

}  // namespace ptosim
