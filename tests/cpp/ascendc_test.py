#!/usr/bin/python3
"""Ascend C builds: qualifiers of kernels, synchronisation that the compiler inserts, arrays of on-chip memories,
and lines of findings. The library is a small one of this test's own, laid out as a checkout of asc-devkit is."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
LIBRARY = """#pragma once
namespace mini {
template <class T>
class LocalTensor {
 public:
    using PrimType = T;
    explicit LocalTensor(uint64_t address) : address_{address} {}
    __aicore__ inline uint64_t GetPhyAddr() const { return address_; }
    __aicore__ inline __inout_pipe__(S) T GetValue(const uint32_t index) const;
    template <class U>
    __aicore__ inline __inout_pipe__(S) void SetValue(const uint32_t index, const U value) const;
    __aicore__ inline __inout_pipe__(S) __ubuf__ T& operator()(const uint32_t index) const;
    uint64_t address_;
};
template <class T>
__aicore__ inline __inout_pipe__(S) __ubuf__ T& LocalTensor<T>::operator()(const uint32_t index) const {
    return ((__ubuf__ T*)address_)[index];
}
template <class T>
__aicore__ inline __inout_pipe__(S) T LocalTensor<T>::GetValue(const uint32_t index) const {
    return ((__ubuf__ T*)address_)[index];
}
template <class T>
template <class U>
__aicore__ inline __inout_pipe__(S) void LocalTensor<T>::SetValue(const uint32_t index, const U value) const {
    ((__ubuf__ T*)address_)[index] = value;
}
template <class T>
__aicore__ inline __inout_pipe__(V) void Fill(const LocalTensor<T>& to, T value) {
    vector_dup((__ubuf__ T*)to.GetPhyAddr(), value, 1, 1, 1, 8, 0);
}
template <class T>
__aicore__ inline void Add(const LocalTensor<T>& to, const LocalTensor<T>& a, const LocalTensor<T>& b) {
    vadd((__ubuf__ T*)to.GetPhyAddr(), (__ubuf__ T*)a.GetPhyAddr(), (__ubuf__ T*)b.GetPhyAddr(), 1, 1, 1, 1, 8, 8, 8);
}
__aicore__ inline void Store(__gm__ float* to, const LocalTensor<float>& from) {
    copy_ubuf_to_gm_align_b32(to, (__ubuf__ float*)from.GetPhyAddr(), 0, 1, 256, 0, 0, 0, 0);
}
__aicore__ inline void Load(const LocalTensor<float>& to, __gm__ float* from) {
    copy_gm_to_ubuf_align_b32((__ubuf__ float*)to.GetPhyAddr(), from, 0, 1, 4096, 0, 0, 0, 0);
}
// Of one buffer, at 0.
class Queue {
 public:
    __aicore__ inline LocalTensor<float> AllocTensor() {
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        return LocalTensor<float>(0);
    }
    __aicore__ inline void EnQue(const LocalTensor<float>&) { set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }
    __aicore__ inline LocalTensor<float> DeQue() {
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        return LocalTensor<float>(0);
    }
    __aicore__ inline void FreeTensor(const LocalTensor<float>&) { set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); }
};
}  // namespace mini
"""
# A queue as Ascend C declares it, of two buffers; nothing is loaded.
LIBRARY += """namespace AscendC {
enum class TPosition : uint8_t { GM, VECIN, VECOUT, TSCM };
enum class TBufState : uint8_t { FREE, OCCUPIED };
using TBufHandle = uint8_t*;
struct TBufType { TBufState state; };
constexpr TPosition GetPosition(TPosition src, TPosition dst) { return src == TPosition::GM ? dst : src; }
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
    __aicore__ TBufHandle AllocBuffer();
    __aicore__ bool EnQue(TBufHandle buf);
    __aicore__ TBufHandle DeQue();
    __aicore__ void FreeBuffer(TBufHandle buf);
    TBufType buffers_[2] = {};
    TBufType* bufStart = buffers_;
    uint8_t bufNum = 2, bufCursor = 0, head = 0, tail = 0;
    TBufHandle que_[4] = {};
};
template <TPosition src, TPosition dst, int32_t depth, auto mask>
__aicore__ TBufHandle TQueBind<src, dst, depth, mask>::AllocBuffer() {
    for (;;) {
        TBufType* taken = bufStart + bufCursor;
        bufCursor = (bufCursor + 1) % 2;
        if (taken->state != TBufState::FREE) continue;
        taken->state = TBufState::OCCUPIED;
        return reinterpret_cast<TBufHandle>(taken);
    }
}
template <TPosition src, TPosition dst, int32_t depth, auto mask>
__aicore__ bool TQueBind<src, dst, depth, mask>::EnQue(TBufHandle buf) {
    que_[tail++ % 4] = buf;
    return true;
}
template <TPosition src, TPosition dst, int32_t depth, auto mask>
__aicore__ TBufHandle TQueBind<src, dst, depth, mask>::DeQue() {
    return que_[head++ % 4];
}
template <TPosition src, TPosition dst, int32_t depth, auto mask>
__aicore__ void TQueBind<src, dst, depth, mask>::FreeBuffer(TBufHandle buf) {
    reinterpret_cast<TBufType*>(buf)->state = TBufState::FREE;
}
using Queue = TQueBind<TPosition::GM, TPosition::VECIN, 1>;
using Shared = TQueBind<TPosition::GM, TPosition::TSCM, 1>;
}  // namespace AscendC
"""
HOST = """
#include <cstdio>
#include <cstdlib>
#include "acl/acl.h"
int main() {
    constexpr unsigned kFloats = 64 * 64;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    float *device = nullptr, *host = nullptr;
    aclrtMalloc((void**)&device, 4 * kFloats, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMallocHost((void**)&host, 4 * kFloats);
    aclrtMemset(device, 4 * kFloats, 0, 4 * kFloats);
    LAUNCH
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(host, 4 * kFloats, device, 4 * kFloats, ACL_MEMCPY_DEVICE_TO_HOST);
    for (unsigned i = 0; i < kFloats; ++i) std::printf("%g ", host[i]);
    aclrtFree(device);
    aclrtFreeHost(host);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}
"""
# Steps of tensors that a queue does not allow, and the code and the words of their finding.
MISUSES = (
    ("a = in.AllocBuffer(); in.EnQue(a); a = in.DeQue(); in.FreeBuffer(a);", None, None),
    ("a = in.AllocBuffer(); in.FreeBuffer(a); in.FreeBuffer(a);", "Q01", "already free: its flag is set twice"),
    ("a = in.AllocBuffer(); in.EnQue(a); in.FreeBuffer(a);", "Q01", "FreeTensor of a tensor that is still in its queue"),
    ("a = in.AllocBuffer(); in.FreeBuffer(a); in.EnQue(a); in.DeQue();", "Q01", "EnQue of a tensor that is already free"),
    ("a = in.AllocBuffer(); in.EnQue(a); in.EnQue(a); in.DeQue();", "Q01", "EnQue of a tensor that is already in"),
    ("a = out.AllocBuffer(); in.EnQue(a);", "Q01", "whose buffer is not one of this queue's"),
    ("in.DeQue();", "Q02", "DeQue from an empty queue"),
    ("a = in.AllocBuffer(); in.EnQue(a); a = in.AllocBuffer(); in.EnQue(a); in.DeQue(); in.DeQue();", "Q02",
     "its depth is 1"),
    ("in.AllocBuffer(); in.AllocBuffer(); in.AllocBuffer();", "Q03", "none of the 2 buffers of its queue is free"),
    ("a = in.AllocBuffer(); in.EnQue(a);", "Q04", "still there when the kernel ends"),
    ("a = across.AllocBuffer(); across.EnQue(a);", None, None),  # its other end is on a cube core
)
SCRIPT = "import sys\nopen(sys.argv[2], 'w').write('#pragma once\\n')\n"
# Without a flag between pipe V and the scalar unit, or a barrier between instructions of pipe V.
UNORDERED = """__global__ __vector__ void kernel(__gm__ float* out) {
    set_mask_norm();
    set_vector_mask(-1, -1);
    mini::LocalTensor<float> a(0), b(1024), c(2048);
    mini::Fill(a, 2.0f);
    mini::Fill(b, 1.0f);
    mini::Add(c, a, b);
    c.SetValue(1, c.GetValue(0) + 4);
    mini::Add(c, c, b);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    mini::Store(out, c);
}
"""


@unittest.skipUnless(any(shutil.which(f"clang++-{n}") for n in (19, 20, 21, 22)), "needs clang++ 19 or newer")
class AscendC(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        for name, text in (("include/kernel_operator.h", LIBRARY), ("impl/basic_api/kernel_tpipe_impl.h", ""),
                           ("include/adv_api/softmax_tilingdata.h", ""),
                           ("impl/adv_api/cmake/scripts/gen_kernel_tiling_data_def.py", SCRIPT)):
            file = self.path / "asc" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": folder.name, "PTOSIM_CACHE": str(self.path / "cache")}

    def test_tiles_next_to_a_checkout(self):
        """The variable is for other sources: a kernel of tiles is compiled as without it."""
        example = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "matmul_relu.cpp"
        words = ["run", example, "--blocks", "1", "--arg", "rand=64x64xf16:1", "--arg", "rand=64x64xf16:2", "--arg", "zeros=64x64xf32",
                 "--arg", "out=64x64xf32"]
        runs = [subprocess.run([OPTIONS.ptosim, *words], cwd=self.path, capture_output=True, text=True, env=self.environment | more, check=False)
                for more in ({}, {"PTOSIM_ASCENDC": "asc"})]
        self.assertEqual(runs[1].returncode, 0, runs[1].stderr)
        self.assertEqual(runs[1].stdout, runs[0].stdout)

    def build(self, kernel, launch="kernel<<<1, nullptr, stream>>>(device);", *options):
        self.source = '#include "kernel_operator.h"\n' + kernel + HOST.replace("LAUNCH", launch)
        (self.path / "k.asc").write_text(self.source)
        return subprocess.run([OPTIONS.ptosim.resolve(), "build", "--ascendc", "asc", "k.asc", "-o", "app", *options],
                              cwd=self.path, capture_output=True, text=True, env=self.environment, check=False)

    def run_it(self, **variables):
        return subprocess.run(["./app"], cwd=self.path, capture_output=True, text=True, check=False,
                              env={**self.environment, "PTOSIM_CHIP": "ascend910b1", **variables})

    def values(self, kernel, *arguments, **variables):
        built = self.build(kernel, *arguments)
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = self.run_it(**variables)
        self.assertEqual(ran.returncode, 0, ran.stdout[:200] + ran.stderr)
        return [float(word) for word in ran.stdout.split()]

    def line_of(self, text):
        return self.source.split(text)[0].count("\n") + 1

    def test_what_the_compiler_synchronises(self):
        values = self.values(UNORDERED, PTOSIM_CHECK="all")
        self.assertEqual(values[:64], [4, 8] + [4] * 62)
        by_reference = UNORDERED.replace("c.SetValue(1, c.GetValue(0) + 4)", "c(1) = c(0) + 4")
        self.assertEqual(self.values(by_reference, PTOSIM_CHECK="all")[:64], [4, 8] + [4] * 62)

    def test_constants_of_an_image_are_global_memory(self):
        """A device has its image in global memory. Expected values: the initialisers, and the definition's sums."""
        kernel = """constexpr __gm__ float kOnes[64] = {1, 2, 3};
__gm__ float g_changed[64] = {5, 6};
template <class T>
struct Tables {
    constexpr static __gm__ T tens[8] = {10, 20, 30};
};
__aicore__ inline void Get(uint64_t to, const __gm__ float* from, uint32_t bytes) {
    copy_gm_to_ubuf_align_b32((__ubuf__ float*)to, (__gm__ float*)from, 0, 1, bytes, 0, 0, 0, 0);
}
__global__ __vector__ void kernel(__gm__ float* out) {
    set_mask_norm();
    set_vector_mask(-1, -1);
    mini::LocalTensor<float> a(0), b(1024), c(2048);
    g_changed[2] = kOnes[1] + Tables<float>::tens[1] + 64 * get_block_idx();
    mini::Fill(b, 0.0f);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    Get(0, g_changed, BYTES);
    Get(1024, kOnes, 256);
    Get(1024 + 32, Tables<float>::tens, 32);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    mini::Add(c, a, b);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    mini::Store(out + 64 * get_block_idx(), c);
}
"""
        launch = "kernel<<<2, nullptr, stream>>>(device);"
        values = self.values(kernel.replace("BYTES", "256"), launch, PTOSIM_CHECK="all")
        sums = [1 + 5, 2 + 6, 3 + 2 + 20] + [0] * 5 + [10, 20, 30] + [0] * 53
        self.assertEqual(values[:64], sums)
        self.assertEqual(values[64:128], sums[:2] + [sums[2] + 64] + sums[3:])
        # A table ends where its object does.
        self.assertEqual(self.build(kernel.replace("BYTES", "512"), launch).returncode, 0)
        ran = self.run_it(PTOSIM_CHECK="all")
        self.assertIn("g_changed has 256 [G01]", ran.stderr)

    def test_an_instruction_without_active_lanes(self):
        """It writes nothing: the sums are 2 + 2, of the instructions before and after it."""
        values = self.values("""__global__ __vector__ void kernel(__gm__ float* out) {
    set_mask_norm();
    set_vector_mask(-1, -1);
    mini::LocalTensor<float> a(0), b(1024);
    mini::Fill(a, 2.0f);
    pipe_barrier(PIPE_V);
    set_vector_mask(0, 0);
    mini::Add(a, a, a);
    vconv_f322s32r((__ubuf__ int32_t*)a.GetPhyAddr(), (__ubuf__ float*)b.GetPhyAddr(), 1, 1, 1, 8, 8);
    set_vector_mask(-1, -1);
    pipe_barrier(PIPE_V);
    mini::Add(a, a, a);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    mini::Store(out, a);
}
""", PTOSIM_CHECK="all")
        self.assertEqual(values[:64], [4] * 64)

    def test_headers_are_compiled_once(self):
        def cycles():
            values = self.values(UNORDERED.replace("2.0f", "3.0f"), PTOSIM_JSON="result.json")
            self.assertEqual(values[:64], [5, 9] + [5] * 62)
            return json.loads((self.path / "result.json").read_text())["cycles"]

        def kept():
            return {file.name: file.stat().st_size for file in (self.path / "cache").glob("*.headers")}

        self.values(UNORDERED)
        first = kept()
        self.assertEqual(len(first), 2)  # of the host and of AIVs
        again = self.build(UNORDERED.replace("2.0f", "4.0f"), "kernel<<<1, nullptr, stream>>>(device);", "--verbose")
        self.assertEqual((again.stderr.count("-include-pch"), again.stderr.count("-emit-pch")), (2, 0))
        with_headers = cycles()
        self.assertEqual(kept(), first)
        # The whole source is compiled if they are damaged, and if it does not compile.
        shutil.rmtree(self.path / ".ptosim")
        for name in first:
            (self.path / "cache" / name).write_bytes(b"damaged")
        self.assertEqual(cycles(), with_headers)
        wrong = self.build(UNORDERED.replace("mini::Add(c, c, b)", "mini::Add(c, c, missing)"))
        self.assertEqual(wrong.returncode, 2)
        self.assertIn(f"k.asc:{self.line_of('mini::Add(c, c, missing)')}:21: error: use of undeclared identifier 'missing'",
                      wrong.stderr)

    def test_without_it_checkers_find_the_races(self):
        self.assertEqual(self.build(UNORDERED, "kernel<<<1, nullptr, stream>>>(device);",
                                    "--cce-auto-sync=off").returncode, 0)
        self.races_are_found()

    def test_examples_of_the_checkout_have_lines(self):
        self.build(UNORDERED)  # writes the source
        (self.path / "asc/examples").mkdir()
        (self.path / "k.asc").rename(self.path / "asc/examples/k.asc")
        done = subprocess.run([OPTIONS.ptosim.resolve(), "build", "--ascendc", "asc", "asc/examples/k.asc", "-o", "app",
                               "--cce-auto-sync=off"], cwd=self.path, capture_output=True, text=True, env=self.environment, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.races_are_found()

    def test_bisheng_obeys_it(self):
        self.build(UNORDERED)  # writes the source
        done = subprocess.run([OPTIONS.ptosim.resolve(), "as", "bisheng", "--npu-arch=dav-2201", "-x", "asc", "k.asc", "-o",
                               "app", "--cce-auto-sync=off"], cwd=self.path, capture_output=True, text=True,
                              env={**self.environment, "PTOSIM_ASCENDC": "asc"}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.races_are_found()

    def test_objects_with_variables_of_the_device_are_linked(self):
        """A header of Ascend C defines one for each source; libraries consist of many sources."""
        (self.path / "key.h").write_text("[[workgroup_local]] __gm__ uint64_t g_key;\n[[block_local]] uint64_t g_other;\n")
        for name in ("one", "two"):
            (self.path / f"{name}.asc").write_text(f'''#include "kernel_operator.h"
#include "key.h"
extern "C" __global__ __vector__ void {name}(__gm__ float* out) {{ out[0] = 3; }}
''')
            done = subprocess.run([OPTIONS.ptosim.resolve(), "as", "bisheng", "--npu-arch=dav-2201", "-x", "asc", "-fPIC", "-c",
                                   f"{name}.asc", "-o", f"{name}.o"], cwd=self.path, capture_output=True, text=True,
                                  env={**self.environment, "PTOSIM_ASCENDC": "asc"}, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        linked = subprocess.run(["c++", "-shared", "one.o", "two.o", "-o", "both.so"], cwd=self.path, capture_output=True, text=True,
                                env=self.environment, check=False)
        self.assertEqual(linked.returncode, 0, linked.stderr)

    def races_are_found(self):
        ran = self.run_it(PTOSIM_CHECK="race", PTOSIM_JSON="result.json")
        self.assertNotEqual(ran.returncode, 0)
        found = json.loads((self.path / "result.json").read_text())["diagnostics"]
        lines = {finding["location"]["line"] for finding in found}
        self.assertIn(self.line_of("mini::Add(c, a, b)"), lines)
        self.assertIn(self.line_of("c.SetValue(1"), lines)
        self.assertIn(f"k.asc:{self.line_of('mini::Add(c, a, b)')}", ran.stderr)
        self.assertRegex(ran.stderr, r"in:? Add \(kernel_operator.h:\d+\)")

    def test_traces_show_the_calls_around_what_they_issue(self):
        self.values(UNORDERED, PTOSIM_TRACE="trace")
        trace = (self.path / "trace/trace.json").read_text()
        slices = [e for e in json.loads(trace)["traceEvents"] if e["ph"] == "X"]
        calls = [e for e in slices if e["cat"] == "call"]
        found = set()
        for e in slices:
            around = [c["name"] for c in calls if c["tid"] == e["tid"] and c is not e and c["ts"] <= e["ts"]
                      and e["ts"] + e["dur"] <= c["ts"] + c["dur"] + 1e-9]
            if e["cat"] in ("V", "MTE3"):
                found.add((e["name"], *around))
        self.assertEqual(found, {("vector_dup", "Fill"), ("vadd", "Add"),
                                 ("copy_ubuf_to_gm_align_b32", "Store")})
        self.assertEqual({c["args"]["line"].split(":")[1] for c in calls if c["name"] == "Store"},
                         {str(self.line_of("mini::Store(out"))})
        report = (self.path / "trace/report.md").read_text()
        self.assertIn(f"Store (copy_ubuf_to_gm_align_b32) at k.asc:{self.line_of('mini::Store(out')}", report)
        self.assertIn("| Add | V | 2 |", report)
        # The recording alone has them, too.
        (self.path / "trace/trace.json").unlink()
        subprocess.run([OPTIONS.ptosim.resolve(), "report", "trace", "--write", "chrome"], cwd=self.path, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertEqual((self.path / "trace/trace.json").read_text(), trace)

    def test_a_queue_with_too_few_buffers(self):
        self.values("""__global__ __vector__ void kernel(__gm__ float* out) {
    set_mask_norm();
    set_vector_mask(-1, -1);
    mini::Queue in;
    mini::LocalTensor<float> sum(8192), x(0);
    mini::Fill(sum, 0.0f);
    in.FreeTensor(x);
    for (int i = 0; i < 8; ++i) {
        x = in.AllocTensor();
        mini::Load(x, out);
        in.EnQue(x);
        x = in.DeQue();
        for (int j = 0; j < 20; ++j) mini::Add(sum, sum, x);
        in.FreeTensor(x);
    }
    in.AllocTensor();
}
""", PTOSIM_TRACE="trace")
        # MTE2 could load the next one while V adds: nothing else holds it.
        advice = json.loads((self.path / "trace/agent.json").read_text())["advice"]
        buffers = [a for a in advice if a["kind"] == "buffer"]
        self.assertTrue(buffers[0]["what"].startswith("Add a buffer to queue in (BUFFER_NUM of InitBuffer)"),
                        buffers)
        self.assertEqual(buffers[0]["line"], self.line_of("x = in.AllocTensor"))
        trace = json.loads((self.path / "trace/trace.json").read_text())["traceEvents"]
        tensors = [e["args"]["tensors"] for e in trace if e["name"] == "in (TQue)"]
        self.assertEqual(tensors, [0])  # V waits, and takes each when it comes

    def test_vector_and_cube_kernels(self):
        kernel = """__global__ __vector__ void vectors(__gm__ float* out) { out[64 * get_block_idx()] = get_block_num(); }
__cube__ __global__ void cubes(__gm__ float* out) { out[64 * get_block_idx() + 1] = get_block_num(); }
template <int Offset>
__global__ __mix__(1, 1) void both(__gm__ float* out) {
#ifdef __DAV_VEC__
    out[64 * (get_block_idx() * get_subblockdim() + get_subblockid()) + Offset] = 1;
#else
    out[64 * get_block_idx() + Offset + 1] = 2;
#endif
}
"""
        values = self.values(kernel, "vectors<<<40, nullptr, stream>>>(device); cubes<<<3, nullptr, stream>>>(device);"
                                     "both<2><<<4, nullptr, stream>>>(device);")
        blocks = [values[64 * i:64 * i + 4] for i in range(41)]
        self.assertEqual(blocks[0], [40, 3, 1, 2])
        self.assertEqual(blocks[3], [40, 0, 1, 2])
        self.assertEqual(blocks[4], [40, 0, 0, 0])
        self.assertEqual(blocks[39], [40, 0, 0, 0])
        self.assertEqual(blocks[40], [0, 0, 0, 0])

    def test_steps_of_tensors_that_their_queue_does_not_allow(self):
        cases = "".join(f"    if (n == {n}) {{ {steps} }}\n" for n, (steps, _, _) in enumerate(MISUSES))
        built = self.build("__global__ __vector__ void kernel(__gm__ float*, int n) {\n"
                           "    AscendC::Queue in, out;\n    AscendC::Shared across;\n" "    AscendC::TBufHandle a;\n" + cases + "}\n",
                           "kernel<<<1, nullptr, stream>>>(device, atoi(getenv(\"CASE\")));", "-O0")
        self.assertEqual(built.returncode, 0, built.stderr)
        for n, (steps, code, words) in enumerate(MISUSES):
            with self.subTest(steps=steps):
                ran = self.run_it(CASE=str(n), PTOSIM_CHECK="sync", PTOSIM_JSON="result.json")
                found = json.loads((self.path / "result.json").read_text())["diagnostics"]
                found = [f for f in found if f["code"].startswith("Q")]
                if code is None:
                    self.assertEqual(found, [], ran.stderr)
                    continue
                self.assertEqual((found[0]["code"], found[0]["location"]["line"]), (code, self.line_of(f"(n == {n})")))
                self.assertIn(words, found[0]["message"])
                self.assertEqual(ran.returncode, 1)

    def test_flags_that_a_queue_sets_ahead(self):
        """A queue chooses the ids of its flags and may set one again before its wait; a kernel may not (E07)."""
        kernel = """__global__ __vector__ void kernel(__gm__ float* out) {
    mini::LocalTensor<float> x(0);
    mini::Queue in;
    mini::Load(x, out);
    FIRST; SECOND;
    in.DeQue();
    in.DeQue();
}
"""
        for call, count in (("in.EnQue(x)", 0), ("set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)", 1)):
            self.build(kernel.replace("FIRST; SECOND", f"{call};\n    {call}"))
            self.assertEqual(self.run_it(PTOSIM_CHECK="sync").stderr.count("[E07]"), count, call)

    def test_vector_functions_of_an_a5(self):
        """Modes as integral constants of the device compiler's enumerations; 3 of 64 lanes are stored."""
        kernel = """#include <type_traits>
__simd_vf__ inline void add(__ubuf__ float* to, __ubuf__ float* from, uint32_t count) {
    vector_f32 x, y;
    vector_bool all = pset_b32(std::integral_constant<::Pat, static_cast<::Pat>(0)>());
    vlds(x, from, 0, std::integral_constant<::Dist, static_cast<::Dist>(3)>());
    vlds(y, from, 0, std::integral_constant<::Dist, static_cast<::Dist>(0)>());
    vadd(x, x, y, all, std::integral_constant<::Mode, static_cast<::Mode>(2)>());
    vsts(x, to, 0, std::integral_constant<::DistVST, static_cast<::DistVST>(2)>(), plt_b32(count, POST_UPDATE));
}
__global__ __vector__ void kernel(__gm__ float* out) {
    __ubuf__ float* from = (__ubuf__ float*)0;
    __ubuf__ float* to = (__ubuf__ float*)1024;
    for (int i = 0; i < 64; ++i) from[i] = i + 5, to[i] = -1;
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    add(to, from, 3);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    copy_ubuf_to_gm_align_v2(out, to, 0, 1, 256, 0, 256, 256);
}
"""
        launch = "kernel<<<1, nullptr, stream>>>(device);"
        built = self.build(kernel, launch, "--arch", "a5")
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = self.run_it(PTOSIM_CHIP="ascend950pr")
        self.assertEqual([float(x) for x in ran.stdout.split()[:5]], [10, 11, 12, -1, -1], ran.stderr)
        # The compiler also orders the scalar unit before vector functions.
        unordered = kernel.replace("set_flag(PIPE_S, PIPE_V, EVENT_ID0);", "").replace("wait_flag(PIPE_S, PIPE_V, EVENT_ID0);", "")
        unordered = unordered.replace("from[i] = i + 5, to[i] = -1;", "mini::LocalTensor<float>(0).SetValue(i, i + 5);")
        for option, races in (("--cce-auto-sync=on", False), ("--cce-auto-sync=off", True)):
            built = self.build(unordered, launch, "--arch", "a5", option)
            self.assertEqual(built.returncode, 0, built.stderr)
            ran = self.run_it(PTOSIM_CHIP="ascend950pr", PTOSIM_CHECK="race")
            self.assertEqual("[E01]" in ran.stderr, races, ran.stderr)

    def test_address_registers_of_an_a5(self):
        """Two rounds: masks and unaligned elements go to and come from addresses that count the rounds."""
        kernel = """#include <type_traits>
inline vector_address address(uint16_t index0, uint16_t stride) { return vag_b32(stride); }
__simd_vf__ inline void keep(__ubuf__ float* to, __ubuf__ float* from, __ubuf__ uint32_t* masks) {
    vector_bool all = pset_b32(std::integral_constant<::Pat, static_cast<::Pat>(0)>());
    constexpr auto plain = std::integral_constant<::Dist, static_cast<::Dist>(0)>();
    constexpr auto post = std::integral_constant<::Post, static_cast<::Post>(1)>();
    vector_align in, out;
    vector_f32 x;
    for (uint16_t i = 0; i < 2; ++i) {
        vector_bool above;
        vlda(in, from + 1, address(i, 64));
        vldu(x, in, address(i, 64), from + 1, 0);
        vcmps_gt(above, x, 60.0f, all);
        pst(above, masks, address(i, 8), plain);
    }
    mem_bar(VST_VLD);
    for (uint16_t i = 0; i < 2; ++i) {
        vector_bool above;
        pld(above, masks, address(i, 8), plain);
        vlds(x, from, i * 64, plain);
        vmuls(x, x, 10.0f, above, std::integral_constant<::Mode, static_cast<::Mode>(2)>());
        vstu(out, address(i, 64), x, to, post);
    }
    vsta(out, to, address(1, 64));
}
__global__ __vector__ void kernel(__gm__ float* out) {
    __ubuf__ float* from = (__ubuf__ float*)0;
    __ubuf__ float* to = (__ubuf__ float*)1028;
    for (int i = 0; i < 129; ++i) from[i] = i;
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    keep(to, from, (__ubuf__ uint32_t*)4096);
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
    for (int i = 0; i < 64; ++i) out[i] = to[i + 32];
}
"""
        built = self.build(kernel, "kernel<<<1, nullptr, stream>>>(device);", "--arch", "a5")
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = self.run_it(PTOSIM_CHIP="ascend950pr")
        # Element i is kept if i + 1 is above 60.
        self.assertEqual([float(x) for x in ran.stdout.split()[:64]],
                         [10 * i if i + 1 > 60 else 0 for i in range(32, 96)], ran.stderr)

    def test_attributes_that_name_a_core_type(self):
        kernel = """template <int N> __global__ __attribute__((aic)) void cubes(__gm__ float* out) { out[0] += N; }
extern "C" __global__ __attribute__((aiv)) void vectors(__gm__ float* out) { out[64 * (1 + get_block_idx())] += 1; }
"""
        values = self.values(kernel, "cubes<5><<<1, nullptr, stream>>>(device); vectors<<<3, nullptr, stream>>>(device);")
        self.assertEqual([values[64 * i] for i in range(5)], [5, 1, 1, 1, 0])

    def test_a_constant_that_is_no_event(self):  # as in prompt_flash_attention of ops-transformer
        kernel = """constexpr event_t kNone = static_cast<event_t>(-1);
extern "C" __global__ __attribute__((aiv)) void kernel(__gm__ float* out) { out[0] = kNone == -1 ? 3 : 4; }
"""
        self.assertEqual(self.values(kernel, "kernel<<<1, nullptr, stream>>>(device);")[0], 3)

    def test_the_task_type_of_a_kernel(self):
        kernel = """extern "C" __global__ __aicore__ void kernel(__gm__ float* out) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    out[64 * get_block_idx()] = 1;
}
"""
        values = self.values(kernel, "kernel<<<48, nullptr, stream>>>(device);")
        self.assertEqual([values[64 * i] for i in range(49)], [1] * 48 + [0])

    def test_a_kernel_without_a_type_has_that_of_its_code(self):
        # asc-devkit, limits of operator compilation: inferred on A2 and A3 for the only kernel of a source.
        count = "    out[64 * get_block_idx()] = get_block_num();\n"
        vectors = """    set_mask_norm();
    set_vector_mask(-1, -1);
    mini::LocalTensor<float> a(0);
    mini::Fill(a, 2.0f);
"""
        cubes = """#ifdef __DAV_CUBE__
    mad((__cc__ float*)0, (__ca__ half*)0, (__cb__ half*)0, 16, 16, 16, 0, 0, 0, 1);
#endif
"""
        launch = "kernel<<<4, nullptr, stream>>>(device);"
        head = "__global__ __aicore__ void kernel(__gm__ float* out) {\n"
        for body, blocks, warning in ((vectors + count, 4, None), (count, 4, "scalar code alone"),
                                      (cubes + count, 4, None), (cubes + vectors + count, 8, None)):
            if body.count("#endif") and "Fill" in body:  # the cube core has no UB
                body = cubes + "#ifdef __DAV_VEC__\n" + vectors + (
                    "    out[64 * (get_block_idx() * get_subblockdim() + get_subblockid())] = get_block_num();\n#endif\n")
            with self.subTest(body):
                built = self.build(head + body + "}\n", launch)
                self.assertEqual(built.returncode, 0, built.stderr)
                if warning:
                    self.assertIn(f"k.asc:2: warning: kernel 'kernel' has no kernel type, and {warning}", built.stderr)
                else:
                    self.assertNotIn("warning", built.stderr)
                values = [float(word) for word in self.run_it().stdout.split()]
                self.assertEqual([values[64 * i] for i in range(9)], [4.0] * blocks + [0.0] * (9 - blocks))

    def test_several_kernels_without_types_are_clusters(self):
        kernel = "".join(f"__global__ __aicore__ void {name}(__gm__ float* out) {{\n#ifdef __DAV_VEC__\n"
                         "    out[64 * (get_block_idx() * get_subblockdim() + get_subblockid())] = 1;\n#endif\n}\n"
                         for name in ("one", "kernel"))
        built = self.build(kernel, "kernel<<<2, nullptr, stream>>>(device);")
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn("k.asc:7: warning: kernel 'kernel' has no kernel type and no work for the cube core", built.stderr)
        values = [float(word) for word in self.run_it().stdout.split()]
        self.assertEqual([values[64 * i] for i in range(5)], [1.0, 1.0, 1.0, 1.0, 0.0])

    def test_a_host_prints_by_the_namespace_of_kernels(self):
        kernel = "__global__ __vector__ void kernel(__gm__ float* out) { out[0] = 3; }\nusing namespace __asc_aicore;\n"
        self.assertEqual(self.build(kernel, 'printf("%d %s ", 7, "host");').returncode, 0)
        self.assertTrue(self.run_it().stdout.startswith("7 host 0 0"))

    def test_what_kernels_print(self):
        # Text in the format of the documents of Ascend C (printf, DumpTensor), after the core.
        kernel = """__global__ __vector__ void kernel(__gm__ float* out) {
    set_mask_norm();
    set_vector_mask(-1, -1);
    mini::LocalTensor<half> a(64);
    mini::Fill(a, (half)1.5f);
    __asc_aicore::printf("%s %d %u %f\\n", "text", -7, 8u, (half)0.25f);
    const uint32_t shape[] = {2, 2};
    __asc_aicore::asc_dump_ubuf((__ubuf__ half*)64, 3, 3);
    __asc_aicore::asc_dump_ubuf((__ubuf__ half*)64, 4, 4, shape, 2);
}
"""
        self.assertEqual(self.build(kernel, "kernel<<<2, nullptr, stream>>>(device);").returncode, 0)
        lines = [line for line in self.run_it().stdout.splitlines() if line.startswith("[AIV01] ")]
        self.assertEqual(lines, ["[AIV01] " + line for line in (
            "[AIV Block 1/2] text -7 8 0.250000",
            "DumpTensor: desc=3, addr=0x40, data_type=float16, position=UB, dump_size=3",
            "[1.500000, 1.500000, 1.500000]",
            "DumpTensor: desc=4, addr=0x40, data_type=float16, position=UB, dump_size=4",
            "[[1.500000,1.500000],", "[1.500000,1.500000]]")])

    def test_the_workspace_of_the_system(self):
        kernel = """namespace AscendC {
__aicore__ inline __gm__ uint8_t* GetUserWorkspace(__gm__ uint8_t* workspace) { return workspace + 256; }
}
__global__ __vector__ void kernel(__gm__ float* out, __gm__ uint8_t* __kfc_workspace__ workspace, float value) {
    *(__gm__ float*)__get_kfc_workspace_addr() = value;
    *(__gm__ float*)workspace = value + 1;
}
"""
        values = self.values(kernel, "kernel<<<1, nullptr, stream>>>(device, (uint8_t*)(device + 64), 5);")
        self.assertEqual((values[64], values[128]), (5, 6))

    def test_transposed_halves_of_blocks(self):
        # Row j of the square at 512 is column j of that at 0, whatever the stack holds after the arguments.
        kernel = """__global__ __vector__ void kernel(__gm__ float* out) {
    uint64_t from[16], to[16];
    for (int i = 0; i < 16; ++i) {
        from[i] = 32 * i;
        to[i] = 512 + 32 * i;
        for (int j = 0; j < 16; ++j) ((__ubuf__ half*)0)[16 * i + j] = (half)(16 * i + j);
    }
    set_va_reg_sb(VA0, to);
    set_va_reg_sb(VA1, to + 8);
    set_va_reg_sb(VA2, from);
    set_va_reg_sb(VA3, from + 8);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
    for (int i = 0; i < 256; ++i) out[i] = mini::LocalTensor<half>(512).GetValue(i);
}
"""
        self.assertEqual(self.values(kernel)[:256], [16 * (i % 16) + i // 16 for i in range(256)])

    def test_arrays_in_ub(self):
        kernel = """template <class T> struct Pair { T first, second; };
__aicore__ inline float sum() {
    __ubuf__ float inner[8];
    for (int i = 0; i < 8; ++i) inner[i] = i;
    float total = 0;
    for (int i = 0; i < 8; ++i) total += inner[i];
    return total + (uint64_t)(__ubuf__ float*)inner;
}
__global__ __vector__ void kernel(__gm__ float* out) {
    constexpr int kCount = 10;
    __ubuf__ float x[kCount];
    __ubuf__ half y[2][16];
    x[3] = 5;
    y[1][0] = (half)7;
    out[0] = sum();
    out[1] = x[3];
    out[2] = y[1][0];
    out[3] = sum();
    __ubuf__ Pair<float> pair;
    pair.second = 6;
    out[5] = pair.second;
    __ubuf__ float first[8], second[2][8];
    first[0] = 9;
    second[1][0] = 4;
    out[4] = first[0] + (uint64_t)(__ubuf__ float*)second - (uint64_t)(__ubuf__ float*)first;
}
"""
        # Two arrays of 40 and 64 bytes, each at a multiple of 32: the third begins at 128.
        self.assertEqual(self.values(kernel)[:6], [28 + 128, 5, 7, 28 + 128, 9 + 32, 6])

    def test_the_first_byte_of_ub_after_arrays(self):
        """The library's symbol for it is an address in UB: it does not move with the kernel's code."""
        kernel = """namespace AscendC { extern __ubuf__ uint32_t dynamicStartUB[]; }
__global__ __vector__ void kernel(__gm__ float* out) { out[0] = (uint64_t)&AscendC::dynamicStartUB[3]; }
"""
        self.assertEqual(self.values(kernel)[0], 12)

    def test_what_registers_a_hosts_operators(self):
        """Like TORCH_LIBRARY and PYBIND11_MODULE: with functions that only the host is linked with."""
        (self.path / "host.cpp").write_text('extern "C" int of_host() { return 1; }\n')
        kernel = """extern "C" int of_host();
namespace torch::detail { struct TorchLibraryInit { explicit TorchLibraryInit(int) { of_host(); } }; }
static const torch::detail::TorchLibraryInit registration(2);
extern "C" __attribute__((visibility("default"))) int module_of_python() { return of_host(); }
__global__ __vector__ void kernel(__gm__ float* out) { out[0] = 3; }
"""
        built = self.build(kernel, "kernel<<<1, nullptr, stream>>>(device);", "host.cpp")
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(self.run_it().stdout.split()[0], "3")

    def test_a_tile_library_beside_it(self):
        # As sgl-kernel-npu's mega_chunk_gdn: the library's own headers on -I, which use the device's language.
        header = self.path / "tiles/pto/pto-inst.hpp"
        header.parent.mkdir(parents=True)
        header.write_text("#pragma once\ninline __aicore__ half pto_value() { return half(2.5f); }\n")
        kernel = """#include <pto/pto-inst.hpp>
__global__ __vector__ void kernel(__gm__ float* out) { out[0] = (float)pto_value(); }
"""
        for words in (("-Itiles",), ("-I", "tiles")):
            built = self.build(kernel, "kernel<<<1, nullptr, stream>>>(device);", *words)
            self.assertEqual(built.returncode, 0, built.stderr)
            self.assertEqual(self.run_it().stdout.split()[0], "2.5")

    def test_a_folder_that_is_no_checkout(self):
        shutil.rmtree(self.path / "asc" / "impl")
        built = self.build("")
        self.assertEqual(built.returncode, 2)
        self.assertIn("no impl/basic_api/kernel_tpipe_impl.h in it [H02]", built.stderr)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptosim", required=True, type=pathlib.Path)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
