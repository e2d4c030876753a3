#include "isa/assembly/verify/contracts.h"
#include <algorithm>

#include "isa/arch.h"
#include "isa/legality.h"

namespace ptosim::assembly {

namespace {

bool is_for_a5(Arch arch) { return traits_of(arch).assembler_backend == AssemblerBackend::kA5; }

bool is_nd(const Tile& tile) { return tile.outer == OuterLayout::kRowMajor && !tile.boxed(); }

int64_t elements(const Tile& tile) { return int64_t{tile.rows} * tile.cols; }

// Tiles of one-byte elements and of pairs of 4-bit numbers, which count as one.
int64_t bytes_of(const Tile& tile) { return elements(tile) * std::max(1u, bits(tile.dtype) / 8); }

// The valid elements follow each other.
bool is_compact(const Tile& tile) { return tile.valid_rows == 1 || tile.cols == tile.valid_cols; }

int64_t rounded_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

int64_t valid_elements(const Tile& tile) { return int64_t{tile.valid_rows} * tile.valid_cols; }

}  // namespace

// An operation's tiles by the names of its row, and what to say when one is not as it must be.
struct Contracts::Contract {
    Contracts& contracts;
    const Operation& op;
    const InstructionInfo& row;
    const Instruction& instruction;
    std::span<const Item* const> chosen;

    size_t place(std::string_view name) const {
        for (size_t i = 0; i < row.operands.size(); ++i)
            if (row.operands[i].name == name) return i;
        return row.operands.size();
    }
    bool given(std::string_view name) const {
        const size_t i = place(name);
        return i < chosen.size() && chosen[i] != nullptr;
    }
    const Tile* tile(std::string_view name) const {
        const size_t i = place(name);
        return given(name) && instruction.operands[i].is_tile() ? &instruction.operands[i].tile
                                                                : nullptr;
    }
    // The tile's type as written: extents may be open.
    bool is_static(std::string_view name) const {
        if (tile(name) == nullptr) return true;
        const Tile& written = contracts.value(*chosen[place(name)]).type->tile;
        return written.valid_rows >= 0 && written.valid_cols >= 0;
    }
    bool same_value(std::string_view a, std::string_view b) const {
        return given(a) && given(b) && chosen[place(a)]->text == chosen[place(b)]->text;
    }
    void ask(bool good, const char* code, const std::string& what) const {
        if (!good) contracts.fail(op, code, "'" + std::string(op.name) + "' " + what);
    }
};

void Contracts::verify(const Operation& op, const InstructionInfo& row,
                       const Instruction& instruction, std::span<const Item* const> chosen) {
    const Contract contract{*this, op, row, instruction, chosen};
    switch (row.opcode) {
        case Opcode::kTQUANT_MX:
            return quant_mx(contract);
        case Opcode::kTQUANT:
            return quant(contract);
        case Opcode::kTMOV:
            return move(contract);
        case Opcode::kTLOAD:
        case Opcode::kTSTORE:
            return transfer(contract);
        case Opcode::kTMATMUL_MX:
        case Opcode::kTMATMUL_MX_ACC:
        case Opcode::kTMATMUL_MX_BIAS:
        case Opcode::kTGEMV_MX:
        case Opcode::kTGEMV_MX_ACC:
        case Opcode::kTGEMV_MX_BIAS:
            return product_mx(contract);
        case Opcode::kTGATHER:
            return gather(contract);
        default:
            return others(contract);
    }
}

void Contracts::quant_mx(const Contract& c) {
    c.ask(traits_of(options_.arch).block_scales, "P01", "exists on a5 only");
    const Attributes& modes = c.instruction.attributes;
    const Tile *src = c.tile("src"), *dst = c.tile("dst"), *exp = c.tile("exp"),
               *max = c.tile("max"), *scaling = c.tile("scaling");
    if (!src || !dst || !exp || !max || !scaling) return;
    for (const char* name : {"src", "dst", "exp", "max", "scaling"})
        c.ask(c.is_static(name), "S09",
              "needs the shape of '" + std::string(name) + "' in its type");
    const bool down = modes.group_rows;
    c.ask(!down || !c.given("exp_zz"), "P02",
          "stores boxed exponents (exp_zz) of groups along rows (axis1) only");
    const bool fp4 = modes.quant == QuantType::kMxFp4E2M1;
    const int pack = fp4 ? 2 : 1;
    const int64_t groups = int64_t{src->valid_rows} * (src->valid_cols / 32);
    c.ask((down ? src->valid_rows : src->valid_cols) % 32 == 0, "S09",
          std::string("needs a multiple of 32 valid ") + (down ? "rows" : "columns") + " in src");
    const auto ask_grouped = [&](const Tile& tile, const char* name) {
        const bool canonical = tile.valid_rows == (down ? src->valid_rows / 32 : src->valid_rows) &&
                               tile.valid_cols == (down ? src->valid_cols : src->valid_cols / 32);
        const bool flat = !down && tile.valid_rows == 1 && tile.valid_cols == groups;
        c.ask(canonical || flat, "S09",
              "needs one element of '" + std::string(name) + "' for each group of 32: valid are " +
                  rules::valid_text(tile));
    };
    ask_grouped(*max, "max");
    ask_grouped(*scaling, "scaling");
    if (modes.interleave) {
        c.ask(down, "P02", "interleaves exponents of axis0 only");
        c.ask(fp4 || src->dtype != DType::kF32, "P02",
              "does not interleave the exponents of f32 that become 8-bit floats");
        c.ask(src->valid_rows % 64 == 0 && src->rows % 64 == 0, "S09",
              "needs a multiple of 64 rows, and of valid rows, in src to interleave");
        c.ask(exp->valid_rows == src->valid_rows / 64 && exp->valid_cols == 2 * src->valid_cols,
              "S09", "interleaves exponents into half of the rows and twice the columns");
    } else {
        ask_grouped(*exp, "exp");
    }
    c.ask(!fp4 || src->cols % 2 == 0, "S09", "packs pairs: the columns of src are even");
    c.ask(dst->valid_rows == src->valid_rows && dst->valid_cols == src->valid_cols / pack, "S04",
          "needs a dst of " + rules::shape_text(src->valid_rows, src->valid_cols / pack));
    c.ask(!down || dst->cols == src->cols / pack || !fp4, "S09",
          "needs as many columns in dst as src has pairs");
    if (down) {
        c.ask(!fp4 || (src->cols / pack) % 32 == 0 || src->dtype != DType::kF16, "P02",
              "does not pack f16 along axis0 where rows of pairs are not whole blocks of 32 bytes");
        c.ask(max->cols == src->cols && scaling->cols == src->cols, "S09",
              "needs the columns of src in max and scaling");
        c.ask(modes.interleave || exp->cols == src->cols, "S09", "needs the columns of src in exp");
        c.ask(!modes.interleave ||
                  (exp->rows == src->rows / 64 && exp->cols == rounded_up(2 * src->cols, 32)),
              "S09", "needs an exp of rows / 64 by 2 columns, whole blocks of 32, to interleave");
    } else {
        c.ask(dst->cols == src->cols / pack, "S09",
              "needs the columns of src in dst, pairs as one");
        c.ask(is_compact(*max) && is_compact(*scaling), "S09",
              "needs the valid elements of max and scaling to follow each other");
        quant_mx_rows(c, groups);
    }
    if (src->dtype != DType::kF32 && src->valid_cols < src->cols && 128 % src->cols == 0)
        c.ask(src->valid_rows * src->cols % 128 == 0, "P02",
              "does not pad a src of 16-bit floats whose last vector is not full");
}

// Groups along rows: exponents in one row, or like the source.
void Contracts::quant_mx_rows(const Contract& c, int64_t groups) {
    const Tile &src = *c.tile("src"), &exp = *c.tile("exp"), &scaling = *c.tile("scaling");
    const bool wide = src.dtype == DType::kF32;
    if (exp.rows != 1) {
        c.ask(exp.valid_rows != 1 || src.valid_rows == 1, "S09",
              "needs a flat exp in a tile of one row");
        c.ask(wide, "P02", "makes exponents of 16-bit floats in one row only");
        return;
    }
    c.ask(src.cols == src.valid_cols, "S09", "with a flat exp needs a src without unused columns");
    c.ask(wide || !c.instruction.attributes.nvidia_scale, "P02",
          "has no NV scales of 16-bit floats with a flat exp");
    const bool unrolled = elements(src) > 1024 && elements(src) % 256 == 0 &&
                          int64_t{src.valid_rows} * src.cols % 256 == 0;
    const int64_t needed =
        wide ? rounded_up(groups * (unrolled ? 2 : 1), 64) * 4 : rounded_up(groups, 128) * 2;
    c.ask(bytes_of(scaling) >= needed, "S09",
          "needs a scaling of " + std::to_string(needed) + " bytes: whole vectors");
}

void Contracts::quant(const Contract& c) {
    if (is_for_a5(options_.arch)) return;
    c.ask(c.given("tmp") || c.is_static("src"), "S16",
          "needs a scratch tile where the valid region of 'src' is open");
    for (const char* name : {"scale", "fp", "offset"})
        if (const Tile* tile = c.tile(name))
            c.ask(tile->outer != OuterLayout::kRowMajor, "L02",
                  "takes '" + std::string(name) + "' in a layout that is not row-major on a2a3");
}

// A move with a third tile that is no table of scales makes boxes of exponents (ZZ).
void Contracts::move(const Contract& c) {
    const bool axis = c.op.attribute("grpAxis") != nullptr;
    const Tile *src = c.tile("src"), *dst = c.tile("dst"), *tmp = c.tile("tmp");
    if (tmp == nullptr) return c.ask(!axis, "K09", "has grpAxis only with a scratch tile, to ZZ");
    c.ask(traits_of(options_.arch).block_scales, "P01", "to ZZ exists on a5 only");
    c.ask(c.op.results.empty(), "K06", "to ZZ has no results");
    c.ask(!c.given("preQuantScalar") && c.op.attribute("accToVecMode") == nullptr &&
              c.instruction.attributes.relu == ReluMode::kNone,
          "K09", "to ZZ has no preQuantScalar, accToVecMode or reluPreMode");
    if (src == nullptr || dst == nullptr) return;
    for (const Tile* tile : {src, dst, tmp})
        c.ask(tile->space == Space::kUB, "L01", "to ZZ takes tiles in vec");
    c.ask(!c.same_value("src", "dst") && !c.same_value("src", "tmp") && !c.same_value("dst", "tmp"),
          "A07", "to ZZ takes three different tiles");
    for (const char* name : {"src", "dst"})
        c.ask(c.is_static(name), "S09", "to ZZ needs the shape of '" + std::string(name) + "'");
    c.ask(src->dtype == dst->dtype && src->dtype == tmp->dtype, "T01",
          "to ZZ takes tiles of one element type");
    c.ask(src->dtype == DType::kU8 || src->dtype == DType::kHIF8 || src->dtype == DType::kE8M0,
          "T03", "to ZZ takes elements of u8, hif8 or e8m0, not " + std::string(name(src->dtype)));
    c.ask(is_nd(*src), "L02", "to ZZ takes a row-major src without boxes");
    c.ask(dst->outer == OuterLayout::kRowMajor && dst->inner == InnerLayout::kRowMajor, "L02",
          "to ZZ makes row-major boxes in row-major order");
    c.ask(valid_elements(*src) == valid_elements(*dst), "S09",
          "to ZZ keeps the number of elements");
    if (c.instruction.attributes.group_rows) {
        c.ask(src->valid_rows >= 2 && src->valid_rows % 2 == 0, "S09",
              "to ZZ along axis0 takes an even number of valid rows");
        c.ask(src->valid_cols % 16 == 0, "S09",
              "to ZZ along axis0 takes a multiple of 16 valid columns");
        c.ask(src->cols == src->valid_cols, "S09",
              "to ZZ along axis0 takes a src without unused columns");
        return;
    }
    c.ask(dst->valid_cols % 2 == 0, "S09", "to ZZ makes an even number of valid columns");
    c.ask(is_compact(*src), "S09", "to ZZ takes a src whose valid elements follow each other");
    const int64_t needed = rounded_up(dst->valid_rows, 16) * dst->valid_cols;
    c.ask(bytes_of(*src) >= needed && bytes_of(*dst) >= needed, "S09",
          "to ZZ needs " + std::to_string(needed) +
              " bytes in src and dst, the rows rounded up to whole boxes");
    const int64_t scratch = 64 + (dst->valid_rows + 15) / 16 * dst->valid_cols;
    c.ask(bytes_of(*tmp) >= scratch, "S16",
          "to ZZ needs " + std::to_string(scratch) + " bytes of tmp");
}

void Contracts::transfer(const Contract& c) {
    const bool load = c.row.opcode == Opcode::kTLOAD, a5 = is_for_a5(options_.arch);
    const Tile* tile = c.tile(load ? "dst" : "src");
    if (tile == nullptr) return;
    if (load) {
        const bool nz =
            tile->outer == OuterLayout::kColMajor && tile->inner == InnerLayout::kRowMajor;
        c.ask(!a5 || tile->space != Space::kUB || !tile->boxed() || nz, "L03",
              "fills tiles in vec that are ND, DN or NZ on a5");
        return;
    }
    c.ask(!a5 || tile->space == Space::kUB || tile->space == Space::kL0C, "L01",
          "stores tiles in vec or acc on a5");
    const bool scaled = c.given("fp") || c.given("preQuantScalar");
    c.ask(!a5 || tile->space != Space::kL0C || tile->dtype == DType::kF32 ||
              tile->dtype == DType::kI32,
          "T03", "stores accumulators of f32 or i32, not " + std::string(name(tile->dtype)));
    const size_t view = c.place("dst");
    if (view >= c.chosen.size() || c.chosen[view] == nullptr) return;
    const Type& type = *value(*c.chosen[view]).type;
    if (a5 && tile->space == Space::kL0C && scaled && type.dtype == DType::kE5M2)
        c.ask(false, "T04", "makes no e5m2 of an accumulator with a scale");
    int64_t count = 1;
    for (unsigned i = 0; i < type.rank; ++i) {
        if (type.dims[i] <= 0) return;
        count *= std::min<int64_t>(type.dims[i], INT32_MAX);
    }
    const bool open = !c.is_static("src") || valid_elements(*tile) == 0 || c.given("fp");
    c.ask(open || count == valid_elements(*tile), "S04",
          "stores " + std::to_string(valid_elements(*tile)) + " valid elements into a view of " +
              std::to_string(count));
}

void Contracts::product_mx(const Contract& c) {
    c.ask(traits_of(options_.arch).block_scales, "P01", "exists on a5 only");
    const Tile *a = c.tile("a"), *b = c.tile("b"), *left = c.tile("a_scale"),
               *right = c.tile("b_scale");
    if (!a || !b || !left || !right) return;
    const auto is_fp4 = [](const Tile& tile) { return bits(tile.dtype) == 4; };
    const auto is_fp8 = [](const Tile& tile) {
        return tile.dtype == DType::kE4M3 || tile.dtype == DType::kE5M2;
    };
    for (const char* name : {"a", "b"}) {
        const std::string_view text = value(*c.chosen[c.place(name)]).type->text;
        const size_t at = text.find("f8E4M3");
        c.ask(at == text.npos || text.substr(at + 6).starts_with("FN"), "T10",
              "takes f8E4M3FN, not f8E4M3");
    }
    c.ask((is_fp4(*a) && is_fp4(*b)) || (is_fp8(*a) && is_fp8(*b)), "T10",
          "multiplies two 8-bit or two 4-bit floats, not " + std::string(name(a->dtype)) + " and " +
              std::string(name(b->dtype)));
    c.ask(a->valid_cols == b->valid_rows || !c.is_static("a") || !c.is_static("b"), "S08",
          "takes a factor of " + std::to_string(a->valid_cols) + " columns and one of " +
              std::to_string(b->valid_rows) + " rows");
    c.ask(a->cols > 0 && a->cols % 64 == 0, "S09",
          "needs a multiple of 64 along k, not " + std::to_string(a->cols));
    const int64_t groups = (int64_t{a->valid_cols} + 31) / 32;
    c.ask(!c.is_static("a") || !c.is_static("a_scale") ||
              (left->valid_rows == a->valid_rows && left->valid_cols == groups),
          "S09", "needs a_scale of " + rules::shape_text(a->valid_rows, groups));
    c.ask(!c.is_static("b") || !c.is_static("b_scale") ||
              (right->valid_rows == groups && right->valid_cols == b->valid_cols),
          "S09", "needs b_scale of " + rules::shape_text(groups, b->valid_cols));
}

void Contracts::gather(const Contract& c) {
    const Tile* from = c.tile("src");
    c.ask(is_for_a5(options_.arch) || from == nullptr || bits(from->dtype) >= 16, "T03",
          "gathers elements of 16 and 32 bits on a2a3");
    if (!is_for_a5(options_.arch) && from != nullptr && c.given("kValue"))
        c.ask(from->dtype == DType::kF16 || from->dtype == DType::kF32 ||
                  (from->dtype == DType::kI32 &&
                   c.instruction.attributes.compare == CompareMode::kEq),
              "T03", "compares f16 and f32 on a2a3, and i32 with eq");
    const Tile* indices = c.tile("indices");
    if (indices == nullptr || is_for_a5(options_.arch) || c.given("kValue")) return;
    const Tile* tmp = c.tile("tmp");
    c.ask(tmp != nullptr, "S16", "by indices needs a scratch tile on a2a3");
    c.ask(indices->dtype == DType::kI32 || indices->dtype == DType::kU32, "T08",
          "takes indices of i32 on a2a3, not " + std::string(name(indices->dtype)));
    c.ask(!c.is_static("indices") || !c.is_static("tmp") ||
              (tmp->valid_rows == indices->valid_rows && tmp->valid_cols == indices->valid_cols),
          "S16", "needs a scratch tile with the valid region of the indices");
}

// Scratch is for one value per row, in a column.
void Contracts::expand_scratch(const Contract& c) {
    const Tile *first = c.tile("src0"), *second = c.tile("src1"), *dst = c.tile("dst");
    if (is_for_a5(options_.arch) || !c.given("tmp") || !first || !second || !dst) return;
    const bool like = first->valid_rows == dst->valid_rows && first->valid_cols == dst->valid_cols;
    const Tile& expanded = like ? *second : *first;
    c.ask(expanded.outer == OuterLayout::kColMajor && expanded.valid_cols == 1, "S16",
          "takes a scratch tile on a2a3 only where one value per row, in a column, is expanded");
}

// In L1 the fill is of the type of what is filled.
void Contracts::fill(const Contract& c) {
    const Tile *src = c.tile("src"), *dst = c.tile("dst");
    if (!src || !dst || dst->space != Space::kL1) return;
    const Type& from = *value(*c.chosen[c.place("src")]).type;
    const Type& to = *value(*c.chosen[c.place("dst")]).type;
    c.ask(from.tile.rows == to.tile.rows && from.tile.cols == to.tile.cols &&
              from.tile.valid_rows == to.tile.valid_rows &&
              from.tile.valid_cols == to.tile.valid_cols && from.tile.pad == to.tile.pad,
          "K07", "in mat takes a src and a dst of one type");
}

void Contracts::others(const Contract& c) {
    const bool high = c.instruction.attributes.high_precision, a5 = is_for_a5(options_.arch);
    const Tile* dst = c.tile("dst");
    switch (c.row.opcode) {
        case Opcode::kTCVT: {
            // A pair of 4-bit numbers is one element.
            const Tile* src = c.tile("src");
            if (src == nullptr || dst == nullptr) return;
            const auto low = [](const Tile& tile) {
                return bits(tile.dtype) <= 8 && !is_integer(tile.dtype);
            };
            c.ask(a5 || (!low(*src) && !low(*dst)), "T03", "has no floats of 8 and 4 bits on a2a3");
            const int64_t from = src->valid_cols * (bits(src->dtype) == 4 ? 2 : 1);
            const int64_t to = dst->valid_cols * (bits(dst->dtype) == 4 ? 2 : 1);
            return c.ask(!c.is_static("src") || !c.is_static("dst") || from == to, "S04",
                         "turns " + std::to_string(from) + " columns into " + std::to_string(to));
        }
        case Opcode::kTADDRELU:
            return c.ask(!a5, "P01", "exists on a2a3 only");
        case Opcode::kTPOW:
        case Opcode::kTPOWS:
            c.ask(!high || a5, "P02", "has no high_precision on a2a3");
            return c.ask(!high || dst == nullptr || !is_integer(dst->dtype), "T03",
                         "has high_precision for f16, f32 and bf16 only");
        case Opcode::kTROWARGMAX:
        case Opcode::kTROWARGMIN: {
            const Tile* src = c.tile("src");
            return c.ask(src == nullptr || !c.is_static("src") || valid_elements(*src) > 0, "S03",
                         "needs a 'src' whose valid region is not empty");
        }
        case Opcode::kTROWEXPAND: {
            if (dst == nullptr || !c.is_static("dst")) return;
            const bool marker = dst->valid_rows == 0 && dst->valid_cols == 0;
            return c.ask(marker || valid_elements(*dst) > 0, "S03",
                         "needs a 'dst' whose valid region is not empty");
        }
        case Opcode::kTROWEXPANDDIV:
            c.ask(!high || c.given("tmp"), "S16", "with high_precision needs a scratch tile");
            return expand_scratch(c);
        case Opcode::kTROWEXPANDADD:
        case Opcode::kTROWEXPANDSUB:
        case Opcode::kTROWEXPANDMUL:
        case Opcode::kTROWEXPANDMAX:
        case Opcode::kTROWEXPANDMIN:
        case Opcode::kTROWEXPANDEXPDIF:
            return expand_scratch(c);
        case Opcode::kTFILLPAD:
            return fill(c);
        case Opcode::kTRSQRT:
            return c.ask(!high || c.given("tmp"), "S16",
                         "with high_precision needs a scratch tile");
        case Opcode::kTPRINT:
            return c.ask(!c.given("tmp") || c.tile("src") != nullptr, "T00",
                         "takes a tmp only with a tile");
        case Opcode::kMGATHER:
            return c.ask(c.op.attribute("coalesce") != nullptr, "K09",
                         "needs the attribute 'coalesce'");
        case Opcode::kMSCATTER:
            return c.ask(c.op.attribute("coalesce") != nullptr ||
                             (c.op.attribute("scatterAtomicOp") == nullptr &&
                              c.op.attribute("scatterOob") == nullptr &&
                              c.op.attribute("scatterConflict") == nullptr),
                         "K09", "needs 'coalesce' beside its other attributes");
        case Opcode::kTHISTOGRAM:
            c.ask(a5, "P01", "exists on a5 only");
            return c.ask(c.op.attribute("byte") == nullptr || c.op.attribute("isMSB") == nullptr,
                         "K09", "has 'byte' or the older 'isMSB', not both");
        case Opcode::kTSCATTER:
            return c.ask(!c.given("indexes") || c.op.attribute("maskPattern") == nullptr, "T00",
                         "has indices or a maskPattern, one of them");
        default:
            return;
    }
}

}  // namespace ptosim::assembly
