// Speed of single instructions, against this host's peaks: JSON on standard output.
//
//     bench_instructions [--quick] [NAME...]      only cases whose name contains a NAME
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "isa/core/execution.h"
#include "isa/numeric/convert.h"
#include "isa/table/instruction_table.h"
#include "tests/bench/measure.h"

using namespace ptosim;

namespace {

// Operands with separate memory.
class Bench {
 public:
    explicit Bench(Opcode opcode) : instruction_{opcode} {}

    Bench& tile(const Tile& tile) {
        instruction_.add(tile);
        add_bytes(tile.byte_size(), tile.dtype);
        return *this;
    }
    Bench& view(DType type, int rows, int cols, int pitch) {
        GlobalView view;
        view.dtype = type;
        view.shape = {1, 1, 1, rows, cols};
        view.stride = {pitch * rows, pitch * rows, pitch * rows, pitch, 1};
        instruction_.add(view);
        add_bytes(view.span_bytes(), type);
        return *this;
    }
    Instruction& instruction() { return instruction_; }

    void run() const {
        Execution execution{instruction_, {}, Numerics::kIEEE};
        for (unsigned i = 0; i < instruction_.operand_count; ++i)
            execution.bytes[i] = const_cast<std::byte*>(bytes_[place(i)].data()) + offset(place(i));
        info(instruction_.opcode).semantics(execution);
    }

 private:
    // An accumulator that is read is the one that is written.
    unsigned place(unsigned i) const {
        const bool same = i == 1 && instruction_.tile(0).space == Space::kL0C &&
                          instruction_.operands[1].is_tile() &&
                          instruction_.tile(1).space == Space::kL0C;
        return same ? 0 : i;
    }

    // On-chip buffers and device addresses are aligned.
    size_t offset(unsigned i) const {
        return (64 - reinterpret_cast<uintptr_t>(bytes_[i].data()) % 64) % 64;
    }

    // Values around 1, as real tiles hold: no infinities, no subnormals.
    void add_bytes(uint64_t size, DType type) {
        std::mt19937 random(static_cast<unsigned>(bytes_.size() + 1));
        std::vector<std::byte> bytes(size + 128);
        const size_t width = bits(type);
        if (width < 8 || type == DType::kE8M0) {
            for (std::byte& byte : bytes)
                byte = static_cast<std::byte>(type == DType::kE8M0 ? 125 + random() % 5 : random());
        } else {
            for (size_t at = 0; at + width / 8 <= bytes.size(); at += width / 8) {
                const double value = is_integer(type)
                                         ? static_cast<double>(random() % 100)
                                         : 0.25 + static_cast<double>(random() % 1000) / 500.0;
                uint64_t source = 0;
                const auto narrow = static_cast<float>(value);
                std::memcpy(&source, &narrow, sizeof narrow);
                const uint64_t lane =
                    convert_bits(type, DType::kF32, source, RoundMode::kRint, Saturation::kOn);
                std::memcpy(bytes.data() + at, &lane, width / 8);
            }
        }
        bytes_.push_back(std::move(bytes));
    }

    Instruction instruction_;
    std::vector<std::vector<std::byte>> bytes_;
};

enum class Unit { kFlops, kElements, kBytes };

struct Case {
    std::string name;
    Bench bench;
    Unit unit = Unit::kElements;
    double amount = 0;  // of the unit, per call
    std::function<void()> reference{};
    double reference_amount = 0;  // of the unit, per call of the reference
    std::string reference_name{};
    double target = 0;  // of the ratio, or of giga-units per second where it is absolute
    bool absolute = false;
};

// Tiles of 32 KiB: three of them fit a unified buffer twice.
constexpr int kRows = 64, kRowBytes = 512;

Tile vec(DType type, int rows, int cols) { return make_tile(Space::kUB, type, rows, cols); }
Tile vec(DType type) { return vec(type, kRows, static_cast<int>(kRowBytes * 8 / bits(type))); }

// ---- matrix products

Case product(const std::string& name, DType a, DType b, DType c, bool mx, int size, double target) {
    const auto zz = [](Space space, DType type, int rows, int cols) {
        return make_tile(space, type, rows, cols, OuterLayout::kRowMajor, InnerLayout::kRowMajor);
    };
    const auto zn = [](Space space, DType type, int rows, int cols) {
        return make_tile(space, type, rows, cols, OuterLayout::kRowMajor, InnerLayout::kColMajor);
    };
    const Tile acc =
        make_tile(Space::kL0C, c, size, size, OuterLayout::kColMajor, InnerLayout::kRowMajor, 1024);
    Bench bench(mx ? Opcode::kTMATMUL_MX_ACC : Opcode::kTMATMUL_ACC);
    bench.tile(acc).tile(acc).tile(zz(Space::kL0A, a, size, size));
    if (mx) {
        Tile scale = zz(Space::kScaleA, DType::kE8M0, size, size / 32);
        scale.fractal = 32;
        bench.tile(scale);
    }
    bench.tile(zn(Space::kL0B, b, size, size));
    if (mx) {
        Tile scale = make_tile(Space::kScaleB, DType::kE8M0, size / 32, size,
                               OuterLayout::kColMajor, InnerLayout::kColMajor, 32);
        bench.tile(scale);
    }
    Case result{name, std::move(bench)};
    result.unit = Unit::kFlops;
    result.amount = 2.0 * size * size * size;
    result.reference_amount = bench::spin_fma(result.amount);
    result.reference = [flops = result.amount] { bench::spin_fma(flops); };
    result.reference_name = "peak fma";
    result.target = target;
    return result;
}

// ---- elements

// A loop over separate memory, as large as the f32 operands.
std::function<void()> plain_loop(void (*loop)(const float*, const float*, float*, size_t),
                                 size_t count) {
    auto arrays = std::make_shared<std::vector<float>>(3 * count, 1.25F);
    return [arrays, loop, count] {
        float* const first = arrays->data();
        loop(first, first + count, first + 2 * count, count);
    };
}

Case elements(const std::string& name, Opcode opcode, const std::vector<Tile>& tiles, Tile counted,
              double target, bool absolute) {
    Bench bench(opcode);
    for (const Tile& tile : tiles) bench.tile(tile);
    Case result{name, std::move(bench)};
    result.amount = double{1} * counted.valid_rows * counted.valid_cols;
    result.target = target;
    result.absolute = absolute;
    // Per byte: the f32 loop over as many bytes.
    const auto floats = static_cast<size_t>(result.amount) * bits(counted.dtype) / 32;
    result.reference = plain_loop(bench::plain_add, floats);
    result.reference_amount = result.amount;
    result.reference_name = "plain loop";
    return result;
}

// ---- moves

std::function<void()> copy_of(size_t bytes) {
    auto arrays = std::make_shared<std::vector<std::byte>>(2 * bytes, std::byte{1});
    return [arrays, bytes] {
        std::memcpy(arrays->data() + bytes, arrays->data(), bytes);
        asm volatile("" : : "r"(arrays->data()) : "memory");
    };
}

Case move(const std::string& name, Bench bench, size_t bytes, double target) {
    Case result{name, std::move(bench)};
    result.unit = Unit::kBytes;
    result.amount = static_cast<double>(bytes);
    result.reference = copy_of(bytes);
    result.reference_amount = static_cast<double>(bytes);
    result.reference_name = "memcpy";
    result.target = target;
    return result;
}

Tile nz(Space space, DType type, int rows, int cols) {
    return make_tile(space, type, rows, cols, OuterLayout::kColMajor, InnerLayout::kRowMajor);
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    const DType f32 = DType::kF32, f16 = DType::kF16, bf16 = DType::kBF16;
    const auto add_product = [&](const std::string& name, DType a, DType c, bool mx, int size,
                                 double target) {
        cases.push_back(
            product("TMATMUL_ACC " + name + " " + std::to_string(size), a, a, c, mx, size, target));
    };
    add_product("f16", f16, f32, false, 128, 0.5);
    add_product("bf16", bf16, f32, false, 128, 0.5);
    add_product("f32", f32, f32, false, 128, 0.5);
    add_product("i8", DType::kI8, DType::kI32, false, 128, 0.4);
    add_product("e4m3", DType::kE4M3, f32, false, 128, 0.2);
    add_product("e5m2", DType::kE5M2, f32, false, 128, 0.2);
    add_product("hif8", DType::kHIF8, f32, false, 128, 0.2);
    add_product("mx e4m3", DType::kE4M3, f32, true, 128, 0.5);
    add_product("mx e2m1", DType::kE2M1, f32, true, 128, 0.5);
    add_product("f16", f16, f32, false, 64, 0);
    add_product("f16", f16, f32, false, 16, 0);

    const auto binary = [&](const std::string& name, Opcode op, DType type, double target) {
        cases.push_back(
            elements(name, op, {vec(type), vec(type), vec(type)}, vec(type), target, false));
    };
    binary("TADD f32", Opcode::kTADD, f32, 0.6);
    binary("TMUL f32", Opcode::kTMUL, f32, 0.6);
    binary("TADD f16", Opcode::kTADD, f16, 0.4);
    binary("TMUL f16", Opcode::kTMUL, f16, 0.4);
    binary("TADD bf16", Opcode::kTADD, bf16, 0);
    binary("TMAX f32", Opcode::kTMAX, f32, 0);
    binary("TDIV f32", Opcode::kTDIV, f32, 0);
    binary("TADD i32", Opcode::kTADD, DType::kI32, 0);
    const auto unary = [&](const std::string& name, Opcode op, DType to, DType from,
                           double target) {
        const int cols = kRowBytes * 8 / static_cast<int>(std::max(bits(to), bits(from)));
        const Tile source = vec(from, kRows, cols);
        cases.push_back(elements(name, op, {vec(to, kRows, cols), source}, source, target, true));
    };
    unary("TEXP f32", Opcode::kTEXP, f32, f32, 1);
    unary("TLOG f32", Opcode::kTLOG, f32, f32, 0);
    unary("TSQRT f32", Opcode::kTSQRT, f32, f32, 0);
    unary("TRSQRT f32", Opcode::kTRSQRT, f32, f32, 0);
    unary("TRECIP f32", Opcode::kTRECIP, f32, f32, 0);
    unary("TEXP f16", Opcode::kTEXP, f16, f16, 0);
    unary("TCVT f32 from f16", Opcode::kTCVT, f32, f16, 5);
    unary("TCVT f16 from f32", Opcode::kTCVT, f16, f32, 6);
    unary("TCVT bf16 from f32", Opcode::kTCVT, bf16, f32, 0);
    unary("TCVT i8 from f16", Opcode::kTCVT, DType::kI8, f16, 6);
    unary("TCVT e4m3 from f32", Opcode::kTCVT, DType::kE4M3, f32, 5);
    const auto reduce = [&](const std::string& name, Opcode op, DType type, double target) {
        Tile out = make_tile(Space::kUB, type, kRows, 1, OuterLayout::kColMajor);
        cases.push_back(elements(name, op, {out, vec(type), vec(type)}, vec(type), target, true));
    };
    reduce("TROWSUM f32", Opcode::kTROWSUM, f32, 6);
    reduce("TROWMAX f32", Opcode::kTROWMAX, f32, 6);
    reduce("TROWSUM f16", Opcode::kTROWSUM, f16, 3);
    cases.push_back(elements("TCOLSUM f32", Opcode::kTCOLSUM,
                             {vec(f32, 1, 128), vec(f32), vec(f32)}, vec(f32), 0, true));

    const size_t f16_bytes = 128 * 256 * 2;
    {
        Bench bench(Opcode::kTLOAD);
        bench.tile(vec(f16, 128, 256)).view(f16, 128, 256, 512);
        cases.push_back(move("TLOAD f16 128x256 ND", std::move(bench), f16_bytes, 0.6));
    }
    {
        Bench bench(Opcode::kTLOAD);
        bench.tile(nz(Space::kL1, f16, 128, 256)).view(f16, 128, 256, 512);
        cases.push_back(move("TLOAD f16 128x256 ND to NZ", std::move(bench), f16_bytes, 0.6));
    }
    {
        Bench bench(Opcode::kTSTORE);
        bench.view(f16, 128, 256, 512).tile(vec(f16, 128, 256));
        cases.push_back(move("TSTORE f16 128x256 ND", std::move(bench), f16_bytes, 0.6));
    }
    {
        Bench bench(Opcode::kTSTORE);
        bench.view(f32, 128, 128, 512)
            .tile(make_tile(Space::kL0C, f32, 128, 128, OuterLayout::kColMajor,
                            InnerLayout::kRowMajor, 1024));
        cases.push_back(move("TSTORE f32 128x128 NZ to ND", std::move(bench), 128 * 128 * 4, 0.6));
    }
    {
        Bench bench(Opcode::kTSTORE);
        bench.view(f16, 128, 128, 512)
            .tile(make_tile(Space::kL0C, f32, 128, 128, OuterLayout::kColMajor,
                            InnerLayout::kRowMajor, 1024));
        cases.push_back(
            move("TSTORE f32 128x128 NZ to ND as f16", std::move(bench), 128 * 128 * 4, 0.3));
    }
    {
        Tile window = nz(Space::kL1, f16, 128, 64);
        Bench bench(Opcode::kTMOV);
        bench
            .tile(make_tile(Space::kL0A, f16, 128, 64, OuterLayout::kRowMajor,
                            InnerLayout::kRowMajor))
            .tile(window);
        cases.push_back(move("TMOV f16 128x64 NZ to ZZ", std::move(bench), 128 * 64 * 2, 0));
    }
    {
        Tile window = nz(Space::kL1, f16, 64, 128);
        Bench bench(Opcode::kTMOV);
        bench
            .tile(make_tile(Space::kL0B, f16, 64, 128, OuterLayout::kRowMajor,
                            InnerLayout::kColMajor))
            .tile(window);
        cases.push_back(move("TMOV f16 64x128 NZ to ZN", std::move(bench), 128 * 64 * 2, 0));
    }
    {
        Bench bench(Opcode::kTTRANS);
        bench.tile(vec(f16, 128, 128)).tile(vec(f16, 128, 128)).tile(vec(f16, 128, 128));
        cases.push_back(move("TTRANS f16 128x128", std::move(bench), 128 * 128 * 2, 0));
    }
    return cases;
}

const char* name_of(Unit unit) {
    switch (unit) {
        case Unit::kFlops:
            return "GFLOP/s";
        case Unit::kElements:
            return "Gelem/s";
        case Unit::kBytes:
            return "GB/s";
    }
    return "?";
}

bool wanted(const std::string& name, const std::vector<std::string>& words) {
    if (words.empty()) return true;
    for (const std::string& word : words)
        if (name.find(word) != std::string::npos) return true;
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    int rounds = 15;
    double slice = 4e-3;
    std::vector<std::string> words;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0) {
            rounds = 3;
            slice = 5e-4;
        } else {
            words.emplace_back(argv[i]);
        }
    }

    std::printf("{\n");
    const size_t kCopy = size_t{1} << 26;
    const auto large = bench::compare(
        copy_of(kCopy), [] { bench::spin_fma(1e6); }, 5, slice);
    const auto small = bench::compare(
        copy_of(1 << 16), [] { bench::spin_fma(1e6); }, 5, slice);
    std::printf("\"peak_gflops\": %.1f, \"memcpy_gbs\": %.1f, \"memcpy_64k_gbs\": %.1f,\n",
                bench::spin_fma(1e6) / small.reference_seconds * 1e-9,
                static_cast<double>(kCopy) / large.seconds * 1e-9, 65536 / small.seconds * 1e-9);
    std::printf("\"eigen_gemm_gflops\": %.1f,\n", bench::eigen_gemm_gflops());
    std::printf("\"instructions\": [");
    bool first = true;
    for (Case& item : all_cases()) {
        if (!wanted(item.name, words)) continue;
        const auto result =
            bench::compare([&] { item.bench.run(); }, item.reference, rounds, slice);
        const double scale = item.amount / item.reference_amount;
        std::printf(
            "%s\n{\"name\": \"%s\", \"rate\": %.4g, \"unit\": \"%s\", \"seconds\": %.4g, "
            "\"reference\": \"%s\", \"ratio\": %.4f, \"worst\": %.4f, \"best\": %.4f, "
            "\"target\": %g, \"absolute\": %s}",
            first ? "" : ",", item.name.c_str(), item.amount / result.seconds * 1e-9,
            name_of(item.unit), result.seconds, item.reference_name.c_str(), result.ratio * scale,
            result.worst * scale, result.best * scale, item.target,
            item.absolute ? "true" : "false");
        std::fflush(stdout);
        first = false;
    }
    std::printf("\n]\n}\n");
    return 0;
}
