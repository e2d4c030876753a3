#!/usr/bin/python3
"""Compares the golden cases of intrinsics with independent sources: numpy's casts, tables of all values, fractions,
decimals, examples of the public documents, and lanes one at a time.

    /usr/bin/python3 isa/intrinsics/intrinsic_goldens_check.py
"""
import decimal
import itertools
import pathlib
import struct
import sys
import tempfile
import unittest
from fractions import Fraction

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "semantics")]

import intrinsic_goldens  # noqa: E402
import intrinsic_goldens_convert as convert  # noqa: E402
import intrinsic_goldens_elementwise as elementwise  # noqa: E402
import intrinsic_goldens_numbers as numbers  # noqa: E402
from goldens_cases import round_fraction  # noqa: E402
from intrinsic_goldens_call import MODELS, Call  # noqa: E402


def f32_values(count):
    rng = np.random.default_rng(1)
    return np.concatenate([numbers.wide_values(rng, "f32", count), numbers.special("f32"),
                           convert.to_convert("f32", "f16", "", True)(rng, "f32", count),
                           convert.to_convert("f32", "bf16", "", True)(rng, "f32", count)])


class Rounding(unittest.TestCase):
    def test_f16_is_numpys_cast(self):
        values = f32_values(100000)
        with np.errstate(all="ignore"):
            expected = numbers.canonical("f16", values.astype(np.float16))
        got = numbers.round_float("f16", numbers.to_double("f32", values))
        np.testing.assert_array_equal(got.view(np.uint16), expected.view(np.uint16))

    def test_letters_choose_the_neighbour_that_a_table_of_all_values_has(self):
        wide = numbers.to_double("f32", f32_values(30000))
        wide = wide[np.isfinite(wide)]
        for name in ("f16", "bf16"):
            bits = np.arange(1 << 16).astype(np.uint16)
            table = numbers.to_double(name, bits.view(numbers.NATIVE[name]))
            table = np.unique(table[np.isfinite(table)])
            inside = wide[(wide >= table[0]) & (wide <= table[-1])]
            place = np.searchsorted(table, inside)
            above, below = table[place], table[np.where(table[place] == inside, place, place - 1)]
            nearer = np.where(inside - below < above - inside, below, above)
            away = np.where(np.abs(below) > np.abs(above), below, above)
            tie = inside - below == above - inside
            inward = np.where(inside >= 0, below, above)
            odd = (numbers.from_double(name, above).view(np.uint16) & 1).astype(bool)
            even = np.where(odd, below, above)
            expected = {"f": below, "c": above, "z": inward, "a": np.where(tie, away, nearer),
                        "r": np.where(tie, even, nearer), "o": np.where(above == below, above,
                                                                        np.where(odd, above, below))}
            for letter, values in expected.items():
                got = numbers.to_double(name, numbers.round_float(name, inside, letter))
                np.testing.assert_array_equal(got, values, err_msg=name + letter)

    def test_integers_to_floats_are_numpys(self):
        rng = np.random.default_rng(2)
        for from_ in ("i64", "i32"):
            values = np.concatenate([convert.integers_to_round(rng, from_, "f32", 20000), numbers.special(from_)])
            got = convert.converted(values, from_, "f32", "r", numbers.KEEP_INFINITY)
            np.testing.assert_array_equal(got, values.astype(np.float32))
            for value, letter in itertools.product(values[:500].tolist(), "fcz"):
                near = Fraction(float(convert.converted(np.array([value]), from_, "f32", letter, 0)[0]))
                inward = letter == "z" and value > 0 or letter == "f"
                self.assertTrue(near <= value if inward else near >= value)
                other = np.nextafter(np.float32(near), np.float32(np.inf if inward else -np.inf))
                self.assertTrue(near == value or (Fraction(float(other)) > value) == inward)

    def test_fused_is_the_rounded_fraction(self):
        rng = np.random.default_rng(3)
        for name in ("f16", "f32"):
            fill = lambda: np.concatenate([numbers.common_values(rng, name, 3000),
                                           numbers.wide_values(rng, name, 3000)])
            a, b, c = fill(), fill(), fill()
            with np.errstate(all="ignore"):
                c[::3] = -(a[::3] * b[::3].astype(np.float64)).astype(c.dtype)  # cancels
                got = elementwise.fused(name, a, b, c)
            for x, y, z, value in zip(a.tolist(), b.tolist(), c.tolist(), got.tolist()):
                if np.isfinite(z):
                    self.assertEqual(value, round_fraction(name, Fraction(x) * Fraction(y) + Fraction(z)))

    def test_functions_are_rounded_decimals(self):
        rng = np.random.default_rng(4)
        decimal.getcontext().prec = 60
        one = decimal.Decimal(1)
        functions = {"vexp": lambda x: x.exp(), "vln": lambda x: x.ln(), "vsqrt": lambda x: x.sqrt(),
                     "vrsqrt": lambda x: one / x.sqrt(), "vrec": lambda x: one / x}
        for name, (word, exact) in itertools.product(("f16", "f32"), functions.items()):
            values = np.abs(np.concatenate([numbers.wide_values(rng, name, 400),
                                            numbers.common_values(rng, name, 800)]))
            values = values[(values != 0) & (values < 60)]
            with np.errstate(all="ignore"):
                got = elementwise.UNARY[word](values)
            for x, value in zip(values.tolist(), got.tolist()):
                self.assertEqual(value, round_fraction(name, Fraction(exact(decimal.Decimal(x)))), (word, name, x))


def apply(name, types, args, ub, **fields):
    call = Call(name, types, args, np.concatenate([np.ascontiguousarray(part).view(np.uint8) for part in ub]), **fields)
    MODELS[name](call)
    return call


class Examples(unittest.TestCase):
    """Examples of asc-devkit docs/zh/api, by the page that has them."""

    def unary(self, name, from_, to, value, *scalar, tail=()):
        types = [to, from_] if name.startswith("vconv") else [from_]
        source = np.array([value] * 32, numbers.NATIVE[from_])
        call = apply(name, types, [256, 0, *scalar, 1, 1, 1, 8, 8, *tail],
                     [np.pad(source.view(np.uint8), (0, 256 - source.nbytes)), np.zeros(256, np.uint8)], mask=(1, 0))
        return call.view(to)[256 // numbers.size_of(to)]

    def test_precision_conversion(self):
        cases = [("i16", "f16", 4098, (4096, 4096, 4100, 4100, 4096)), ("f32", "f32", 0.5, (0, 0, 1, 1, 0)),
                 ("f16", "i8", 127.5, (127, 127, 127, 127, 127)), ("f16", "u8", 1.75, (2, 1, 2, 2, 1)),
                 ("f16", "i16", 127.5, (128, 127, 128, 128, 127)), ("f16", "i32", -1.5, (-2, -2, -1, -2, -1)),
                 ("f32", "i16", 4194304.5, (32767,) * 5),
                 ("f32", "i64", 4194304.5, (4194304, 4194304, 4194305, 4194305, 4194304))]
        for from_, to, value, results in cases:
            for letter, result in zip("rfcaz", results):
                name = f"vconv_{convert.cce(from_)}2{convert.cce(to)}{letter}"
                self.assertEqual(self.unary(name, from_, to, value), result, name)
        self.assertEqual(self.unary("vconv_s322s16", "i32", "i16", 2**31 - 1), 2**15 - 1)
        self.assertEqual(self.unary("vconv_s642s32", "i64", "i32", 2**31), 2**31 - 1)

    def test_shifts(self):
        pattern = 0b1010101010101010
        for name, type_, count, result in (
                ("vshl", "u16", 1, 0b0101010101010100), ("vshl", "i16", 1, 0b0101010101010100),
                ("vshl", "i16", 3, 0b0101010101010000), ("vshr", "u16", 1, 0b0101010101010101),
                ("vshr", "i16", 1, 0b1101010101010101), ("vshr", "i16", 3, 0b1111010101010101)):
            value = np.array([pattern], np.uint16).view(numbers.NATIVE[type_])[0]
            got = self.unary(name, type_, type_, value, count, tail=(0,) if name == "vshr" else ())
            self.assertEqual(int(got) & 0xFFFF, result, (name, type_, count))
        self.assertEqual(self.unary("vshr", "i16", "i16", 17, 5, tail=(1,)), 1)

    def test_counter_mode_with_strides(self):
        source = np.arange(1024).astype(np.float16)
        call = apply("vadds", ["f16"], [2048, 0, 0x3C00, 1, 2, 2, 16, 16], [source, np.zeros(1024, np.float16)],
                     mask=(130, 0), counter=True)
        result = call.view("f16")[1024:].reshape(-1, 16)
        np.testing.assert_array_equal(result[0:16:2], source.reshape(-1, 16)[0:16:2] + 1)
        self.assertEqual([*result[16, :3], result[1:16:2].any()], [257, 258, 0, False])

    def test_moves(self):
        numbers_ = np.arange(1, 129).astype(np.uint16)
        call = apply("vbrcb", ["u16"], [256, 0, 1, 8, 2], [numbers_, np.zeros(256, np.uint16)])
        np.testing.assert_array_equal(call.view("u16")[128:], np.repeat(np.arange(1, 17), 16))
        offsets = np.arange(254, -2, -2).astype(np.uint32)
        call = apply("vgather", ["u16", "u32"], [768, 256, 0, 8, 1], [numbers_, offsets, np.zeros(128, np.uint16)])
        np.testing.assert_array_equal(call.view("u16")[384:], numbers_[::-1])
        source = np.arange(1, 257).astype(np.uint32)
        call = apply("vreducev2", ["u32"], [0, 0, 0, 4, 1, 2, 8, 0], [source])
        np.testing.assert_array_equal(call.view("u32")[:128], source[1::2])
        self.assertEqual(call.after["rsvd_cnt"], 128)
        for pattern in range(3, 7):
            call = apply("vreducev2", ["u32"], [1024, 0, 0, 4, 1, pattern, 8, 0], [source, np.zeros(256, np.uint32)])
            np.testing.assert_array_equal(call.view("u32")[256:320], source[pattern - 3::4])
        matrix = np.arange(256).astype(np.uint16)
        rows = {f"va{i}": ",".join(str(512 * (i < 2) + 256 * (i % 2) + 32 * j) for j in range(8)) for i in range(4)}
        call = apply("scatter_vnchwconv_b16", [], [0, 2, 1, 0, 0], [matrix, np.zeros(256, np.uint16)], registers=rows)
        np.testing.assert_array_equal(call.view("u16")[256:].reshape(16, 16), matrix.reshape(16, 16).T)

    def test_reductions(self):
        source = np.arange(1, 257).astype(np.float16)
        call = apply("vcmax", ["f16"], [512, 0, 2, 1, 1, 8, 0], [source, np.zeros(16, np.float16)])
        self.assertEqual(call.view("f16")[[256, 258]].tolist(), [128, 256])
        self.assertEqual(call.view("u16")[[257, 259]].tolist(), [127, 127])
        self.assertEqual(call.after["max_min_cnt"], int(np.float16(256).view(np.uint16)) | 255 << 32)
        source = np.ones(256, np.float16)
        call = apply("vcadd", ["f16"], [512, 0, 2, 1, 1, 8, 0], [source, np.zeros(16, np.float16)])
        self.assertEqual(call.view("f16")[[256, 257]].tolist(), [128, 128])
        source = np.zeros(128, np.float16)
        source[:4] = 60000, 60000, -30000, 100
        call = apply("vcadd", ["f16"], [256, 0, 1, 1, 1, 8, 0], [source, np.zeros(16, np.float16)], ctrl=0)
        # The page has 35604, from sums that are not rounded to f16.
        self.assertAlmostEqual(float(call.view("f16")[128]), 35604, delta=32)


def cases_of(data):
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        words = data[at:end].decode().split(" ")
        size, count = int(words[-1]), int(words[9])
        yield (words[1], words[2].split(","), [int(w) for w in words[3:9]], [int(w) for w in words[10:10 + count]],
               words[10 + count:-1], data[end + 1:end + 1 + size], data[end + 1 + size:end + 1 + 2 * size])
        at = end + 1 + 2 * size + 16


class File(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "intrinsics.bin"
            intrinsic_goldens.write(path)
            cls.data = path.read_bytes()

    def test_sums_lane_by_lane(self):
        """With loops over lanes instead of arrays."""
        seen = 0
        for name, types, fields, args, words, before, after in cases_of(self.data):
            if name not in ("vadd", "vsub") or types != ["f32"] or words:
                continue
            ub, (low, _, counter) = bytearray(before), fields[:3]
            repeats = -(-low // 64) if counter else args[3]
            for r in range(repeats):
                results = []
                for lane in range(64):
                    if not (64 * r + lane < low if counter else low >> lane & 1):
                        continue
                    dst, a, b = (args[i] + 32 * (args[7 + i] * r + args[4 + i] * (lane // 8)) + lane % 8 * 4
                                 for i in range(3))
                    x, y = (np.frombuffer(ub, np.float32, 1, at)[0] for at in (a, b))
                    with np.errstate(all="ignore"):
                        value = x + y if name == "vadd" else x - y
                    results.append((dst, struct.pack("<I", 0x7FC00000) if value != value else value.tobytes()))
                for dst, bits in results:
                    ub[dst:dst + 4] = bits
            self.assertEqual(bytes(ub), after)
            seen += 1
        self.assertGreater(seen, 40)

    def test_every_intrinsic_changes_something(self):
        changed, names = set(), set()
        for name, _, _, _, words, before, after in cases_of(self.data):
            names.add(name)
            if before != after:
                changed.add(name)
        unchanged = {f"vcmp_{c}" for c in ("eq", "ne", "lt", "le", "gt", "ge")} | {"set_cmpmask"}
        self.assertEqual(names - changed, unchanged)


if __name__ == "__main__":
    unittest.main()
