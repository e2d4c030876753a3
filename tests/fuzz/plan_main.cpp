// Plans of sweeps, the expressions in them, and the parameters of the kernels that they name.
#include "sim/faces/sweep/plan.h"
#include "tests/fuzz/target.h"

namespace ptosim::fuzz {
namespace {

constexpr size_t kMostPoints = 1000;
struct Enough {};

}  // namespace

void read(std::string_view input) {
    const sweep::Plan plan = sweep::Plan::load(file_with(input));
    size_t points = 0;
    try {
        plan.for_each("program", [&](const sweep::Point& point) {
            point.coordinates();
            if (++points == kMostPoints) throw Enough{};
        });
    } catch (const Enough&) {
    }
}

}  // namespace ptosim::fuzz
