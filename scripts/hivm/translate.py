#!/usr/bin/env python3
"""Translates kernels of AscendNPU-IR's HIVM dialect into C++ that the simulator compiles: a study of Triton-Ascend.

    scripts/hivm/translate.py KERNEL.mlir --templates AscendNPU-IR/bishengir/lib/Template [--function NAME] > kernel.cpp
    ptosim check kernel.cpp --core aiv --arg in=x.npy ...

The text is what hivm-plan-memory and hivm-inject-sync leave: buffers have addresses, flags are set and waited for. Operations
that move or compute become calls of the dialect's own library, whose sources are compiled from the checkout where they are,
as the compiler's lowering links them; flags and barriers become intrinsics. #line directives name the lines of the .mlir
file, so that findings, traces and reports do.
"""
import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from mlir_text import MemRef, Refused, bracketed, group, modules, split, statements  # noqa: E402

ELEMENTS = {"f16": "half", "bf16": "bfloat16_t", "f32": "float", "i1": "bool", "i8": "int8_t", "i16": "int16_t",
            "i32": "int32_t", "i64": "int64_t", "index": "int64_t", "ui8": "uint8_t", "ui16": "uint16_t", "ui32": "uint32_t"}
SPACES = {"gm": "__gm__", "ub": "__ubuf__", "cbuf": "__cbuf__", "cc": "__cc__"}
# Scalar operations by their C++ operator; the second kind has a function.
OPERATORS = {"addi": "+", "subi": "-", "muli": "*", "divsi": "/", "remsi": "%", "andi": "&", "ori": "|", "xori": "^",
             "addf": "+", "subf": "-", "mulf": "*", "divf": "/", "shli": "<<", "shrsi": ">>"}
CHOICES = {"minsi": "<", "maxsi": ">", "minimumf": "<", "maximumf": ">"}
COMPARISONS = {"eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
CASTS = ("index_cast", "extsi", "extui", "trunci", "sitofp", "extf", "truncf", "fptosi")
BINARY = ("vadd", "vsub", "vmul", "vdiv", "vmax", "vmin", "vand", "vor", "vxor")
UNARY = ("vexp", "vln", "vabs", "vrelu", "vsqrt", "vrsqrt", "vrec", "vnot")
# Start values of reductions.
STARTS = {"sum": "0", "prod": "1", "max": {"half": "-65504.0f", "float": "-3.40282347e38f"},
          "min": {"half": "65504.0f", "float": "3.40282347e38f"}}
ROUNDINGS = {"rint": "R", "round": "A", "floor": "F", "ceil": "C", "trunc": "Z", "odd": "O"}
PRE_QUANT = {("f32", "f16"): 1, ("f32", "bf16"): 16}
# Sources of the library by the first words of the functions that they define.
SOURCES = (("load_gm_to_ubuf_|store_ubuf_to_gm_|copy_ubuf_to_ubuf_", "DMA/Ubuf/Copy{rank}D.cpp"),
           ("load_gm_to_cbuf_", "DMA/Cbuf/Copy{rank}D.cpp"), ("nd2nz_", "DMA/Cbuf/nd2nz.cpp"),
           ("broadcast_scalar_|broadcast_1d", "Vector/Broadcast/BrcSinglePoint.cpp"),
           ("broadcast_last_axis", "Vector/Broadcast/BrcLastAxis.cpp"),
           ("broadcast_first_axis", "Vector/Broadcast/BrcFirstAxis.cpp"),
           ("vcast_", "Vector/Cast/Cast{rank}D.cpp"), (".*reduce_.*_ar_", "Vector/Reduction/ReduceAR.cpp"),
           (".*reduce_.*_ra_", "Vector/Reduction/ReduceRA.cpp"), (".*reduce_.*_r_", "Vector/Reduction/ReduceR.cpp"),
           ("mma_tile_", "Cube/LocalMmad.cpp"), ("fixpipe_", "Fixpipe/Fixpipe.cpp"),
           ("v", "Vector/Elementwise/EltWise{rank}D.cpp"))


# Sources whose templates others use without a definition.
SINGLE_POINT = "Vector/Broadcast/BrcSinglePoint.cpp"
NEEDED = (("Vector/Broadcast|Vector/Reduction", SINGLE_POINT), ("Vector/", "Vector/Utils.cpp"))
# The library compiles each source alone, where a template without a definition is no error. Here they share one
# translation unit, in which these instances must not be made: the definition has no bytes.
NOT_MADE = "".join(f"extern template __aiv__ void brc_scalar_core_1d<{one}>({one}, __ubuf__ {one}*, int64_t);\n"
                   for one in ("int8_t", "uint8_t", "bool"))


def name_of(value):
    return "v_" + re.sub(r"\W", "_", value.lstrip("%"))


class Function:
    def __init__(self, statement, path):
        self.path, self.lines, self.types, self.sources, self.cube = path, [], {}, [], False
        match = re.match(r"(?:private\s+)?@(\w+)\s*\(", statement.text)
        if not match:
            statement.refuse("a function without a name")
        self.name = match.group(1)
        arguments, after = bracketed(statement.text, match.end() - 1)
        self.cube = "func_core_type<AIC>" in statement.text[after:]
        parameters, self.parameters = [], []
        self.depth = 1
        for argument in split(arguments):
            value, _, text = argument.partition(":")
            text = re.sub(r"\s*\{.*\}$", "", text.strip())
            if text.startswith("memref"):
                self.types[value] = self.memref(statement, text)
                pointer = name_of(value) + "_data"
                parameters.append(f"__gm__ {ELEMENTS[self.types[value].element]}* {pointer}")
                self.memref_value(value, self.types[value], pointer, "0")
            else:
                self.types[value] = text
                parameters.append(f"{self.scalar(statement, text)} {name_of(value)}")
            self.parameters.append((value, self.types[value]))
        self.head = f'extern "C" __global__ [aicore] void {self.name}({", ".join(parameters)})'
        if not statement.regions:
            statement.refuse("a declaration")
        self.block(statement.regions[0], [])

    # Text of C++.

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def scalar(self, statement, text):
        if text not in ELEMENTS:
            statement.refuse(f"the type {text}")
        return ELEMENTS[text]

    def memref(self, statement, text):
        try:
            result = MemRef(text)
        except ValueError as error:
            statement.refuse(str(error))
        if result.element not in ELEMENTS:
            statement.refuse(f"elements of {result.element}")
        if result.space not in SPACES:
            statement.refuse(f"a memref in the address space {result.space}")
        return result

    def memref_type(self, memref):
        return f"memref_t<{SPACES[memref.space]} {ELEMENTS[memref.element]}, {memref.rank}>"

    def memref_value(self, value, memref, pointer, offset, shape=None, strides=None):
        """A variable; sizes that are not in the type come from `shape`, or are unbounded."""
        sizes = shape or ["INT32_MAX" if one is None else str(one) for one in memref.shape]
        steps = strides or ["1" if one is None else str(one) for one in memref.strides]
        self.emit(f"{self.memref_type(memref)} {name_of(value)} = {{{pointer}, {pointer}, {offset}, "
                  f"{{{', '.join(sizes)}}}, {{{', '.join(steps)}}}}};")
        self.types[value] = memref

    def call(self, function, arguments, rank=0):
        """A call of the library; it gets copies of memrefs, because it may change them."""
        for pattern, source in SOURCES:
            if re.match(pattern, function):
                source = source.format(rank=rank)
                needed = [one for users, one in NEEDED if re.match(users, source)]
                self.sources += [one for one in [*needed, source] if one not in self.sources]
                break
        copies = [one for one in arguments if one.startswith("&")]
        text = ""
        for number, one in enumerate(copies):
            text += f"auto a{number} = {one[1:]}; "
            arguments[arguments.index(one)] = f"&a{number}"
        self.emit("{ " + text + f"_mlir_ciface_{function}({', '.join(arguments)}); }}")

    # Statements.

    def block(self, body, targets):
        for statement in body:
            self.emit(f'#line {statement.line} "{self.path}"')
            if statement.name in ("scf.yield", "affine.yield"):
                values = split(statement.text.partition(":")[0])
                for target, value in zip(targets, values):
                    self.emit(f"{target} = {self.operand(value)};")
                continue
            if statement.name == "return":
                continue
            dialect, _, operation = statement.name.rpartition(".")
            translate = getattr(self, dialect.replace(".", "_") + "_" + operation, None)
            try:
                if translate:
                    translate(statement)
                elif dialect == "arith":
                    self.arith(statement, operation)
                elif dialect == "hivm.hir" and operation in BINARY + UNARY:
                    self.elementwise(statement, operation)
                elif dialect != "annotation":
                    statement.refuse("no translation yet")
            except (ValueError, KeyError, IndexError) as error:
                statement.refuse(f"cannot be read ({error})")

    def operand(self, value):
        return name_of(value)

    def define(self, statement, kind, text):
        value = statement.results[0]
        self.types[value] = kind
        self.emit(f"{self.scalar(statement, kind)} {name_of(value)} = {text};")

    def arith(self, statement, operation):
        values, _, kind = statement.text.partition(":")
        values, kind = split(re.sub(r"\{.*?\}", "", values)), kind.strip()
        if operation == "constant":
            text = values[0]
            if text in ("true", "false"):
                kind = "i1"
            elif re.match(r"0x[0-9A-Fa-f]+$", text) and kind in ("f32", "f16"):
                text = f"__builtin_bit_cast(float, {text}u)" if kind == "f32" else f"__builtin_bit_cast(half, (uint16_t){text})"
            elif kind in ("f32", "f16", "bf16"):
                text = f"({ELEMENTS[kind]}){text}f"
            self.define(statement, kind, text)
        elif operation in OPERATORS:
            self.define(statement, kind, f" {OPERATORS[operation]} ".join(map(self.operand, values)))
        elif operation in CHOICES:
            left, right = map(self.operand, values)
            self.define(statement, kind, f"{left} {CHOICES[operation]} {right} ? {left} : {right}")
        elif operation == "cmpi":
            self.define(statement, "i1",
                        f"{self.operand(values[1])} {COMPARISONS[values[0]]} {self.operand(values[2])}")
        elif operation == "select":
            self.define(statement, kind, "{} ? {} : {}".format(*map(self.operand, values)))
        elif operation in CASTS:
            target = kind.split(" to ")[1].strip()
            self.define(statement, target, f"({self.scalar(statement, target)}){self.operand(values[0])}")
        else:
            statement.refuse("no translation yet")

    def affine_apply(self, statement):
        match = re.match(r"affine_map<\(([^)]*)\)(?:\[([^]]*)\])?\s*->\s*\((.*)\)>\s*\(([^)]*)\)(?:\[([^]]*)\])?",
                         statement.text)
        if not match:
            statement.refuse("cannot be read")
        dims, symbols, text, values, more = (part or "" for part in match.groups())
        text = text.replace("floordiv", "/").replace("mod", "%")
        if "ceildiv" in text:
            statement.refuse("ceildiv")
        for name, value in zip(split(dims) + split(symbols), split(values) + split(more)):
            text = re.sub(rf"\b{name}\b", self.operand(value), text)
        self.define(statement, "index", text)

    def scf_for(self, statement):
        match = re.match(r"(%\w+) = (%\w+) to (%\w+) step (%\w+)\s*(.*)", statement.text)
        if not match:
            statement.refuse("cannot be read")
        counter, first, last, step, rest = match.groups()
        kind = re.search(r":\s*(i\d+|index)\s*$", rest)
        kind = kind.group(1) if kind else "index"
        targets = []
        carried = re.search(r"iter_args\s*\(", rest)
        if carried:
            pairs, after = bracketed(rest, carried.end() - 1)
            kinds = bracketed(rest, rest.index("(", after))[0] if "->" in rest[after:] else ""
            names = []
            for pair, of in zip(split(pairs), split(kinds)):
                inner, value = (one.strip() for one in pair.split("="))
                self.variable(statement, inner, of, self.operand(value))
                names.append(inner)
            targets = [name_of(inner) for inner in names]
        self.types[counter] = kind
        self.emit(f"for ({ELEMENTS[kind]} {name_of(counter)} = {self.operand(first)}; {name_of(counter)} < "
                  f"{self.operand(last)}; {name_of(counter)} += {self.operand(step)}) {{")
        self.depth += 1
        self.block(statement.regions[0], targets)
        self.depth -= 1
        self.emit("}")
        for number, target in enumerate(targets):
            result = statement.results[0].partition(":")[0]
            result = result if len(targets) == 1 else f"{result}#{number}"
            self.types[result] = self.types["%" + target[2:]]
            self.emit(f"auto {name_of(result)} = {target};")

    def variable(self, statement, value, text, start=None):
        kind = self.memref(statement, text) if text.startswith("memref") else text
        self.types[value] = kind
        written = self.memref_type(kind) if isinstance(kind, MemRef) else self.scalar(statement, kind)
        self.emit(f"{written} {name_of(value)}" + (f" = {start};" if start else ";"))

    def scf_if(self, statement):
        condition = statement.text.split("->")[0].strip()
        kinds = split(statement.text.split("->", 1)[1].strip().strip("()")) if "->" in statement.text else []
        results = []
        for number, kind in enumerate(kinds):
            result = statement.results[0].partition(":")[0]
            result = result if len(kinds) == 1 else f"{result}#{number}"
            self.variable(statement, result, kind)
            results.append(name_of(result))
        self.emit(f"if ({self.operand(condition)}) {{")
        for number, region in enumerate(statement.regions):
            if number:
                self.emit("} else {")
            self.depth += 1
            self.block(region, results)
            self.depth -= 1
        self.emit("}")

    # Views of memory.

    def hivm_hir_pointer_cast(self, statement):
        values, after = bracketed(statement.text, statement.text.index("("))
        sizes = re.match(r"\s*\[([^]]*)\]", statement.text[after:])
        if len(split(values)) != 1:
            statement.refuse("several addresses (hivm-lower-multi-buffer makes one of them)")
        memref = self.memref(statement, statement.text[statement.text.index("memref"):])
        shape = None
        if sizes and None in memref.shape:
            given = iter(split(sizes.group(1)))
            shape = [self.operand(next(given)) if one is None else str(one) for one in memref.shape]
        pointer = f"({SPACES[memref.space]} {ELEMENTS[memref.element]}*){self.operand(values)}"
        self.memref_value(statement.results[0], memref, pointer, "0", shape)

    def indices(self, text):
        return [one if re.match(r"-?\d+$", one) else self.operand(one) for one in split(text)]

    def memref_subview(self, statement):
        match = re.match(r"(%[\w#]+)\s*\[([^]]*)\]\s*\[([^]]*)\]\s*\[([^]]*)\]", statement.text)
        if not match:
            statement.refuse("cannot be read")
        source = name_of(match.group(1))
        offsets, sizes, steps = map(self.indices, match.groups()[1:])
        memref = self.memref(statement, statement.text.rsplit(" to ", 1)[1])
        if memref.rank != len(sizes):
            statement.refuse("a view of fewer dimensions")
        offset = " + ".join([f"{source}.offset"] +
                            [f"{one} * {source}.strides[{axis}]" for axis, one in enumerate(offsets)])
        strides = [f"{one} * {source}.strides[{axis}]" for axis, one in enumerate(steps)]
        self.memref_value(statement.results[0], memref, f"{source}.aligned", offset, sizes, strides)

    def memref_reinterpret_cast(self, statement):
        match = re.match(r"(%[\w#]+) to offset: \[([^]]*)\], sizes: \[([^]]*)\], strides: \[([^]]*)\]", statement.text)
        if not match:
            statement.refuse("cannot be read")
        offset, sizes, strides = map(self.indices, match.groups()[1:])
        memref = self.memref(statement, statement.text.rsplit(" to ", 1)[1])
        self.memref_value(statement.results[0], memref, f"{name_of(match.group(1))}.aligned", offset[0], sizes, strides)

    def memref_cast(self, statement):
        source = name_of(split(statement.text)[0].split()[0])
        memref = self.memref(statement, statement.text.rsplit(" to ", 1)[1])
        self.emit(f"auto {name_of(statement.results[0])} = {source};")
        self.types[statement.results[0]] = memref

    def memref_view(self, statement):
        match = re.match(r"(%[\w#]+)\[(%[\w#]+)\]", statement.text)
        memref = self.memref(statement, statement.text.rsplit(" to ", 1)[1])
        pointer = f"({SPACES[memref.space]} {ELEMENTS[memref.element]}*)({name_of(match.group(1))}.aligned + " \
                  f"{self.operand(match.group(2))})"
        self.memref_value(statement.results[0], memref, pointer, "0")

    def reshape(self, statement):
        source = statement.text.split()[0]
        memref = self.memref(statement, re.split(r"\b(?:into|to)\b", statement.text)[-1])
        if not self.types[source].contiguous or None in memref.shape:
            statement.refuse("a change of shape of what is not contiguous or has unknown sizes")
        self.memref_value(statement.results[0], memref, f"{name_of(source)}.aligned", f"{name_of(source)}.offset")

    memref_collapse_shape = memref_expand_shape = reshape

    # Synchronisation.

    def flag(self, statement, intrinsic):
        inside, _ = bracketed(statement.text, 0)
        source, target, event = split(inside)
        event = event.strip("<>") if event.startswith("<") else f"(event_t){self.operand(event)}"
        self.emit(f"{intrinsic}({source.strip('<>')}, {target.strip('<>')}, {event});")

    def hivm_hir_set_flag(self, statement):
        self.flag(statement, "set_flag")

    def hivm_hir_wait_flag(self, statement):
        self.flag(statement, "wait_flag")

    def hivm_hir_pipe_barrier(self, statement):
        self.emit(f"pipe_barrier({bracketed(statement.text, 0)[0].strip('<>')});")

    def hivm_hir_get_block_idx(self, statement):
        self.define(statement, "i64", "get_block_idx()")

    def hivm_hir_set_mask_norm(self, statement):
        self.emit("set_mask_norm();")

    def hivm_hir_set_ffts_base_addr(self, statement):
        self.emit(f"set_ffts_base_addr({self.operand(statement.text.split()[0])});")

    # Operations of the library.

    def operands(self, statement):
        """Inputs, outputs and the temporary buffer, each (value, type)."""
        result = []
        for part in ("ins", "outs", "temp_buffer"):
            found = group(statement.text, part)
            pairs = []
            for value, text in zip(*(found or ((), ()))):
                pairs.append((value, self.memref(statement, text) if text.startswith("memref") else text))
            result.append(pairs)
        if not result[1]:
            statement.refuse("no outs(...)")
        if "->" in statement.text:
            statement.refuse("tensors (the text is from before bufferization)")
        return result

    def flat(self, pairs):
        """Arguments of operands that are contiguous and of one size as rows of one dimension, as hivm-flatten-ops has
        them; else as they are. Returns arguments and their number of dimensions."""
        memrefs = [one for _, one in pairs if isinstance(one, MemRef)]
        if not memrefs[0].rank:
            raise ValueError("memrefs without dimensions")
        shapes = {tuple(one.shape) for one in memrefs}
        rank = memrefs[0].rank
        if rank > 1 and len(shapes) == 1 and all(one.contiguous for one in memrefs):
            arguments = []
            for value, one in pairs:
                if isinstance(one, MemRef):
                    size = 1
                    for extent in one.shape:
                        size *= extent
                    kind = f"memref_t<{SPACES[one.space]} {ELEMENTS[one.element]}, 1>"
                    arguments.append(f"&{kind}{{{name_of(value)}.allocated, {name_of(value)}.aligned, "
                                     f"{name_of(value)}.offset, {{{size}}}, {{1}}}}")
                else:
                    arguments.append(self.operand(value))
            return arguments, 1
        return ["&" + name_of(value) if isinstance(one, MemRef) else self.operand(value) for value, one in pairs], rank

    def temporary(self, found, element):
        kind = f"memref_t<__ubuf__ {element}, 1>"
        return "&" + name_of(found[0][0]) if found else f"&{kind}{{nullptr, nullptr, 0, {{0}}, {{1}}}}"

    def elementwise(self, statement, operation):
        inputs, outputs, found = self.operands(statement)
        arguments, rank = self.flat(inputs + outputs)
        element = ELEMENTS[outputs[0][1].element]
        vectors = [isinstance(one, MemRef) for _, one in inputs]
        infix = ""
        if operation in BINARY and not all(vectors):
            infix = "_vs" if vectors[0] else "_sv"
            operation += "s" if infix == "_vs" and operation in ("vadd", "vmul", "vmax", "vmin") else ""
        arguments.append(self.temporary(found, element))
        self.call(f"{operation}{infix}_{rank}d_{element}", arguments, rank)

    def hivm_hir_load(self, statement):
        inputs, outputs, _ = self.operands(statement)
        arguments, rank = self.flat(inputs + outputs)
        space, element = outputs[0][1].space, ELEMENTS[outputs[0][1].element]
        if space == "ub":
            self.call(f"load_gm_to_ubuf_{rank}d_{element}", arguments + ["PadMode::Null", f"({element})0", "0"], rank)
        else:
            statement.refuse(f"to the address space {space}")

    def hivm_hir_store(self, statement):
        inputs, outputs, _ = self.operands(statement)
        atomic = re.search(r"atomic = <(\w+)>", statement.text)
        kind = atomic.group(1).capitalize() if atomic else "None"
        arguments, rank = self.flat(inputs + outputs)
        self.call(f"store_ubuf_to_gm_{rank}d_{ELEMENTS[outputs[0][1].element]}",
                  arguments + [f"AtomicKind::{kind}"], rank)

    def hivm_hir_copy(self, statement):
        inputs, outputs, _ = self.operands(statement)
        if {inputs[0][1].space, outputs[0][1].space} != {"ub"}:
            statement.refuse("between these address spaces")
        arguments, rank = self.flat(inputs + outputs)
        self.call(f"copy_ubuf_to_ubuf_{rank}d_{ELEMENTS[outputs[0][1].element]}", arguments, rank)

    def hivm_hir_vcast(self, statement):
        inputs, outputs, found = self.operands(statement)
        mode = re.search(r"round_mode = (?:#hivm\.round_mode)?<(\w+)>", statement.text)
        mode = mode.group(1) if mode else "rint"
        if mode not in ROUNDINGS or found:
            statement.refuse(f"this rounding ({mode}) or a temporary buffer")
        arguments, rank = self.flat_casts(inputs + outputs)
        self.call(f"vcast_{ELEMENTS[inputs[0][1].element]}_to_{ELEMENTS[outputs[0][1].element]}_{rank}d_with_mode",
                  arguments + [f"CastMode::{ROUNDINGS[mode]}"], rank)

    flat_casts = flat

    def hivm_hir_vbrc(self, statement):
        inputs, outputs, found = self.operands(statement)
        value, kind = inputs[0]
        target = outputs[0][1]
        element = ELEMENTS[target.element]
        if not isinstance(kind, MemRef):
            arguments, rank = self.flat(outputs)
            self.call(f"broadcast_scalar_{element}_to_{rank}d", [self.operand(value)] + arguments, rank)
            return
        axes = re.search(r"broadcast_dims = \[([\d, ]+)\]", statement.text)
        if kind.rank != 2 or not axes or len(split(axes.group(1))) != 1:
            statement.refuse("other than along one of two axes")
        arguments, rank = ["&" + name_of(value), "&" + name_of(outputs[0][0])], 2
        if axes.group(1).strip() == "1":
            aligned = kind.strides[0] is not None and kind.strides[0] * 4 % 32 == 0
            self.call(f"broadcast_last_axis_{'align' if aligned else 'unalign'}_2d_{element}",
                      arguments + [self.temporary(found, element)], rank)
        else:
            self.call(f"broadcast_first_axis_align_2d_{element}", arguments, rank)

    def hivm_hir_vreduce(self, statement):
        inputs, outputs, found = self.operands(statement)
        operation = re.search(r"<(\w+)>", statement.text).group(1)
        axes = re.search(r"reduce_dims = \[([\d, ]+)\]", statement.text)
        rank = inputs[0][1].rank
        element = ELEMENTS[outputs[0][1].element]
        if operation not in STARTS or not axes or len(split(axes.group(1))) != 1 or rank > 2 or not found:
            statement.refuse("other than a sum, product, maximum or minimum along one of two axes with a temporary buffer")
        axis = int(axes.group(1))
        order = "r" if rank == 1 else "ar" if axis == 1 else "ra"
        start = STARTS[operation]
        start = start[element] if isinstance(start, dict) else start
        prefix = "enablevc_" if order != "ra" and operation != "prod" and element in ("half", "float") else ""
        self.call(f"{prefix}reduce_{operation}_{order}_{element}",
                  ["&" + name_of(inputs[0][0]), "&" + name_of(outputs[0][0]), self.temporary(found, element),
                   f"({element}){start}"], rank)

    def hivm_hir_nd2nz(self, statement):
        self.cube = True
        inputs, outputs, _ = self.operands(statement)
        self.call(f"nd2nz_{ELEMENTS[outputs[0][1].element]}", ["&" + name_of(inputs[0][0]), "&" + name_of(outputs[0][0])])

    def hivm_hir_mmadL1(self, statement):
        self.cube = True
        inputs, outputs, _ = self.operands(statement)
        if len(inputs) != 6 or re.search(r"sync_related_args|per_channel", statement.text):
            statement.refuse("with a bias or arguments of synchronisation")
        transposed = "".join(f"_t{side}" for side in "ab" if f"{side}_transpose" in statement.text)
        if transposed:
            statement.refuse("of transposed factors")
        arguments = ["&" + name_of(value) if isinstance(kind, MemRef) else self.operand(value) for value, kind in inputs]
        self.call(f"mma_tile_{ELEMENTS[inputs[0][1].element]}_to_{ELEMENTS[outputs[0][1].element]}",
                  arguments + ["&" + name_of(outputs[0][0])] + ["-1"] * 7 + [self.unit_flag(statement), "0"])

    def hivm_hir_fixpipe(self, statement):
        self.cube = True
        inputs, outputs, _ = self.operands(statement)
        source, target = inputs[0][1], outputs[0][1]
        nd = "enable_nz2nd" in statement.text or "dma_mode<nz2nd>" in statement.text
        quant = PRE_QUANT.get((source.element, target.element), 0)
        self.call(f"fixpipe_{'nz2nd' if nd else 'normal'}_{ELEMENTS[source.element]}_to_{ELEMENTS[target.element]}_"
                  f"{source.rank}d_to_{target.rank}d",
                  ["&" + name_of(inputs[0][0]), "&" + name_of(outputs[0][0]), str(quant), "0", "false",
                   self.unit_flag(statement), "0"])

    def unit_flag(self, statement):
        mode = re.search(r"unit_flag<(\w+)>", statement.text)
        return f"UNIT_FLAG::{mode.group(1) if mode else 'DISABLED'}"

    def text(self, templates):
        includes = "".join(f'#include "{templates}/lib/{source}"\n' for source in self.sources)
        if SINGLE_POINT in self.sources:
            includes = f'#include "{templates}/include/Vector/Broadcast/BrcUtils.h"\n{NOT_MADE}{includes}'
        return includes + f"\n{self.head} {{\n" + "\n".join(self.lines) + "\n}\n"


def functions(path, with_checks=False):
    """Functions of a file, or what refuses them: (name, Function or Refused)."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for line, module in modules(text):
        try:
            bodies = statements(module, line, with_checks)
        except Refused as refusal:
            yield f"line {line}", refusal
            continue
        for body in bodies:
            name = re.search(r"@(\w+)", body.text).group(1)
            try:
                yield name, Function(body, path)
            except Refused as refusal:
                yield name, refusal


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", help="a file of MLIR")
    parser.add_argument("--templates", required=True, metavar="DIR", help="bishengir/lib/Template of a checkout")
    parser.add_argument("--function", metavar="NAME", help="the kernel (default: the first)")
    parser.add_argument("--check-lines", action="store_true",
                        help="take the synchronisation that CHECK lines of a test expect")
    options = parser.parse_args()
    found = list(functions(os.path.abspath(options.kernel), options.check_lines))
    for name, function in found:
        if options.function in (None, name):
            if isinstance(function, Refused):
                sys.exit(f"error: {options.kernel}:{function.line}: {function}")
            print(function.text(os.path.abspath(options.templates)), end="")
            print(f"ptosim run --core {'aic' if function.cube else 'aiv'}", file=sys.stderr)
            return
    sys.exit(f"error: {options.kernel} has no function {options.function}; it has: {', '.join(name for name, _ in found)}")


if __name__ == "__main__":
    main()
