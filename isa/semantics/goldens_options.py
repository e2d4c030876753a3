"""Optional operands and values of modes that no other case gives: after all other files."""
import numpy as np

from goldens_cases import Scalar, Tile, bf16_round, to_bits
from goldens_fused import plain
from goldens_moves import dense_view
from goldens_paths import index

# Position of an instruction's scratch tile.
SCRATCH = {
    2: "TRSQRT TCVT TROWARGMAX TROWARGMIN TCOLARGMAX TCOLARGMIN TTRANS TROWSUM TROWMAX TROWMIN "
       "TROWPROD TCOLSUM TCI",
    3: "TXOR TXORS TREM TREMS TPOW TPOWS TPRELU TSELS TSORT32 TROWEXPANDADD TROWEXPANDSUB "
       "TROWEXPANDMUL TROWEXPANDDIV TROWEXPANDMAX TROWEXPANDMIN TROWEXPANDEXPDIF",
    4: "TADDDEQRELU TSEL TQUANT TGATHER",
    1: "TMRGSORT",
}
PRECISE = ("TDIV TEXP TLOG TSQRT TRSQRT TRECIP TREM TFMOD TPOW TPOWS TROWEXPANDDIV TCOLEXPANDDIV "
           "TDIVS")


def add_cases(book):
    known = blocks(book)
    for at, names in SCRATCH.items():
        for opcode in names.split():
            with_scratch(book, known, opcode, at)
    for opcode in PRECISE.split():
        same_with(book, known, opcode, "precise", "precisionType=high_precision")
    fixpipe_windows(book)


def blocks(book):
    """The lines of the cases of each instruction, in order."""
    known, lines = {}, []
    for line in book.lines:
        if line.startswith("case "):
            lines = [line]
            known.setdefault(line.split()[2], []).append(lines)
        else:
            lines.append(line)
    return known


def renamed(lines, suffix, attribute=None):
    word, name, opcode, arch, keys = lines[0].split()
    if attribute:
        keys = attribute if keys == "-" else f"{keys},{attribute}"
        arch = arch.replace("a2a3", "a5")
    return f"{word} {name}.{suffix} {opcode} {arch} {keys}"


def same_with(book, known, opcode, suffix, attribute):
    lines = known[opcode][0]
    book.lines += [renamed(lines, suffix, attribute)] + lines[1:]


def with_scratch(book, known, opcode, at):
    """The first case, with a tile for scratch, which keeps its bytes here."""
    for lines in known[opcode]:
        operands = lines[1:]
        if len(operands) <= at or operands[at] == "none":
            break
    types = [line.split()[3] for line in operands if line.startswith("tile")]
    tile = Tile(types[-1] if opcode != "TPRELU" else "u8", None, rows=64, cols=256, valid=(64, 256))
    operands = operands + ["none"] * (at + 1 - len(operands))
    operands[at] = tile.line(book, "in", None)
    book.lines += [renamed(lines, "scratch")] + operands


def quantised(values, scale, offset):
    """Times the scale in f32, to the nearest integer of 9 bits, offset, clamped to i8."""
    scaled = np.rint((values * scale).astype(np.float32).astype(np.float64))
    return np.clip(np.clip(scaled, -256, 255) + offset, -128, 127).astype(np.int8)


def fixpipe_windows(book):
    """Windows of an accumulator to L1: with a scale, with a table of scales, with relu."""
    shape, row, col = (16, 32), 16, 16
    whole = plain("f32", 502, (32, 64)) * np.float32(40)
    acc = Tile("f32", to_bits("f32", whole), space="L0C", layout="NZ", fractal=1024)
    window = whole[row:row + shape[0], col:col + shape[1]]
    scales = np.array([2.0 ** (i % 5 - 3) * (1 + (i % 3) / 4) for i in range(64)], np.float32)
    offset = 7
    parameters = [int(s.view(np.uint32)) | offset << 37 | 1 << 46 for s in scales]
    table = Tile("u64", np.array([parameters], np.uint64), space="FIXPIPE")
    scalar = Scalar("u64", parameters[3])
    target = lambda dtype, raw=None: Tile(dtype, raw, space="L1", layout="NZ", valid=shape)
    for opcode in ("TEXTRACT", "TINSERT"):
        small = Tile("f32", to_bits("f32", window), space="L0C", layout="NZ", fractal=1024)
        for arch in ("a2a3", "a5"):
            def case(name, dtype, raw, scales_of=(), **modes):
                if opcode == "TEXTRACT":
                    operands = [target(dtype), acc, index(row), index(col), *scales_of]
                    result = raw
                else:
                    into = Tile(dtype, None, space="L1", layout="NZ", valid=(32, 64))
                    result = into.before.copy()
                    result[into.index[row:row + shape[0], col:col + shape[1]]] = raw
                    operands = [into, small, index(row), index(col), *scales_of]
                book.case(f"{opcode}.acc.{name}.{arch}", opcode, operands, {0: result}, arch=arch,
                          **modes)

            case("f16", "f16", to_bits("f16", window.astype(np.float16)))
            case("bf16", "bf16", to_bits("bf16", bf16_round(window)))
            case("relu", "f16", to_bits("f16", np.maximum(window, 0).astype(np.float16)),
                 reluPreMode="normal_relu")
            case("scalar", "i8", quantised(window, scales[3], offset).view(np.uint8),
                 (None, scalar))
            columns = scales[col:col + shape[1]] if opcode == "TEXTRACT" else scales[:shape[1]]
            case("table", "i8", quantised(window, columns[None], offset).view(np.uint8), (table,))
    for arch in ("a2a3", "a5"):
        book.case(f"TMOV.acc.table.{arch}", "TMOV",
                  [Tile("i8", None, space="L1", layout="NZ", valid=(32, 64)), acc, table],
                  {0: quantised(whole, scales[None], offset).view(np.uint8)}, arch=arch)
        book.case(f"TSTORE.acc.table.{arch}", "TSTORE",
                  [dense_view("i8", np.zeros((32, 64), np.uint8), "ND", 64), acc, table],
                  {0: quantised(whole, scales[None], offset).view(np.uint8).ravel()}, arch=arch)
