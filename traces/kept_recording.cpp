#include "traces/kept_recording.h"

#include "traces/recording_file.h"

namespace ptosim {

Recording KeptRecording::take(const std::filesystem::path& path) {
    return records_ <= most_ ? kept_.take() : read_recording(path);
}

}  // namespace ptosim
