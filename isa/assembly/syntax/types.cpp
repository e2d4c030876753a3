#include "isa/assembly/syntax/types.h"

#include <algorithm>
#include <charconv>

#include "isa/assembly/syntax/characters.h"

namespace ptosim::assembly {

namespace {

// Reads one type's text from left to right. The text's brackets are balanced (the lexer saw to
// that), and types nest only through recursion bounded by kMaxNesting.
class TypeReader {
 public:
    TypeReader(std::string_view text, TypeProblem& problem) : text_{text}, problem_{problem} {}

    std::optional<Type> read() {
        Type type;
        if (!read_type(type, 0)) return std::nullopt;
        skip_blank();
        if (at_ != text_.size()) {
            fail("unexpected '" + std::string(text_.substr(at_, 16)) + "' after a type");
            return std::nullopt;
        }
        type.text = text_;
        return type;
    }

 private:
    static constexpr int kMaxNesting = 8;

    bool fail(std::string message, std::string hint = {}) {
        problem_ = {at_, std::move(message), std::move(hint)};
        return false;
    }

    void skip_blank() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                ++at_;
            } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else {
                break;
            }
        }
    }
    char peek() {
        skip_blank();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool expect(char c, const char* where) {
        if (take(c)) return true;
        std::string found = peek() == '\0' ? "the end" : "'" + std::string(1, peek()) + "'";
        return fail("expected '" + std::string(1, c) + "' in " + where + ", found " + found);
    }
    std::string_view take_word() {
        skip_blank();
        const size_t begin = at_;
        while (at_ < text_.size() &&
               (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
            ++at_;
        return text_.substr(begin, at_ - begin);
    }
    bool take_integer(int64_t& value) {
        skip_blank();
        const auto [end, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc()) return fail("expected a number");
        at_ = end - text_.data();
        return true;
    }

    // Extents of tiles and views are 32 bits in an instruction.
    bool check_extent(int64_t value, size_t begin, const char* what) {
        if (value >= 0 && value <= INT32_MAX) return true;
        at_ = begin;
        return fail(std::string(what) + " must lie in 0..2147483647");
    }

    bool check_dimension(int64_t value, size_t begin) {
        if (value >= 0) return true;
        at_ = begin;
        return fail("a dimension must not be negative");
    }

    bool read_type(Type& type, int nesting) {
        if (nesting > kMaxNesting) return fail("types are nested too deeply");
        const size_t begin = (skip_blank(), at_);
        if (peek() == '<') return read_short(type, nesting);
        const bool dialect = take('!');
        const std::string_view word = take_word();
        if (word.empty()) return fail("expected a type");
        if (dialect) {
            if (word == "pto.ptr") return read_pointer(type, nesting);
            if (word == "pto.tensor_view") {
                type.kind = TypeKind::kTensorView;
                return read_shaped(type, nesting, "tensor_view");
            }
            if (word == "pto.partition_tensor_view" ||
                word == "pto.tile_view") {  // older: tile_view
                type.kind = TypeKind::kPartitionView;
                return read_shaped(type, nesting, "partition_tensor_view");
            }
            if (word == "pto.local_array") {
                type.kind = TypeKind::kLocalArray;
                return read_shaped(type, nesting, "local_array");
            }
            if (word == "pto.vreg") {
                type.kind = TypeKind::kRegister;
                return read_shaped(type, nesting, "vreg");
            }
            if (word == "pto.mask") {
                type.kind = TypeKind::kPredicate;
                return skip_parameters();
            }
            if (word == "pto.align") {
                type.kind = TypeKind::kStoreState;
                return true;
            }
            if (word == "pto.tile_buf") {
                type.kind = TypeKind::kTile;
                return read_tile(type, nesting);
            }
            if (word == "pto.multi_tile_buf") return read_multi_tile(type, nesting);
            if (word == "pto.eventid_array") return read_event_array(type);
        }
        if (read_scalar(type, text_.substr(begin, at_ - begin))) return true;
        if (word == "memref" && is_global_memref()) {
            type.kind = TypeKind::kPartitionView;
            return read_shaped(type, nesting, "memref");
        }
        type.kind = TypeKind::kOpaque;
        return skip_parameters();
    }

    static bool read_scalar(Type& type, std::string_view word) {
        type.dtype = parse_dtype(word);
        if (type.dtype) {
            type.width = static_cast<uint8_t>(bits(*type.dtype));
            type.kind = is_integer(*type.dtype) ? TypeKind::kInteger : TypeKind::kFloat;
            return true;
        }
        if (word == "index") {
            type.kind = TypeKind::kIndex;
            type.width = 64;
            return true;
        }
        if (word == "i1" || word == "f64") {
            type.kind = word == "i1" ? TypeKind::kInteger : TypeKind::kFloat;
            type.width = word == "i1" ? 1 : 64;
            return true;
        }
        return false;
    }

    // memref<32x32xf32, #pto.address_space<gm>>, the compiler's form of a view, or memref<256xi64>,
    // which names no memory: that of the control addresses that pto.set_ffts gets.
    bool is_global_memref() const {
        const std::string_view rest = text_.substr(at_);
        if (!rest.starts_with("<") || rest.find("strided") != rest.npos) return false;
        return rest.find("#pto.address_space<gm>") != rest.npos ||
               rest.substr(0, rest.find('>')).find(',') == rest.npos;
    }

    // Leaves unknown types' parameters unread.
    bool skip_parameters() {
        if (peek() != '<') return true;
        size_t depth = 0;
        for (; at_ < text_.size(); ++at_) {
            if (text_[at_] == '-' && at_ + 1 < text_.size() && text_[at_ + 1] == '>')
                ++at_;
            else if (text_[at_] == '<')
                ++depth;
            else if (text_[at_] == '>' && --depth == 0)
                break;
        }
        if (at_ < text_.size()) ++at_;
        return true;
    }

    // "<...>" without a name denotes the type required at its position. Its content distinguishes the kinds: a tile
    // begins with its location, a pointer with an element type.
    bool read_short(Type& type, int nesting) {
        const size_t begin = at_;
        take('<');
        const std::string_view word = take_word();
        at_ = begin;
        if (word.empty()) {  // <?x?xf32>
            type.kind = TypeKind::kPartitionView;
            return read_shaped(type, nesting, "view");
        }
        if (is_digit(word[0]) && word.find('x') == std::string_view::npos) return skip_parameters();
        if (is_digit(word[0]) || word == "loc" || parse_location(word)) {
            type.kind = TypeKind::kTile;
            return read_tile(type, nesting);
        }
        return read_pointer(type, nesting);
    }

    bool take_element(Type& type, int nesting, const char* where) {
        Type element;
        const size_t begin = (skip_blank(), at_);
        if (!read_type(element, nesting + 1)) return false;
        if (element.kind == TypeKind::kOpaque && text_.substr(begin, 5) != "!pto." &&
            text_.substr(begin, 6) != "vector") {
            at_ = begin;
            std::string word(take_word());
            at_ = begin;
            return fail("unknown element type '" + word + "' in " + where,
                        "element types are f32 f16 bf16 i8 i16 i32 i64 ui8 ui16 ui32 f8E4M3FN "
                        "f8E5M2 !pto.hif8 ...");
        }
        type.dtype = element.dtype;
        type.width = element.width;
        return true;
    }

    bool read_pointer(Type& type, int nesting) {
        type.kind = TypeKind::kPointer;
        if (!expect('<', "ptr") || !take_element(type, nesting, "ptr")) return false;
        if (take(',')) {
            if (take('#')) {  // #pto.address_space<gm>
                take_word();
                if (!expect('<', "ptr") || !read_pointer_space(type) || !expect('>', "ptr"))
                    return false;
            } else if (!read_pointer_space(type)) {
                return false;
            }
        }
        return expect('>', "ptr");
    }

    bool read_pointer_space(Type& type) {
        const std::string_view word = take_word();
        // `ub`, `l1` and the like are the newer names of the tile locations.
        static constexpr std::pair<std::string_view, Space> kNames[] = {
            {"ub", Space::kUB},   {"l1", Space::kL1},      {"cbuf", Space::kL1},
            {"l0a", Space::kL0A}, {"l0b", Space::kL0B},    {"l0c", Space::kL0C},
            {"bt", Space::kBias}, {"fb", Space::kFixpipe},
        };
        type.space = parse_location(word);
        for (const auto& [name, space] : kNames)
            if (word == name) type.space = space;
        if (type.space || word == "gm" || word == "zero") return true;
        // Others belong to register-level code; such a pointer is good for nothing else.
        return true;
    }

    // "<4x?xf32>": dimensions, each followed by 'x', and an element type.
    bool read_shaped(Type& type, int nesting, const char* what) {
        if (!expect('<', what)) return false;
        while (peek() == '?' || is_digit(peek())) {
            const size_t begin = at_;
            int64_t extent = kDynamic;
            if (!take('?')) {
                if (!take_integer(extent) || !check_dimension(extent, begin)) return false;
            }
            if (!expect('x', what)) return false;
            if (type.rank == Type::kMaxRank) return fail("a view has at most 5 dimensions");
            type.dims[type.rank++] = extent;
        }
        if (!take_element(type, nesting, what)) return false;
        if (take(',')) {  // layout or space: nothing that the shape depends on
            while (at_ < text_.size() - 1) ++at_;
        }
        return expect('>', what);
    }

    bool read_event_array(Type& type) {
        type.kind = TypeKind::kEventArray;
        int64_t count = 0;
        if (!expect('<', "eventid_array")) return false;
        const size_t begin = (skip_blank(), at_);
        if (!take_integer(count)) return false;
        if (count < 1 || count > 1 << 16) {
            at_ = begin;
            return fail("an eventid_array has 1 to 65536 entries");
        }
        type.count = static_cast<uint32_t>(count);
        return expect('>', "eventid_array");
    }

    bool read_multi_tile(Type& type, int nesting) {
        if (!expect('<', "multi_tile_buf")) return false;
        if (peek() == '!' || peek() == '<') {
            Type slot;
            if (!read_type(slot, nesting + 1)) return false;
            if (slot.kind != TypeKind::kTile)
                return fail("the slots of a multi_tile_buf must be tile_bufs");
            type.tile = slot.tile;
            type.dtype = slot.dtype;
            type.width = slot.width;
            while (take(',')) {
                if (!read_tile_field(type, nesting)) return false;
            }
        } else if (!read_tile_fields(type, nesting)) {
            return false;
        }
        type.kind = TypeKind::kMultiTile;
        if (type.count == 0) return fail("a multi_tile_buf needs count=N");
        return expect('>', "multi_tile_buf");
    }

    bool read_tile(Type& type, int nesting) {
        if (!expect('<', "tile_buf")) return false;
        const size_t begin = at_;
        if (!read_tile_fields(type, nesting)) return false;
        if (type.tile.rows == 0 || type.tile.cols == 0) {
            at_ = begin;
            return fail("a tile_buf needs a shape of at least 1x1");
        }
        return expect('>', "tile_buf");
    }

    // Both spellings, and the oldest one (32x64xf32, #pto.address_space<vec>), in any order: a field is recognised by
    // its begin.
    bool read_tile_fields(Type& type, int nesting) {
        valid_given_ = false;
        do {
            if (!read_tile_field(type, nesting)) return false;
        } while (take(','));
        if (!valid_given_) {
            type.tile.valid_rows = type.tile.rows;
            type.tile.valid_cols = type.tile.cols;
        }
        set_dense_pitch(type.tile);
        return true;
    }

    bool read_tile_field(Type& type, int nesting) {
        if (is_digit(peek())) return read_tile_shape(type, nesting);
        if (take('#')) {  // #pto.address_space<vec>, #pto.tile_buf_config<...>
            const std::string_view name = take_word();
            if (name != "pto.address_space") return skip_parameters();
            return expect('<', "tile_buf") && read_location(type) && expect('>', "tile_buf");
        }
        const size_t begin = (skip_blank(), at_);
        const std::string_view key = take_word();
        if (take('=')) return read_keyed_field(type, nesting, key, begin);
        if (peek() == '<') return skip_parameters();  // strided<[32, 1]>: the oldest spelling
        at_ = begin;
        return read_location(type);
    }

    bool read_location(Type& type) {
        const size_t begin = (skip_blank(), at_);
        const std::string_view word = take_word();
        const std::optional<Space> space = parse_location(word);
        if (!space) {
            at_ = begin;
            return fail("unknown tile location '" + std::string(word) + "'",
                        "locations are vec mat left right acc bias scaling");
        }
        type.tile.space = *space;
        return true;
    }

    bool set_element(Type& type) {
        if (type.dtype) type.tile.dtype = *type.dtype;
        return true;
    }

    bool read_tile_shape(Type& type, int nesting) {
        const size_t begin = at_;
        int64_t rows = 0, cols = 0;
        if (!take_integer(rows) || !expect('x', "a tile's shape")) return false;
        if (!take_integer(cols) || !expect('x', "a tile's shape")) return false;
        if (is_digit(peek())) return fail("a tile has exactly two dimensions");
        if (!check_extent(rows, begin, "rows") || !check_extent(cols, begin, "cols")) return false;
        type.tile.rows = static_cast<int32_t>(rows);
        type.tile.cols = static_cast<int32_t>(cols);
        return take_element(type, nesting, "tile_buf") && set_element(type);
    }

    bool read_extent(int32_t& target, const char* what, bool dynamic) {
        const size_t begin = (skip_blank(), at_);
        int64_t value = kDynamic;
        if (!(dynamic && take('?')) && !take_integer(value)) return false;
        if (!(dynamic && value == kDynamic) && !check_extent(value, begin, what)) return false;
        target = static_cast<int32_t>(value);
        return true;
    }

    // A word or its number from `names` (index = value).
    template <class Enum, size_t N>
    bool read_enum(Enum& target, const std::string_view (&names)[N], const char* what) {
        const size_t begin = (skip_blank(), at_);
        const std::string_view word = take_word();
        for (size_t i = 0; i < N; ++i) {
            if (word == names[i] || (word.size() == 1 && word[0] == static_cast<char>('0' + i))) {
                target = static_cast<Enum>(i);
                return true;
            }
        }
        std::string accepted;
        for (std::string_view name : names)
            accepted += (accepted.empty() ? "" : " ") + std::string(name);
        at_ = begin;
        return fail("unknown " + std::string(what) + " '" + std::string(word) + "'",
                    std::string(what) + " is one of: " + accepted);
    }

    bool read_keyed_field(Type& type, int nesting, std::string_view key, size_t key_begin) {
        static constexpr std::string_view kOuter[] = {"row_major", "col_major"};
        static constexpr std::string_view kInner[] = {"none_box", "row_major", "col_major"};
        static constexpr std::string_view kPad[] = {"null", "zero", "max", "min"};
        static constexpr std::string_view kCompact[] = {"null", "normal", "row_plus_one",
                                                        "row_aligned_padding"};
        Tile& tile = type.tile;
        if (key == "loc") return read_location(type);
        if (key == "dtype") return take_element(type, nesting, "tile_buf") && set_element(type);
        if (key == "rows") return read_extent(tile.rows, "rows", false);
        if (key == "cols") return read_extent(tile.cols, "cols", false);
        if (key == "v_row") {
            valid_given_ = true;
            return read_extent(tile.valid_rows, "v_row", true);
        }
        if (key == "v_col") {
            valid_given_ = true;
            return read_extent(tile.valid_cols, "v_col", true);
        }
        if (key == "valid") {
            valid_given_ = true;
            return read_extent(tile.valid_rows, "valid", true) && expect('x', "valid") &&
                   read_extent(tile.valid_cols, "valid", true);
        }
        if (key == "blayout") return read_enum(tile.outer, kOuter, "blayout");
        if (key == "slayout") return read_enum(tile.inner, kInner, "slayout");
        if (key == "pad") return read_enum(tile.pad, kPad, "pad");
        if (key == "compact") return read_enum(tile.compact, kCompact, "compact");
        if (key == "fractal") return read_fractal(tile);
        if (key == "count") return read_count(type);
        at_ = key_begin;
        return fail("unknown field '" + std::string(key) + "' of a tile_buf",
                    "fields are loc dtype rows cols v_row v_col valid blayout slayout fractal pad "
                    "compact");
    }

    bool read_fractal(Tile& tile) {
        const size_t begin = (skip_blank(), at_);
        int64_t value = 0;
        if (!take_integer(value)) return false;
        if (value < 1 || value > 65535) {
            at_ = begin;
            return fail("fractal must lie in 1..65535", "fractals have 32, 512 or 1024 bytes");
        }
        tile.fractal = static_cast<uint16_t>(value);
        return true;
    }

    bool read_count(Type& type) {
        const size_t begin = (skip_blank(), at_);
        int64_t value = 0;
        if (!take_integer(value)) return false;
        if (value < 1 || value > 1024) {
            at_ = begin;
            return fail("a multi_tile_buf has 1 to 1024 slots");
        }
        type.count = static_cast<uint32_t>(value);
        return true;
    }

    std::string_view text_;
    TypeProblem& problem_;
    size_t at_ = 0;
    bool valid_given_ = false;
};

}  // namespace

std::optional<Type> parse_type(std::string_view text, TypeProblem& problem) {
    return TypeReader(text, problem).read();
}

bool is_fixed(const Type& type) {
    return std::none_of(type.dims.begin(), type.dims.begin() + type.rank,
                        [](int64_t extent) { return extent == kDynamic; });
}

bool is_flat(const Type& type) {
    int wide = 0;
    for (unsigned i = 0; i < type.rank; ++i) wide += type.dims[i] != 1;
    return wide <= 1;
}

}  // namespace ptosim::assembly
