// Expected counts are counted by hand; the arithmetic of the counted functions is that of the same
// source, uncounted.
#include "sim/compile/scalar_code.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "sim/files/command.h"
#include "sim/files/files.h"
#include "sim/files/temporary_folder.h"

namespace ptosim {
namespace {

bool is_counted(std::string_view file) { return file.ends_with("counted.cpp"); }

// Numbers in the additions to the counter, in their order.
std::vector<unsigned> additions(const std::string& assembly) {
    std::vector<unsigned> found;
    for (size_t at = 0; (at = assembly.find("addq\t$", at)) != assembly.npos;)
        found.push_back(static_cast<unsigned>(std::atoi(assembly.c_str() + (at += 6))));
    return found;
}

#ifdef __x86_64__
TEST_CASE("straight runs of instructions are counted once each, without those of other files") {
    const std::string counted = with_counted_code(
        "\t.file 1 \"counted.cpp\"\n\t.file 2 \"other.cpp\"\n"
        "f:\n\t.loc 1 3 0\n\tmovl\t%edi, %eax\n\taddl\t%esi, %eax\n"
        "\t.loc 2 9 0\n\timull\t%eax, %eax\n"
        "\t.loc 1 4 0\n\ttestl\t%eax, %eax\n\tje\t.L2\n"
        "\tcall\tg\n"
        ".L2:\n\t.loc 2 9 0\n\tret\n",
        is_counted);
    CHECK(additions(counted) == std::vector<unsigned>{3, 1});  // addl, testl, je; call
}

TEST_CASE("an operand in memory counts as a load, and as a store if it is also the result") {
    const std::string counted = with_counted_code(
        "\t.file 1 \"counted.cpp\"\nf:\n\t.loc 1 3 0\n\tmovl\t8(%rbx), %eax\n\taddl\t(%rbx), %eax\n"
        "\taddl\t%eax, 4(%rbx)\n\tcmpl\t$3, (%rbx)\n\taddl\t8(%rsp), %eax\n\tjmp\t*(%rbx,%rax,8)\n",
        is_counted);
    CHECK(additions(counted) == std::vector<unsigned>{1 + 2 + 3 + 2 + 1 + 2});
}

TEST_CASE("calls that a sanitizer inserted do not count") {
    const std::string counted = with_counted_code(
        "\t.file 1 \"/a\" \"counted.cpp\"\nf:\n\t.loc 1 3 0\n\tleaq\t8(%rdi), %rdi\n"
        "\tcall\t__sanitizer_cov_load4@PLT\n\tmovl\t8(%rbx), %eax\n\tret\n",
        is_counted);
    CHECK(additions(counted) == std::vector<unsigned>{2});  // movl, ret
}

// Loops, switches, comparisons whose flags are read twice, exceptions, calls, floating point.
constexpr const char* kSource = R"(
extern "C" __attribute__((visibility("default"))) long three_ways(long a, long b) {
    return a < b ? 3 : a == b ? 5 : 7;
}
static __attribute__((noinline)) int thrown(int i) { if (i == 13) throw i; return i * 3; }
extern "C" __attribute__((visibility("default"))) long mixed(int n) {
    long sum = 0;
    double x = 0.5;
    for (int i = 0; i < n; ++i) {
        switch (i % 7) {
            case 0: sum += i; break;
            case 1: sum -= three_ways(i, 20); break;
            case 2: sum ^= sum << 3; break;
            case 3: x = x * 1.25 + i; break;
            case 4: sum += (long)x; break;
            case 5: if (x > 1e6) x = 1; break;
            default: try { sum += thrown(i); } catch (int) { sum += 1000; }
        }
        unsigned __int128 wide = (unsigned __int128)sum * (unsigned long)i;
        sum += (long)(wide >> 64) + (sum < 0 ? -1 : 1);
    }
    return sum;
}
)";

struct Library {
    explicit Library(const std::string& file)
        : handle{dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)} {
        INFO(dlerror());
        REQUIRE(handle != nullptr);
    }
    ~Library() { dlclose(handle); }
    template <class F>
    F* get(const char* name) const {
        return reinterpret_cast<F*>(dlsym(handle, name));
    }
    void* handle;
};

void run(std::vector<std::string> words) {
    const CommandResult result = run_command(words);
    INFO(result.messages);
    REQUIRE(result.status == 0);
}

TEST_CASE("counted code computes as before at each level of optimisation") {
    const TemporaryFolder folder;
    const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
    write_file(path("counted.cpp"), kSource);
    write_file(path("counter.cpp"),
               "extern \"C\" unsigned long ptosim_scalar_instructions; "
               "unsigned long ptosim_scalar_instructions;");
    for (const std::string compiler : {"g++", "clang++"}) {
        if (run_command({compiler, "--version"}).status != 0) continue;
        for (const std::string level : {"-O0", "-O1", "-O2", "-O3"}) {
            CAPTURE(compiler, level);
            std::vector<std::string> words{compiler, level,      "-fPIC", "-S", path("counted.cpp"),
                                           "-o",     path("a.s")};
            const std::vector<std::string> flags = counted_code_flags(compiler == "g++");
            words.insert(words.end(), flags.begin(), flags.end());
            run(words);
            write_file(path("b.s"), with_counted_code(read_file(path("a.s")), is_counted));
            const std::string plain = path("plain" + compiler + level + ".so");
            const std::string counted = path("counted" + compiler + level + ".so");
            run({compiler, "-fPIC", "-shared", path("a.s"), "-o", plain});
            run({compiler, "-fPIC", "-shared", path("b.s"), path("counter.cpp"), "-o", counted});
            const Library before(plain), after(counted);
            auto& count = *after.get<unsigned long>("ptosim_scalar_instructions");
            for (const int n : {0, 1, 14, 500})
                CHECK(before.get<long(int)>("mixed")(n) == after.get<long(int)>("mixed")(n));
            const auto counted_ways = [&](long a, long b) {
                count = 0;
                CHECK(after.get<long(long, long)>("three_ways")(a, b) == (a < b    ? 3
                                                                          : a == b ? 5
                                                                                   : 7));
                return count;
            };
            for (const auto& [a, b] : {std::pair{1L, 2L}, {2L, 2L}, {3L, 2L}}) {
                const unsigned long instructions = counted_ways(a, b);
                CHECK(instructions >= 3);
                CHECK(instructions <= 20);
            }
            count = 0;
            after.get<long(int)>("mixed")(100);
            const unsigned long hundred = count;
            count = 0;
            after.get<long(int)>("mixed")(200);
            CHECK(count > 1.8 * static_cast<double>(hundred));
        }
    }
}
#endif

}  // namespace
}  // namespace ptosim
