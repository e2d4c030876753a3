// The golden cases of goldens.txt and goldens.bin, which the build makes (make_goldens.py), for
// tests.
#pragma once

#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "isa/table/attributes.h"
#include "isa/table/instruction_table.h"

namespace ptosim {

struct GoldenOperand {
    Operand operand;
    std::vector<std::byte> before, after;
};

struct GoldenCase {
    std::string name;
    Arch arch = Arch::kA2A3;
    bool checked = true;  // whether legality is asked
    Numerics numerics = Numerics::kIEEE;
    Instruction instruction;
    std::vector<GoldenOperand> operands;
};

class GoldenCases {
 public:
    GoldenCases() {
        std::ifstream binary(PTOSIM_GOLDENS "/goldens.bin", std::ios::binary);
        std::stringstream bytes;
        bytes << binary.rdbuf();
        blob_ = bytes.str();
        std::ifstream text(PTOSIM_GOLDENS "/goldens.txt");
        for (std::string line; std::getline(text, line);) parse(line);
    }
    const std::vector<GoldenCase>& cases() const { return cases_; }

 private:
    uint16_t count_at(size_t at) const {
        return static_cast<uint16_t>(static_cast<unsigned char>(blob_.at(at)) |
                                     static_cast<unsigned char>(blob_.at(at + 1)) << 8);
    }

    std::vector<std::byte> data(std::istream& in) const {
        size_t at = 0, length = 0;
        char colon = 0;
        in >> at >> colon >> length;
        std::vector<std::byte> bytes;
        while (bytes.size() < length) {
            const size_t literal = count_at(at);
            at += 2;
            for (size_t i = 0; i < literal; ++i)
                bytes.push_back(static_cast<std::byte>(blob_.at(at++)));
            bytes.resize(bytes.size() + count_at(at), std::byte{0xA5});
            at += 2;
        }
        REQUIRE(bytes.size() == length);
        return bytes;
    }

    void parse_case(std::istream& in) {
        std::string opcode, arch, attributes;
        GoldenCase golden;
        in >> golden.name >> opcode >> arch >> attributes;
        INFO(golden.name);
        if (const size_t slash = arch.find('/'); slash != std::string::npos) {
            golden.numerics = arch.substr(slash + 1) == "a2a3" ? Numerics::kA2A3
                              : arch.substr(slash + 1) == "a5" ? Numerics::kA5
                                                               : Numerics::kA5Templates;
            arch.resize(slash);
        }
        golden.checked = arch != "none";
        if (golden.checked) golden.arch = parse_arch(arch).value();
        const InstructionInfo* row = find_instruction(opcode);
        REQUIRE(row != nullptr);
        golden.instruction = Instruction(row->opcode);
        std::stringstream words(attributes);
        for (std::string word; attributes != "-" && std::getline(words, word, ',');) {
            const size_t equals = word.find('=');
            const AttributeInfo* attribute =
                find_attribute(row->attributes, word.substr(0, equals));
            REQUIRE(attribute != nullptr);
            REQUIRE(attribute->set(golden.instruction.attributes, word.substr(equals + 1)));
        }
        cases_.push_back(std::move(golden));
    }

    Tile parse_tile(std::istream& in) const {
        static const std::map<std::string, std::pair<OuterLayout, InnerLayout>> kLayouts{
            {"ND", {OuterLayout::kRowMajor, InnerLayout::kNone}},
            {"DN", {OuterLayout::kColMajor, InnerLayout::kNone}},
            {"NZ", {OuterLayout::kColMajor, InnerLayout::kRowMajor}},
            {"ZN", {OuterLayout::kRowMajor, InnerLayout::kColMajor}},
            {"ZZ", {OuterLayout::kRowMajor, InnerLayout::kRowMajor}},
            {"NN", {OuterLayout::kColMajor, InnerLayout::kColMajor}}};
        std::string space, dtype, layout;
        Tile tile;
        int pad = 0;
        in >> space >> dtype >> tile.rows >> tile.cols >> layout >> tile.fractal >>
            tile.valid_rows >> tile.valid_cols >> pad;
        for (unsigned i = 0; i < kSpaceCount; ++i)
            if (name(static_cast<Space>(i)) == space) tile.space = static_cast<Space>(i);
        tile.dtype = parse_dtype(dtype).value();
        tile.outer = kLayouts.at(layout).first;
        tile.inner = kLayouts.at(layout).second;
        tile.pad = static_cast<Pad>(pad);
        if (in.peek() == ':') {  // bits of its own
            in.get();
            in >> tile.pad_bits;
        }
        set_dense_pitch(tile);
        return tile;
    }

    GlobalView parse_view(std::istream& in) const {
        GlobalView view;
        std::string dtype, layout, shape, stride;
        in >> dtype >> layout >> shape >> stride;
        view.dtype = parse_dtype(dtype).value();
        view.layout = parse_global_layout(layout).value();
        std::stringstream extents(shape), strides(stride);
        char comma = 0;
        for (size_t i = 0; i < 5; ++i) {
            if (i > 0) {
                extents >> comma;
                strides >> comma;
            }
            extents >> view.shape[i];
            strides >> view.stride[i];
        }
        return view;
    }

    void parse(const std::string& line) {
        std::istringstream in(line);
        std::string kind, role;
        in >> kind;
        if (kind == "case") {
            parse_case(in);
            return;
        }
        GoldenOperand golden;
        if (kind == "tile") {
            in >> role;
            Tile tile = parse_tile(in);
            tile.address = static_cast<uint32_t>(cases_.back().operands.size()) << 20;
            golden.operand = tile;
        } else if (kind == "view") {
            in >> role;
            golden.operand = parse_view(in);
        } else if (kind == "scalar") {
            std::string dtype;
            Scalar scalar;
            in >> dtype >> scalar.bits;
            scalar.dtype = parse_dtype(dtype).value();
            golden.operand = scalar;
        }
        if (kind == "tile" || kind == "view") {
            golden.before = data(in);
            golden.after = data(in);
        }
        cases_.back().instruction.add(golden.operand);
        cases_.back().operands.push_back(std::move(golden));
    }

    std::string blob_;
    std::vector<GoldenCase> cases_;
};

inline const GoldenCases& goldens() {
    static const GoldenCases all;
    return all;
}

}  // namespace ptosim
