#include "isa/internal_flags.h"

#include <array>

namespace ptosim {
namespace {

constexpr InternalFlag kVectorToScalar{Pipe::kV, Pipe::kS, 0};
constexpr InternalFlag kScalarToVector{Pipe::kS, Pipe::kV, 0};

constexpr std::array kBoth{kVectorToScalar, kScalarToVector};
constexpr std::array kOut{kVectorToScalar};
constexpr std::array kBack{kScalarToVector};
constexpr std::array kConcatenation{InternalFlag{Pipe::kMTE2, Pipe::kS, 0}, kVectorToScalar};
constexpr std::array kTransposition{kVectorToScalar,
                                    kScalarToVector,
                                    InternalFlag{Pipe::kMTE3, Pipe::kS, 0},
                                    InternalFlag{Pipe::kS, Pipe::kMTE3, 0},
                                    InternalFlag{Pipe::kMTE3, Pipe::kV, 0},
                                    InternalFlag{Pipe::kV, Pipe::kMTE3, 0}};
constexpr std::array kGather{InternalFlag{Pipe::kMTE2, Pipe::kMTE3, 0},
                             InternalFlag{Pipe::kMTE2, Pipe::kS, 0},
                             InternalFlag{Pipe::kMTE2, Pipe::kV, 0},
                             InternalFlag{Pipe::kMTE3, Pipe::kS, 0},
                             InternalFlag{Pipe::kS, Pipe::kMTE2, 0},
                             InternalFlag{Pipe::kS, Pipe::kMTE3, 0},
                             kVectorToScalar,
                             kScalarToVector};
constexpr std::array kScatter{InternalFlag{Pipe::kMTE2, Pipe::kS, 0},
                              InternalFlag{Pipe::kMTE3, Pipe::kMTE2, 0},
                              InternalFlag{Pipe::kMTE3, Pipe::kS, 0},
                              InternalFlag{Pipe::kMTE3, Pipe::kV, 0},
                              InternalFlag{Pipe::kS, Pipe::kMTE2, 0},
                              InternalFlag{Pipe::kS, Pipe::kMTE3, 0},
                              kVectorToScalar,
                              kScalarToVector};
constexpr std::array kCompare{InternalFlag{Pipe::kMTE1, Pipe::kS, 0},
                              InternalFlag{Pipe::kMTE2, Pipe::kS, 0}, kVectorToScalar};
constexpr std::array kGatherA5{InternalFlag{Pipe::kS, Pipe::kMTE2, 0}, kVectorToScalar,
                               kScalarToVector};

std::span<const InternalFlag> of_a2a3(Opcode opcode) {
    switch (opcode) {
        case Opcode::kTDEQUANT:
        case Opcode::kTEXTRACT:
        case Opcode::kTROWEXPAND:
        case Opcode::kTROWMAX:
        case Opcode::kTROWMIN:
        case Opcode::kTROWPROD:
        case Opcode::kTROWSUM:
        case Opcode::kTROWARGMAX:
        case Opcode::kTROWARGMIN:
        case Opcode::kTDIVS:
        case Opcode::kTGATHER:
        case Opcode::kTPOW:
        case Opcode::kTPOWS:
        case Opcode::kTSCATTER:
        case Opcode::kTSHL:
        case Opcode::kTSHR:
            return kBoth;
        case Opcode::kTFILLPAD:
        case Opcode::kTMRGSORT:
            return kOut;
        case Opcode::kTSELS:
            return kBack;
        case Opcode::kTCONCAT:
            return kConcatenation;
        case Opcode::kTTRANS:
            return kTransposition;
        case Opcode::kMGATHER:
            return kGather;
        case Opcode::kMSCATTER:
            return kScatter;
        case Opcode::kTCMPS:
            return kCompare;
        default:
            return {};
    }
}

std::span<const InternalFlag> of_a5(Opcode opcode) {
    switch (opcode) {
        case Opcode::kTEXTRACT:
        case Opcode::kTINSERT:
        case Opcode::kMSCATTER:
            return kBoth;
        case Opcode::kTDIVS:
        case Opcode::kTMRGSORT:
            return kOut;
        case Opcode::kMGATHER:
            return kGatherA5;
        default:
            return {};
    }
}

}  // namespace

bool read_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch) {
    const bool rows = instruction.opcode == Opcode::kMGATHER && !instruction.attributes.by_element;
    return arch == Arch::kA2A3 && rows && operand == 2 &&
           instruction.operands[0].tile.space == Space::kUB;
}

std::span<const Pipe> awaited_pipes(const Instruction& instruction, Arch arch) {
    static constexpr std::array kGathers{Pipe::kV, Pipe::kMTE3, Pipe::kMTE2};
    static constexpr std::array kScatters{Pipe::kV, Pipe::kMTE2, Pipe::kMTE3};
    if (arch != Arch::kA2A3) return {};
    // Rows go over the pipe that comes last here, in its order; elements, over the scalar unit.
    const size_t count = instruction.attributes.by_element ? 3 : 2;
    if (instruction.opcode == Opcode::kMSCATTER) return std::span{kScatters}.first(count);
    const bool gathers =
        instruction.opcode == Opcode::kMGATHER && instruction.operands[0].tile.space == Space::kUB;
    return gathers ? std::span{kGathers}.first(count) : std::span<const Pipe>{};
}

bool touches_scratch(Opcode opcode, Arch arch) {
    if (arch != Arch::kA5) return true;
    switch (opcode) {
        case Opcode::kTADDDEQRELU:
        case Opcode::kTCVT:
        case Opcode::kTPRELU:
        case Opcode::kTROWARGMAX:
        case Opcode::kTROWARGMIN:
        case Opcode::kTROWEXPANDADD:
        case Opcode::kTROWEXPANDDIV:
        case Opcode::kTROWEXPANDEXPDIF:
        case Opcode::kTROWEXPANDMAX:
        case Opcode::kTROWEXPANDMIN:
        case Opcode::kTROWEXPANDMUL:
        case Opcode::kTROWEXPANDSUB:
        case Opcode::kTROWMAX:
        case Opcode::kTROWMIN:
        case Opcode::kTROWPROD:
        case Opcode::kTROWSUM:
        case Opcode::kTSEL:
        case Opcode::kTSELS:
        case Opcode::kTTRANS:
        case Opcode::kTXOR:
        case Opcode::kTXORS:
            return false;
        default:
            return true;
    }
}

std::span<const InternalFlag> internal_flags(Opcode opcode, Arch arch) {
    if (arch == Arch::kA2A3) return of_a2a3(opcode);
    if (arch == Arch::kA5) return of_a5(opcode);
    return {};
}

}  // namespace ptosim
