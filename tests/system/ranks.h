// The frame of programs of several ranks: functions of MPI, from the library that $MPI_LIB names, and the context of windows.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

struct Context {
    uint64_t workspace, workspace_bytes;
    uint32_t rank, ranks;
    uint64_t window_bytes, in[64], out[64];
};

constexpr int kWorld = 0x44000000, kChar = 0x4c000101;

template <class F>
F mpi(const char* name) {
    static void* const library = dlopen(std::getenv("MPI_LIB"), RTLD_NOW);
    if (library == nullptr) std::exit(90);
    return reinterpret_cast<F>(dlsym(library, name));
}

inline void begin_ranks(int& argc, char**& argv, int& rank, int& ranks) {
    mpi<int (*)(int*, char***)>("MPI_Init")(&argc, &argv);
    mpi<int (*)(int, int*)>("MPI_Comm_rank")(kWorld, &rank);
    mpi<int (*)(int, int*)>("MPI_Comm_size")(kWorld, &ranks);
}
