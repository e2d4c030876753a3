#include "sim/faces/mpmd/job_process.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "sim/faces/mpmd/problem.h"
#include "sim/machine/model/chip_model.h"
#include "sim/session/options.h"

namespace ptosim::mpmd {
namespace {

Cycle cycles(uint64_t picoseconds, uint64_t clock_hz) {
    constexpr uint64_t kPerKilohertz = 1'000'000'000;  // ps of a period of 1 kHz
    return (picoseconds * (clock_hz / 1000) + kPerKilohertz - 1) / kPerKilohertz;
}

bool has_system() {
    const char* const name = std::getenv("PTOSIM_SYSTEM");
    return name != nullptr && *name != 0;
}

[[noreturn]] void refuse(std::string what, std::string hint) {
    throw DiagnosticError(problem("H30", std::move(what), std::move(hint)));
}

JobPages& pages_of(const SharedPages& pages, unsigned chips) {
    return *reinterpret_cast<JobPages*>(pages.data() + Links::bytes_of_pages(chips));
}

}  // namespace

struct JobProcess::Setup {
    SystemModel system;
    uint64_t clock = 0;

    bool has_network() const { return system.networks.front().members > 1; }
    HostCosts costs() const {
        return {cycles(system.host_run, clock), cycles(system.host_task, clock), cycles(system.host_wake, clock)};
    }
};

JobProcess& JobProcess::get() {
    static JobProcess& process = *new JobProcess;
    return process;
}

JobProcess::Setup JobProcess::setup() {
    const SessionOptions options = options_from_environment();
    Setup setup;
    setup.system = load_system(std::getenv("PTOSIM_SYSTEM"), options.overrides);
    setup.clock = load_chip(options.chip.empty() ? setup.system.chip : options.chip, options.overrides).clock;
    return setup;
}

bool JobProcess::begin(unsigned chips) {
    job_.reset();
    node_ = 0;
    if (!has_system()) return false;
    const Setup its = setup();
    make(its, {chips});
    job_.emplace(pages_of(pages_, chips), chips, its.costs());
    find_links(its);
    return true;
}

bool JobProcess::begin_nodes(const std::vector<unsigned>& chips_of_nodes) {
    job_.reset();
    if (!has_system()) return false;
    const Setup its = setup();
    make(its, chips_of_nodes);
    const unsigned chips = std::accumulate(chips_of_nodes.begin(), chips_of_nodes.end(), 0U);
    job_.emplace(pages_of(pages_, chips), chips_of_nodes, its.costs());
    find_links(its);
    return true;
}

// Nodes are hosts of the system's network; without one, they share its one host.
void JobProcess::make(const Setup& its, const std::vector<unsigned>& chips_of_nodes) {
    const SystemModel& system = its.system;
    const unsigned chips = std::accumulate(chips_of_nodes.begin(), chips_of_nodes.end(), 0U);
    const unsigned on_one_host = its.has_network() ? *std::ranges::max_element(chips_of_nodes) : chips;
    if (on_one_host > system.devices() || chips > JobPages::kMostChips)
        refuse("a program of " + std::to_string(chips) + " chips, and " + system.name + " has " +
                   std::to_string(system.devices()) + " devices",
               "choose another system, or set system.chips");
    const uint64_t most_nodes = its.has_network() && chips_of_nodes.size() > 1 ? system.networks.front().members
                                                                               : JobPages::kMostNodes;
    if (chips_of_nodes.size() > std::min<uint64_t>(most_nodes, JobPages::kMostNodes))
        refuse("a program of " + std::to_string(chips_of_nodes.size()) + " nodes, and " + system.name + " has " +
                   std::to_string(most_nodes) + " hosts",
               "choose another system, or set system.network1.members");
    pages_ = SharedPages::make(Links::bytes_of_pages(chips) + sizeof(JobPages));
    if (pages_.data() == nullptr)
        refuse("the system has no memory that processes share", "free some, or run without PTOSIM_SYSTEM");
    JobPages& pages = pages_of(pages_, chips);
    pages.process = getpid();
    pages.clock_hz = its.clock;
    system.name.copy(pages.system.data(), pages.system.size() - 1);
}

void JobProcess::find_links(const Setup& its) {
    std::vector<DevicePlace> places;
    for (unsigned node = 0; node < job_->nodes(); ++node)
        for (unsigned chip = job_->first_chip(node); chip < job_->first_chip(node + 1); ++chip)
            places.push_back(its.has_network() ? DevicePlace{node, chip - job_->first_chip(node)}
                                               : DevicePlace{0, chip});
    links_.clear();
    for (unsigned chip = 0; chip < places.size(); ++chip)
        links_.push_back(link_times(its.system, its.clock, chip, places));
}

void JobProcess::become_node(unsigned node) {
    node_ = node;
    job_ = job_->as_node(node);
    job_->note_process(getpid());
}

void JobProcess::join(const std::string& path, unsigned chips, unsigned node) {
    if (!has_system())
        refuse("the program of level 4 gives its chips one clock, and this node has none",
               "start both by 'ptosim exec --system NAME'");
    const Setup its = setup();
    pages_ = SharedPages::open(path, Links::bytes_of_pages(chips) + sizeof(JobPages));
    if (pages_.data() == nullptr)
        refuse("the clock of the program of level 4 cannot be reached: " + path,
               "a job with one clock runs on one machine, as one user");
    JobPages& pages = pages_of(pages_, chips);
    if (its.system.name != pages.system.data() || its.clock != pages.clock_hz)
        refuse("this node's system is " + its.system.name + ", and that of the program of level 4 " +
                   pages.system.data(),
               "start both with one --system, --chip and --set");
    job_ = Job::opened(pages, its.costs());
    find_links(its);
    become_node(node);
}

}  // namespace ptosim::mpmd
