// The calls of MPI that hosts of communicating kernels make, for ranks that the toolkit's mpirun has started on this
// machine. Handles follow MPICH's ABI, because hosts load the library at run time and have no header.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "sim/system/meeting.h"
#include "sim/system/waiting_host.h"

#define PTOSIM_MPI extern "C" __attribute__((visibility("default")))

namespace {

using ptosim::Meeting;
using ptosim::MeetingPages;
using ptosim::SharedPages;

using Communicator = int;
using Datatype = int;
constexpr Communicator kWorld = 0x44000000, kSelf = 0x44000001;
constexpr int kSuccess = 0, kWrongCommunicator = 5, kWrongType = 3, kWrongRoot = 7, kOther = 15;

struct Ranks {
    unsigned rank = 0, ranks = 1;
    SharedPages pages;
    std::unique_ptr<Meeting> meeting;  // null: one rank
};
Ranks* ranks = nullptr;  // lives until the process ends

unsigned number_of(const char* variable, unsigned otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

[[noreturn]] void stop(const std::string& what) {
    std::fprintf(stderr, "error: MPI: %s [H27]\n", what.c_str());
    std::fflush(nullptr);
    std::_Exit(kOther);
}

// A type's handle contains its size.
size_t bytes_of(Datatype type) { return static_cast<unsigned>(type) >> 8 & 0xff; }
bool built_in(Datatype type) { return (static_cast<unsigned>(type) & 0xffff0000) == 0x4c000000; }

// Functions for a chip of this process while its host waits (sim/faces/host/waiting_host.cpp);
// null if there is no chip.
struct Chip {
    decltype(&ptosim_host_park) park = find<decltype(park)>("ptosim_host_park");
    decltype(&ptosim_host_serve) serve = find<decltype(serve)>("ptosim_host_serve");
    decltype(&ptosim_host_leave) leave = find<decltype(leave)>("ptosim_host_leave");

    template <class Function>
    static Function find(const char* name) {
        return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    }
};

// A record consists of the time of the rank's chip, and bytes.
constexpr size_t kMostBytes = MeetingPages::kRecordBytes - sizeof(uint64_t);

// One round: `take` receives each rank's bytes.
template <class Take>
void meet(std::span<const std::byte> mine, const Take& take) {
    static const Chip& chip = *new Chip;
    uint64_t time = chip.park == nullptr ? 0 : chip.park();
    std::vector<std::byte> record(sizeof time + mine.size());
    std::memcpy(record.data(), &time, sizeof time);
    std::copy(mine.begin(), mine.end(), record.begin() + sizeof time);
    const auto read = [&](unsigned rank, std::span<const std::byte> bytes) {
        uint64_t its = 0;
        std::memcpy(&its, bytes.data(), sizeof its);
        time = std::max(time, its);
        take(rank, bytes.subspan(sizeof its));
    };
    const auto meanwhile = [&](auto waiting) {
        if (chip.serve == nullptr) return;
        const auto ask = [](void* of) { return static_cast<int>((*static_cast<decltype(waiting)*>(of))()); };
        chip.serve(ask, &waiting);
    };
    if (const auto ended = ranks->meeting->exchange(record, read, meanwhile))
        stop("rank " + std::to_string(*ended) + " has ended, and rank " + std::to_string(ranks->rank) +
             " waits for it");
    if (chip.leave != nullptr) chip.leave(time);
}

int checked(Communicator communicator) {
    if (ranks == nullptr) stop("a call before MPI_Init, or after MPI_Finalize");
    return communicator == kWorld || communicator == kSelf ? kSuccess : kWrongCommunicator;
}
bool alone(Communicator communicator) { return communicator == kSelf || !ranks->meeting; }

}  // namespace

PTOSIM_MPI int MPI_Init(int*, char***) {
    if (ranks != nullptr) return kOther;
    ranks = new Ranks;
    const char* const path = std::getenv("PTOSIM_MPI");
    if (path == nullptr) return kSuccess;
    ranks->rank = number_of("PMI_RANK", 0);
    ranks->ranks = number_of("PMI_SIZE", 1);
    ranks->pages = SharedPages::open(path, sizeof(MeetingPages));
    if (ranks->pages.data() == nullptr || ranks->rank >= ranks->ranks || ranks->ranks > MeetingPages::kMostRanks)
        stop("this process was not started by the toolkit's mpirun, or that has ended");
    ranks->meeting = std::make_unique<Meeting>(*reinterpret_cast<MeetingPages*>(ranks->pages.data()), ranks->rank,
                                               ranks->ranks);
    return kSuccess;
}

PTOSIM_MPI int MPI_Initialized(int* flag) {
    *flag = ranks != nullptr;
    return kSuccess;
}

PTOSIM_MPI int MPI_Comm_size(Communicator communicator, int* size) {
    if (const int error = checked(communicator)) return error;
    *size = alone(communicator) ? 1 : static_cast<int>(ranks->ranks);
    return kSuccess;
}

PTOSIM_MPI int MPI_Comm_rank(Communicator communicator, int* rank) {
    if (const int error = checked(communicator)) return error;
    *rank = alone(communicator) ? 0 : static_cast<int>(ranks->rank);
    return kSuccess;
}

PTOSIM_MPI int MPI_Barrier(Communicator communicator) {
    if (const int error = checked(communicator)) return error;
    if (!alone(communicator)) meet({}, [](unsigned, std::span<const std::byte>) {});
    return kSuccess;
}

PTOSIM_MPI int MPI_Bcast(void* buffer, int count, Datatype type, int root, Communicator communicator) {
    if (const int error = checked(communicator)) return error;
    if (!built_in(type)) return kWrongType;
    if (alone(communicator)) return kSuccess;
    if (root < 0 || static_cast<unsigned>(root) >= ranks->ranks) return kWrongRoot;
    const size_t size = bytes_of(type) * static_cast<size_t>(count);
    auto* const bytes = static_cast<std::byte*>(buffer);
    const bool sends = static_cast<unsigned>(root) == ranks->rank;
    for (size_t begin = 0; begin < size; begin += kMostBytes) {
        const size_t part = std::min(size - begin, kMostBytes);
        meet(std::span(bytes + begin, sends ? part : 0), [&](unsigned rank, std::span<const std::byte> theirs) {
            if (rank != static_cast<unsigned>(root) || sends) return;
            if (theirs.size() != part) stop("MPI_Bcast: ranks give different sizes");
            std::copy(theirs.begin(), theirs.end(), bytes + begin);
        });
    }
    return kSuccess;
}

PTOSIM_MPI int MPI_Allgather(const void* send, int count, Datatype type, void* receive, int, Datatype,
                             Communicator communicator) {
    if (const int error = checked(communicator)) return error;
    if (!built_in(type)) return kWrongType;
    const size_t size = bytes_of(type) * static_cast<size_t>(count);
    auto* const to = static_cast<std::byte*>(receive);
    const bool in_place = reinterpret_cast<intptr_t>(send) == -1;  // MPI_IN_PLACE
    const size_t own = alone(communicator) ? 0 : ranks->rank;
    const std::byte* const from = in_place ? to + own * size : static_cast<const std::byte*>(send);
    // A copy, because the parts may arrive where the bytes to send are.
    const std::vector<std::byte> mine(from, from + size);
    if (alone(communicator)) {
        std::copy(mine.begin(), mine.end(), to);
        return kSuccess;
    }
    for (size_t begin = 0; begin < size; begin += kMostBytes) {
        const size_t part = std::min(size - begin, kMostBytes);
        meet(std::span(mine).subspan(begin, part), [&](unsigned rank, std::span<const std::byte> theirs) {
            if (theirs.size() != part) stop("MPI_Allgather: ranks give different sizes");
            std::copy(theirs.begin(), theirs.end(), to + rank * size + begin);
        });
    }
    return kSuccess;
}

PTOSIM_MPI int MPI_Finalize() {
    if (const int error = checked(kWorld)) return error;
    if (ranks->meeting) {
        meet({}, [](unsigned, std::span<const std::byte>) {});
        ranks->meeting->leave();
    }
    ranks = nullptr;
    return kSuccess;
}

PTOSIM_MPI int MPI_Abort(Communicator, int code) {
    std::fflush(nullptr);
    std::_Exit(code == 0 ? 1 : code);
}
