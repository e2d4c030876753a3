#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "isa/core/diagnostic.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/time_limit.h"

namespace ptosim::fuzz {

std::string file_with(std::string_view content) {
    static const int file = memfd_create("input", 0);
    if (ftruncate(file, 0) != 0 ||
        pwrite(file, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size())) {
        std::perror("the input cannot be written");
        std::abort();
    }
    return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace ptosim::fuzz

// SystemC's library wants one.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char*[]) { return 0; }

extern "C" __attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t* data,
                                                                             size_t size) {
    const ptosim::fuzz::TimeLimit limit;
    try {
        ptosim::fuzz::read({reinterpret_cast<const char*>(data), size});
    } catch (const ptosim::DiagnosticError&) {
    } catch (const std::bad_alloc&) {  // an error of the program, too
    }
    return 0;
}
