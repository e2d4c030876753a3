#include "sim/debug/places.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "isa/assembly/program/frame.h"
#include "isa/table/access.h"
#include "isa/table/instruction_table.h"

namespace ptosim::debug {
namespace {

using assembly::NamedSlot;

[[noreturn]] void fail_place(const std::string& message, std::string hint) {
    fail_input("I69", message, std::move(hint));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// An index, or a range [first, last) of one dimension.
struct Range {
    int64_t first = 0, last = 0;
    bool single = false;
};

int64_t parse_index(std::string_view text, const std::string& whole) {
    const std::string_view digits = trimmed(text);
    const bool hex = digits.starts_with("0x");
    int64_t value = -1;
    const char* const begin = digits.data() + (hex ? 2 : 0);
    const auto [end, error] = std::from_chars(begin, digits.data() + digits.size(), value, hex ? 16 : 10);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0)
        fail_place("'" + whole + "': '" + std::string(digits) + "' is not an index",
                   "for example x[3,7], t[0:4, 8:16], UB[0x100:0x140]");
    return value;
}

struct Reference {
    std::string name;
    std::vector<Range> ranges;
};

Reference parse_reference(const std::string& text) {
    Reference result;
    std::string_view rest = trimmed(text);
    if (rest.starts_with('%')) rest.remove_prefix(1);
    const size_t open = rest.find('[');
    result.name = trimmed(rest.substr(0, open));
    if (open == std::string_view::npos) return result;
    if (rest.back() != ']') fail_place("'" + text + "' has no ']'", "for example x[3,7]");
    rest = rest.substr(open + 1, rest.size() - open - 2);
    while (true) {
        const size_t comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        const size_t colon = part.find(':');
        Range range;
        range.first = parse_index(part.substr(0, colon), text);
        range.single = colon == std::string_view::npos;
        range.last = range.single ? range.first + 1 : parse_index(part.substr(colon + 1), text);
        result.ranges.push_back(range);
        if (comma == std::string_view::npos) return result;
        rest.remove_prefix(comma + 1);
    }
}

// The rows and columns that ranges choose of a matrix; one range: elements of it, row by row, or rows of them.
void choose(Matrix& matrix, const Reference& reference, const std::string& text) {
    const int64_t rows = matrix.values.rows, columns = matrix.values.columns;
    Range row{0, rows}, column{0, columns};
    if (reference.ranges.size() == 2) {
        row = reference.ranges[0];
        column = reference.ranges[1];
    } else if (reference.ranges.size() == 1) {
        const Range& range = reference.ranges[0];
        if (rows == 1) {
            column = range;
        } else if (range.single && columns > 0) {
            row = {range.first / columns, range.first / columns + 1, true};
            column = {range.first % columns, range.first % columns + 1, true};
        } else {
            row = range;
        }
    }
    if (row.last > rows || column.last > columns || row.first >= row.last || column.first >= column.last)
        fail_place("'" + text + "' lies outside of " + std::to_string(rows) + "x" + std::to_string(columns) + " elements",
                   "indices count from 0, and [a:b] ends before b");
    matrix.row = static_cast<uint32_t>(row.first);
    matrix.rows = static_cast<uint32_t>(row.last - row.first);
    matrix.column = static_cast<uint32_t>(column.first);
    matrix.columns = static_cast<uint32_t>(column.last - column.first);
}

uint64_t byte_at(DType type, int64_t element) { return static_cast<uint64_t>(element) * bits(type) / 8; }

Matrix tile_matrix(const Target& target, CoreId core, const Tile& tile, const Reference& reference,
                   const std::string& text) {
    Chip& chip = target.subject().session.chip();
    const uint64_t size = chip.core_at(core).local_size(tile.space);
    if (tile.address + tile.touched_bytes() > size)
        fail_place("'" + text + "' lies outside of " + std::string(name(tile.space)) + " of " + name(core), "");
    Matrix matrix;
    matrix.tile = tile;
    matrix.type = to_text(tile);
    matrix.values = values_of(tile, chip.byte_of(core, tile.space, tile.address));
    choose(matrix, reference, text);
    matrix.place.text = text;
    matrix.place.core = core;
    matrix.place.space = tile.space;
    matrix.place.dtype = tile.dtype;
    if (matrix.rows == 1 && matrix.columns == 1) {
        const int64_t index = tile.index(static_cast<int32_t>(matrix.row), static_cast<int32_t>(matrix.column));
        matrix.place.begin = tile.address + byte_at(tile.dtype, index);
        matrix.place.end = matrix.place.begin + std::max<uint64_t>(1, bits(tile.dtype) / 8);
    } else {
        matrix.place.begin = tile.address;
        matrix.place.end = tile.address + tile.touched_bytes();
    }
    return matrix;
}

// The elements of an array as a matrix: the last dimension is the columns.
Matrix array_matrix(const Target& target, size_t parameter, Reference reference, const std::string& text) {
    const Argument& argument = target.subject().arguments[parameter];
    Matrix matrix;
    int64_t columns = argument.shape.empty() ? 1 : argument.shape.back(), rows = 1;
    for (size_t i = 0; i + 1 < argument.shape.size(); ++i) rows *= argument.shape[i];
    std::string shape;
    for (const int64_t extent : argument.shape) shape += (shape.empty() ? "" : "x") + std::to_string(extent);
    matrix.type = "global " + std::string(name(argument.dtype)) + " " + shape;
    // All indices but the last give the row.
    if (reference.ranges.size() > 2 && reference.ranges.size() == argument.shape.size()) {
        Range row{0, 0, true};
        for (size_t i = 0; i + 1 < argument.shape.size(); ++i) {
            if (!reference.ranges[i].single)
                fail_place("'" + text + "': only the last index can be a range here", "");
            row.first = row.first * argument.shape[i] + reference.ranges[i].first;
        }
        row.last = row.first + 1;
        reference.ranges = {row, reference.ranges.back()};
    }
    // A tile without a memory, with the rows of the array.
    Tile tile = make_tile(Space::kUB, argument.dtype, static_cast<int32_t>(rows), static_cast<int32_t>(columns));
    tile.valid_rows = tile.rows;
    tile.valid_cols = tile.cols;
    matrix.values = values_of(tile, GlobalMemory::host(argument.value));
    choose(matrix, reference, text);
    matrix.place.text = text;
    matrix.place.global = true;
    matrix.place.dtype = argument.dtype;
    matrix.place.parameter = parameter;
    matrix.place.begin = argument.value;
    matrix.place.end = argument.value + byte_at(argument.dtype, rows * columns);
    if (matrix.rows == 1 || matrix.columns == columns) {
        const int64_t first = int64_t{matrix.row} * columns + matrix.column;
        matrix.place.begin = argument.value + byte_at(argument.dtype, first);
        matrix.place.end = argument.value + byte_at(argument.dtype, first + int64_t{matrix.rows} * matrix.columns);
        matrix.place.end = std::max(matrix.place.end, matrix.place.begin + 1);
    }
    return matrix;
}

Matrix memory_matrix(const Target& target, CoreId core, Space space, const Reference& reference,
                     const std::string& text) {
    const uint64_t size = target.subject().session.chip().core_at(core).local_size(space);
    if (size == 0)
        fail_place(name(core) + " has no " + std::string(name(space)), "choose a core that has it");
    Tile tile = make_tile(space, DType::kU8, 1, static_cast<int32_t>(size));
    tile.valid_rows = 1;
    tile.valid_cols = tile.cols;
    Matrix matrix = tile_matrix(target, core, tile, reference, text);
    matrix.tile.reset();
    matrix.type = std::string(name(space)) + " of " + name(core);
    matrix.place.begin = matrix.column;
    matrix.place.end = matrix.column + matrix.columns;
    return matrix;
}

Matrix view_matrix(const Target& target, const GlobalView& view, const Reference& reference, const std::string& text) {
    if (bits(view.dtype) < 8 || view.block_channels() != 1 || !target.subject().session.memory().holds(view))
        fail_place("'" + text + "' cannot be shown as a matrix", "print the array of the kernel instead");
    Matrix matrix;
    matrix.type = to_text(view);
    matrix.values.dtype = view.dtype;
    matrix.values.rows = static_cast<uint32_t>(view.matrix_rows());
    matrix.values.columns = static_cast<uint32_t>(view.matrix_cols());
    for (int64_t row = 0; row < view.matrix_rows(); ++row)
        for (int64_t column = 0; column < view.matrix_cols(); ++column)
            matrix.values.bytes.append(
                reinterpret_cast<const char*>(
                    GlobalMemory::host(view.address + byte_at(view.dtype, view.matrix_offset(row, column)))),
                kept_bytes(view.dtype));
    choose(matrix, reference, text);
    matrix.place.text = text;
    matrix.place.global = true;
    matrix.place.dtype = view.dtype;
    matrix.place.begin = view.address + byte_at(view.dtype, view.matrix_offset(matrix.row, matrix.column));
    const int64_t last = view.matrix_offset(matrix.row + matrix.rows - 1, matrix.column + matrix.columns - 1);
    matrix.place.end = view.address + byte_at(view.dtype, last + 1);
    return matrix;
}

// An operand of the instruction of the moment.
const Operand* find_operand(const Target& target, CoreId core, const std::string& name) {
    const Instruction* const instruction = target.instruction();
    if (instruction == nullptr || core != target.moment().core) return nullptr;
    const auto& operands = info(instruction->opcode).operands;
    for (unsigned i = 0; i < instruction->operand_count && i < operands.size(); ++i)
        if (operands[i].name == name) return &instruction->operands[i];
    return nullptr;
}

const NamedSlot* find_slot(const std::vector<NamedSlot>& names, const std::string& name, NamedSlot::Kind kind) {
    for (const NamedSlot& named : names)
        if (named.kind == kind && (named.name == name || plain_name(named.name) == name)) return &named;
    return nullptr;
}

// A view as the array of its parameter would be too much: its elements, row by row.
std::optional<size_t> parameter_at(const Target& target, uint64_t address) {
    const auto& arguments = target.subject().arguments;
    for (size_t i = 0; i < arguments.size(); ++i)
        if (!arguments[i].scalar && arguments[i].value == address) return i;
    return {};
}

// A tile by the fields of ptosim_tile.
Tile tile_of(const Json& fields) {
    const auto number = [&fields](const char* name) { return fields.value(name, uint64_t{0}); };
    const auto extent = [&fields](const char* name) { return fields.value(name, int32_t{0}); };
    Tile tile;
    tile.space = static_cast<Space>(number("space"));
    tile.dtype = static_cast<DType>(number("dtype"));
    if (number("space") >= kSpaceCount || number("dtype") >= static_cast<unsigned>(DType::kCount) || number("outer") > 1 || number("inner") > 2)
        fail_place("a variable that is not a tile yet", "go on until it has been initialised");
    tile.outer = static_cast<OuterLayout>(number("outer"));
    tile.inner = static_cast<InnerLayout>(number("inner"));
    tile.fractal = static_cast<uint16_t>(number("fractal"));
    tile.address = static_cast<uint32_t>(number("address"));
    tile.rows = extent("rows");
    tile.cols = extent("cols");
    tile.valid_rows = extent("valid_rows");
    tile.valid_cols = extent("valid_cols");
    tile.pitch = extent("pitch");
    if (tile.pitch == 0) set_dense_pitch(tile);
    return tile;
}

// The ranges after the expression of the variable.
Reference variable_reference(const Json& variable, const std::string& text) {
    const std::string rest = text.substr(std::min(text.size(), variable.at("expression").text().size()));
    return parse_reference("variable" + rest);
}

template <class Visit>
void each_written_element(const Instruction& instruction, const Access& access, Visit&& visit) {
    const Operand* const operand =
        access.operand < instruction.operand_count ? &instruction.operands[access.operand] : nullptr;
    if (operand != nullptr && operand->is_tile() && !access.global) {
        const TouchedTiles touched = touched_tiles(instruction, access.operand);
        for (unsigned t = 0; t < touched.count; ++t) {
            const Tile& tile = touched.tiles[t];
            for (int row = 0; row < tile.valid_rows; ++row)
                for (int column = 0; column < tile.valid_cols; ++column)
                    visit(tile.address + byte_at(tile.dtype, tile.index(row, column)),
                          std::max<uint64_t>(1, bits(tile.dtype) / 8), row, column, tile.dtype);
        }
    } else if (operand != nullptr && operand->is_global() && access.global) {
        const GlobalView view = touched_view(instruction, access.operand);
        const auto size = static_cast<uint64_t>((view.block_channels() * bits(view.dtype) + 7) / 8);
        for (int64_t row = 0; row < view.matrix_rows(); ++row)
            for (int64_t column = 0; column < view.matrix_cols(); ++column)
                visit(view.address + byte_at(view.dtype, view.matrix_offset(row, column)), size, row, column, view.dtype);
    } else {
        visit(access.begin, access.end - access.begin, 0, 0, DType::kU8);
    }
}

double value_at(const std::byte* bytes, DType type) {
    TileValues one;
    one.dtype = type;
    one.rows = one.columns = 1;
    one.bytes.assign(reinterpret_cast<const char*>(bytes), kept_bytes(type));
    return one.value_at(0, 0);
}

template <class Visit>
bool any_element(const Place& place, const Runs& runs, Visit&& visit) {
    const uint64_t size = std::max<uint64_t>(1, bits(place.dtype) / 8);
    for (const auto& [begin, end] : runs)
        for (uint64_t at = begin; at + size <= end; at += size)
            if (visit(at)) return true;
    return false;
}

}  // namespace

std::vector<NamedSlot> names_in_scope(const Target& target, const Target::CoreFlow& flow) {
    std::vector<NamedSlot> result;
    if (target.subject().program == nullptr || flow.step == nullptr) return result;
    const assembly::Program& program = *target.subject().program;
    const auto at = static_cast<uint32_t>(flow.step - program.steps.data());
    for (auto named = program.names.rbegin(); named != program.names.rend(); ++named) {
        if (at < named->first || at >= named->last) continue;
        const bool hidden =
            std::any_of(result.begin(), result.end(), [&](const NamedSlot& inner) { return inner.name == named->name; });
        if (!hidden) result.push_back(*named);
    }
    std::reverse(result.begin(), result.end());
    return result;
}

std::string plain_name(std::string_view name) {
    std::string result(name);
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c == '#' || c == '.' || c == '$' || c == '-'; }, '_');
    if (!result.empty() && result.front() >= '0' && result.front() <= '9') result = "v" + result;
    return result;
}

std::string without_percent(std::string_view expression) {
    const auto in_name = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '#' ||
               c == '$' || c == '.';
    };
    std::string result;
    for (size_t at = 0; at < expression.size(); ++at) {
        const bool begins = expression[at] == '%' && at + 1 < expression.size() && in_name(expression[at + 1]) &&
                            (result.empty() || !in_name(result.back()));
        if (!begins) {
            result += expression[at];
            continue;
        }
        size_t end = at + 1;
        while (end < expression.size() && in_name(expression[end])) ++end;
        result += plain_name(expression.substr(at + 1, end - at - 1));
        at = end - 1;
    }
    return result;
}

Matrix matrix_of(const Target& target, CoreId core, const std::string& text, const Json& variable) {
    if (!variable.is_null()) return tile_matrix(target, core, tile_of(variable), variable_reference(variable, text), text);
    const Reference reference = parse_reference(text);
    const Target::CoreFlow* const flow = target.flow(core);
    const std::vector<NamedSlot> names = flow == nullptr ? std::vector<NamedSlot>() : names_in_scope(target, *flow);
    if (const NamedSlot* const tile = find_slot(names, reference.name, NamedSlot::Kind::kTile))
        return tile_matrix(target, core, (*flow->tiles)[tile->slot], reference, text);
    const auto parameters = target.subject().kernel.parameters();
    for (size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].name == reference.name && !target.subject().arguments[i].scalar)
            return array_matrix(target, i, reference, text);
    if (const NamedSlot* const view = find_slot(names, reference.name, NamedSlot::Kind::kView))
        if (const auto parameter = parameter_at(target, (*flow->views)[view->slot].address))
            return array_matrix(target, *parameter, reference, text);
    const Operand* const operand = find_operand(target, core, reference.name);
    if (operand != nullptr && operand->is_tile()) return tile_matrix(target, core, operand->tile, reference, text);
    if (operand != nullptr && operand->is_global()) return view_matrix(target, operand->global, reference, text);
    for (unsigned s = 0; s < kSpaceCount; ++s)
        if (name(static_cast<Space>(s)) == reference.name)
            return memory_matrix(target, core, static_cast<Space>(s), reference, text);
    std::string known;
    for (const NamedSlot& named : names)
        if (named.kind == NamedSlot::Kind::kTile) known += " %" + named.name;
    for (const Parameter& parameter : parameters) known += " " + parameter.name;
    fail_place("unknown name '" + reference.name + "' on " + name(core), "names here are:" + known + ", and memories (UB[0:64])");
}

std::byte* bytes_of(const Target& target, const Place& place) {
    if (place.global) return GlobalMemory::host(place.begin);
    return const_cast<std::byte*>(target.subject().session.chip().byte_of(place.core, place.space, place.begin));
}

std::optional<Place> common(const Place& a, const Place& b) {
    if (a.global != b.global || (!a.global && (a.core != b.core || a.space != b.space))) return {};
    Place place = b;
    place.begin = std::max(a.begin, b.begin);
    place.end = std::min(a.end, b.end);
    if (place.begin >= place.end) return {};
    return place;
}

Runs written_runs(const Target& target, const Instruction& instruction, const Place& place) {
    Runs runs;
    const CoreId own = target.moment().core;
    for (const Access& access : accesses(instruction)) {
        if (!access.writes || access.global != place.global || access.end <= place.begin || access.begin >= place.end)
            continue;
        const CoreId core = access.peers == 0 ? own : peer_core(own, access.peers);
        if (!access.global && (access.space != place.space || core != place.core)) continue;
        each_written_element(instruction, access, [&](uint64_t at, uint64_t size, auto, auto, DType) {
            const uint64_t begin = std::max(at, place.begin), end = std::min(at + size, place.end);
            if (begin >= end) return;
            if (!runs.empty() && runs.back().second == begin)
                runs.back().second = end;
            else
                runs.emplace_back(begin, end);
        });
    }
    return runs;
}

bool hold_nan(const Target& target, const Place& place, const Runs& runs) {
    if (is_integer(place.dtype)) return false;
    const std::byte* const base = bytes_of(target, place);
    return any_element(place, runs,
                       [&](uint64_t at) { return std::isnan(value_at(base + (at - place.begin), place.dtype)); });
}

bool differ_from_golden(const Target& target, const Place& place, const Runs& runs) {
    if (!place.parameter) return false;
    const Argument& argument = target.subject().arguments[*place.parameter];
    for (const auto& [spec, golden] : target.subject().goldens) {
        if (spec.parameter != *place.parameter) continue;
        return any_element(place, runs, [&](uint64_t at) {
            return differs(spec, golden, argument, (at - argument.value) * 8 / bits(argument.dtype));
        });
    }
    return false;
}

bool differs_from_golden(const Target& target, const Matrix& matrix, uint32_t row, uint32_t column) {
    if (!matrix.place.parameter) return false;
    const Argument& argument = target.subject().arguments[*matrix.place.parameter];
    for (const auto& [spec, golden] : target.subject().goldens)
        if (spec.parameter == *matrix.place.parameter)
            return differs(spec, golden, argument, uint64_t{row} * matrix.values.columns + column);
    return false;
}

std::string nan_written(const Target& target, const Instruction& instruction) {
    const CoreId own = target.moment().core;
    for (const Access& access : accesses(instruction)) {
        if (!access.writes || access.operand >= instruction.operand_count) continue;
        Place place;
        place.global = access.global;
        place.core = access.peers == 0 ? own : peer_core(own, access.peers);
        place.space = access.space;
        std::string found;
        each_written_element(instruction, access, [&](uint64_t at, uint64_t, auto row, auto column, DType type) {
            if (!found.empty() || is_integer(type)) return;
            place.begin = at;
            if (!std::isnan(value_at(bytes_of(target, place), type))) return;
            found = "NaN at [" + std::to_string(row) + ", " + std::to_string(column) + "] of " +
                    std::string(info(instruction.opcode).operands[access.operand].name);
        });
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace ptosim::debug
