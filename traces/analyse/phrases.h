// Requests of advice in the words of the kernel's author: of tiles, or of a library that the kernel
// calls.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "traces/record/recording.h"

namespace ptosim {

enum class Phrase : uint8_t {
    kMoreBlocks,
    kOneMoreSlot,
    kOneMoreSlotInside,
    kEachOneMoreSlot,
    kSetEarlier,
    kWaitLater,
    kNoFlag,
    kFlagOfEachSlot,
    kNoBarrier,
    kLongerRows,
    kAlignedRows,
    kLargerTiles,
    kLessWork,
    kLessCubeWork,
    kFewerScalars,
    kCount,
};

enum class Library : uint8_t { kNone, kAscendC };
// The library whose calls have issued instructions of the run.
Library library_of(const Sources& sources);

// A name in braces of the phrase, and its replacement.
using PhraseWord = std::pair<std::string_view, std::string>;
// The library's phrase, if it has one and all its words are given and not empty.
std::string phrase(Phrase phrase, Library library, std::initializer_list<PhraseWord> words = {});

// "inQueue" of "x = inQueue.AllocTensor<float>();", for AllocTensor; empty if the line has no such call.
std::string object_of_call(std::string_view line, std::string_view function);

}  // namespace ptosim
