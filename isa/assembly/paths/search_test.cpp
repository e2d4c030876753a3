#include "isa/assembly/paths/search.h"

#include <catch2/catch.hpp>

#include "isa/assembly/bind/recording_port.h"

using namespace ptosim;
using namespace ptosim::assembly;

namespace {

using Kind = PathTarget::Kind;

std::unique_ptr<AssemblyKernel> kernel_of(const std::string& body) {
    return bind_text(kernel_text(body, ", %n: i32, %m: i32, %f: f32, %p: !pto.ptr<i32>"));
}

// The choice for the first target of that kind, if there is one.
std::optional<PathChoice> choice_for(const AssemblyKernel& kernel, Kind kind,
                                     std::vector<uint64_t> given) {
    given.insert(given.begin(), 0);
    given.resize(5);
    PathSearch search(kernel, {given, 1, {}, false}, {}, 1);
    for (const PathTarget& target : path_targets(kernel.program()))
        if (target.kind == kind) {
            const std::vector<PathChoice> found = search.find(target, 1);
            if (!found.empty()) return found.front();
            return std::nullopt;
        }
    return std::nullopt;
}

const std::string kBarrier = "pto.barrier <PIPE_V>\n";
const std::string kConstants = R"(
%zero = arith.constant 0 : i32
%three = arith.constant 3 : i32
%forty = arith.constant 40 : i32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%half = arith.constant 0.5 : f32
)";

}  // namespace

TEST_CASE("targets are the arms and iteration counts that constants leave open") {
    const auto kernel = kernel_of(kConstants + R"(
%never = arith.cmpi eq, %zero, %three : i32
scf.if %never { pto.barrier <PIPE_V> }
%c = arith.cmpi eq, %n, %three : i32
scf.if %c { pto.barrier <PIPE_V> }
scf.for %i = %c0 to %c4 step %c1 { pto.barrier <PIPE_V> }
%to = arith.index_cast %n : i32 to index
scf.for %i = %c0 to %to step %c1 { pto.barrier <PIPE_V> })");
    std::vector<std::string> found;
    for (const PathTarget& target : path_targets(kernel->program()))
        found.emplace_back(name(target.kind));
    CHECK(found == std::vector<std::string>{"then", "else", "no iteration", "one iteration",
                                            "several iterations"});
}

TEST_CASE("arguments are chosen that lead to an arm") {
    const auto kernel = kernel_of(kConstants + R"(
%a = arith.muli %n, %three : i32
%b = arith.addi %a, %forty : i32
%sum = arith.addi %b, %m : i32
%c = arith.cmpi eq, %sum, %zero : i32
scf.if %c { pto.barrier <PIPE_V> })");
    const auto choice = choice_for(*kernel, Kind::kThen, {1, 2});
    REQUIRE(choice);
    const auto n = static_cast<int32_t>(choice->arguments[1]);
    const auto m = static_cast<int32_t>(choice->arguments[2]);
    CHECK(3 * n + 40 + m == 0);
    CHECK(choice->forced.empty());
    CHECK(choice_for(*kernel, Kind::kElse, {0, static_cast<uint64_t>(-40)}));
}

TEST_CASE("arms that no argument leads to are not forced") {
    const auto kernel = kernel_of(kConstants + R"(
%a = arith.muli %n, %forty : i32
%b = arith.remsi %a, %forty : i32
%c = arith.cmpi ne, %b, %zero : i32
scf.if %c { pto.barrier <PIPE_V> })");
    CHECK(!choice_for(*kernel, Kind::kThen, {1}));
}

TEST_CASE("a condition that a float decides is forced with its equals and negations") {
    const auto kernel = kernel_of(kConstants + R"(
%a = arith.cmpf ogt, %f, %half : f32
scf.if %a { pto.barrier <PIPE_V> }
%b = arith.cmpf ogt, %f, %half : f32
scf.if %b { pto.barrier <PIPE_V> }
%other = arith.cmpf olt, %f, %half : f32
scf.if %other { pto.barrier <PIPE_V> })");
    const auto choice = choice_for(*kernel, Kind::kThen, {});
    REQUIRE(choice);
    CHECK(choice->forced.size() == 3);
    std::vector<uint64_t> arguments(5);  // %f is 0: by itself the third condition holds
    const DryRun run = dry_run(
        kernel->with_program(with_forced(kernel->program(), choice->forced)), arguments, {});
    std::vector<bool> taken;
    for (const PathTarget& target : path_targets(kernel->program()))
        if (target.kind == Kind::kThen) taken.push_back(has_done(run.counts, target));
    CHECK(taken == std::vector<bool>{true, true, false});
}

TEST_CASE("what a load gives is chosen, and the load is made all the same") {
    const auto kernel = kernel_of(kConstants + R"(
%v = pto.load_scalar %p[%c0] : !pto.ptr<i32> -> i32
%c = arith.cmpi sgt, %v, %forty : i32
scf.if %c { pto.barrier <PIPE_V> }
%d = arith.cmpi sle, %v, %forty : i32
scf.if %d { pto.barrier <PIPE_V> })");
    const auto choice = choice_for(*kernel, Kind::kThen, {});
    REQUIRE(choice);
    REQUIRE(choice->forced.size() == 1);
    CHECK(static_cast<int64_t>(choice->forced[0].value) > 40);
    RecordingPort port;
    const std::vector<uint64_t> arguments{4096, 0, 0, 0, 64};
    kernel->with_program(with_forced(kernel->program(), choice->forced)).run(port, arguments);
    CHECK(port.issued.size() == 1);
    CHECK(port.memory.contains(64));
}

TEST_CASE("loads of one element give one value, also in loops with equal bounds") {
    const auto kernel = kernel_of(kConstants + R"(
scf.for %i = %c0 to %c4 step %c1 {
%v = pto.load_scalar %p[%i] : !pto.ptr<i32> -> i32
%c = arith.cmpi sgt, %v, %forty : i32
scf.if %c { pto.barrier <PIPE_V> } }
scf.for %i = %c0 to %c4 step %c1 {
%v = pto.load_scalar %p[%i] : !pto.ptr<i32> -> i32
%c = arith.cmpi sgt, %v, %forty : i32
scf.if %c { pto.barrier <PIPE_V> } }
%w = pto.load_scalar %p[%c4] : !pto.ptr<i32> -> i32)");
    const Conditions conditions(kernel->program());
    std::vector<size_t> equal;
    for (uint32_t i = 0; i < kernel->program().steps.size(); ++i)
        if (kernel->program().steps[i].code == StepCode::kLoadGlobal)
            equal.push_back(conditions.loads_like(i).size());
    CHECK(equal == std::vector<size_t>{2, 2, 1});
}

TEST_CASE("conditions of integers are equal with their sides swapped, and unequal if negated") {
    const auto kernel = kernel_of(kConstants + R"(
%v = pto.load_scalar %p[%c0] : !pto.ptr<i32> -> i32
%a = arith.cmpi slt, %v, %n : i32
%b = arith.cmpi sgt, %n, %v : i32
%c = arith.cmpi sge, %v, %n : i32
scf.if %a { pto.barrier <PIPE_V> }
scf.if %b { pto.barrier <PIPE_V> }
scf.if %c { pto.barrier <PIPE_V> })");
    const Conditions conditions(kernel->program());
    uint32_t branch = 0;
    while (kernel->program().steps[branch].code != StepCode::kJumpIfZero) ++branch;
    std::vector<uint64_t> values;
    for (const ForcedStep& one : conditions.force(branch, false)) values.push_back(one.value);
    CHECK(values == std::vector<uint64_t>{1, 1, 0});
}
