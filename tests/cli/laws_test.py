#!/usr/bin/python3
"""Laws that hold of any chip, whatever its figures, and that no fit may break.

laws_test.py --ptosim BIN --data DIR

DIR is the output folder of tests/kernels/goldens.py. scripts/calibration/laws.py has the same for more chips, more
chances and every number.
"""
import copy
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "calibration"))
import command_line  # noqa: E402
import figures as fig  # noqa: E402
import laws  # noqa: E402
import validation_kernels as kernels  # noqa: E402

PTOSIM = "ptosim"
DATA = None


def cycles(chip, kernel, sets=(), warm=0):
    text, arguments, blocks = kernel
    return fig.run(PTOSIM, chip, text, arguments, blocks, warm, sets=sets)["cycles"]


def gemm(n):
    return fig.matmul_kernel("a2a3", fig.A2A3, ["gemm", str(n)])


def streams():
    return {"reads": fig.read_kernel("a2a3", fig.A2A3, ["read", "vec", "64x1024"]),
            "reads into L1": fig.read_kernel("a2a3", fig.A2A3, ["read", "mat", "64x256"]),
            "sums": fig.add_kernel("a2a3", fig.A2A3, ["add", "16384", "2"]),
            "product": gemm(1536),
            "attention": kernels.attention("a2a3", 3072, 1024)}


class Peaks(unittest.TestCase):
    """No pipe, no path and no memory does more than it can."""

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.kernels = laws.test_kernels(DATA, cls.made.name)

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def hold(self, jobs, least):
        ran, _, wrong = laws.check(PTOSIM, jobs)
        self.assertEqual(wrong, [])
        self.assertGreater(ran, least)

    def test_of_every_family_of_chips(self):
        for chip in (fig.A2A3, fig.A5, "kirinx90"):
            numbers, _ = laws.chip_numbers(PTOSIM, chip)
            self.hold([(kernel, chip, (), numbers) for kernel in self.kernels], 25)

    def test_whatever_the_numbers_of_the_chip_are(self):
        self.hold(laws.random_jobs(PTOSIM, self.kernels, ["ascend910b3", "ascend950dt"], 40, 7), 30)

    def test_a_run_that_does_more_is_noticed(self):
        numbers, _ = laws.chip_numbers(PTOSIM, fig.A2A3)
        gemm_run, _ = next(k for k in self.kernels if k.name == "product a2a3").run(PTOSIM, fig.A2A3)
        self.assertEqual(laws.broken(gemm_run, numbers), [])
        for path, factor in (("aic.gm_to_l1_nd2nz.rate", 0.3), ("aic.l0c_to_gm.rate", 0.5)):
            less = {**numbers, path: numbers[path] * factor, "aic.gm_to_l1.rate": numbers["aic.gm_to_l1.rate"] * factor}
            self.assertEqual(len(laws.broken(gemm_run, less)), 1, path)
        for key in ("compute_cycles", "bandwidth_cycles", "occupancy_cycles"):
            more = copy.deepcopy(gemm_run)
            more["work"][key] = gemm_run["cycles"] + 1
            self.assertTrue(laws.broken(more, numbers), key)
        lost = copy.deepcopy(gemm_run)
        lost["cores"][3]["pipes"]["M"]["idle"] -= 1
        self.assertEqual(len(laws.broken(lost, numbers)), 1)


class Laws(unittest.TestCase):
    def test_nothing_is_faster_than_the_roofline(self):
        cases = [(fig.A2A3, kernel) for kernel in streams().values()]
        cases += [("ascend910b4", gemm(1536)), ("ascend910b3", streams()["sums"])]
        cases.append((fig.A5, fig.matmul_kernel("a5", fig.A5, ["mxfp8", "2048"])))
        cases.append(("ascend950dt", fig.read_kernel("a5", fig.A5, ["read", "vec", "64x1024"])))
        for chip, (text, arguments, blocks) in cases:
            for warm in (0, 1):
                answer = fig.run(PTOSIM, chip, text, arguments, blocks, warm)
                work = answer["work"]
                with self.subTest(chip=chip, kernel=answer["kernel"], warm=warm):
                    self.assertGreaterEqual(answer["cycles"], work["compute_cycles"])
                    self.assertGreaterEqual(answer["cycles"], work["bandwidth_cycles"])
                    self.assertGreaterEqual(answer["cycles"], work["occupancy_cycles"])

    def test_more_cores_never_slow_a_kernel_that_moves_nothing(self):
        products = (kernels.products("a2a3", 128, 64, 256, False), ["zeros=16xf16"], 48)
        last = None
        for clusters in (1, 2, 3, 8, 16, 24, 48):
            took = cycles(fig.A2A3, products, [f"clusters={clusters}"])
            if last is not None:
                self.assertLessEqual(took, last, f"{clusters} clusters")
            last = took

    def test_more_cores_never_slow_a_kernel_of_one_cluster(self):
        attention = kernels.attention("a2a3", 128, 1024)
        took = [cycles(fig.A2A3, attention, [f"clusters={clusters}"]) for clusters in (1, 2, 24)]
        self.assertEqual(len(set(took)), 1, took)

    def test_more_clusters_never_slow_attention(self):
        attention = kernels.attention("a2a3", 1024, 1024)
        took = [cycles(fig.A2A3, attention, [f"clusters={clusters}", "memory.l2.read=1000TB/s",
                                             "memory.l2.write=1000TB/s", "memory.hbm.rate=1000TB/s",
                                             "memory.same_window=0"])
                for clusters in (1, 2, 4, 8)]
        self.assertEqual(took, sorted(took, reverse=True))

    def test_more_bandwidth_never_slows_anything(self):
        for name, kernel in streams().items():
            for path, values in (("memory.hbm.rate", ("0.4TB/s", "0.8TB/s", "1.6TB/s", "3.2TB/s")),
                                 ("memory.l2.read", ("1.5TB/s", "3TB/s", "6TB/s"))):
                took = [cycles(fig.A2A3, kernel, [f"{path}={value}"]) for value in values]
                with self.subTest(kernel=name, path=path):
                    self.assertEqual(took, sorted(took, reverse=True))

    def test_what_takes_longer_makes_the_run_longer(self):
        attention = kernels.attention("a2a3", 256, 1024)
        same = fig.shared_kernel("a2a3", fig.A2A3, ["shared", "mat", "same"])
        for path, short, long, kernel in (
                ("scalar.operation", "1", "40", gemm(1536)), ("scalar.issue", "1", "40", attention),
                ("sync.cross_core_latency", "0", "2000", attention), ("aic.l1.contention", "0", "3", gemm(1536)),
                ("aic.l0c_to_gm.latency", "0", "2000", attention), ("memory.hbm.latency", "0", "3000", gemm(1536)),
                ("memory.same_window", "0", "3", same),
                ("launch.block_interval", "0", "200", gemm(1536)), ("launch.block_start", "0", "3000", gemm(1536))):
            with self.subTest(path=path):
                self.assertLess(cycles(fig.A2A3, kernel, [f"{path}={short}"]), cycles(fig.A2A3, kernel, [f"{path}={long}"]))

    def test_a_task_is_a_run_and_its_launch(self):
        text, arguments, blocks = gemm(1536)
        for warm in (0, 1):
            sets = ["launch.overhead=1850", "launch.cold=3700"]  # 1 and 2 us at 1.85 GHz
            answer = fig.run(PTOSIM, fig.A2A3, text, arguments, blocks, warm, sets=sets)
            self.assertAlmostEqual(answer["task_us"] - answer["time_us"], 1 if warm else 3, delta=0.01)

    def test_a_layout_without_conflicts_is_faster(self):
        row = {"instruction": "TADD", "dtype": "f32", "rows": 64, "cols": 64}
        apart, together, out_of_step = fig.vector_cycles(
            PTOSIM, fig.A2A3, [{**row, "layout": layout} for layout in
                               ("0x20000/0/0x10100", "0x20000/0/0x10000", "0x4020/0/0x10100")])
        self.assertLess(apart, together)
        self.assertLess(apart, out_of_step)

    def test_what_l2_does_not_hold_comes_no_faster_than_a_core_can_ask_for_it(self):
        # 8 MB read by one core: in each latency no more than memory.outstanding comes back.
        text, arguments = kernels.read_stream("a2a3", "vec", 64, 65536, 64, 1024, 1), ["zeros=64x65536xf16"]
        size, path, behind = 2 * 64 * 65536, 208, 343
        sets = [f"aiv.gm_to_ub.latency={path}", f"memory.hbm.latency={behind}"]
        for outstanding in (10000, 20000, 40000):
            took = cycles(fig.A2A3, (text, arguments, 1), sets + [f"memory.outstanding={outstanding}B"])
            self.assertGreaterEqual(took, (size - outstanding) * (path + behind) / outstanding)
            self.assertLess(took, 1.02 * size * (path + behind) / outstanding + 2000)
            # From L2 it waits for the path alone, where that is more than the path's rate.
            again = cycles(fig.A2A3, (text, arguments, 1), sets + [f"memory.outstanding={outstanding}B"], warm=1)
            least = max((size - outstanding) * path / outstanding, size / 110)
            self.assertGreaterEqual(again, least)
            self.assertLess(again, 1.02 * max(size * path / outstanding, size / 110 * 1.03) + 2000)
        # Transfers that can all be outstanding at once come at the rate of the path.
        once = (kernels.one_core_copies("a2a3", "vec", [(1, 8192)]), ["zeros=8192x8192xf16"], 1)
        self.assertEqual(*(cycles(fig.A2A3, once, sets + [f"memory.outstanding={n}B"]) for n in (20000, 1000000)))

    def test_rows_a_multiple_of_32_kib_apart_take_more_of_what_l2_gives(self):
        # 64 rows of 512 bytes in each load, all of it in L2, by all AICs.
        def took(columns, times):
            kernel = (kernels.read_stream("a2a3", "mat", 24 * 64, columns, 64, 256, 24), [f"zeros={24 * 64}x{columns}xf16"], 24)
            return cycles(fig.A2A3, kernel, ["memory.l2.read=5.55TB/s", f"memory.l2.far_rows={times}"], warm=1)

        for times in (4, 8):
            least = times * 2 * 24 * 64 * 16384 / 3000  # bytes; 5.55 TB/s are 3000 a cycle
            self.assertGreaterEqual(took(16384, times), least)
            self.assertLess(took(16384, times), 1.03 * least + 1000)
            self.assertEqual(took(16640, times), took(16640, 1))

    def test_no_rows_exceed_what_a_path_gives_at_most(self):
        text, arguments = kernels.read_stream("a2a3", "mat", 64, 16640, 64, 1024, 1), ["zeros=64x16640xf16"]
        size = 2 * 64 * 16640
        for most in (20, 40):
            took = cycles(fig.A2A3, (text, arguments, 1), [f"aic.gm_to_l1_nd2nz.most={most}"], warm=1)
            self.assertGreaterEqual(took, size / most)
            self.assertLess(took, 1.03 * size / most + 1000)
        short = (kernels.read_stream("a2a3", "mat", 64, 16640, 64, 256, 1), arguments, 1)
        self.assertEqual(*(cycles(fig.A2A3, short, [f"aic.gm_to_l1_nd2nz.most={most}"], warm=1) for most in (110, 1000)))

    def test_a_smaller_l2_never_makes_a_second_pass_faster(self):
        kernel = fig.read_kernel("a2a3", fig.A2A3, ["read", "vec", "64x1024", "parts"])
        took = [cycles(fig.A2A3, kernel, [f"memory.l2.bytes={size}MiB"]) for size in (384, 192, 48, 12)]
        self.assertEqual(took, sorted(took))

    def test_a_stream_past_l2_leaves_l2_to_what_is_used_again(self):
        # x and y are read once; z alone fits into the 192 MiB of L2, all three do not.
        text, arguments, blocks = fig.add_kernel("a2a3", fig.A2A3, ["add", "16384", "2"])
        kept, past = (fig.run(PTOSIM, fig.A2A3, text, arguments, blocks, 1, bypass_l2=p)["cycles"] for p in ((), (0, 1)))
        self.assertLess(past, 0.8 * kept)

    def test_readers_of_one_place_never_gain_by_being_together(self):
        for space in ("vec", "mat"):
            together, apart = (cycles(fig.A2A3, fig.shared_kernel("a2a3", fig.A2A3, ["shared", space, how]))
                               for how in ("same", "staggered"))
            self.assertGreaterEqual(together, apart)

    def test_one_vector_function_is_never_slower_than_one_for_each_instruction(self):
        for name in kernels.VECTOR_FUNCTIONS:
            for passes in (1, 64):
                shared, apart = (cycles(fig.A5, (kernels.vector_function(name, passes, 1, functions),
                                                 ["zeros=16xf32"], 1)) for functions in (1, 0))
                self.assertLessEqual(shared, apart, f"{name}, {passes} passes")

    def test_more_passes_of_a_vector_function_take_longer(self):
        for name in kernels.VECTOR_FUNCTIONS:
            last = 0
            for passes in (1, 47, 49, 90):
                took = cycles(fig.A5, (kernels.vector_function(name, passes), ["zeros=16xf32"], 1))
                self.assertGreater(took, last, f"{name}, {passes} passes")
                last = took

    def test_a_warm_start_is_not_slower(self):
        for n in (1536, 3072):
            self.assertLess(cycles(fig.A2A3, gemm(n), warm=1), cycles(fig.A2A3, gemm(n)))


if __name__ == "__main__":
    PTOSIM = command_line.program()
    DATA = os.path.abspath(command_line.take("--data"))
    unittest.main()
