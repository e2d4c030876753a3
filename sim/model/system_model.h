// A system of several chips as parameters: read from models/systems/*.json, by the rules of chip files.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ptosim {

struct SystemModel {
    enum class Topology : uint8_t {
        kFullMesh,  // a link between any two chips
        kSwitch,    // each chip has its links to a switch, for all others together
    };
    struct Link {
        uint64_t latency = 0;  // from one end to the other, in ps
        uint64_t rate = 0;     // of a lane, in B/s
        uint64_t lanes = 1;
        friend bool operator==(const Link&, const Link&) = default;
    };
    // Of hosts, or of smaller networks. Not simulated: sim/system/collectives.h estimates by it.
    struct Network {
        uint64_t members = 1;
        uint64_t latency = 0;  // one way, in ps
        uint64_t rate = 0;     // of a device, in B/s
    };
    struct Provenance {
        std::string value, grade, source;
    };

    std::string name, description;
    std::string chip;  // the name or file of its chip model
    Topology topology = Topology::kFullMesh;
    uint64_t chips = 0;
    uint64_t dies = 1;  // of a chip: each is a device
    Link link, die_link;
    uint64_t port_rate = 0;  // of all links of a device to other chips together, one way, in B/s; 0: no limit
    std::array<Network, 3> networks;
    // Of the process that gives runs to the chips, in ps: for each of its orchestrations, for each task that it submits,
    // and from the end of a task until it goes on.
    uint64_t host_run = 0, host_task = 0, host_wake = 0;
    std::map<std::string, Provenance> provenance;  // by path

    uint64_t devices() const { return chips * dies; }
    // Between two devices.
    const Link& between(uint64_t a, uint64_t b) const { return a / dies == b / dies ? die_link : link; }
};

// Words of --set that are a system's begin with this.
inline constexpr std::string_view kSystemPrefix = "system.";

std::vector<std::string> system_names();
// `name_or_file`: a name of models/systems, or a file. `overrides`: "system.link.rate=20GB/s"; others are passed over.
// Throws DiagnosticError as load_chip().
SystemModel load_system(const std::string& name_or_file, std::span<const std::string> overrides);

}  // namespace ptosim
