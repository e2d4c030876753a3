// Mends as lines of a kernel's text: .pto, C++ with tiles, Ascend C.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/check/mend.h"

namespace ptosim {

// Empty if the lines of the kernel do not contain the changed operations, for example because a
// library sets the flag.
std::vector<check::MendLine> lines_of(const check::Mend& mend, const SourceMap& sources);

// A text with the lines of a mend that belong to `file`, and for each of its lines the line that it
// comes from.
struct MendedText {
    std::string text;
    std::vector<uint32_t> lines;
};
MendedText with_mend(std::string_view text, const std::string& file,
                     const std::vector<check::MendLine>& mend);

// Text such as "insert 'pto.barrier <PIPE_V>' before k.pto:12".
std::string sentence_of(const std::vector<check::MendLine>& mend);

std::string pack(const check::Mend& mend);
check::Mend unpack_mend(std::string_view text);

// The change of a file as a unified diff.
std::string diff_of(const std::string& file, std::string_view before, std::string_view after);

}  // namespace ptosim
