#include "sim/debug/views.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "isa/assembly/program/frame.h"
#include "isa/core/tile.h"
#include "isa/table/instruction_table.h"
#include "sim/debug/picture.h"
#include "sim/debug/places.h"
#include "sim/files/npy.h"

namespace ptosim::debug {
namespace {

using assembly::NamedSlot;

void add_site(const Target& target, Json& json, SourceLocation where) {
    const SourceMap& sources = target.subject().kernel.sources();
    json["file"] = sources.file(where);
    json["line"] = where.line;
    json["source_line"] = sources.line(where);
}

CoreId core_in(const Target& target, const Json& question) {
    const std::string word = question.value("core", "");
    if (word.empty()) return target.moment().core;
    const auto core = parse_core(word);
    const auto cores = target.subject().session.chip().cores_of_launch();
    if (!core || std::find(cores.begin(), cores.end(), *core) == cores.end()) {
        std::string known;
        for (const CoreId one : cores) known += (known.empty() ? "" : " ") + name(one);
        fail_input("I69", "unknown core '" + word + "'", "cores of this launch: " + known);
    }
    return *core;
}

Json cores(const Target& target) {
    Json list = Json::array();
    for (const CoreId core : target.subject().session.chip().cores_of_launch()) {
        Json one = Json::object();
        one["core"] = name(core);
        const Target::CoreFlow* const flow = target.flow(core);
        const bool runs = flow != nullptr && flow->in_block;
        one["runs"] = runs;
        if (runs) one["block"] = flow->identity.block;
        if (flow != nullptr) add_site(target, one, flow->where);
        Json pipes = Json::array();
        for (unsigned p = 1; p < kPipeCount; ++p)
            if (has_pipe(core.type, static_cast<Pipe>(p))) pipes.push_back(name(static_cast<Pipe>(p)));
        one["pipes"] = pipes;
        list.push_back(one);
    }
    return list;
}

std::string float_text(DType type, uint64_t bits_of) {
    TileValues one;
    one.dtype = type;
    one.rows = one.columns = 1;
    one.bytes.assign(reinterpret_cast<const char*>(&bits_of), kept_bytes(type));
    return one.text_at(0, 0);
}

Json names(const Target& target, CoreId core) {
    Json list = Json::array();
    const Target::CoreFlow* const flow = target.flow(core);
    if (const Instruction* const instruction = target.instruction(); instruction != nullptr && core == target.moment().core) {
        const auto& operands = info(instruction->opcode).operands;
        for (unsigned i = 0; i < instruction->operand_count && i < operands.size(); ++i) {
            const Operand& operand = instruction->operands[i];
            if (!operand.is_tile() && !operand.is_global()) continue;
            list.push_back(Json{{"name", operands[i].name}, {"kind", "tile"},
                                {"text", operand.is_tile() ? to_text(operand.tile) : to_text(operand.global)}});
        }
    }
    if (flow == nullptr || flow->scalars == nullptr) return list;
    for (const NamedSlot& named : names_in_scope(target, *flow)) {
        Json one = Json::object();
        one["name"] = "%" + named.name;
        switch (named.kind) {
            case NamedSlot::Kind::kInteger:
                one["kind"] = "integer";
                one["text"] = std::to_string(static_cast<int64_t>((*flow->scalars)[named.slot]));
                break;
            case NamedSlot::Kind::kFloat:
                one["kind"] = "float";
                one["text"] = float_text(named.dtype, (*flow->scalars)[named.slot]);
                break;
            case NamedSlot::Kind::kPointer:
                one["kind"] = "pointer";
                one["text"] = target.subject().session.memory().describe((*flow->scalars)[named.slot]);
                break;
            case NamedSlot::Kind::kTile:
                one["kind"] = "tile";
                one["text"] = to_text((*flow->tiles)[named.slot]);
                break;
            case NamedSlot::Kind::kView:
                one["kind"] = "view";
                one["text"] = to_text((*flow->views)[named.slot]) + " at " +
                              target.subject().session.memory().describe((*flow->views)[named.slot].address);
                break;
        }
        list.push_back(one);
    }
    return list;
}

Json queues(const Target& target, CoreId core) {
    const Chip& chip = target.subject().session.chip();
    const std::vector<PresentWait> waits = chip.waits(core);
    Json list = Json::array();
    for (unsigned p = 1; p < kPipeCount; ++p) {
        const PipeUnit* const unit = chip.core_at(core).pipe(static_cast<Pipe>(p));
        if (unit == nullptr) continue;
        Json pipe = Json::object();
        pipe["pipe"] = name(unit->pipe());
        pipe["completed"] = unit->completed();
        Json entries = Json::array();
        for (uint64_t i = unit->first(); i < unit->pushed(); ++i) {
            const PipeUnit::Entry& entry = unit->entry(i);
            Json one = Json::object();
            one["number"] = entry.sequence;
            one["text"] = to_text(*entry.instruction);
            add_site(target, one, entry.instruction->location);
            one["issued"] = entry.issued;
            const bool started = unit->front() == nullptr || i < unit->next_to_start();
            const bool working = !started && i == unit->next_to_start() && unit->works();
            one["state"] = started ? "in flight" : working ? "working" : "queued";
            if (started || working) one["started"] = entry.started;
            entries.push_back(one);
        }
        pipe["entries"] = entries;
        for (const PresentWait& wait : waits)
            if (wait.pipe == unit->pipe()) pipe["waits"] = wait.text;
        list.push_back(pipe);
    }
    return list;
}

Json flags(const Target& target, CoreId core) {
    const Core& machine = target.subject().session.chip().core_at(core);
    Json list = Json::array();
    for (const FlagFile::Pending& flag : machine.pending_flags()) {
        Json one = Json::object();
        one["flag"] = std::string(name(flag.source)) + "->" + std::string(name(flag.destination)) + " #" +
                      std::to_string(flag.id);
        add_site(target, one, flag.location);
        list.push_back(one);
    }
    const auto signals = machine.cross_core_flags().flags();
    for (unsigned id = 0; id < signals.size(); ++id) {
        if (signals[id].count == 0) continue;
        Json one = Json::object();
        one["flag"] = cross_flag_text(id);
        one["count"] = signals[id].count;
        one["from"] = name(signals[id].last.from);
        add_site(target, one, signals[id].last.location);
        list.push_back(one);
    }
    return list;
}

std::string state_of(const PipeUnit& unit) {
    if (unit.works()) return "works on " + to_text(*unit.front()->instruction);
    if (unit.front() != nullptr) return "is about to begin " + to_text(*unit.front()->instruction);
    if (!unit.drained()) return "has begun everything in its queue; results are under way";
    return "is idle: nothing is in its queue";
}

Json why(const Target& target, CoreId core, const std::string& word) {
    const Chip& chip = target.subject().session.chip();
    const std::vector<PresentWait> waits = chip.waits(core);
    const auto asked = parse_pipe(word);
    if (!word.empty() && (!asked || *asked == Pipe::kAll || !has_pipe(core.type, *asked)))
        fail_input("I69", name(core) + " has no pipe '" + word + "'", "pipes are S MTE2 V MTE3 of an AIV, S MTE2 MTE1 M FIX of an AIC");
    Json list = Json::array();
    for (unsigned p = 0; p < kPipeCount; ++p) {
        const auto pipe = static_cast<Pipe>(p);
        if (!has_pipe(core.type, pipe) || (asked && *asked != pipe)) continue;
        Json one = Json::object();
        one["pipe"] = name(pipe);
        const auto wait = std::find_if(waits.begin(), waits.end(), [&](const PresentWait& w) { return w.pipe == pipe; });
        const PipeUnit* const unit = chip.core_at(core).pipe(pipe);
        if (wait != waits.end()) {
            one["text"] = wait->text;
            if (wait->since != 0) one["since"] = wait->since;
            add_site(target, one, wait->where);
        } else if (unit != nullptr) {
            one["text"] = state_of(*unit);
            if (unit->front() != nullptr)
                add_site(target, one, unit->front()->instruction->location);
        } else if (pipe == Pipe::kS) {
            const Target::CoreFlow* const flow = target.flow(core);
            const bool runs = flow != nullptr && flow->in_block && chip.core_at(core).scalar_state().issuing;
            one["text"] = runs ? "runs" : "has no control flow left";
            if (flow != nullptr) add_site(target, one, flow->where);
        } else {
            continue;
        }
        list.push_back(one);
    }
    return list;
}

// Requested elements that the golden of an array does not allow.
Json differences(const Target& target, const Matrix& matrix) {
    Json list = Json::array();
    if (!matrix.place.parameter) return list;
    constexpr size_t kMost = 64;
    const Argument& argument = target.subject().arguments[*matrix.place.parameter];
    for (const auto& [spec, golden] : target.subject().goldens) {
        if (spec.parameter != *matrix.place.parameter) continue;
        for (uint32_t row = matrix.row; row < matrix.row + matrix.rows; ++row)
            for (uint32_t column = matrix.column; column < matrix.column + matrix.columns; ++column) {
                const uint64_t element = uint64_t{row} * matrix.values.columns + column;
                if (!differs(spec, golden, argument, element)) continue;
                if (list.size() == kMost) return list;
                TileValues expected = matrix.values;
                expected.rows = expected.columns = 1;
                const unsigned size = kept_bytes(argument.dtype);
                expected.bytes.assign(reinterpret_cast<const char*>(golden.data.data()) + element * size, size);
                list.push_back(Json{{"row", row}, {"column", column}, {"expected", expected.text_at(0, 0)}});
            }
    }
    return list;
}

Matrix matrix_in(const Target& target, CoreId core, const Json& question) {
    return matrix_of(target, core, question.at("of").text(), question.contains("variable") ? question.at("variable") : Json());
}

Json value(const Target& target, CoreId core, const Json& question) {
    const Matrix matrix = matrix_in(target, core, question);
    const uint32_t most_rows = question.value("rows", 16u), most_columns = question.value("columns", 16u);
    const uint32_t from_row = question.value("from_row", 0u), from_column = question.value("from_column", 0u);
    Json json = Json::object();
    json["type"] = matrix.type;
    json["rows"] = matrix.rows;
    json["columns"] = matrix.columns;
    json["first_row"] = matrix.row;
    json["first_column"] = matrix.column;
    Json rows = Json::array();
    for (uint32_t r = from_row; r < std::min(matrix.rows, from_row + most_rows); ++r) {
        Json row = Json::array();
        for (uint32_t c = from_column; c < std::min(matrix.columns, from_column + most_columns); ++c)
            row.push_back(matrix.values.text_at(matrix.row + r, matrix.column + c));
        rows.push_back(row);
    }
    json["values"] = rows;
    json["place"] = json_of(matrix.place);
    json["differs"] = differences(target, matrix);
    return json;
}

// The place of a compiled kernel's code on a core, for readers of its variables.
Json code(const Target& target, CoreId core) {
    const Target::CoreFlow* const flow = target.flow(core);
    if (flow == nullptr || !flow->place)
        fail_input("I69", "no compiled code runs on " + name(core) + " at this moment", "variables exist from the first line of a block to its end");
    Json json{{"base", flow->place->base}, {"known", flow->place->known}};
    Json registers = Json::array();
    for (const uint64_t value : flow->place->registers) registers.push_back(value);
    json["registers"] = registers;
    add_site(target, json, flow->where);
    return json;
}

std::string hexadecimal(const std::byte* bytes, uint64_t size) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (uint64_t i = 0; i < size; ++i) {
        text += kDigits[std::to_integer<unsigned>(bytes[i]) >> 4];
        text += kDigits[std::to_integer<unsigned>(bytes[i]) & 15];
    }
    return text;
}

// Bytes of this process, which a debugger of compiled code may ask for anywhere; empty if they do not exist.
std::string host_memory(const Json& question) {
    std::vector<std::byte> bytes(std::min<uint64_t>(question.at("size").get<uint64_t>(), 1 << 16));
    iovec here{bytes.data(), bytes.size()}, there{reinterpret_cast<void*>(question.at("address").get<uint64_t>()), bytes.size()};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    return got == static_cast<ssize_t>(bytes.size()) ? hexadecimal(bytes.data(), bytes.size()) : std::string();
}

Json bytes(const Target& target, const Json& question) {
    const Place place = place_of(question.at("place"));
    const Chip& chip = target.subject().session.chip();
    const bool inside = place.global ? chip.model().clusters > 0 && target.subject().session.memory().contains(
                                                                        place.begin, place.end - place.begin)
                                     : place.end <= chip.core_at(place.core).local_size(place.space);
    if (!inside || place.begin > place.end) fail_input("I69", "these bytes are in no memory");
    return hexadecimal(bytes_of(target, place), place.end - place.begin);
}

Json picture(const Target& target, CoreId core, const Json& question) {
    const Matrix matrix = matrix_in(target, core, question);
    const std::string file = picture_of(target, matrix);
    return Json{{"type", matrix.type}, {"rows", matrix.rows}, {"columns", matrix.columns},
                {"file", hexadecimal(reinterpret_cast<const std::byte*>(file.data()), file.size())}};
}

// Rates in thousandths of bytes per cycle, and the used parts of resources in thousandths.
Json bandwidth(const Target& target) {
    const MemoryRates rates = target.subject().session.chip().memory().rates();
    Json json{{"transfers", rates.transfers}, {"rate", rates.rate}};
    for (const auto& [name, part] : {std::pair{"L2 reads", rates.l2_reads}, std::pair{"L2 writes", rates.l2_writes},
                                     std::pair{"HBM", rates.hbm}})
        json["used"][name] = part;
    return json;
}

Json save(const Target& target, CoreId core, const Json& question) {
    const Matrix matrix = matrix_in(target, core, question);
    Array array;
    array.dtype = matrix.values.dtype;
    if (bits(array.dtype) < 8)
        fail_input("I69", "elements of less than a byte cannot be saved", "print them instead");
    array.shape = {matrix.rows, matrix.columns};
    const size_t size = kept_bytes(array.dtype);
    for (uint32_t row = matrix.row; row < matrix.row + matrix.rows; ++row) {
        const size_t first = (size_t{row} * matrix.values.columns + matrix.column) * size;
        const auto* const from = reinterpret_cast<const std::byte*>(matrix.values.bytes.data()) + first;
        array.data.insert(array.data.end(), from, from + matrix.columns * size);
    }
    write_npy(question.at("file").text(), array);
    return Json{{"rows", matrix.rows}, {"columns", matrix.columns}};
}

}  // namespace

Json json_of(const Target& target, const Moment& moment) {
    Json json = Json::object();
    json["number"] = moment.number;
    json["cycle"] = moment.cycle;
    json["what"] = name(moment.what);
    json["core"] = name(moment.core);
    json["pipe"] = name(moment.pipe);
    json["sequence"] = moment.sequence;
    json["iteration"] = moment.iteration;
    if (moment.stack != 0) json["stack"] = moment.stack;
    json["text"] = moment.text;
    const Target::CoreFlow* const flow = target.flow(moment.core);
    if (flow != nullptr && flow->in_block) json["block"] = flow->identity.block;
    add_site(target, json, moment.where);
    return json;
}

Json answer(const Target& target, const Json& question) {
    const std::string about = question.value("about", "");
    if (about == "moment") return json_of(target, target.moment());
    if (about == "cores") return cores(target);
    if (about == "bandwidth") return bandwidth(target);
    if (about == "bytes") return bytes(target, question);
    if (about == "memory") return host_memory(question);
    const CoreId core = core_in(target, question);
    if (about == "names") return names(target, core);
    if (about == "code") return code(target, core);
    if (about == "stack") {
        const Target::CoreFlow* const flow = target.flow(core);
        return flow == nullptr || flow->calls.empty() ? uint64_t{0} : flow->calls.back().stack();
    }
    if (about == "queues") return queues(target, core);
    if (about == "flags") return flags(target, core);
    if (about == "why") return why(target, core, question.value("pipe", ""));
    if (about == "value") return value(target, core, question);
    if (about == "number") return evaluate(without_percent(question.at("of").text()), target.values(core));
    if (about == "place") return json_of(matrix_in(target, core, question).place);
    if (about == "picture") return picture(target, core, question);
    if (about == "save") return save(target, core, question);
    fail_input("I69", "unknown question '" + about + "'");
}

}  // namespace ptosim::debug
