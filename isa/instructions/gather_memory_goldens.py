"""Golden cases of isa/instructions/gather_memory.def."""
import numpy as np

from goldens_cases import Tile, View, to_bits, width
from goldens_fused import plain
from goldens_modes import nz_view
from goldens_moves import dense_view, random_bits


def add_cases(book):
    fractal_tables(book)
    gathers_into_l1(book)
    unsigned_indices(book)
    scatters(book)


def fractal_tables(book):
    for dtype in ("f16", "i8", "f32"):
        c0 = 256 // width(dtype)
        table = random_bits(dtype, 611, (32, 2 * c0))
        view = nz_view(dtype, table, gap=3 * c0)
        rows = np.array([[31, 0, 17, 17, 5]], np.uint32)
        lines = Tile(dtype, None, rows=16, cols=2 * c0, layout="NZ", valid=(5, 2 * c0))
        book.case(f"MGATHER.nz.{dtype}", "MGATHER", [lines, view, Tile("u32", rows)],
                  {0: table[rows[0]]})
        at = np.random.default_rng(612).permutation(table.size)[: 5 * c0].reshape(5, c0)
        book.case(f"MGATHER.nz_elements.{dtype}", "MGATHER",
                  [Tile(dtype, None, rows=16, cols=c0, layout="NZ", valid=(5, c0)), view,
                   Tile("u32", at.astype(np.uint32))], {0: table.ravel()[at]}, coalesce="elem")
        values = random_bits(dtype, 613, (5, 2 * c0))
        after = table.copy()
        for line, value in zip(rows[0], values):
            after[line] = value
        book.case(f"MSCATTER.nz.{dtype}", "MSCATTER",
                  [view, Tile(dtype, values, rows=16, layout="NZ"), Tile("u32", rows)],
                  {0: nz_view(dtype, after, gap=3 * c0).before})
    # With the policy zero, the whole of a tile of fractals is cleared first.
    table = random_bits("f16", 614, (16, 32))
    rows = np.array([[3, 16, 2]], np.uint32)
    tile = Tile("f16", None, rows=16, cols=32, layout="NZ", valid=(3, 32))
    out = np.zeros(tile.before.shape, np.uint16)
    out[tile.index[0]], out[tile.index[2]] = table[3], table[2]
    book.case("MGATHER.nz.zero", "MGATHER", [tile, nz_view("f16", table), Tile("u32", rows)],
              {0: out}, gatherOob="zero")


def gathers_into_l1(book):
    """Indices are in global memory."""
    for arch in ("a2a3", "a5"):
        table = random_bits("f16", 615, (20, 48))
        rows = np.array([[19, 4, 4, 0, 7]], np.uint32)
        tile = Tile("f16", None, rows=16, cols=48, space="L1", layout="NZ", valid=(5, 48))
        book.case(f"MGATHER.{arch}.l1", "MGATHER",
                  [tile, dense_view("f16", table), dense_view("u32", rows)],
                  {0: table[rows[0]]}, arch=arch)
        at = np.random.default_rng(616).integers(0, table.size, (3, 20), dtype=np.uint32)
        tile = Tile("f16", None, rows=16, cols=32, space="L1", layout="NZ", valid=at.shape)
        out = np.zeros(tile.before.shape, np.uint16)  # cleared whole
        out[tile.index[:3, :20]] = table.ravel()[at]
        book.case(f"MGATHER.{arch}.l1_elements", "MGATHER",
                  [tile, dense_view("f16", table), dense_view("i32", at, pitch=24),
                   dense_view("f16", np.zeros((16, 32), np.uint16))], {0: out}, arch=arch,
                  coalesce="elem")


def unsigned_indices(book):
    """-3 is 4294967293, which is beyond the last row."""
    table = random_bits("u16", 617, (9, 16))
    wild = np.array([[3, -3, 8]], np.int32).view(np.uint32)
    for policy, used in (("clamp", np.minimum(wild, 8)), ("wrap", wild % 9)):
        book.case(f"MGATHER.unsigned.{policy}", "MGATHER",
                  [Tile("u16", None, valid=(3, 16)), dense_view("u16", table), Tile("i32", wild)],
                  {0: table[used[0]]}, gatherOob=policy)


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
