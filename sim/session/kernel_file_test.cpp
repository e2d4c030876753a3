// A .pto kernel is read once and bound once, independent of the decisions before its run.
#include "sim/session/kernel_file.h"

#include <catch2/catch.hpp>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/syntax/parser.h"

using namespace ptosim;

namespace {

struct Counted {
    ChipChoice chip;
    LoadedKernel loaded;
    unsigned parsed = 0, bound = 0;
};

// Loads a kernel as `ptosim run` does: first its chip is chosen.
Counted load(std::string text) {
    Counted result;
    const unsigned parsed = assembly::parse_count(), bound = assembly::bind_count();
    KernelSource source({.path = "k.pto", .text = std::move(text)});
    result.chip = chip_for(source, "", {});
    result.loaded = load_kernel(source, load_chip(result.chip.chip, {}));
    result.parsed = assembly::parse_count() - parsed;
    result.bound = assembly::bind_count() - bound;
    return result;
}

std::string module_for(const std::string& arch, const std::string& body) {
    return "module attributes {pto.target_arch = \"" + arch +
           "\"} {\nfunc.func @k(%p: !pto.ptr<f32>) {\n" + body + "\nreturn\n}\n}\n";
}

}  // namespace

TEST_CASE("a kernel is read once and bound once for a run") {
    for (const std::string arch : {"a3", "a5"}) {
        const Counted run = load(module_for(arch, ""));
        CHECK(run.chip.chip == (arch == "a3" ? "ascend910b1" : "ascend950pr"));
        CHECK(run.parsed == 1);
        CHECK(run.bound == 1);
        CHECK(run.loaded.refused.empty());
    }
}

TEST_CASE("a kernel is read again if another chip gives its parameters other values") {
    const std::string same = "//! param N = 4\n", other = "//! param N = chip.aiv.ub.bytes\n";
    const std::string body = "%c = arith.constant ${N} : index";
    CHECK(load(same + module_for("a5", body)).parsed == 1);
    CHECK(load(other + module_for("a3", body)).parsed == 1);
    CHECK(load(other + module_for("a5", body)).parsed == 2);  // UB: 192 and 248 KiB
}

// hw-native-sys/PTOAS lib/PTO/IR/PTO.cpp: a reshape keeps the number of bytes.
TEST_CASE("one binding finds what the assembler refuses and makes the kernel all the same") {
    const std::string wide = "!pto.tile_buf<vec, 16x64xf32>", half = "!pto.tile_buf<vec, 8x64xf32>";
    const Counted run = load(module_for(
        "a3", "%a = pto.alloc_tile : " + wide + "\n%b = pto.treshape %a : " + wide + " -> " + half +
                  "\n%c = pto.treshape %b : " + half + " -> !pto.tile_buf<vec, 4x64xf32>"));
    CHECK(run.bound == 1);
    REQUIRE(run.loaded.kernel != nullptr);
    // The second one is about a tile that the first does not make.
    REQUIRE(run.loaded.refused.size() == 1);
    CHECK(run.loaded.refused[0].message == "the result has 2048 bytes, the source 4096");
}
