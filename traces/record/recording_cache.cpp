#include "traces/record/recording_cache.h"

#include "traces/record/recording_file.h"

namespace ptosim {

Recording RecordingCache::take(const std::filesystem::path& path) {
    return count_ <= limit_ ? memory_.take() : read_recording(path);
}

std::optional<Recording> RecordingCache::take() {
    if (count_ > limit_) return std::nullopt;
    return memory_.take();
}

}  // namespace ptosim
