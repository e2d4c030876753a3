// Parameters of a system of several chips: read from models/systems/*.json, by the rules of chip files.
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
        kSwitch,    // each chip has its links to a switch, for all other chips together
    };
    struct Link {
        uint64_t latency = 0;  // from one end to the other, in ps
        uint64_t rate = 0;     // of a lane, in B/s
        uint64_t lanes = 1;
        friend bool operator==(const Link&, const Link&) = default;
    };
    // A network of hosts or of smaller networks. The first joins nodes of simulated programs; estimates use all
    // (sim/system/collectives.h).
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
    uint64_t dies = 1;  // number in a chip; each is a device
    Link link, die_link;
    uint64_t port_rate = 0;  // limit of all links of a device to other chips, one way, in B/s; 0: none
    std::array<Network, 3> networks;
    // Of the process that gives runs to the chips, in ps: for each of its orchestrations, for each task that it submits,
    // and from the end of a task until it goes on.
    uint64_t host_run = 0, host_task = 0, host_wake = 0;
    std::map<std::string, Provenance> provenance;  // by path

    uint64_t devices() const { return chips * dies; }
    // The link between two devices.
    const Link& between(uint64_t a, uint64_t b) const { return a / dies == b / dies ? die_link : link; }
};

// Prefix of the words of --set that belong to a system.
inline constexpr std::string_view kSystemPrefix = "system.";

std::vector<std::string> system_names();
// `name_or_file`: a name of models/systems, or a file. `overrides`: words such as "system.link.rate=20GB/s"; others are
// ignored. Throws DiagnosticError like load_chip().
SystemModel load_system(const std::string& name_or_file, std::span<const std::string> overrides);

}  // namespace ptosim
