"""Optional operands and values of modes that no other case gives: after all other files."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, View, bf16_round, to_bits
from goldens_fused import plain
from goldens_matrices import product
from goldens_moves import dense_view, random_bits
from goldens_paths import index
from goldens_types import to_fraction_bits

# Where the scratch tile of an instruction is.
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
    second_results(book)
    fixpipe_windows(book)
    patterns(book)
    scatters(book)
    conversions(book)
    rounded_factors(book)


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


def second_results(book):
    """The extreme itself beside its place."""
    values = inputs("f32", 501, (5, 37))
    book.case("TROWARGMIN.value", "TROWARGMIN",
              [Tile("i32", None, rows=8, cols=1, layout="DN", valid=(5, 1)),
               Tile("f32", to_bits("f32", values)), None,
               Tile("f32", None, rows=8, cols=1, layout="DN", valid=(5, 1))],
              {0: np.nanargmin(values, 1).astype(np.uint32)[:, None],
               3: to_bits("f32", np.nanmin(values, 1)[:, None])})
    book.case("TCOLARGMAX.value", "TCOLARGMAX",
              [Tile("u32", None, valid=(1, 37)), Tile("f32", to_bits("f32", values)), None,
               Tile("f32", None, valid=(1, 37))],
              {0: np.nanargmax(values, 0).astype(np.uint32)[None],
               3: to_bits("f32", np.nanmax(values, 0)[None])})


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


def patterns(book):
    """Read from the right: P0001 takes the first of four, P1000 the last."""
    lanes = {"P0101": [0, 2], "P1010": [1, 3], "P0001": [0], "P0010": [1], "P0100": [2],
             "P1000": [3], "P1111": [0, 1, 2, 3]}
    for dtype in ("f32", "u16"):
        raw = random_bits(dtype, 503, (3, 32))
        for name, taken in lanes.items():
            columns = [c for c in range(32) if c % 4 in taken]
            dst = Tile(dtype, None, valid=(3, 32))
            after = dst.before.copy()
            after[: 3 * len(columns)] = raw[:, columns].ravel()
            book.case(f"TGATHER.{dtype}.{name}.row", "TGATHER", [dst, Tile(dtype, raw)], {0: after},
                      maskPattern=name, axis="row")
            few = raw[:, : len(columns)]
            spread = np.zeros((3, 32), raw.dtype)
            spread[:, columns] = few
            book.case(f"TSCATTER.{dtype}.{name}.row", "TSCATTER",
                      [Tile(dtype, None, valid=(3, 32)), Tile(dtype, few, cols=32)], {0: spread},
                      maskPattern=name, axis="row")


def scatters(book):
    """By element and by row; what lies outside is left out, clamped or wrapped."""
    memory = plain("f32", 504, (4, 32))
    values = plain("f32", 505, (1, 16))
    places = np.array([[0, 127, 128, 300, 5, 5, 64, 2**32 - 1, 17, 31, 33, 90, 91, 120, 6, 7]])
    view = lambda data: View("f32", to_bits("f32", data), (1, 1, 1, 4, 32), (128, 128, 128, 32, 1))
    combine = {"none": lambda old, new: new, "add": lambda old, new: old + new,
               "max": np.fmax, "min": np.fmin}
    for policy in ("undefined", "skip", "clamp", "wrap"):
        for atomic, function in combine.items():
            if policy != "skip" and atomic not in ("none", "max"):
                continue
            after = memory.copy().ravel()
            for place, value in zip(places[0], values[0]):
                if place >= 128 and policy in ("undefined", "skip"):
                    continue
                place = min(place, 127) if policy == "clamp" else place % 128
                after[place] = function(after[place], value)
            book.case(f"MSCATTER.{policy}.{atomic}", "MSCATTER",
                      [view(memory), Tile("f32", to_bits("f32", values)),
                       Tile("u32", places.astype(np.uint32))],
                      {0: to_bits("f32", after)}, arch="a5", coalesce="elem", scatterOob=policy,
                      scatterAtomicOp=atomic)
    rows = np.array([[2, 0, 2]])
    lines = plain("f32", 506, (3, 32))
    after = memory.copy()
    for place, line in zip(rows[0], lines):
        after[place] = line
    book.case("MSCATTER.row", "MSCATTER",
              [view(memory), Tile("f32", to_bits("f32", lines)), Tile("u32", rows.astype(np.uint32))],
              {0: to_bits("f32", after).ravel()}, coalesce="row", scatterOob="skip")
    book.case("MGATHER.row", "MGATHER",
              [Tile("f32", None, valid=(3, 32)), view(memory), Tile("u32", rows.astype(np.uint32))],
              {0: to_bits("f32", memory[rows[0]])}, coalesce="row", gatherOob="undefined")


def to_odd(value, bits_kept):
    """f32 to fewer fraction bits: the odd one of its two neighbours, or itself."""
    raw = np.asarray(value, np.float32).view(np.uint32)
    low = np.uint32((1 << (23 - bits_kept)) - 1)
    return np.where(raw & low, (raw & ~low) | np.uint32(low + 1), raw).view(np.float32)


def conversions(book):
    values = plain("f32", 507, (3, 32)) * np.float32(9)
    values[0, :4] = (1, -1, 1 + 2.0 ** -12, -(1 + 2.0 ** -11))
    source = Tile("f32", to_bits("f32", values))
    odd = to_odd(values, 10)
    assert np.array_equal(odd.astype(np.float16).astype(np.float32), odd)
    book.case("TCVT.f32_f16.odd", "TCVT", [Tile("f16", None, valid=(3, 32)), source],
              {0: to_bits("f16", odd.astype(np.float16))}, rmode="ODD")
    for rmode in ("NONE", "CAST_RINT"):
        book.case(f"TCVT.f32_f16.{rmode}", "TCVT", [Tile("f16", None, valid=(3, 32)), source],
                  {0: to_bits("f16", values.astype(np.float16))}, rmode=rmode)
        book.case(f"TCVT.f32_i32.{rmode}", "TCVT", [Tile("i32", None, valid=(3, 32)), source],
                  {0: np.rint(values).astype(np.int32).view(np.uint32)}, rmode=rmode)


def rounded_factors(book):
    """f32 factors with fewer fraction bits, in the forms with an accumulator, a bias, one row."""
    for arch, kept, word in (("a2a3", 11, "hf32"), ("a5", 10, "tf32")):
        for m, family in ((5, "TMATMUL"), (1, "TGEMV")):
            a, b = plain("f32", 508, (m, 24)), plain("f32", 509, (24, 19))
            start, bias = plain("f32", 510, (m, 19)), plain("f32", 511, (1, 19))
            zero = np.zeros((m, 19), np.float32)
            acc = lambda raw=None: Tile("f32", raw, rows=16, cols=32, space="L0C", layout="NZ",
                                        fractal=1024, valid=(m, 19))
            left = Tile("f32", to_bits("f32", a), rows=16 if m > 1 else 1, cols=24, space="L0A",
                        layout="ZZ" if arch == "a2a3" else "NZ")
            right = Tile("f32", to_bits("f32", b), rows=24, cols=32, space="L0B", layout="ZN")
            table = Tile("f32", to_bits("f32", bias), cols=32, space="BIAS")
            for away in (True, False):
                mode = f"{word}_round_{'away' if away else 'even'}"
                ra, rb = to_fraction_bits(a, kept, away), to_fraction_bits(b, kept, away)

                def case(form, operands, start_at, added):
                    book.case(f"{family}{form}.{mode}", f"{family}{form}", operands,
                              {0: to_bits("f32", product(ra, rb, start_at, added))}, arch=arch,
                              tf32_mode=mode)

                case("_ACC", [acc(), acc(to_bits("f32", start)), left, right], start, None)
                case("_BIAS", [acc(), left, right, table], zero, bias)
                if m == 1:
                    case("", [acc(), left, right], zero, None)
