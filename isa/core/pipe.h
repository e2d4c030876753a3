// Types of cores, their pipes, and architectures.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptosim {

// A cluster holds one AIC (cube core) and two AIVs (vector cores).
enum class CoreType : uint8_t { kAIC, kAIV };
std::string_view name(CoreType type);

// The asynchronous queues of a core, and S, the scalar unit that feeds them. kAll means "every pipe" in a barrier and
// is never a queue.
enum class Pipe : uint8_t { kS, kMTE2, kMTE1, kM, kV, kFIX, kMTE3, kAll };
inline constexpr unsigned kPipeCount = 7;  // kAll is not one of them
std::string_view name(Pipe pipe);          // "MTE2"
// "MTE2" or "PIPE_MTE2"; nothing for an unknown word.
std::optional<Pipe> parse_pipe(std::string_view word);

// Pipes of a core type: AIC S MTE2 MTE1 M FIX (and MTE3, which stores L1); AIV S MTE2 V MTE3.
constexpr bool has_pipe(CoreType core, Pipe pipe) {
    switch (pipe) {
        case Pipe::kMTE1:
        case Pipe::kM:
        case Pipe::kFIX:
            return core == CoreType::kAIC;
        case Pipe::kV:
            return core == CoreType::kAIV;
        default:
            return true;
    }
}

// Instruction-set generations: a2a3 is 910B and 910C, a5 is 950, kirin the mobile cores.
enum class Arch : uint8_t { kA2A3, kA5, kKirin };
inline constexpr unsigned kArchCount = 3;
std::string_view name(Arch arch);
std::optional<Arch> parse_arch(std::string_view word);

}  // namespace ptosim
