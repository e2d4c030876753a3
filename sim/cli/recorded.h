// What a run leaves for its recording, beside what the observers saw.
#pragma once

#include "sim/model/chip_model.h"
#include "traces/recording.h"

namespace ptosim::cli {

ChipFacts chip_facts(const ChipModel& model);

}  // namespace ptosim::cli
