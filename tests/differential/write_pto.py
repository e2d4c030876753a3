"""Kernels as `.pto`."""
from golden_cases import BITS
from kernels import LAYOUTS, PADS, PTO_TYPES, SPELLINGS, iterations, padded, write_body


def pto_type(dtype):
    return PTO_TYPES.get(dtype, dtype)


def tile_type(tile, dynamic=False):
    outer, inner = LAYOUTS[tile.layout]
    valid = "?x?" if dynamic else f"{tile.valid_rows}x{tile.valid_cols}"
    pad = PADS[int(tile.pad)] if tile.pad in "0123" else "null"
    return (f"!pto.tile_buf<vec, {tile.rows}x{tile.cols}x{pto_type(tile.dtype)}, valid={valid}, blayout={outer}, "
            f"slayout={inner}, fractal={tile.fractal}, pad={pad}>")


def raw_type(size):
    return f"!pto.tile_buf<vec, 1x{padded(size)}xi8, valid=1x{size}>"


class Instructions:
    """The instructions of `ptosim isa --json`."""

    def __init__(self, rows):
        self.rows = {row["name"]: row for row in rows if row["kind"] == "instruction"}

    def pipe(self, opcode):
        fixed = {"TLOAD": "MTE2", "TSTORE": "MTE3"}
        pipe = self.rows[opcode]["pipe"]
        return fixed.get(opcode) or (pipe if pipe in ("V", "MTE2", "MTE3") else "?")

    def attributes(self, case):
        forms = {attribute["key"]: attribute["form"] for attribute in self.rows[case.opcode]["attributes"]}
        words = []
        for key, value in case.attributes.items():
            form = forms.get(SPELLINGS.get(key, key))
            if form is None:
                return None
            words.append(form.replace("VALUE", value))
        return "{" + ", ".join(words) + "}" if words else ""


class PtoWriter:
    def __init__(self, kernel, arrays, instructions):
        self.kernel, self.arrays, self.instructions = kernel, arrays, instructions
        self.constants, self.lines, self.count, self.iteration = {}, [], 0, None

    def pipe(self, item):
        return self.instructions.pipe(item.case.opcode)

    def constant(self, value, kind="index"):
        name = f"%c{value}_{kind}".replace("-", "m")
        self.constants[name] = f"    {name} = arith.constant {value} : {kind}"
        return name

    def new(self, text):
        self.count += 1
        self.lines.append(f"    %v{self.count} = {text}")
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append("    " + text)

    def offset(self, base, offset, stride):
        at = self.new(f"arith.addi {base}, {self.constant(offset)} : index")
        if self.iteration is None:
            return at
        moved = self.new(f"arith.muli {self.iteration}, {self.constant(stride)} : index")
        return self.new(f"arith.addi {at}, {moved} : index")

    def raw(self, array, base, place, address, size):
        """A raw tile at the address, and the part of the array at the place."""
        total = self.constant(self.kernel.blocks * (self.arrays.input_slice if array == "%in" else
                                                    self.arrays.output_slice))
        one = self.constant(1)
        view = self.new(f"pto.make_tensor_view {array}, shape = [{one}, {total}], strides = [{total}, {one}] : "
                        "!pto.tensor_view<?x?xi8>")
        at = self.offset(base, *place)
        part = self.new(f"pto.partition_view {view}, offsets = [{self.constant(0)}, {at}], sizes = "
                        f"[{one}, {self.constant(size)}] : !pto.tensor_view<?x?xi8> -> "
                        f"!pto.partition_tensor_view<1x{size}xi8>")
        tile = self.new(f"pto.alloc_tile addr = {self.constant(address, 'i64')} : {raw_type(size)}")
        return tile, part, raw_type(size), f"!pto.partition_tensor_view<1x{size}xi8>"

    def item(self, item, number):
        self.line(f"// {number}: {item.case.name}")

    def load(self, number, index, item):
        tile, part, kind, part_kind = self.raw("%in", "%in_at", self.arrays.inputs[number, index],
                                               item.addresses[index], len(item.case.operands[index].before))
        self.line(f"pto.tload ins({part} : {part_kind}) outs({tile} : {kind})")

    def store(self, number, index, item):
        tile, part, kind, part_kind = self.raw("%out", "%out_at", self.arrays.outputs[number, index],
                                               item.addresses[index], len(item.case.operands[index].before))
        self.line(f"pto.tstore ins({tile} : {kind}) outs({part} : {part_kind})")

    def view(self, number, index, operand):
        kind = pto_type(operand.dtype)
        slice_elements = self.arrays.views[number, index] * 8 // BITS[operand.dtype]
        at = self.new(f"arith.muli %block, {self.constant(slice_elements)} : index")
        pointer = self.new(f"pto.addptr %view{number}_{index}, {at} : !pto.ptr<{kind}> -> !pto.ptr<{kind}>")
        shape = ", ".join(self.constant(extent) for extent in operand.shape)
        strides = ", ".join(self.constant(stride) for stride in operand.strides)
        whole = f"!pto.tensor_view<?x?x?x?x?x{kind}>"
        part_kind = "!pto.partition_tensor_view<" + "x".join(map(str, operand.shape)) + f"x{kind}>"
        view = self.new(f"pto.make_tensor_view {pointer}, shape = [{shape}], strides = [{strides}] "
                        f"{{layout = #pto.layout<{operand.layout.lower()}>}} : {whole}")
        zero = self.constant(0)
        part = self.new(f"pto.partition_view {view}, offsets = [{', '.join([zero] * 5)}], sizes = [{shape}] : "
                        f"{whole} -> {part_kind}")
        return part, part_kind

    def compute(self, number, item):
        values = {}
        names = [operand["name"] for operand in self.instructions.rows[item.case.opcode]["operands"]]
        for index, operand in enumerate(item.case.operands):
            if operand is None:
                continue
            if operand.kind == "tile":
                kind = tile_type(operand, item.dynamic)
                valid = (f" valid_row = {self.constant(operand.valid_rows)} valid_col = "
                         f"{self.constant(operand.valid_cols)}" if item.dynamic else "")
                value = self.new(f"pto.alloc_tile addr = {self.constant(item.addresses[index], 'i64')}{valid} : {kind}")
            elif operand.kind == "view":
                value, kind = self.view(number, index, operand)
            else:
                kind = pto_type(operand.dtype)
                value = self.constant(scalar_text(operand), kind)
            values[names[index]] = (value, kind, operand.role)
        row = self.instructions.rows[item.case.opcode]
        order = [values[name] for name in row["assembly_order"] if name in values]
        written = [name for name in row["assembly_order"] if name in values and
                   next(o for o in row["operands"] if o["name"] == name)["role"] not in ("in", "scratch")]
        outs = [values[name] for name in written]
        ins = [value for value in order if value not in outs]
        attributes = self.instructions.attributes(item.case)
        clause = lambda part: f"({', '.join(v for v, _, _ in part)} : {', '.join(k for _, k, _ in part)})"
        text = f"pto.{row['assembly']}"
        if ins:
            inner = clause(ins)
            text += " ins" + (inner.replace(" : ", f" {attributes} : ", 1) if attributes else inner)
            attributes = ""
        text += f" outs{clause(outs)}" + (f" {attributes}" if attributes else "")
        self.line(text)

    def barrier(self, pipe):
        if pipe != "S":
            self.line(f"pto.barrier <PIPE_{pipe}>")

    def flag(self, before, after):
        for word in ("set", "wait"):
            self.line(f"pto.{word}_flag[<PIPE_{before}>, <PIPE_{after}>, <EVENT_ID0>]")

    def open(self, group):
        if group.kind == "for":
            zero, one = self.constant(0), self.constant(1)
            self.count += 1
            self.iteration = f"%i{self.count}"
            self.line(f"scf.for {self.iteration} = {zero} to {self.constant(iterations(group))} step {one} {{")
        else:
            odd = self.new(f"arith.remui %block, {self.constant(2)} : index")
            this = self.new(f"arith.cmpi eq, {odd}, {self.constant(group.number)} : index")
            self.line(f"scf.if {this} {{")

    def close(self):
        self.iteration = None
        self.line("}")

    def function(self):
        views = [f"%view{number}_{index}: !pto.ptr<{pto_type(item.case.operands[index].dtype)}>"
                 for number, (item, _) in enumerate(self.kernel.items()) for index in item.views()]
        parameters = ", ".join(["%in: !pto.ptr<i8>", "%out: !pto.ptr<i8>", *views])
        head = [f"  func.func @{self.kernel.name}({parameters}) attributes {{pto.entry, "
                "pto.kernel_kind = #pto.kernel_kind<vector>} {"]
        in_slice, out_slice = self.constant(self.arrays.input_slice), self.constant(self.arrays.output_slice)
        where = ["    %block64 = pto.get_block_idx", "    %block = arith.index_cast %block64 : i64 to index",
                 f"    %in_at = arith.muli %block, {in_slice} : index",
                 f"    %out_at = arith.muli %block, {out_slice} : index"]
        return head + list(self.constants.values()) + where + self.lines + ["    return", "  }"]


def scalar_text(operand):
    """A constant as the text writes it: bits of a float, the value of an integer."""
    if operand.dtype.startswith("i") and operand.dtype[1:].isdigit():
        limit = 1 << (BITS[operand.dtype] - 1)
        return str((operand.bits & (2 * limit - 1)) - (2 * limit if operand.bits & limit else 0))
    if operand.dtype.startswith("u"):
        return str(operand.bits)
    return f"0x{operand.bits:0{BITS[operand.dtype] // 4}X}"


def write_pto(kernel, arrays, instructions, explicit):
    writer = PtoWriter(kernel, arrays, instructions)
    write_body(kernel, arrays, writer, explicit)
    head = [f'module attributes {{pto.target_arch = "{kernel.arch}"}} {{']
    return "\n".join([*head, *writer.function(), "}"]) + "\n"
