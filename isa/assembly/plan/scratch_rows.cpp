#include "isa/assembly/plan/scratch_rows.h"

#include <algorithm>

namespace ptosim::assembly {

namespace {

using enum Opcode;

constexpr int64_t kOpen = -1;
constexpr unsigned kFirstList = 2, kMostLists = 4;  // operands of TMRGSORT

int64_t up_to(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }
int64_t rows_of(const Tile& tile) { return tile.valid_rows < 0 ? tile.rows : tile.valid_rows; }
int64_t cols_of(const Tile& tile) { return tile.valid_cols < 0 ? tile.cols : tile.valid_cols; }

// ---- what is made ----------------------------------------------------------------------------

Tile row_major(int64_t rows, int64_t cols, DType dtype, int64_t valid_rows, int64_t valid_cols) {
    Tile tile;
    tile.space = Space::kUB;
    tile.dtype = dtype;
    tile.rows = static_cast<int32_t>(rows);
    tile.cols = tile.pitch = static_cast<int32_t>(cols);
    tile.valid_rows = static_cast<int32_t>(valid_rows == kOpen ? rows : valid_rows);
    tile.valid_cols = static_cast<int32_t>(valid_cols == kOpen ? cols : valid_cols);
    return tile;
}
Tile whole(int64_t rows, int64_t cols, DType dtype) {
    return row_major(rows, cols, dtype, rows, cols);
}
Tile like(const Tile& tile, DType dtype) {
    return row_major(tile.rows, tile.cols, dtype, tile.valid_rows, tile.valid_cols);
}

using Made = std::optional<Tile>;

Made like_source(const Instruction& i) { return like(i.tile(1), i.tile(1).dtype); }
Made like_source_in_f32(const Instruction& i) { return like(i.tile(1), DType::kF32); }
Made like_destination(const Instruction& i) { return like(i.tile(0), i.tile(0).dtype); }
Made of_power(const Instruction& i) {
    return is_integer(i.tile(0).dtype) ? std::nullopt : like_destination(i);
}
constexpr int64_t ramp_words(DType dtype) { return bits(dtype) == 16 ? 448 : 192; }
Made of_ramp(const Instruction& i) {
    if (!is_integer(i.tile(0).dtype)) return std::nullopt;
    return whole(1, ramp_words(i.tile(0).dtype), DType::kF32);
}
Made of_column_sum(const Instruction& i) {
    if (!i.attributes.binary_tree) return std::nullopt;
    return whole(up_to(rows_of(i.tile(1)), 2), cols_of(i.tile(1)), i.tile(1).dtype);
}
Made of_sort(const Instruction& i) {
    const Tile& src = i.tile(1);
    if (src.valid_cols < 0) return whole(src.rows, src.cols, src.dtype);
    if (src.valid_cols % 32 == 0) return std::nullopt;
    return like(src, src.dtype);
}

// One value per row, in a column: the way of TROWEXPAND that needs scratch.
Made of_expansion(const Instruction& i) {
    const Tile &dst = i.tile(0), &first = i.tile(1), &second = i.tile(2);
    const auto same = [](int32_t a, int32_t b) { return a < 0 || b < 0 || a == b; };
    const auto fits = [&](const Tile& tile) {
        return same(tile.valid_rows, dst.valid_rows) && same(tile.valid_cols, dst.valid_cols);
    };
    const Tile& expanded = fits(first) ? second : first;
    const bool column = expanded.outer == OuterLayout::kColMajor &&
                        (expanded.valid_cols < 0 || expanded.valid_cols == 1);
    if (!(fits(first) || fits(second)) || !column) return std::nullopt;
    return whole(1, 8192 * 8 / bits(dst.dtype), dst.dtype);
}

Made of_conversion(const Instruction& i) {
    const Tile &dst = i.tile(0), &src = i.tile(1);
    const DType from = src.dtype, to = dst.dtype;
    const bool narrows = (from == DType::kF32 && to == DType::kI16) ||
                         (from == DType::kF16 && is_integer(to) && bits(to) <= 16);
    const Attributes& modes = i.attributes;
    if (!narrows || !modes.saturation_given || modes.saturation != Saturation::kOff)
        return std::nullopt;
    const int64_t rows = rows_of(dst), cols = cols_of(dst);
    int64_t bytes = 0;
    if (rows > 0 && cols > 0 && from == DType::kF32) {
        const int64_t head = 256 * std::min<int64_t>(cols / 64, 255), rest = cols % 64;
        const int64_t tail =
            rest == 0 ? 0
                      : 32 * ((std::min<int64_t>(rows, 255) - 1) * (src.cols / 8) + up_to(rest, 8));
        bytes = std::max(head, tail);
    } else if (cols > 0) {
        const int64_t width = std::min<int64_t>(cols, 64), to_i16 = 32 * up_to(width, 8);
        bytes = bits(to) == 8 ? std::max(to_i16, 128 + 32 * up_to(width, 16)) : to_i16;
    }
    return whole(1, std::max<int64_t>(32, up_to(bytes, 32) * 32), DType::kI8);
}

Made of_prelu(const Instruction& i) {
    const int64_t rows = rows_of(i.tile(0)), cols = up_to(cols_of(i.tile(0)), 8);
    return row_major(rows + 1, std::max<int64_t>(32, up_to(cols, 32) * 32), DType::kU8, rows, cols);
}
Made two_rows(const Instruction& i) {
    return row_major(2, i.tile(0).cols, i.tile(0).dtype, 2, i.tile(0).valid_cols);
}
Made one_row(const Instruction& i) {
    return row_major(1, i.tile(0).cols, i.tile(0).dtype, 1, i.tile(0).valid_cols);
}
Made of_selection(const Instruction&) { return whole(1, 16, DType::kI32); }
Made row_of_source(const Instruction& i) {
    return row_major(1, i.tile(2).cols, i.tile(2).dtype, 1, i.tile(2).valid_cols);
}
Made of_transposition(const Instruction& i) {
    const Tile &dst = i.tile(0), &src = i.tile(1);
    const int64_t bytes = bits(src.dtype) / 8, block = 32 / bytes;
    const bool used =
        dst.cols % (bytes == 1 ? 32 : 16) == 0 && src.cols % block == 0 && src.cols / block <= 255;
    return used ? like(src, src.dtype) : whole(1, block, src.dtype);
}
// Of several lists.
Made of_merge(const Instruction& i) {
    int64_t cols = 0, lists = 0;
    for (unsigned at = kFirstList; at < i.operand_count && at < kFirstList + kMostLists; ++at)
        if (i.operands[at].is_tile()) {
            cols += i.tile(at).cols;
            ++lists;
        }
    if (lists < 2) return std::nullopt;
    return whole(1, std::max<int64_t>(cols, i.tile(0).cols), i.tile(kFirstList).dtype);
}
Made nothing(const Instruction&) { return std::nullopt; }

// ---- what is asked ---------------------------------------------------------------------------

std::string least(int64_t count, const char* what) {
    return "needs at least " + std::to_string(count) + " " + what;
}
std::string least_if(bool lacks, int64_t count, const char* what) {
    return lacks ? least(count, what) : "";
}
std::string least_bytes(const Scratched& s, int64_t bytes) {
    return least_if(s.tmp->byte_size() < static_cast<uint64_t>(bytes), bytes, "bytes");
}

std::string ramp(const Scratched& s) { return least_bytes(s, 4 * ramp_words(s.dst->dtype)); }
std::string mask(const Scratched& s) { return least_bytes(s, 16); }
std::string expansion(const Scratched& s) { return least_bytes(s, 512); }
std::string remainder(const Scratched& s) {
    return least_if(s.tmp->valid_rows < 2, 2, "valid rows");
}
std::string remainder_by_scalar(const Scratched& s) {
    return least_if(s.tmp->valid_rows < 1, 1, "valid row");
}
std::string prelu(const Scratched& s) {
    if (s.tmp->rows <= s.dst->valid_rows) return least(s.dst->valid_rows + 1, "rows");
    const int32_t cols = (s.dst->valid_cols + 7) / 8;
    return least_if(s.tmp->valid_cols < cols, cols, "valid columns");
}
std::string as_destination(const Scratched& s) {
    if (s.tmp->dtype != s.dst->dtype) return "has the type of the destination";
    return s.tmp->outer == OuterLayout::kRowMajor && !s.tmp->boxed() ? "" : "is row-major";
}
// Values and indices of the vectors, each in whole blocks; along rows only beyond one vector.
std::string arguments(const Scratched& s, bool along_columns) {
    if (s.src == nullptr || bits(s.src->dtype) < 8) return {};
    if (s.tmp->valid_rows == s.src->valid_rows && s.tmp->valid_cols == s.src->valid_cols) return {};
    const int64_t lanes = 256 * 8 / bits(s.src->dtype), block = 32 * 8 / bits(s.src->dtype);
    if (!along_columns && s.src->valid_cols <= lanes) return {};
    const int64_t vectors = up_to(s.src->valid_cols, lanes);
    const int64_t columns = (up_to(2 * vectors, block) + up_to(vectors, block)) * block;
    return least_if(s.tmp->valid_cols < columns, columns, "valid columns");
}
std::string row_arguments(const Scratched& s) { return arguments(s, false); }
std::string column_arguments(const Scratched& s) { return arguments(s, true); }
std::string merge(const Scratched& s) {
    return least_if(s.tmp->cols < s.dst->cols, s.dst->cols, "columns");
}
std::string column_sum(const Scratched& s) {
    if (!s.instruction.attributes.binary_tree || s.src == nullptr) return {};
    return least_if(s.tmp->cols < s.src->valid_cols, s.src->valid_cols, "columns");
}
std::string power(const Scratched& s) {
    if (is_integer(s.dst->dtype)) return "does not exist for integers";
    const bool same =
        s.tmp->valid_rows == s.dst->valid_rows && s.tmp->valid_cols == s.dst->valid_cols;
    return same ? "" : "has the valid region of the destination";
}

constexpr ScratchRow kRows[] = {
    {kTCI, of_ramp, ramp},
    {kTROWMAX, like_source},
    {kTROWMIN, like_source},
    {kTROWSUM, like_source},
    {kTROWPROD, like_source},
    {kTROWARGMAX, like_source, row_arguments},
    {kTROWARGMIN, like_source, row_arguments},
    {kTCOLARGMAX, like_source, column_arguments},
    {kTCOLARGMIN, like_source, column_arguments},
    {kTQUANT, like_source_in_f32},
    {kTXOR, like_destination, as_destination},
    {kTXORS, like_destination, as_destination},
    {kTPOW, of_power, power, true},
    {kTPOWS, of_power, power, true},
    {kTCOLSUM, of_column_sum, column_sum, true},
    {kTSORT32, of_sort},
    {kTROWEXPANDADD, of_expansion, expansion},
    {kTROWEXPANDSUB, of_expansion, expansion},
    {kTROWEXPANDMUL, of_expansion, expansion},
    {kTROWEXPANDDIV, of_expansion, expansion},
    {kTROWEXPANDMAX, of_expansion, expansion},
    {kTROWEXPANDMIN, of_expansion, expansion},
    {kTROWEXPANDEXPDIF, nothing, expansion},
    {kTCVT, of_conversion},
    {kTPRELU, of_prelu, prelu},
    {kTREM, two_rows, remainder},
    {kTREMS, one_row, remainder_by_scalar},
    {kTSEL, of_selection, mask},
    {kTSELS, row_of_source, mask},
    {kTTRANS, of_transposition},
    {kTMRGSORT, of_merge, merge},
};

}  // namespace

const ScratchRow* scratch_row(Opcode opcode) {
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                   [=](const ScratchRow& r) { return r.opcode == opcode; });
    return row == std::end(kRows) ? nullptr : row;
}

}  // namespace ptosim::assembly
