#include "sim/session/chip_messages.h"

#include <iostream>

#include "sim/files/output_file.h"
#include "sim/system/chakra.h"
#include "sim/system/link_traffic.h"
#include "traces/write/chrome_trace.h"

namespace ptosim {

void write_messages(std::span<const Links::Traffic> messages, unsigned chip, const Result& result,
                    const std::filesystem::path& trace) {
    const std::filesystem::path picture = trace / kChromeTraceFile;
    if (messages.empty() || !std::filesystem::exists(picture)) return;
    constexpr size_t kMostInPicture = 50'000;
    add_chrome_events(picture, traffic_events(messages.first(std::min(messages.size(), kMostInPicture)), chip,
                                              result.clock_hz));
    if (messages.size() >= Links::kMostTraffic) {
        std::cerr << "note: more than " << Links::kMostTraffic << " messages, so there is no chakra." << chip
                  << ".et: traces of chips fit together only if they are complete\n";
        return;
    }
    std::vector<ChipWork> launches;
    for (const LaunchSummary& launch : result.launches)
        launches.push_back({launch.kernel, launch.begin, launch.begin + launch.cycles});
    OutputFile file(trace.parent_path() / ("chakra." + std::to_string(chip) + ".et"));
    file.write(chakra_of_chip(messages, launches, chip, result.clock_hz));
    file.commit();
}

}  // namespace ptosim
