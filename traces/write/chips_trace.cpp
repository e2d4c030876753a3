#include "traces/write/chips_trace.h"

#include <fstream>
#include <string>
#include <string_view>

#include "sim/files/output_file.h"
#include "traces/write/chrome_trace.h"

namespace ptosim {
namespace {

// Numbers of processes and threads of one chip are below these.
constexpr uint64_t kProcessesOfChip = 1000, kThreadsOfChip = 100'000;

// Adds to the number after `key`, if there is one.
void add_to(std::string& event, std::string_view key, uint64_t more) {
    const size_t at = event.find(key);
    if (at == event.npos) return;
    const size_t begin = event.find_first_not_of(' ', at + key.size()), end = event.find_first_not_of("0123456789", begin);
    if (end == begin) return;
    event.replace(begin, end - begin, std::to_string(std::stoull(event.substr(begin, end - begin)) + more));
}

void insert_after(std::string& event, std::string_view key, const std::string& text) {
    const size_t at = event.find(key);
    if (at != event.npos) event.insert(at + key.size(), text);
}

// Returns an event of one chip as an event of all chips. Arrows between chips have the same text as their number on
// both.
std::string of_chip(std::string event, unsigned chip) {
    add_to(event, "\"pid\":", chip * kProcessesOfChip);
    add_to(event, "\"tid\":", chip * kThreadsOfChip);
    if (event.find("\"process_name\"") != event.npos)
        for (const char* const key : {"\"args\":{\"name\":\"", "\"args\": {\"name\": \""})
            insert_after(event, key, "chip " + std::to_string(chip) + " ");
    if (event.find("\"process_sort_index\"") != event.npos) add_to(event, "\"sort_index\":", chip * kProcessesOfChip);
    add_to(event, "\"id\":", chip * (uint64_t{1} << 40));
    return event;
}

}  // namespace

void write_chips_trace(const std::filesystem::path& folder, unsigned chips) {
    const auto file_of = [&](unsigned chip) { return folder / ("chip" + std::to_string(chip)) / kChromeTraceFile; };
    for (unsigned chip = 0; chip < chips; ++chip)
        if (!std::filesystem::exists(file_of(chip))) return;
    OutputFile out(folder / kChromeTraceFile);
    bool first = true;
    for (unsigned chip = 0; chip < chips; ++chip) {
        std::ifstream in(file_of(chip));
        std::string line;
        std::getline(in, line);
        if (chip == 0) out.write(line + "\n\"traceEvents\":[\n");
        std::getline(in, line);
        while (std::getline(in, line) && line != "]}") {
            if (line.ends_with(',')) line.pop_back();
            out.write((first ? "" : ",\n") + of_chip(std::move(line), chip));
            first = false;
        }
    }
    out.write("\n]}\n");
    out.commit();
}

}  // namespace ptosim
