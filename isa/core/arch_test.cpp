// Tests the traits of architectures. tests/layers/architectures_test.py checks in the sources that nothing else
// distinguishes architectures.
#include "isa/core/arch.h"

#include <catch2/catch.hpp>

#include "isa/table/instruction_traits.h"

using namespace ptosim;

TEST_CASE("every value of a trait has a source, and what is assumed is told from what is known") {
    CHECK(trait_rows().size() > 40);
    for (const TraitRow& row : trait_rows()) {
        INFO(row.name);
        CHECK(row.text.ends_with("."));
        for (const TraitValue& value : row.values) CHECK(!value.source.empty());
    }
}

// hw-native-sys/pto-isa include/pto/npu/kirin9030/header.hpp: vector instructions are the same as on a5.
TEST_CASE("a kirin's tile instructions are implemented as those of a5") {
    const PerArch<int> value{.a2a3 = 2, .a5 = 5};
    CHECK(value[Arch::kA2A3] == 2);
    CHECK(value[Arch::kA5] == 5);
    CHECK(value[Arch::kKirin] == 5);
}
