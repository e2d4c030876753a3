#!/usr/bin/python3
"""Findings below the tile: scalar accesses, state that a kernel leaves, sizes of tensors, polling, copies. Each kernel has
a wrong and a mended form. The library is a small one of this test's own with the names of Ascend C's."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
CHIPS = {"a2a3": "ascend910b1", "a5": "ascend950pr"}
# Tensors, pipes and copies as Ascend C declares them; the largest element leaves its result by a store of scalar code.
LIBRARY = """#pragma once
namespace AscendC {
enum class TPosition : uint8_t { GM, VECIN, VECOUT, VECCALC, TSCM };
enum class Hardware : uint8_t { GM, UB };
template <class T>
using PrimT = T;
constexpr Hardware GetPhyType(TPosition pos) { return pos == TPosition::GM ? Hardware::GM : Hardware::UB; }
constexpr TPosition GetPosition(TPosition src, TPosition dst) { return src == TPosition::GM ? dst : src; }
constexpr Hardware GetBufferPos(TPosition src, TPosition dst) { return GetPhyType(GetPosition(src, dst)); }
struct TBuffAddr {
    uint32_t dataLen = 0, bufferAddr = 0;
    uint8_t logicPos = 0;
};
template <class T>
class LocalTensor {
 public:
    using PrimType = T;
    __aicore__ uint64_t GetPhyAddr(const uint32_t offset) const;
    __aicore__ uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
    __aicore__ uint32_t GetSize() const { return address_.dataLen / sizeof(T); }
    __aicore__ inline void SetBufferLen(uint32_t dataLen);
    __aicore__ inline __inout_pipe__(S) T GetValue(const uint32_t index) const;
    __aicore__ LocalTensor operator[](const uint32_t offset) const {
        LocalTensor part = *this;
        part.address_.dataLen -= offset * sizeof(T);
        part.address_.bufferAddr += offset * sizeof(T);
        return part;
    }
    TBuffAddr address_;
};
template <class T>
__aicore__ uint64_t LocalTensor<T>::GetPhyAddr(const uint32_t offset) const {
    return address_.bufferAddr + offset * sizeof(T);
}
template <class T>
__aicore__ inline void LocalTensor<T>::SetBufferLen(uint32_t dataLen) {
    address_.dataLen = dataLen;
}
template <class T>
__aicore__ inline __inout_pipe__(S) T LocalTensor<T>::GetValue(const uint32_t index) const {
    return *(__ubuf__ T*)GetPhyAddr(index);
}
template <class T>
class GlobalTensor {
 public:
    using PrimType = T;
    __aicore__ explicit GlobalTensor(__gm__ T* at) : at_{at} {}
    __aicore__ __gm__ T* GetPhyAddr() const { return at_; }
    __aicore__ inline __inout_pipe__(S) void SetValue(const uint64_t index, T value);
    __gm__ T* at_;
};
template <class T>
__aicore__ inline __inout_pipe__(S) void GlobalTensor<T>::SetValue(const uint64_t index, T value) {
    at_[index] = value;
}
struct TBufType {
    uint32_t address, dataLen;
};
template <TPosition src, TPosition dst, int32_t depth>
class TQueBind {
 public:
    static constexpr TPosition srcPosition = src, dstPosition = dst;
    TBufType* bufStart = nullptr;
};
template <TPosition pos>
class TBuf {
 public:
    template <class T>
    __aicore__ LocalTensor<T> Get() const {
        LocalTensor<T> all;
        all.address_ = {bufStart->dataLen, bufStart->address, static_cast<uint8_t>(pos)};
        return all;
    }
    TBufType* bufStart = nullptr;
};
class TPipe {
 public:
    __aicore__ TPipe() { ResetPool(); }
    __aicore__ void ResetPool();
    template <class T>
    __aicore__ bool InitBuffer(T& que, uint8_t num, uint32_t len);
    template <TPosition pos>
    __aicore__ bool InitBuffer(TBuf<pos>& buf, uint32_t len);
    TBufType records_[64];
    uint32_t count_ = 0, end_ = 0;
};
__aicore__ inline void TPipe::ResetPool() { count_ = end_ = 0; }
template <class T>
__aicore__ bool TPipe::InitBuffer(T& que, uint8_t num, uint32_t len) {
    que.bufStart = records_ + count_;
    for (uint8_t i = 0; i < num; ++i, end_ += len) records_[count_++] = {end_, len};
    return true;
}
template <TPosition pos>
__aicore__ bool TPipe::InitBuffer(TBuf<pos>& buf, uint32_t len) {
    buf.bufStart = records_ + count_;
    records_[count_++] = {end_, len};
    end_ += len;
    return true;
}
template <class T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count) {
    if (count * sizeof(T) >= 32)
        copy_gm_to_ubuf((__ubuf__ void*)dst.GetPhyAddr(), (__gm__ void*)src.GetPhyAddr(), 0, 1, count * sizeof(T) / 32, 0, 0);
}
template <class T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
    if (count * sizeof(T) >= 32)
        copy_ubuf_to_gm((__gm__ void*)dst.GetPhyAddr(), (__ubuf__ void*)src.GetPhyAddr(), 0, 1, count * sizeof(T) / 32, 0, 0);
}
template <class T>
__aicore__ inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                                 const int32_t count) {}
#if __NPU_ARCH__ == 2201
__aicore__ inline void Fill(const LocalTensor<float>& to, float value, uint32_t repeats) {
    vector_dup((__ubuf__ float*)to.GetPhyAddr(), value, repeats, 1, 1, 8, 0);
}
// Clears 512 elements, and adds to the first 64.
__aicore__ inline void Step(const LocalTensor<float>& to) {
    __ubuf__ float* at = (__ubuf__ float*)to.GetPhyAddr();
    vector_dup(at, 0.0f, 8, 1, 1, 8, 0);
    pipe_barrier(PIPE_V);
    vadds(at, at, 1.0f, 1, 1, 1, 8, 8);
}
// Elements at offsets, in bytes, from the begin of a tensor.
__aicore__ inline void Take(const LocalTensor<float>& to, const LocalTensor<float>& from, const LocalTensor<float>& offsets) {
    vgather((__ubuf__ uint32_t*)to.GetPhyAddr(), (__ubuf__ uint32_t*)offsets.GetPhyAddr(), (uint32_t)from.GetPhyAddr(), 8, 1);
}
// The maxima of repeats in the work buffer, their maximum by scalar code.
__aicore__ inline void Largest(const LocalTensor<float>& to, const LocalTensor<float>& from, const LocalTensor<float>& work,
                               uint32_t repeats) {
    __ubuf__ float* maxima = (__ubuf__ float*)work.GetPhyAddr();
    vcmax(maxima, (__ubuf__ float*)from.GetPhyAddr(), repeats, 1, 1, 8, ONLY_VALUE);
    set_flag(PIPE_V, PIPE_S, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID1);
    float largest = maxima[0];
    for (uint32_t i = 1; i < repeats; ++i) largest = maxima[i] > largest ? maxima[i] : largest;
    *(__ubuf__ float*)to.GetPhyAddr() = largest;
    set_flag(PIPE_S, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID1);
}
#endif
// Polls a status word.
__aicore__ inline void Await(const LocalTensor<float>& word, const GlobalTensor<float>& status, float value) {
    for (;;) {
        DataCopy(word, status, 8);
        set_flag(PIPE_MTE2, PIPE_S, EVENT_ID1);
        wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID1);
        if (word.GetValue(0) == value) break;
        set_flag(PIPE_S, PIPE_MTE2, EVENT_ID1);
        wait_flag(PIPE_S, PIPE_MTE2, EVENT_ID1);
    }
    set_flag(PIPE_S, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_S, PIPE_MTE2, EVENT_ID1);
}
// A signal of a cube core for one of its vector cores, though both get it.
__aicore__ inline void Answer(int id) { ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | id << 8); }
__aicore__ inline void InitSocState() {
    set_atomic_none();
    set_mask_norm();
    set_vector_mask(-1, -1);
}
}  // namespace AscendC
"""
HOST = """
#include <cstdio>
#include "acl/acl.h"
int main() {
    constexpr unsigned kFloats = 64 * 64;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    float *device = nullptr, host[kFloats];
    for (unsigned i = 0; i < kFloats; ++i) host[i] = 1;
    aclrtMalloc((void**)&device, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(device, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
    LAUNCH
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(host, sizeof(host), device, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST);
    for (unsigned i = 0; i < kFloats; ++i) std::printf("%g ", host[i]);
    aclrtFree(device);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}
"""
BEGIN = """using namespace AscendC;
__global__ __vector__ void kernel(__gm__ float* data) {
    InitSocState();
    TPipe pipe;
    GlobalTensor<float> global(data);
"""
TO_STORE = """    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
"""
# Largest element of 512; the work buffer of 32 bytes has room for the maxima of 8 repeats, of which there are WIDTH / 64.
LARGEST = BEGIN + """    TBuf<TPosition::VECCALC> in, top, work;
    pipe.InitBuffer(in, 4096);
    pipe.InitBuffer(top, 256);
    pipe.InitBuffer(work, 32);
    auto a = in.Get<float>(), t = top.Get<float>();
    Fill(a, 2.0f, 16);
    pipe_barrier(PIPE_V);
    Largest(t, a, work.Get<float>(), REPEATS);
    float value = t.GetValue(0);
    Fill(t, value, 1);
""" + TO_STORE + """    DataCopy(global, t, 64);
    pipe_barrier(PIPE_ALL);
}
"""
COUNT = """using namespace AscendC;
__global__ __vector__ void kernel(__gm__ float* data) {
    set_ffts_base_addr(0);
    GlobalTensor<float> global(data);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32);
    if (get_block_idx() == 0) {
        global.SetValue(0, 42);  // the count
        CLEAN
    }
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, 1 | 0 << 4 | 3 << 8);
    wait_flag_dev(3);
    auto t = buffer.Get<float>();
    DataCopy(t, global, 8);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    GlobalTensor<float> mine(data + 64 + 16 * get_block_idx());
    DataCopy(mine, t, 8);
    pipe_barrier(PIPE_ALL);
}
"""
# The first kernel leaves the core's state as LEFT says; the second one stores or computes plainly.
STATE = BEGIN.replace("kernel(", "first(") + """    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto t = buffer.Get<float>();
    Fill(t, 5.0f, 1);
""" + TO_STORE + """    LEFT;  // left
    DataCopy(global, t, 64);
    pipe_barrier(PIPE_ALL);
    RESET;
}
__global__ __vector__ void second(__gm__ float* data) {
    INIT;
    TPipe pipe;
    GlobalTensor<float> global(data);
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto t = buffer.Get<float>();
    WHOLE;
    Fill(t, 7.0f, 1);  // second
""" + TO_STORE + """    DataCopy(global, t, 64);  // store
    pipe_barrier(PIPE_ALL);
}
"""
TWICE = "first<<<1, nullptr, stream>>>(device); second<<<1, nullptr, stream>>>(device);"
# Core 0 stores data and then a status word; core 1 polls the word.
POLLING = """using namespace AscendC;
__global__ __vector__ void kernel(__gm__ float* data) {
    InitSocState();
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    auto t = a.Get<float>(), word = b.Get<float>();
    GlobalTensor<float> values(data), status(data + 512), out(data + 1024);
    if (get_block_idx() == 0) {
        Fill(t, 9.0f, 1);
        Fill(word, 3.0f, 1);
""" + TO_STORE.replace("    ", "        ") + """        FIRST
        SECOND
    } else {
        for (;;) {
            DataCopy(word, status, 8);  // poll
            set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
            if (word.GetValue(0) == 3.0f) break;
            set_flag(PIPE_S, PIPE_MTE2, EVENT_ID0);
            wait_flag(PIPE_S, PIPE_MTE2, EVENT_ID0);
        }
        set_flag(PIPE_S, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_S, PIPE_MTE2, EVENT_ID0);
        DataCopy(t, values, 64);  // use
        set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        DataCopy(out, t, 64);
    }
    pipe_barrier(PIPE_ALL);
}
"""
# The same by one call of a library, on the line of the use.
AWAITING = (POLLING[:POLLING.index("        for (;;)")] + "        Await(word, status, 3.0f); "
            + POLLING[POLLING.index("DataCopy(t, values"):])
DATA, STATUS = "DataCopy(values, t, 64);  // data", "DataCopy(status, word, 8);  // status"
# The second store comes after the poll has ended.
AGAIN = "for (volatile int i = 0; i < 20000; ++i) {} DataCopy(status, word, 8);"
ANSWERS = """using namespace AscendC;
__global__ __mix__(1, 2) void kernel(__gm__ float* data) {
#ifdef __DAV_VEC__
    if (VECTORS) wait_flag_dev(get_subblockid());
#else
    FIRST
    SECOND
#endif
}
"""
QUEUES = BEGIN + """    TQueBind<TPosition::GM, TPosition::VECIN, 1> q[9];
    for (int i = 0; i < COUNT; ++i) pipe.InitBuffer(q[i], 1, SIZE);
}
"""
COPY = BEGIN + """    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    DataCopy(buffer.Get<float>(), global, COUNT);
    pipe_barrier(PIPE_ALL);
}
"""
STEP = BEGIN + """    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 2048);
    auto t = buffer.Get<float>();
    Step(t);
""" + TO_STORE + """    DataCopy(global, t, 512);
    pipe_barrier(PIPE_ALL);
}
"""
# The byte that follows the copy is half of a lane.
LANES = BEGIN + """    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto at = (__ubuf__ uint16_t*)buffer.Get<float>().GetPhyAddr();
    copy_gm_to_ubuf_align_b8((__ubuf__ void*)at, (__gm__ void*)data, 0, 1, 30, 0, 0, 0, 0);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    if (STORED) *((__ubuf__ uint8_t*)at + 32) = 1;
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_vector_mask(0, 0x1ffff);
    vnot(at, at, 1, 1, 1, 8, 8);  // lanes
    pipe_barrier(PIPE_ALL);
    InitSocState();
}
"""
# The documents of ReduceSum require room for a sum of each 256 bytes on an a5.
SUM = BEGIN + """    TBuf<TPosition::VECCALC> in, work;
    pipe.InitBuffer(in, 4096);
    pipe.InitBuffer(work, 32);
    auto t = in.Get<float>();
    ReduceSum(t, t, work.Get<float>(), COUNT);  // sum
}
"""
# A tensor whose length is set to COUNT elements gets 128.
LENGTH = BEGIN + """    TBuf<TPosition::VECCALC> in;
    pipe.InitBuffer(in, 1024);
    auto t = in.Get<float>();
    t.SetBufferLen(COUNT);
    Fill(t, 1.0f, 2);  // filled
}
"""
# Additions to COUNT elements, of which 256 are in the tensor; the next buffer follows it.
ADDITIONS = BEGIN + """    TBuf<TPosition::VECCALC> in, after;
    pipe.InitBuffer(in, 1024);
    pipe.InitBuffer(after, 1024);
    auto t = in.Get<float>(), u = after.Get<float>();
    Fill(t, 1.0f, 4);
    Fill(u, 1.0f, 4);
    pipe_barrier(PIPE_V);
    set_mask_count();
    set_vector_mask(0, COUNT);
    vadds((__ubuf__ float*)t.GetPhyAddr(), (__ubuf__ float*)t.GetPhyAddr(), 1.0f, 1, 1, 1, 8, 8);  // additions
    set_mask_norm();
    set_vector_mask(-1, -1);
""" + TO_STORE + """    DataCopy(global, t, 256);
    pipe_barrier(PIPE_ALL);
}
"""
# Each element of a vector is the one at OFFSET of a tensor of 256 bytes.
GATHER = BEGIN + """    TBuf<TPosition::VECCALC> from, offsets, to;
    pipe.InitBuffer(from, 256);
    pipe.InitBuffer(offsets, 256);
    pipe.InitBuffer(to, 256);
    auto a = from.Get<float>(), at = offsets.Get<float>(), t = to.Get<float>();
    Fill(a, 2.0f, 1);
    vector_dup((__ubuf__ uint32_t*)at.GetPhyAddr(), (uint32_t)OFFSET, 1, 1, 1, 8, 0);
    pipe_barrier(PIPE_V);
    Take(t, a, at);  // take
""" + TO_STORE + """    DataCopy(global, t, 64);
    pipe_barrier(PIPE_ALL);
}
"""
# Each of two cores stores a block of 8 elements at a multiple of STEP elements.
TAIL = BEGIN + """    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto t = buffer.Get<float>();
    Fill(t, 1.0f, 1);
""" + TO_STORE + """    GlobalTensor<float> mine(data + STEP * get_block_idx());
    DataCopy(mine, t, 8);
    pipe_barrier(PIPE_ALL);
}
"""
# The mask of an earlier call of 8 lanes.
MASK = BEGIN + """    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto t = buffer.Get<float>();
    set_vector_mask(0, 255);  // mask
    RESET;
    Fill(t, 1.0f, 1);  // fill
""" + TO_STORE + """    DataCopy(global, t, 64);
    pipe_barrier(PIPE_ALL);
}
"""


# A selection between a vector and the scalar at the begin of CMPMASK (mode 1), of which 4 bytes are written.
SCALAR_SELECT = BEGIN + """    TBuf<TPosition::VECCALC> values, scalar, mask;
    pipe.InitBuffer(values, 256);
    pipe.InitBuffer(scalar, 32);
    pipe.InitBuffer(mask, 32);
    auto t = values.Get<float>(), s = scalar.Get<float>(), m = mask.Get<float>();
    Fill(t, 2.0f, 1);
    set_vector_mask(0, 255);
    vector_dup((__ubuf__ float*)m.GetPhyAddr(), 0.0f, 1, 1, 1, 8, 0);  // no lane selects the vector
    set_vector_mask(0, LANES);
    vector_dup((__ubuf__ float*)s.GetPhyAddr(), 5.0f, 1, 1, 1, 8, 0);
    pipe_barrier(PIPE_V);
    set_vector_mask(-1, -1);
    set_cmpmask((__ubuf__ void*)s.GetPhyAddr());  // scalar
    pipe_barrier(PIPE_V);
    vsel((__ubuf__ float*)t.GetPhyAddr(), (__ubuf__ float*)t.GetPhyAddr(), (__ubuf__ uint8_t*)m.GetPhyAddr(), 1, 1, 1, 1, 8, 8,
         8, 1);
""" + TO_STORE + """    DataCopy(global, t, 64);
    pipe_barrier(PIPE_ALL);
}
"""
# The scalar unit sets a flag for each of 20 additions, and does not wait for the vector unit.
AHEAD = BEGIN + """    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto t = buffer.Get<float>();
    Fill(t, 0.0f, 1);
    for (int i = 0; i < 20; ++i) {
        set_flag(PIPE_S, PIPE_V, EVENT_ID0);
        FIRST
        pipe_barrier(PIPE_V);
        vadds((__ubuf__ float*)t.GetPhyAddr(), (__ubuf__ float*)t.GetPhyAddr(), 1.0f, 1, 1, 1, 8, 8);
    }
    SECOND
""" + TO_STORE + """    DataCopy(global, t, 64);
    pipe_barrier(PIPE_ALL);
}
"""
BARRIER = BEGIN + """    pipe_barrier(PIPE_V);  // barrier
}
"""
# One core cleans a line, which is no access of it; the other one stores there.
CLEANED = """using namespace AscendC;
__global__ __vector__ void kernel(__gm__ float* data) {
    __gm__ volatile float* word = data + 512;
    if (get_block_idx() == 0) {
        dcci((__gm__ void*)word, 0, 2);
    } else {
        for (volatile int i = 0; i < 20000; ++i) {}
        *word = 2.0f;
        dcci((__gm__ void*)word, 0, 2);
    }
}
"""


@unittest.skipUnless(any(shutil.which(f"clang++-{n}") for n in (19, 20, 21, 22)), "needs clang++ 19 or newer")
class BelowTiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        script = "import sys\nopen(sys.argv[2], 'w').write('#pragma once\\n')\n"
        for name, text in (("include/kernel_operator.h", LIBRARY), ("impl/basic_api/kernel_tpipe_impl.h", ""),
                           ("include/adv_api/softmax_tilingdata.h", ""),
                           ("impl/adv_api/cmake/scripts/gen_kernel_tiling_data_def.py", script)):
            file = self.path / "asc" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def findings(self, kernel, launch="kernel<<<1, nullptr, stream>>>(device);", arch="a2a3", **places):
        """The findings of a kernel with these words in their places, and the values that it leaves."""
        for place, text in places.items():
            kernel = kernel.replace(place, text)
        self.source = '#include "kernel_operator.h"\n' + kernel + HOST.replace("LAUNCH", launch)
        (self.path / "k.asc").write_text(self.source)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.path), "PTOSIM_CACHE": str(self.path / "cache"),
                       "PTOSIM_CHIP": CHIPS[arch], "PTOSIM_CHECK": "all", "PTOSIM_JSON": "result.json"}
        built = subprocess.run([OPTIONS.ptosim.resolve(), "build", "--ascendc", "asc", "--arch", arch, "k.asc", "-o", "app"], cwd=self.path,
                               capture_output=True, text=True, env=environment, check=False)
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = subprocess.run(["./app"], cwd=self.path, capture_output=True, text=True, check=False, env=environment)
        found = json.loads((self.path / "result.json").read_text())["diagnostics"]
        self.assertEqual(bool(found), ran.returncode != 0, ran.stderr)
        self.text = ran.stderr
        return found, [float(word) for word in ran.stdout.split()]

    def assert_found(self, found, code, line, *words):
        """One finding of this code at the line that contains a text, whose message has the words."""
        self.assertEqual([finding["code"] for finding in found], [code], self.text)
        self.assertEqual(found[0]["location"]["line"], self.line_of(line), self.text)
        for word in words:
            self.assertIn(word, self.text)

    def line_of(self, text):
        return self.source.split(text)[0].count("\n") + 1

    def test_a_store_of_the_library_by_scalar_code_is_seen(self):
        found, values = self.findings(LARGEST, REPEATS="8")
        self.assertEqual((found, values[:64]), ([], [2] * 64))

    def test_a_work_buffer_that_is_too_small(self):
        found, _ = self.findings(LARGEST, REPEATS="16")
        self.assertIn("A12", [finding["code"] for finding in found])
        self.assertIn("64 bytes", self.text)
        self.assertIn(f"k.asc:{self.line_of('pipe.InitBuffer(work')}", self.text)
        self.assertIn(f"k.asc:{self.line_of('Largest(t, a')}", self.text)

    def test_a_scalar_store_that_stays_in_the_cache(self):
        launch = "kernel<<<2, nullptr, stream>>>(device);"
        found, _ = self.findings(COUNT, launch, CLEAN="")
        self.assert_found(found, "E17", "DataCopy(t, global", f"k.asc:{self.line_of('// the count')}")
        found, values = self.findings(COUNT, launch, CLEAN="dcci((__gm__ void*)data, 0, 2);")
        self.assertEqual((found, values[64], values[80]), ([], 42, 42))

    def test_the_atomic_mode_of_an_earlier_kernel(self):
        change = "set_atomic_add(); set_atomic_f32()"
        found, values = self.findings(STATE, TWICE, LEFT=change, RESET="", INIT="", WHOLE="")
        self.assert_found(found, "E34", "// store", f"k.asc:{self.line_of('// left')}")
        self.assertEqual(values[0], 1 + 5 + 7)
        found, _ = self.findings(STATE, "first<<<1, nullptr, stream>>>(device);", LEFT=change, RESET="", INIT="", WHOLE="")
        self.assert_found(found, "E33", "// left", "left at add of f32")
        found, values = self.findings(STATE, TWICE, LEFT=change, RESET="set_atomic_none()", INIT="", WHOLE="")
        self.assertEqual((found, values[0]), ([], 7))
        found, values = self.findings(STATE, TWICE, LEFT=change, RESET="", INIT="InitSocState()", WHOLE="")
        self.assertEqual((found, values[0]), ([], 7))

    def test_the_mask_of_an_earlier_kernel(self):
        found, values = self.findings(STATE, TWICE, LEFT="set_vector_mask(0, 1)", RESET="", INIT="", WHOLE="")
        self.assertIn(("E34", self.line_of("// second")), [(f["code"], f["location"]["line"]) for f in found])
        self.assertEqual(values[:2], [7, 5])  # UB keeps the value of the first kernel in the other lanes
        found, values = self.findings(STATE, TWICE, LEFT="set_vector_mask(0, 1)", RESET="", INIT="",
                                      WHOLE="set_vector_mask(-1, -1)")
        self.assertEqual((found, values[:2]), ([], [7, 7]))

    def test_a_status_word_that_another_core_polls(self):
        launch = "kernel<<<2, nullptr, stream>>>(device);"
        found, values = self.findings(POLLING, launch, FIRST=DATA, SECOND=STATUS)
        self.assertEqual((found, values[1024:1088]), ([], [9] * 64), self.text)
        found, _ = self.findings(POLLING, launch, FIRST=STATUS, SECOND=DATA)
        self.assert_found(found, "G04", "// use" if found[0]["location"]["line"] != self.line_of("// data") else "// data")

    def test_a_use_on_the_line_of_the_poll(self):
        launch = "kernel<<<2, nullptr, stream>>>(device);"
        for status in (STATUS, STATUS.replace(";", "; " + AGAIN)):
            found, values = self.findings(AWAITING, launch, FIRST=DATA, SECOND=status)
            self.assertEqual((found, values[1024:1088]), ([], [9] * 64), self.text)
        found, _ = self.findings(AWAITING, launch, FIRST=STATUS, SECOND=DATA)
        self.assert_found(found, "G04", "// use" if found[0]["location"]["line"] != self.line_of("// data") else "// data")

    def test_offsets_of_a_gather_beyond_its_source(self):
        found, values = self.findings(GATHER, OFFSET="252")
        self.assertEqual((found, values[:64]), ([], [2] * 64), self.text)
        self.assert_found(self.findings(GATHER, OFFSET="256")[0], "A12", "// take", "64 offsets of vgather", "4 bytes after its end")

    def test_the_documented_work_buffer_of_a_sum(self):
        for count, arch in (("512", "a5"), ("1024", "a2a3")):
            self.assertEqual(self.findings(SUM, arch=arch, COUNT=count)[0], [], self.text)
        self.assert_found(self.findings(SUM, arch="a5", COUNT="1024")[0], "A12", "// sum", "32 bytes", "require 64")

    def test_a_length_in_elements(self):
        self.assertEqual(self.findings(LENGTH, COUNT="128")[0], [], self.text)
        found, _ = self.findings(LENGTH, COUNT="64")
        self.assert_found(found, "A12", "// filled", "256 bytes beyond the end")

    def test_a_rest_of_a_count_after_the_end_of_a_tensor(self):
        found, values = self.findings(ADDITIONS, COUNT="256")
        self.assertEqual((found, values[:256]), ([], [2] * 256), self.text)
        found, _ = self.findings(ADDITIONS, COUNT="300")
        self.assert_found(found, "A12", "// additions", "176 bytes beyond the end")

    def test_signals_of_a_library_that_reach_both_vector_cores(self):
        """Each vector core waits for its id. Signals that the kernel sends itself, or that no core waits for, are left."""
        answers = {"FIRST": "Answer(0);", "SECOND": "Answer(1);"}
        self.assertEqual(self.findings(ANSWERS, VECTORS="true", **answers)[0], [])
        found = self.findings(ANSWERS, VECTORS="get_subblockid() == 0", **answers)[0]
        self.assertEqual({(one["code"], one["location"]["line"]) for one in found}, {("C06", self.line_of("Answer(1)"))})
        own = {place: text.replace("Answer(", "ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | 256 * ")
               for place, text in answers.items()}
        self.assertEqual([one["code"] for one in self.findings(ANSWERS, VECTORS="true", **own)[0]], ["C06"] * 2)

    def test_buffers_of_queues(self):
        self.assertEqual(self.findings(QUEUES, COUNT="8", SIZE="256")[0], [])
        self.assert_found(self.findings(QUEUES, COUNT="9", SIZE="256")[0], "Q05", "pipe.InitBuffer(q", "8 event ids")
        self.assert_found(self.findings(QUEUES, COUNT="2", SIZE="110592")[0], "Q06", "pipe.InitBuffer(q", "221184")

    def test_a_copy_of_a_part_of_a_block(self):
        self.assertEqual(self.findings(COPY, COUNT="8")[0], [])
        for count, words in (("5", "copies 0 whole blocks"), ("20", "last 16 bytes are not copied")):
            self.assert_found(self.findings(COPY, COUNT=count)[0], "D03", "DataCopy(buffer", words, "DataCopyPad")

    def test_a_part_that_ends_within_a_block(self):
        launch = "kernel<<<2, nullptr, stream>>>(device);"
        self.assertEqual(self.findings(TAIL, launch, STEP="8")[0], [])
        self.assert_found(self.findings(TAIL, launch, STEP="5")[0], "G04", "DataCopy(mine", "store the tail with DataCopyPad")

    def test_instructions_of_one_call_of_a_library(self):
        found, values = self.findings(STEP)
        self.assertEqual((found, values[:128]), ([], [1] * 64 + [0] * 64), self.text)

    def test_a_lane_that_is_written_in_part(self):
        self.assertEqual(self.findings(LANES, STORED="1")[0], [], self.text)
        self.assert_found(self.findings(LANES, STORED="0")[0], "D01", "// lanes", "byte 32")

    def test_a_stale_mask_is_named(self):
        self.assertEqual(self.findings(MASK, RESET="set_vector_mask(-1, -1)")[0], [])
        found, _ = self.findings(MASK, RESET="")
        self.assert_found(found, "D01", "DataCopy(global, t", f"k.asc:{self.line_of('// mask')} has set has 8 active lanes",
                          f"k.asc:{self.line_of('// fill')}")

    def test_a_scalar_of_a_selection(self):
        found, values = self.findings(SCALAR_SELECT, LANES="1")
        self.assertEqual((found, values[:64]), ([], [5] * 64), self.text)
        self.assert_found(self.findings(SCALAR_SELECT, LANES="0")[0], "D01", "// scalar")

    def test_flags_of_the_scalar_unit_set_ahead(self):
        wait = "wait_flag(PIPE_S, PIPE_V, EVENT_ID0);"
        found, values = self.findings(AHEAD, FIRST=wait, SECOND="")
        self.assertEqual((found, values[:64]), ([], [20] * 64), self.text)
        found, _ = self.findings(AHEAD, FIRST="", SECOND="for (int i = 0; i < 20; ++i) " + wait)
        self.assertEqual({one["code"] for one in found}, {"E05", "E07"}, self.text)
        self.assertIn("a flag holds 15 sets", self.text)

    def test_a_clean_of_a_line_is_no_load(self):
        launch = "kernel<<<2, nullptr, stream>>>(device);"
        self.assertEqual(self.findings(CLEANED, launch)[0], [], self.text)

    def test_a_barrier_of_the_vector_pipe_of_an_a5(self):
        found, _ = self.findings(BARRIER, arch="a5")
        self.assert_found(found, "E09", "// barrier", "refuses")
        self.assertEqual(self.findings(BARRIER.replace("PIPE_V)", "PIPE_ALL)"), arch="a5")[0], [])
        self.assertEqual(self.findings(BARRIER)[0], [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
