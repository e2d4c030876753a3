// Files about the messages of a chip that shares its clock with others.
#pragma once

#include <span>

#include "sim/session/result.h"
#include "sim/system/links.h"

namespace ptosim {

// Adds the messages to trace.json of a recording in the folder `trace`, chipN of the folder of all chips, and writes
// chakra.N.et next to the folder (sim/system/chakra.h). Does nothing without messages or trace.json.
void write_messages(std::span<const Links::Traffic> messages, unsigned chip, const Result& result,
                    const std::filesystem::path& trace);

}  // namespace ptosim
