#!/usr/bin/env python3
"""PyTorch's device `npu` of the toolkit. Not a part of ctest: it needs a Python with torch and numpy.

    VENV/bin/python tests/toolkit/torch_test.py --ptosim build/ptosim

Results of operators on `npu` are compared with results on the CPU; the output of fill_kernel.cpp's
kernel follows from its text.
"""
import csv
import ctypes
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import command_line  # noqa: E402

if os.environ.get("TORCH_TEST_FOLDER") is None:
    # Again, in the environment of a toolkit.
    ptosim = command_line.program()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ptosim, "toolkit", folder + "/kit"], check=True, capture_output=True)
        words = [sys.executable, os.path.abspath(__file__), *sys.argv[1:]]
        done = subprocess.run(["bash", "-c", 'source "$0/kit/set_env.sh" && exec "$@"', folder, *words],
                              env={**os.environ, "TORCH_TEST_FOLDER": folder}, cwd=folder)
    sys.exit(done.returncode)

import torch  # noqa: E402
import torch_npu  # noqa: E402

FOLDER = os.environ["TORCH_TEST_FOLDER"]


class Tensors(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def test_the_device_is_there_without_an_import(self):
        self.assertTrue(torch.npu.is_available())
        self.assertEqual(torch.ones(2, device="npu").device, torch.device("npu", 0))
        self.assertEqual(torch.ones(2, device="npu:3").device, torch.device("npu", 3))
        self.assertEqual(torch.get_device_module("npu"), torch.npu)

    def test_devices_of_a_system(self):
        """Each has its own memory, and tensors are copied between them."""
        program = """
import torch
print(torch.npu.device_count())
one = torch.arange(4.0, device="npu:1") + 1
torch.npu.set_device(2)
two = torch.ones(4, device="npu")
print(two.device.index, torch.npu.current_device(), (one.to("npu:2") + two).sum().item(), one.to("npu:0").device.index)
print((one.data_ptr() >> 38) - (two.data_ptr() >> 38))
"""
        for system, told in (("host910b", "8\n2 2 14.0 0\n-1\n"), ("", "1\n2 2 14.0 0\n0\n")):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                  env={**os.environ, "PTOSIM_SYSTEM": system})
            self.assertEqual((done.returncode, done.stdout), (0, told), done.stderr)

    def test_it_may_be_imported_first(self):
        program = "import torch_npu, torch; print(torch.ones(2, device='npu').sum().item())"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "2.0\n"), done.stderr)

    def test_extensions_find_what_pytorch_has_for_python(self):
        # Others find no name of PyTorch's before one needs it: they may be of another C++ ABI.
        source = os.path.join(FOLDER, "late.c")
        with open(source, "w") as file:
            file.write("extern void* THPVariableClass; int there(void) { return THPVariableClass != 0; }\n")
        subprocess.run(["cc", "-fPIC", "-shared", source, "-o", FOLDER + "/late.so"], check=True)
        done = subprocess.run([sys.executable, "-c", f"""if True:
            import ctypes, torch
            print(hasattr(ctypes.CDLL(None), "THPVariableClass"))
            print(ctypes.CDLL({FOLDER + "/late.so"!r}).there())
            """], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "False\n1\n"), done.stderr)

    def test_comparisons_of_operators_tests(self):
        from torch_npu.testing.testcase import TestCase
        case, ones = TestCase(), torch.ones(3)
        case.assertRtolEqual(ones.npu(), ones * (1 + 5e-5))
        case.assertRtolEqual(ones.half(), ones.half().npu() * (1 + 5e-4))
        case.assertRtolEqual(ones * 1000, ones * 1000.05)
        for other in (ones * 1.0003, torch.ones(4), ones.half(), ones * float("nan"), ones * float("inf")):
            with self.assertRaises(AssertionError):
                case.assertRtolEqual(ones, other)

    def test_what_extensions_are_built_with(self):
        from torch_npu.utils.cpp_extension import NpuExtension
        made = NpuExtension("one._C", ["one.cpp"], libraries=["m"])
        self.assertEqual((made.name, made.sources, made.libraries[0]), ("one._C", ["one.cpp"], "m"))
        self.assertIn("torch_npu", made.libraries)
        for below, of in (("torch_npu/csrc/core/npu/NPUStream.h", made.include_dirs), ("acl/acl.h", made.include_dirs),
                          ("libtorch_npu.so", made.library_dirs)):
            self.assertTrue(any(os.path.exists(os.path.join(folder, below)) for folder in of), below)

    def test_an_extension_with_the_headers_of_torch_npu(self):
        home, toolkit = os.path.dirname(torch.__file__), os.environ["ASCEND_HOME_PATH"]
        package = os.path.dirname(torch_npu.__file__)
        library = os.path.join(FOLDER, "extension.so")
        subprocess.run(["g++", "-std=c++17", "-fPIC", "-shared", "-w", os.path.join(HERE, "torch_extension.cpp"), f"-I{home}/include",
                        f"-I{home}/include/torch/csrc/api/include", f"-I{package}/include", f"-L{home}/lib", f"-L{package}/lib",
                        f"-L{toolkit}/lib64", "-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_npu", "-lascendcl", "-o", library],
                       check=True)
        torch.ops.load_library(library)
        x = torch.randn(32, 64).half().npu()
        self.assertEqual(torch.ops.ptosim_test.storage(x), [2])
        self.assertEqual(torch.ops.ptosim_test.storage(x[2:].t()), [2])
        # An extent of 64 is four boxes of 16 elements (32 bytes), one of 32 two boxes of 16 rows.
        self.assertEqual(torch.ops.ptosim_test.storage(torch_npu.npu_format_cast(x, 29)), [29, 4, 2, 16, 16])
        copy = torch.ops.ptosim_test.rows(x, 3, 5)
        self.assertEqual((copy.device.type, copy.shape), ("npu", (5, 64)))
        self.assertTrue(torch.equal(copy.cpu(), x.cpu()[3:8]))
        with self.assertRaisesRegex(RuntimeError, "Nothing: an operator of the vendor's library"):
            torch.ops.ptosim_test.vendors()

    def test_data_lies_in_device_memory(self):
        made = torch.arange(1000, dtype=torch.int32).npu()
        back = (ctypes.c_int32 * 1000)()
        acl = ctypes.CDLL(os.environ["ASCEND_HOME_PATH"] + "/lib64/libascendcl.so")
        self.assertEqual(acl.aclrtMemcpy(back, ctypes.c_size_t(4000), ctypes.c_void_p(made.data_ptr()),
                                         ctypes.c_size_t(4000), 2), 0)  # device to host
        self.assertEqual(list(back), list(range(1000)))

    def test_copies_of_every_shape(self):
        host = torch.randn(6, 8, 10)
        device = host.npu()
        for view in (lambda t: t, lambda t: t.transpose(0, 2), lambda t: t[1:5:2, :, 3],
                     lambda t: t[:, 2:4].expand(2, 6, 2, 10), lambda t: t.permute(2, 0, 1)[::3],
                     lambda t: t.reshape(-1)[7:99], lambda t: t.half(), lambda t: t[0, 0, 0]):
            torch.testing.assert_close(view(device).cpu(), view(host), rtol=0, atol=0)
            torch.testing.assert_close(view(device).clone().cpu(), view(host), rtol=0, atol=0)
            torch.testing.assert_close(view(device).contiguous().cpu(), view(host).contiguous())
        device[1:5:2, :, 3] = host[:2, :, 0].npu()
        host[1:5:2, :, 3] = host[:2, :, 0].clone()
        torch.testing.assert_close(device.cpu(), host, rtol=0, atol=0)
        self.assertEqual(torch.empty(0, 3, device="npu").cpu().shape, (0, 3))

    def test_operators(self):
        x, y = torch.randn(16, 16), torch.rand(16, 16)
        for operator in (
                lambda a, b: a + b, lambda a, b: a @ b, lambda a, b: a.max(), torch.lt,
                lambda a, b: torch.softmax(a, -1), lambda a, b: a.topk(4).values,
                lambda a, b: torch.where(a > 0, a, b), lambda a, b: a.sum(0), lambda a, b: b.sqrt(),
                lambda a, b: torch.cat([a, b]), lambda a, b: torch.linalg.inv(a + 9 * torch.eye(16).to(a)),
                lambda a, b: a.masked_fill(b > 0.5, 0), lambda a, b: torch.einsum("ij,kj->ik", a, b),
                lambda a, b: a.unfold(0, 3, 2), lambda a, b: a.clone().zero_(),
                lambda a, b: a.t().clone().add_(b), lambda a, b: torch.stack([a, b]).triu(),
                lambda a, b: torch.gather(a, 1, b.long()), lambda a, b: a[b > 0.5],
                lambda a, b: torch.nn.functional.gelu(a), lambda a, b: a.to(torch.bfloat16) * 2,
                lambda a, b: torch.quantile(a, 0.5), lambda a, b: a.clone().resize_(32, 32)[:1]):
            torch.testing.assert_close(operator(x.npu(), y.npu()).cpu(), operator(x, y), rtol=0, atol=0)

    def test_topk_is_in_order(self):
        x = torch.tensor([[3.0, 9.0, 1.0, 9.0, 5.0], [0.0, -2.0, 4.0, 4.0, 4.0]])
        values, indices = torch.topk(x.npu(), 3, sorted=False)
        self.assertEqual((values.cpu().tolist(), indices.cpu().tolist()), ([[9, 9, 5], [4, 4, 4]], [[1, 3, 4], [2, 3, 4]]))
        values, indices = torch.topk(x.npu(), 1, dim=0, largest=False)
        self.assertEqual((values.cpu().tolist(), indices.cpu().tolist()), ([[0, -2, 1, 4, 4]], [[1, 1, 0, 1, 1]]))

    def test_products_round_once(self):
        # Compared with numpy in f64: the error of a sum of f32 products in f16 and bf16.
        import numpy
        a, b, c = (torch.randn(2, *shape) for shape in ((5, 300), (300, 7), (5, 7)))
        for kind, bits in ((torch.float16, 11), (torch.bfloat16, 8), (torch.float32, 22)):
            x, y, z = (t.to(kind) for t in (a, b, c))
            exact = x.double().numpy() @ y.double().numpy()
            far = numpy.abs(x.double().numpy()) @ numpy.abs(y.double().numpy())
            bound = 2.0 ** -bits * numpy.abs(exact) + 2.0 ** -21 * far
            n, m, k = x.npu(), y.npu(), z.npu()
            out = torch.empty(5, 7, dtype=kind, device="npu")
            wide = torch.empty(2, 5, 7, dtype=kind, device="npu")
            torch.mm(n[1], m[1], out=out)
            torch.bmm(n, m, out=wide)
            for name, made, of in (
                    ("mm", n[0] @ m[0], exact[0]), ("mm.out", out, exact[1]), ("bmm", torch.bmm(n, m), exact),
                    ("bmm.out", wide, exact), ("transposed", (m[0].T @ n[0].T).T, exact[0]),
                    ("addmm", torch.addmm(k[0], n[0], m[0], beta=0), exact[0]),
                    ("addmm.out", torch.addmm(k[1], n[1], m[1], beta=0, out=out), exact[1]),
                    ("baddbmm", torch.baddbmm(k, n, m, beta=0), exact)):
                with self.subTest((name, kind)):
                    self.assertEqual((made.dtype, made.device.type), (kind, "npu"))
                    near = bound if of.ndim == 3 else bound.max(0)
                    self.assertTrue((numpy.abs(made.cpu().double().numpy() - of) <= near).all())
            sums = torch.addmm(k[0], n[0], m[0], beta=2, alpha=3).cpu().double().numpy()
            expected = 2 * z[0].double().numpy() + 3 * exact[0]
            self.assertTrue((numpy.abs(sums - expected) <= 2.0 ** -bits * numpy.abs(expected) + 2.0 ** -19 * far[0]).all())
        with self.assertRaises(RuntimeError):
            torch.mm(a[0].half().npu(), b[0].npu())
        empty = torch.empty(0, dtype=torch.float16, device="npu")
        self.assertEqual(torch.mm(n[0].half(), m[0].half(), out=empty).shape, (5, 7))
        self.assertEqual((torch.ones(3, 4, dtype=torch.int32).npu() @ torch.ones(4, 2, dtype=torch.int32).npu()).sum(), 24)

    def test_convolutions(self):
        # Whole numbers, which every order of sums gives.
        x, weight, bias = (torch.randint(-4, 5, shape).float() for shape in ((2, 6, 20), (6, 1, 3), (6,)))
        for given in (None, bias):
            for kind in (torch.float32, torch.float16):
                expected = torch.nn.functional.conv1d(x, weight, given, stride=2, padding=1, groups=6)
                made = torch.nn.functional.conv1d(x.to(kind).npu(), weight.to(kind).npu(),
                                                  None if given is None else given.to(kind).npu(), stride=2, padding=1,
                                                  groups=6)
                self.assertEqual(made.device.type, "npu")
                self.assertTrue(torch.equal(made.cpu(), expected.to(kind)))

    def test_attention(self):
        import torch_npu
        query, key, value = (torch.randn(2, rows, 4 * 8) for rows in (3, 5, 5))
        found, _ = torch_npu.npu_fused_infer_attention_score(query.npu(), key.npu(), value.npu(), num_heads=4, scale=0.3)
        mask = torch.ones(3, 5, dtype=torch.bool).triu(1)
        split = [tensor[:, :, :8 * heads].reshape(2, -1, heads, 8).transpose(1, 2).npu()
                 for tensor, heads in ((query, 4), (key, 2), (value, 2))]
        masked, _ = torch_npu.npu_fused_infer_attention_score(
            *split, num_heads=4, num_key_value_heads=2, input_layout="BNSD", atten_mask=mask.npu())
        for batch in range(2):
            for head in range(4):
                at = slice(8 * head, 8 * head + 8)
                weights = torch.softmax(query[batch, :, at] @ key[batch, :, at].T * 0.3, 1)
                torch.testing.assert_close(found[batch, :, at].cpu(), weights @ value[batch, :, at])
                at_group = slice(8 * (head // 2), 8 * (head // 2) + 8)
                scores = query[batch, :, at] @ key[batch, :, at_group].T
                for row in range(3):
                    few = torch.softmax(scores[row, : row + 1], 0) @ value[batch, : row + 1, at_group]
                    torch.testing.assert_close(masked[batch, head, row].cpu(), few)
        with self.assertRaisesRegex(NotImplementedError, "TND"):
            torch_npu.npu_fused_infer_attention_score(query, key, value, input_layout="TND")

    def test_what_is_made_like_a_tensor_has_no_strides_of_it(self):
        # pto-kernels' test of pto_tri_inv relies on this: a turned tensor keeps its strides on the way to the device,
        # the operator's output, made by empty_like, has none.
        turned = torch.arange(6.0).reshape(2, 3).T
        there = turned.npu()
        self.assertEqual(there.stride(), (1, 3))
        self.assertEqual(torch.empty_like(there).stride(), (2, 1))
        self.assertEqual(torch.zeros_like(there, dtype=torch.half).stride(), (2, 1))
        self.assertEqual(torch.empty_like(there, device="cpu").stride(), (1, 3))
        self.assertTrue(torch.equal(there.clone().cpu(), turned))
        self.assertTrue(torch.equal((there + 1).cpu(), turned + 1))

    def test_scales_of_columns(self):
        # By the formula of aclnnTransQuantParamV3: 19 bits of the float32 from bit 13, an offset of 9 bits from bit 37, 1 in
        # bit 46. 2.0 is 0x40000000; the two others have bits that are cut, or rounded to the nearest.
        scales = torch.tensor([0x40000000, 0x3F801FFF, 0x3F800FFF], dtype=torch.int32).view(torch.float32).npu()
        packed = torch_npu.npu_trans_quant_param(scales)
        self.assertEqual((packed.dtype, packed.device.type), (torch.int64, "npu"))
        self.assertEqual(packed.cpu().tolist(), [1 << 46 | bits for bits in (0x40000000, 0x3F800000, 0x3F800000)])
        self.assertEqual(torch_npu.npu_trans_quant_param(scales, round_mode=1).cpu().tolist(),
                         [1 << 46 | bits for bits in (0x40000000, 0x3F802000, 0x3F800000)])
        moved = torch_npu.npu_trans_quant_param(scales[:1].reshape(1, 1), torch.tensor([[-3.0]]).npu())
        self.assertEqual(moved.cpu().tolist(), [[1 << 46 | 0x1FD << 37 | 0x40000000]])
        with self.assertRaisesRegex(ValueError, "takes scales in float32"):
            torch_npu.npu_trans_quant_param(scales.cpu().half())

    def test_tokens_by_expert(self):
        # By hand: experts 0, 1, 1, 2 of token and slot (1, 0), (0, 1), (1, 1), (0, 0).
        tokens = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).npu()
        experts = torch.tensor([[2, 1], [0, 1]]).npu()
        permuted, rows = torch_npu.npu_moe_token_permute(tokens, experts)
        self.assertEqual(permuted.cpu().tolist(), [[3, 4], [1, 2], [3, 4], [1, 2]])
        self.assertEqual((rows.dtype, rows.cpu().tolist()), (torch.int32, [3, 1, 0, 2]))
        self.assertEqual(torch_npu.npu_moe_token_permute(tokens, experts, 3)[0].cpu().tolist(), [[3, 4], [1, 2], [3, 4]])

    def test_formats(self):
        nd = torch.arange(32 * 64).reshape(32, 64).to(torch.int32).npu()
        nz = torch_npu.npu_format_cast(nd, torch_npu.Format.FRACTAL_NZ)
        self.assertEqual([torch_npu.get_npu_format(tensor) for tensor in (nd, nz)], [2, 29])
        self.assertTrue(torch.equal(nz.cpu(), nd.cpu()))
        self.assertTrue(torch.equal((nz.t() + 1).cpu(), nd.t().cpu() + 1))
        raw = (ctypes.c_int32 * 256)()
        self.assertEqual(ctypes.CDLL("libascendcl.so").aclrtMemcpy(raw, 1024, ctypes.c_void_p(nz.data_ptr()), 1024, 2), 0)
        # The first box: 16 rows of 8 elements; then the box below it.
        self.assertEqual(list(raw), [64 * row + column for row in range(32) for column in range(8)])
        self.assertTrue(torch.equal(torch_npu.npu_format_cast(nz, 2).cpu(), nd.cpu()))
        with self.assertRaises(RuntimeError):
            nz.add_(1)
        with self.assertRaises(NotImplementedError):
            torch_npu.npu_format_cast(torch.ones(3, 8).npu(), 29)

    def test_memory_of_a_deleted_tensor_lasts_until_the_next(self):
        tensor = torch.ones(64).npu()
        memory = ctypes.c_void_p(tensor.data_ptr())
        del tensor
        raw, acl = (ctypes.c_float * 64)(), ctypes.CDLL("libascendcl.so")
        self.assertEqual(acl.aclrtMemcpy(raw, 256, memory, 256, 2), 0)
        self.assertEqual(list(raw), [1.0] * 64)
        other = torch.ones(64).npu()
        self.assertNotEqual(acl.aclrtMemcpy(raw, 256, memory, 256, 2), 0)
        self.assertEqual(other.numel(), 64)

    def test_views_share_memory(self):
        whole = torch.zeros(4, 4, device="npu")
        whole.view(16)[5:7].fill_(3)
        whole.t()[0] = 1
        whole[3:].zero_()
        self.assertEqual(whole.cpu().tolist(),
                         [[1, 0, 0, 0], [1, 3, 3, 0], [1, 0, 0, 0], [0, 0, 0, 0]])

    def test_random_numbers_follow_the_seed(self):
        torch.manual_seed(5)
        first = torch.randn(8, device="npu")
        torch.npu.manual_seed(5)
        torch.testing.assert_close(first, torch.randn(8, device="npu"), rtol=0, atol=0)
        torch.manual_seed(5)
        uniform = torch.empty(4, 5).uniform_(-9, 9)
        torch.manual_seed(5)
        torch.testing.assert_close(torch.empty(4, 5, device="npu").uniform_(-9, 9).cpu(), uniform, rtol=0, atol=0)
        torch.manual_seed(5)
        whole = torch.empty(4, 5, dtype=torch.int32, device="npu").uniform_(-9, 9)
        self.assertEqual(whole.cpu().tolist(), uniform.trunc().int().tolist())
        self.assertEqual(torch.rand(3, dtype=torch.int32, device="npu").tolist(), [0, 0, 0])

    def test_normal_numbers_of_16_bits_are_those_of_f32(self):
        for dtype in (torch.float16, torch.bfloat16):
            torch.manual_seed(6)
            wide = torch.randn(5, 7)
            torch.manual_seed(6)
            narrow = torch.randn(5, 7, device="npu", dtype=dtype)
            torch.testing.assert_close(narrow.cpu(), wide.to(dtype), rtol=0, atol=0)
        turned = torch.zeros(64, 64, device="npu", dtype=torch.float16).t()[1:]
        turned.normal_(3, 0.5)
        self.assertAlmostEqual(float(turned.float().mean()), 3, delta=0.05)
        self.assertAlmostEqual(float(turned.float().std()), 0.5, delta=0.05)

    def test_gradients(self):
        w = torch.randn(3, 3, device="npu", requires_grad=True)
        (w * w).sum().backward()
        torch.testing.assert_close(w.grad, 2 * w.detach())

    def test_quantised_operators_of_the_vendor(self):
        """By their formulas, in exact arithmetic of small numbers."""
        x = torch.tensor([[127.0, 63.4, -12.5, 0.5], [-254.0, 3.0, 1.0, 5.0]])
        made, scale = torch_npu.npu_dynamic_quant(x.npu())
        self.assertEqual((scale.cpu().tolist(), made.cpu().tolist()), ([1, 2], [[127, 63, -12, 0], [-127, 2, 0, 2]]))
        weight = torch.tensor([[1, 0], [0, 2], [1, 1], [0, 0]], dtype=torch.int8)
        product = torch_npu.npu_quant_matmul(made, weight.npu(), torch.tensor([1.0, 0.5]).npu(), pertoken_scale=scale,
                                             bias=torch.tensor([1, 2], dtype=torch.int32).npu(), output_dtype=torch.float16)
        self.assertEqual(product.cpu().tolist(), [[116, 58], [-252, 6]])
        self.assertEqual(torch_npu.npu_quantize(x.npu(), torch.tensor([2.0]).npu(), torch.tensor([1.0]).npu(), torch.qint8, -1,
                                                False).cpu().tolist(), [[127, 127, -24, 2], [-128, 7, 3, 11]])
        ones = torch.ones(2, 4).npu()
        self.assertEqual(torch_npu.npu_rms_norm(2 * ones, 3 * ones[0], 0.0)[0].cpu().tolist(), [[3] * 4] * 2)
        row = torch.tensor([[1.0, 2.0, 3.0, 4.0]]).npu()
        self.assertEqual(torch_npu.npu_rotary_mul(row, row, ones[:1]).cpu().tolist(), [[1 - 3, 4 - 4, 9 + 1, 16 + 2]])

    def test_what_is_missing_says_so(self):
        import torch_npu
        with self.assertRaisesRegex(AttributeError, "torch_npu of ptosim's toolkit has no 'npu_moe'"):
            torch_npu.npu_moe
        with self.assertRaisesRegex(AttributeError, "torch.npu of ptosim's toolkit has no 'make_graphed_callables'"):
            torch.npu.make_graphed_callables


class Launches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        library = os.path.join(FOLDER, "fill.so")
        subprocess.run("bisheng -fPIC -shared -xcce -O2 -std=c++17 --npu-arch=dav-2201 -DMEMORY_BASE"
                       .split() + [os.path.join(HERE, "fill_kernel.cpp"), "-o", library], check=True)
        cls.library = ctypes.CDLL(library)

    def fill(self, stream=None):
        made = torch.zeros(4, 64, device="npu")
        stream = (stream or torch.npu.current_stream())._as_parameter_
        self.library.call_kernel(ctypes.c_uint32(2), stream, ctypes.c_void_p(made.data_ptr()))
        return made

    def test_a_kernel_writes_a_tensor(self):
        rows = torch.arange(1.0, 5.0)[:, None].expand(4, 64)  # two blocks of two vector cores
        torch.testing.assert_close(self.fill(), rows.npu(), rtol=0, atol=0)

    def test_a_graph_runs_when_it_is_replayed(self):
        x, total = torch.ones(4, 64, device="npu"), torch.zeros(4, 64, device="npu")
        graph = torch.npu.NPUGraph()
        self.assertFalse(torch.npu.is_current_stream_capturing())
        with torch.npu.graph(graph):
            self.assertTrue(torch.npu.is_current_stream_capturing())
            rows = self.fill()  # a kernel, in memory that an operator clears before
            shifted = rows + 2 * x
            self.assertEqual(total.add_(shifted).shape, (4, 64))
            largest = shifted.max(dim=0)
            torch.mul(x, 3, out=x)
            half = shifted[:2].half().contiguous()
            del rows
        self.assertFalse(torch.npu.is_current_stream_capturing())
        torch.testing.assert_close((x.cpu(), total.cpu()), (torch.ones(4, 64), torch.zeros(4, 64)), rtol=0, atol=0)
        torch.zeros(64, 64, device="npu")  # takes no memory of the graph
        rows = torch.arange(1.0, 5.0)[:, None].expand(4, 64)
        sums = torch.zeros(4, 64)
        for factor in (1, 3):
            graph.replay()
            expected = rows + 2 * factor
            sums += expected
            torch.testing.assert_close((shifted.cpu(), total.cpu(), half.cpu(), x.cpu()), (
                expected, sums, expected[:2].half(), torch.full((4, 64), 3.0 * factor)), rtol=0, atol=0)
            self.assertEqual((largest.values.cpu().tolist(), largest.indices.cpu().tolist()), ([4.0 + 2 * factor] * 64, [3] * 64))
        graph.reset()
        with self.assertRaisesRegex(RuntimeError, "has not been captured"):
            graph.replay()

    def test_a_graph_of_two_streams(self):
        side, graph = torch.npu.Stream(), torch.npu.NPUGraph()
        with torch.npu.graph(graph, stream=torch.npu.Stream()):
            main = torch.npu.current_stream()
            first = self.fill()
            side.wait_stream(main)
            with torch.npu.stream(side):
                second = first * 2
            main.wait_stream(side)
            third = second + first
        graph.replay()
        self.assertEqual(third.cpu()[:, 0].tolist(), [3, 6, 9, 12])

    def test_calls_that_a_capture_forbids(self):
        x = torch.ones(4, device="npu")
        for call, error in ((x.cpu, "copy between host and device"), (lambda: x.sum().item(), "copy between host and device"),
                            (lambda: torch.ones(4).npu(), "copy between host and device"),
                            (torch.npu.synchronize, "while a stream is being captured"),
                            (lambda: torch.npu.current_stream().synchronize(), "of a stream that is being captured")):
            graph = torch.npu.NPUGraph()
            with torch.npu.graph(graph), self.assertRaisesRegex(RuntimeError, error):
                call()
        with self.assertRaisesRegex(RuntimeError, "non-default stream"):
            torch.npu.NPUGraph().capture_begin()
        failing = torch.npu.NPUGraph()
        index = torch.zeros(1, dtype=torch.long, device="npu")
        with torch.npu.graph(failing):
            x[index]
        index.fill_(7)
        with self.assertRaisesRegex(IndexError, "out of bounds"):
            failing.replay()

    def test_events_know_simulated_time(self):
        before, after = (torch.npu.Event(enable_timing=True) for _ in range(2))
        before.record()
        self.fill()
        after.record()
        torch.npu.synchronize()
        took = before.elapsed_time(after)
        self.assertTrue(0.0002 < took < 0.1, took)
        before.record()
        after.record()
        self.assertEqual(before.elapsed_time(after), 1e-6)

    def test_the_profiler_lists_kernels(self):
        from torch_npu import profiler
        folder = os.path.join(FOLDER, "profile")
        with profiler.profile(activities=[profiler.ProfilerActivity.NPU],
                              schedule=profiler.schedule(wait=0, warmup=0, active=2, repeat=1, skip_first=1),
                              on_trace_ready=profiler.tensorboard_trace_handler(folder, worker_name="one")) as prof:
            for _ in range(5):
                self.fill()
                prof.step()
        output, = glob.glob(os.path.join(folder, "one_*_ascend_pt", "ASCEND_PROFILER_OUTPUT"))
        with open(os.path.join(output, "kernel_details.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["Name"], row["Step Id"], row["Block Dim"]) for row in rows], [("fill", "1", "2"), ("fill", "2", "2")])
        first, second = (float(row["Start Time(us)"]) for row in rows)
        took = float(rows[0]["Duration(us)"])
        self.assertTrue(0 < took < 100 and second >= first + took, rows)
        with open(os.path.join(output, "trace_view.json")) as file:
            self.assertAlmostEqual([event["dur"] for event in json.load(file) if event["ph"] == "X"][0], took, places=3)
        with open(os.path.join(output, "op_statistic.csv"), newline="") as file:
            self.assertEqual([(row["OP Type"], row["Count"]) for row in csv.DictReader(file)], [("fill", "2")])

    def test_operators_take_the_time_of_their_bytes(self):
        chip = os.environ.get("PTOSIM_CHIP", "ascend910b1")
        with open(os.path.join(HERE, "..", "..", "models", chip + ".json")) as file:
            rate = json.load(file)["parameters"]["memory"]["hbm"]["rate"]
        self.assertEqual(rate["unit"], "TB/s")
        x, y = (torch.ones(1 << 20, device="npu") for _ in range(2))  # 4 MiB each
        host = torch.ones(1 << 20)
        before, after = (torch.npu.Event(enable_timing=True) for _ in range(2))
        for operator, operands in ((lambda: x + y, 3), (lambda: x.add_(y), 3), (lambda: x.exp(), 2),
                                   (lambda: torch.cat([x, y]), 4), (lambda: x.zero_(), 1),
                                   (lambda: x.clone(), 2), (lambda: x.copy_(y), 2),
                                   (lambda: x.copy_(host), 0), (lambda: x.cpu(), 0),
                                   (lambda: x.view(1024, 1024), 0),
                                   (lambda: x + y[:1].expand(1 << 20), 2)):
            before.record()
            operator()
            after.record()
            moved = operands * (4 << 20)
            self.assertAlmostEqual(before.elapsed_time(after), moved / rate["value"] / 1e9 or 1e-6,
                                   delta=1e-5)

    def test_extensions_in_cpp(self):
        import torch_npu
        source = os.path.join(FOLDER, "extension.cpp")
        with open(source, "w") as file:
            file.write("""#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/framework/OpCommand.h>
extern "C" void* stream_of(int error) {
    void* stream = nullptr;
    at_npu::native::OpCommand::RunOpApi("probe", [&]() -> int {
        stream = c10_npu::getCurrentNPUStream().stream(false);
        return error;
    });
    return stream;
}
extern "C" int device_of() {
    int device = -1;
    return c10_npu::GetDevice(&device) == ACL_SUCCESS ? device : -1;
}
""")
        home, npu = os.path.dirname(torch.__file__), os.path.dirname(torch_npu.__file__)
        subprocess.run(["c++", "-std=c++20", "-fPIC", "-shared", source, "-o", FOLDER + "/extension.so",
                        f"-I{npu}/include", f"-I{home}/include",
                        f"-I{os.environ['ASCEND_HOME_PATH']}/include", f"-L{npu}/lib", "-ltorch_npu",
                        f"-L{home}/lib", "-lc10", "-Wl,-z,now"], check=True)
        extension = ctypes.CDLL(FOLDER + "/extension.so")
        extension.stream_of.restype = ctypes.c_void_p
        self.assertIsNone(extension.stream_of(0))
        self.assertEqual(extension.device_of(), 0)
        stream = torch.npu.Stream()
        with torch.npu.stream(stream), torch.npu.device(3):
            self.assertEqual(extension.stream_of(0), stream.npu_stream)
            self.assertEqual(extension.device_of(), 3)

    def test_streams(self):
        stream = torch.npu.Stream()
        with torch.npu.stream(stream):
            self.assertEqual(torch.npu.current_stream(), stream)
            self.assertEqual(self.fill().cpu().max().item(), 4)
        self.assertEqual(torch.npu.current_stream().npu_stream, 0)
        stream.synchronize()

    def test_the_calls_of_acl(self):
        import acl
        self.assertEqual(acl.get_soc_name(), "Ascend910B1")
        self.assertEqual(acl.rt.set_device(0), 0)
        pointer, error = acl.rt.malloc(1024, 0)
        self.assertEqual(error, 0)
        self.assertEqual(acl.rt.memset(pointer, 1024, 1, 1024), 0)
        back = (ctypes.c_uint8 * 4)()
        self.assertEqual(acl.rt.memcpy(ctypes.addressof(back), 4, pointer, 4, 2), 0)
        self.assertEqual(list(back), [1, 1, 1, 1])
        self.assertEqual(acl.rt.free(pointer), 0)
        self.assertNotEqual(acl.rt.free(pointer), 0)
        self.assertIn("double free", acl.get_recent_err_msg())
        with self.assertRaisesRegex(AttributeError, "acl of ptosim's toolkit has no 'mdl'"):
            acl.mdl

    def test_properties(self):
        properties = torch.npu.get_device_properties(0)
        self.assertEqual((properties.name, properties.cube_core_num, properties.vector_core_num),
                         ("Ascend910B1", 24, 48))


if __name__ == "__main__":
    unittest.main()
