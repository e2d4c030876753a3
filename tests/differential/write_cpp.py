"""Kernels as C++. An instruction whose attributes or operands have no call in the table is not written: None."""
from golden_cases import BITS
from kernels import CPP_LAYOUTS, CPP_TYPES, LAYOUTS, PADS, iterations, padded, write_body

HEAD = """#include <pto/pto-inst.hpp>
using namespace pto;
template <int N>
using Raw = Tile<TileType::Vec, int8_t, 1, (N + 31) / 32 * 32, BLayout::RowMajor, 1, N>;
template <int N>
using Part = GlobalTensor<int8_t, Shape<1, 1, 1, 1, N>, Stride<N, N, N, N, 1>>;
template <typename T, typename U>
T from_bits(U bits) {
    return __builtin_bit_cast(T, bits);
}
"""
ROUND = {"NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"}


def choices(case):
    """Arguments after the operands and template arguments for the attributes; None if C++ expresses them otherwise."""
    have = dict(case.attributes)
    if any(BITS[tile.dtype] < 8 for tile in case.tiles()):
        return None  # C++ counts pairs
    if case.opcode == "TCMPS" and case.operands[2].kind == "tile":
        return None  # C++ reads its first element as a scalar: an instruction more
    if case.opcode == "TSCATTER" and case.arch == "a2a3" and "maskPattern" in have and have.get("axis", "row") == "row":
        return None  # C++ lets the scalar unit wait for it: a flag more
    arguments, templates = [], []
    if case.opcode == "TCVT":
        if have.get("rmode") not in ROUND:
            return None
        arguments.append(f"RoundMode::CAST_{have.pop('rmode')}")
        if "satMode" in have:
            arguments.append(f"SaturationMode::{have.pop('satMode')}")
    if case.opcode in ("TCMP", "TCMPS") and "cmpMode" in have:
        arguments.append(f"CmpMode::{have.pop('cmpMode').upper()}")
    if case.opcode in ("TGATHER", "TSCATTER") and "maskPattern" in have:
        templates.append(f"MaskPattern::{have.pop('maskPattern')}")
        if "axis" in have:
            templates.append(f"{case.opcode[1:].title()}Axis::{case.opcode[1:]}_{have.pop('axis').upper()}")
    if case.opcode == "TTRI" and "upperOrLower" in have:
        templates.append(str(int(have.pop("upperOrLower") in ("1", "upper", "true"))))
    if case.opcode == "TCI" and "descending" in have:
        templates += [CPP_TYPES[case.operands[0].dtype], str(int(have.pop("descending") == "true"))]
        templates.insert(0, "Tile0")
    if case.opcode == "TCOLSUM" and "isBinary" in have:
        arguments.append(have.pop("isBinary"))
    return None if have else (arguments, templates)


class CppWriter:
    def __init__(self, kernel, arrays, instructions):
        self.kernel, self.arrays, self.instructions = kernel, arrays, instructions
        self.lines, self.count, self.iteration, self.unwritten = [], 0, None, []

    def pipe(self, item):
        return self.instructions.pipe(item.case.opcode)

    def line(self, text):
        self.lines.append("    " + text)

    def item(self, item, number):
        self.line(f"// {number}: {item.case.name}")

    def raw(self, array, place, address, size):
        self.count += 1
        offset, stride = place
        moved = f" + {self.iteration} * {stride}" if self.iteration else ""
        self.line(f"Raw<{size}> r{self.count};")
        self.line(f"TASSIGN(r{self.count}, {address});")
        self.line(f"Part<{size}> p{self.count}({array} + {offset}{moved});")
        return f"r{self.count}", f"p{self.count}"

    def load(self, number, index, item):
        tile, part = self.raw("in_at", self.arrays.inputs[number, index], item.addresses[index],
                              len(item.case.operands[index].before))
        self.line(f"TLOAD({tile}, {part});")

    def store(self, number, index, item):
        tile, part = self.raw("out_at", self.arrays.outputs[number, index], item.addresses[index],
                              len(item.case.operands[index].before))
        self.line(f"TSTORE({part}, {tile});")

    def tile(self, operand, address, dynamic):
        self.count += 1
        outer, inner = (CPP_LAYOUTS[word] for word in LAYOUTS[operand.layout])
        pad = PADS[int(operand.pad)].title() if operand.pad in "0123" else "Null"
        rows, cols = ("DYNAMIC", "DYNAMIC") if dynamic else (operand.valid_rows, operand.valid_cols)
        given = f"({operand.valid_rows}, {operand.valid_cols})" if dynamic else ""
        self.line(f"Tile<TileType::Vec, {CPP_TYPES[operand.dtype]}, {operand.rows}, {operand.cols}, BLayout::{outer}, "
                  f"{rows}, {cols}, SLayout::{inner}, {operand.fractal}, PadValue::{pad}> t{self.count}{given};")
        self.line(f"TASSIGN(t{self.count}, {address});")
        return f"t{self.count}"

    def view(self, number, index, operand):
        self.count += 1
        kind = CPP_TYPES[operand.dtype]
        slice_elements = self.arrays.views[number, index] * 8 // BITS[operand.dtype]
        self.line(f"GlobalTensor<{kind}, Shape<{', '.join(map(str, operand.shape))}>, "
                  f"Stride<{', '.join(map(str, operand.strides))}>, Layout::{operand.layout}> "
                  f"g{self.count}(view{number}_{index} + get_block_idx() * {slice_elements});")
        return f"g{self.count}"

    def scalar(self, operand):
        width = max(BITS[operand.dtype], 8)
        mask = (1 << width) - 1
        return f"from_bits<{CPP_TYPES[operand.dtype]}>(uint{width}_t({operand.bits & mask}ull))"

    def compute(self, number, item):
        case = item.case
        said = choices(case)
        names = [operand["name"] for operand in self.instructions.rows[case.opcode]["operands"]]
        order = [index for index, operand in enumerate(case.operands) if operand is not None]
        present = [names[index] for index in order]
        if "dstVal" in present:  # before all others, and there is no call without the scratch tile
            order.insert(0, order.pop())
            said = said if "tmp" in present else None
        calls = [call["call"] for call in self.instructions.rows[case.opcode]["cpp"]]
        counts = {call.count(",") + 1 for call in calls if call.startswith(case.opcode + "(")}
        if said is None or len(present) + len(said[0]) not in counts:
            self.unwritten.append(case.name)
            return
        words = []
        for index in order:
            operand = case.operands[index]
            if operand.kind == "tile":
                words.append(self.tile(operand, item.addresses[index], item.dynamic))
            elif operand.kind == "view":
                words.append(self.view(number, index, operand))
            else:
                words.append(self.scalar(operand))
        arguments, templates = said
        if templates and templates[0] == "Tile0":
            templates[0] = f"decltype({words[0]})"
        chosen = f"<{', '.join(templates)}>" if templates else ""
        self.line(f"{case.opcode}{chosen}({', '.join(words + arguments)});")

    def barrier(self, pipe):
        if pipe != "S":
            self.line(f"pipe_barrier(PIPE_{pipe});")

    def flag(self, before, after):
        for word in ("set", "wait"):
            self.line(f"{word}_flag(PIPE_{before}, PIPE_{after}, EVENT_ID0);")

    def open(self, group):
        if group.kind == "for":
            self.count += 1
            self.iteration = f"i{self.count}"
            self.line(f"for (int {self.iteration} = 0; {self.iteration} < {iterations(group)}; ++{self.iteration}) {{")
        else:
            self.line(f"if (get_block_idx() % 2 == {group.number}) {{")

    def close(self):
        self.iteration = None
        self.line("}")

    def function(self):
        views = [f"__gm__ {CPP_TYPES[item.case.operands[index].dtype]}* view{number}_{index}"
                 for number, (item, _) in enumerate(self.kernel.items()) for index in item.views()]
        parameters = ", ".join(["__gm__ int8_t* in", "__gm__ int8_t* out", *views])
        return [f"__global__ AICORE void {self.kernel.name}({parameters}) {{",
                f"    __gm__ int8_t* in_at = in + get_block_idx() * {self.arrays.input_slice};",
                f"    __gm__ int8_t* out_at = out + get_block_idx() * {self.arrays.output_slice};",
                *self.lines, "}"]


def write_cpp(kernel, arrays, instructions, explicit):
    """The lines of the function, and the names of cases that cannot be written."""
    writer = CppWriter(kernel, arrays, instructions)
    write_body(kernel, arrays, writer, explicit)
    return writer.function(), writer.unwritten
