#include "sim/faces/mpmd/signal_board.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/files/files.h"
#include "sim/files/json.h"

namespace ptosim::mpmd {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSuffix = ".signals";

fs::path folder() {
    const char* const value = std::getenv("PTOSIM_FINDINGS");
    return value == nullptr ? "" : value;
}

// Text such as "chip 1 has ended its run and has never set it; it has set 1 other word of the window, last in ...".
std::string text_of(const Json& chip, SharedWord word) {
    std::string text = "chip " + chip.at("chip").get<std::string>() + " ";
    const std::string waits = chip.at("waits");
    text += waits.empty() ? chip.at("state").get<std::string>() : waits;
    uint64_t others = 0;
    std::string last;
    for (const Json& set : chip.at("sets")) {
        if (set.at("file") != word.file) continue;
        if (set.at("offset") == word.offset)
            return text + "; it has set this word " + std::to_string(set.at("times").get<uint64_t>()) +
                   " times, last in " + set.at("by").get<std::string>();
        ++others;
        last = set.at("by");
    }
    text += "; it has never set this word";
    if (others != 0)
        text += ", but " + std::to_string(others) + " other words of the window, e.g. in " + last;
    return text;
}

}  // namespace

std::string chip_number() {
    const char* const value = std::getenv("PTOSIM_CHIP_NUMBER");
    return value == nullptr ? "" : value;
}

std::string SignalBoard::of_chip() {
    const std::string number = chip_number();
    return number.empty() ? "" : " of chip " + number;
}

void SignalBoard::set(SharedWord word, const std::string& by) {
    Set& set = sets_[word];
    ++set.times;
    set.by = by;
}

void SignalBoard::waits(const std::string& what) { waits_ = what; }

void SignalBoard::write() const {
    const std::string chip = chip_number();
    if (chip.empty() || folder().empty()) return;
    Json sets = Json::array();
    for (const auto& [word, set] : sets_)
        sets.push_back({{"file", word.file}, {"offset", word.offset}, {"times", set.times}, {"by", set.by}});
    const Json document{{"chip", chip}, {"state", state_}, {"waits", waits_}, {"sets", std::move(sets)}};
    write_file((folder() / (std::to_string(getpid()) + kSuffix)).string(), dump_json(document));
}

std::vector<std::string> SignalBoard::others(SharedWord word) const {
    std::vector<std::string> notes;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder(), error)) {
        if (entry.path().extension() != kSuffix || entry.path().stem() == std::to_string(getpid())) continue;
        std::ifstream file(entry.path());
        const Json chip = parse_json(file, {.discards = true});  // it may be incomplete
        if (chip.is_object()) notes.push_back(text_of(chip, word));
    }
    std::sort(notes.begin(), notes.end());
    return notes;
}

}  // namespace ptosim::mpmd
