// PyTorch's device `npu` on the simulator: tensors whose data lies in simulated device memory. Operators not
// implemented here run in PyTorch on the CPU, with copies there and back. Compiled on the user's machine with the
// installed PyTorch (_build.py).
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/InferSize.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <acl/acl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>
#include <torch_npu/csrc/core/npu/NPUStorageImpl.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

extern "C" aclError ptosim_free_later(void* pointer);
extern "C" aclError ptosim_free_delayed();
extern "C" int ptosim_select_device(int number);

namespace {

constexpr c10::DeviceType kNpu = c10::DeviceType::PrivateUse1;
// Without PTOSIM_SYSTEM all indices denote the one simulated device, because programs also name npu:1 or npu:7.
constexpr c10::DeviceIndex kDevices = 16;

thread_local int current_device = 0;
void set_current_device(int index) {
    if (index < 0 || index == current_device) return;
    ptosim_select_device(index);
    current_device = index;
}
// Of the current device.
void*& current_stream() {
    static const bool several = ptosim_select_device(current_device) > 1;
    static std::array<void*, kDevices> streams{};
    return streams.at(several ? static_cast<size_t>(current_device) : 0);
}

void check(aclError error, const char* what) {
    if (error == ACL_SUCCESS) return;
    const char* message = aclGetRecentErrMsg();
    TORCH_CHECK(false, what, " failed (", error, ")", message != nullptr ? ": " : "",
                message != nullptr ? message : "");
}

// ---- the device

struct Guard final : c10::impl::NoOpDeviceGuardImpl<kNpu> {
    static c10::Device at(int index) { return {kNpu, static_cast<c10::DeviceIndex>(index)}; }
    c10::Device exchangeDevice(c10::Device device) const override {
        const c10::Device was = at(current_device);
        uncheckedSetDevice(device);
        return was;
    }
    c10::Device getDevice() const override { return at(current_device); }
    void setDevice(c10::Device device) const override { uncheckedSetDevice(device); }
    void uncheckedSetDevice(c10::Device device) const noexcept override {
        set_current_device(device.index());
    }
    c10::Stream getStream(c10::Device device) const noexcept override {
        return c10::Stream(c10::Stream::DEFAULT,
                           at(device.index() < 0 ? current_device : device.index()));
    }
    c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

// Memory whose elements are in the format FRACTAL_NZ, by its begin: boxes of 16 rows and 32 bytes, a column of boxes after
// the other. Shapes and strides of its tensors are those of ND.
struct Blocked {
    int format;
    std::vector<int64_t> sizes;
};
std::mutex blocked_mutex;
std::map<const void*, Blocked> blocked;
std::optional<Blocked> blocked_at(const void* memory) {
    const std::lock_guard lock(blocked_mutex);
    const auto found = blocked.find(memory);
    return found == blocked.end() ? std::nullopt : std::optional<Blocked>(found->second);
}
const void* memory_of(const at::Tensor& tensor) { return tensor.storage().data(); }

// Memory of tensors that are made while a graph is captured: the graph's kernels use it whenever the graph is replayed, so
// it stays until the graph releases it. Pools have numbers; 0: none.
struct Pools {
    std::mutex mutex;
    int last = 0, current = 0;
    std::map<const void*, int> owner;
    std::map<int, std::vector<void*>> kept;  // freed by its tensor
};
Pools& pools() {
    static Pools& all = *new Pools;  // tensors outlive static objects
    return all;
}
// Returns true if a pool keeps the memory.
bool kept_by_pool(void* pointer) {
    const std::lock_guard lock(pools().mutex);
    const auto found = pools().owner.find(pointer);
    if (found == pools().owner.end()) return false;
    pools().kept[found->second].push_back(pointer);
    return true;
}

// torch_npu keeps the memory for later tensors, so programs launch kernels with the workspace that they have just freed
// (CANN's PyPTO does). It is freed when the next tensor is made.
void free_memory(void* pointer) {
    if (pointer == nullptr || kept_by_pool(pointer)) return;
    ptosim_free_later(pointer);
    const std::lock_guard lock(blocked_mutex);
    blocked.erase(pointer);
}

struct Memory final : c10::Allocator {
    c10::DataPtr allocate(size_t bytes) override {
        void* pointer = nullptr;
        check(ptosim_free_delayed(), "freeing tensors");
        if (bytes > 0)
            check(aclrtMalloc(&pointer, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "allocating a tensor");
        const std::lock_guard lock(pools().mutex);
        if (pools().current != 0 && pointer != nullptr) pools().owner[pointer] = pools().current;
        return {pointer, pointer, &free_memory, Guard::at(current_device)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &free_memory; }
    void copy_data(void* to, const void* from, size_t bytes) const override {
        if (bytes > 0)
            check(aclrtMemcpy(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE), "a copy");
    }
};
Memory memory;
REGISTER_ALLOCATOR(kNpu, &memory);

c10::intrusive_ptr<c10::StorageImpl> make_storage(c10::StorageImpl::use_byte_size_t unit,
                                                  c10::SymInt bytes, c10::DataPtr data,
                                                  c10::Allocator* allocator, bool resizable) {
    if (data == nullptr && allocator != nullptr) data = allocator->allocate(bytes.expect_int());
    return c10::make_intrusive<torch_npu::NPUStorageImpl>(unit, std::move(bytes), std::move(data),
                                                          allocator, resizable);
}

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
        return at::detail::getDefaultCPUGenerator();  // random numbers are made on the CPU
    }
    at::Device getDeviceFromPtr(void*) const override { return Guard::at(current_device); }
    void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
        c10::StorageImpl* const impl = storage.unsafeGetStorageImpl();
        c10::DataPtr data = memory.allocate(bytes);
        const size_t kept = std::min(bytes, storage.nbytes());
        memory.copy_data(data.get(), storage.data(), kept);
        impl->set_data_ptr_noswap(std::move(data));
        impl->set_nbytes(bytes);
    }
};

// ---- tensors

c10::Device device_of(std::optional<c10::Device> device) {
    return Guard::at(device && device->has_index() ? device->index() : current_device);
}

constexpr c10::DispatchKeySet kKeys{c10::DispatchKey::PrivateUse1};

// A tensor with a storage of make_storage, which PyTorch's own functions for new tensors do not
// use. `stride`: none if `format` says it.
at::Tensor made(at::IntArrayRef size, std::optional<at::IntArrayRef> stride, at::ScalarType type,
                std::optional<at::MemoryFormat> format) {
    const caffe2::TypeMeta meta = c10::scalarTypeToTypeMeta(type);
    at::detail::check_size_nonnegative(size);
    const size_t bytes = stride ? at::detail::computeStorageNbytes(size, *stride, meta.itemsize())
                                : at::detail::computeStorageNbytesContiguous(size, meta.itemsize());
    at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
        c10::Storage(make_storage({}, c10::SymInt(static_cast<int64_t>(bytes)), c10::DataPtr(),
                                  &memory, true)),
        kKeys, meta);
    if (stride)
        tensor.unsafeGetTensorImpl()->set_sizes_and_strides(size, *stride);
    else if (size.size() != 1 || size[0] != 0)
        tensor.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    if (format && *format != at::MemoryFormat::Contiguous)
        tensor.unsafeGetTensorImpl()->empty_tensor_restride(*format);
    return tensor;
}

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
    const c10::DeviceGuard guard(device_of(device));
    return made(size, {}, c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
                         std::optional<at::ScalarType> type, std::optional<at::Layout>,
                         std::optional<at::Device> device, std::optional<bool>) {
    const c10::DeviceGuard guard(device_of(device));
    return made(size, stride, c10::dtype_or_default(type), {});
}

// Contiguous, whatever the strides of `self` are: torch_npu 2.10 drops them, and operators that pass its memory to a
// kernel rely on that (huawei-csl/pto-kernels, tests/test_tri_inv_col_sweep.py).
at::Tensor empty_like(const at::Tensor& self, std::optional<at::ScalarType> type,
                      std::optional<at::Layout>, std::optional<at::Device> device,
                      std::optional<bool> pinned, std::optional<at::MemoryFormat> format) {
    const at::Device where = device.value_or(self.device());
    const at::TensorOptions options =
        self.options().dtype(type.value_or(self.scalar_type())).device(where);
    if (format && *format != at::MemoryFormat::Preserve)
        return at::empty(self.sizes(), options.pinned_memory(pinned), *format);
    if (where.is_cpu())
        return at::empty_strided(self.sizes(),
                                 at::infer_dense_strides(self.sizes(), self.strides()),
                                 options.pinned_memory(pinned));
    return at::empty(self.sizes(), options, at::MemoryFormat::Contiguous);
}

// Bytes from the first element of a tensor to the end of its last.
size_t span_of(const at::Tensor& tensor) {
    if (tensor.numel() == 0) return 0;
    int64_t last = 0;
    for (int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
    return static_cast<size_t>(last + 1) * tensor.element_size();
}

// ---- the time of operators

// Bytes moved by operators: their operands from memory, and their results to memory. Other parts of their time on a
// device are unknown.
double operator_bytes = 0;

// Bytes of a tensor of the device in memory, counted once if strides repeat them.
double bytes_of(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_privateuseone()) return 0;
    return static_cast<double>(std::min(span_of(tensor), tensor.nbytes()));
}

double bytes_of(const c10::IValue& value) {
    if (value.isTensor()) return bytes_of(value.toTensor());
    if (!value.isList()) return 0;
    double bytes = 0;
    for (const c10::IValue& item : value.toListRef()) bytes += bytes_of(item);
    return bytes;
}

double bytes_of_last(const torch::jit::Stack& stack, size_t count) {
    double bytes = 0;
    for (size_t i = stack.size() - std::min(count, stack.size()); i < stack.size(); ++i)
        bytes += bytes_of(stack[i]);
    return bytes;
}

// A tensor in FRACTAL_NZ, or a view of one, in ND on the CPU.
at::Tensor from_blocks(const at::Tensor& tensor, const Blocked& from) {
    constexpr int64_t kRows = 16, kBytes = 32;
    at::Tensor raw = at::empty(from.sizes, tensor.options().device(c10::kCPU).pinned_memory(false));
    check(aclrtMemcpy(raw.data_ptr(), raw.nbytes(), memory_of(tensor), raw.nbytes(), ACL_MEMCPY_DEVICE_TO_HOST),
          "a copy from the device");
    const int64_t rows = from.sizes.end()[-2], cols = from.sizes.back(), width = kBytes / tensor.element_size();
    const at::Tensor whole = raw.view({-1, cols / width, rows / kRows, kRows, width})
                                 .permute({0, 2, 3, 1, 4})
                                 .reshape(from.sizes);
    return at::as_strided(whole, tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

// A tensor with the same strides on the CPU, including gaps.
at::Tensor on_host(const at::Tensor& tensor) {
    if (!tensor.is_privateuseone()) return tensor;
    if (const std::optional<Blocked> from = blocked_at(memory_of(tensor))) return from_blocks(tensor, *from);
    at::Tensor made = at::empty_strided(tensor.sizes(), tensor.strides(),
                                        tensor.options().device(c10::kCPU).pinned_memory(false));
    if (const size_t bytes = span_of(tensor); bytes > 0)
        check(aclrtMemcpy(made.data_ptr(), bytes, tensor.data_ptr(), bytes,
                          ACL_MEMCPY_DEVICE_TO_HOST),
              "a copy from the device");
    if (tensor.is_conj()) made._set_conj(true);
    if (tensor.is_neg()) made._set_neg(true);
    return made;
}

void to_device(const at::Tensor& to, const at::Tensor& host) {
    TORCH_CHECK(!blocked_at(memory_of(to)), "a write to a tensor in FRACTAL_NZ: torch_npu.npu_format_cast makes it ND");
    if (const size_t bytes = span_of(to); bytes > 0)
        check(aclrtMemcpy(to.data_ptr(), bytes, host.data_ptr(), bytes, ACL_MEMCPY_HOST_TO_DEVICE),
              "a copy to the device");
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
    if (to.numel() == 0) return to;
    // Copies from and to the host use its bus and do not count towards the device's time.
    if (from.is_privateuseone() && to.is_privateuseone())
        operator_bytes += bytes_of(from) + bytes_of(to);
    const bool plain = from.sizes() == to.sizes() && from.dtype() == to.dtype() &&
                       from.is_contiguous() && to.is_contiguous() && !from.is_neg() &&
                       !from.is_conj() && !to.is_neg() && !to.is_conj() &&
                       !(from.is_privateuseone() && blocked_at(memory_of(from))) &&
                       !(to.is_privateuseone() && blocked_at(memory_of(to)));
    if (plain) {
        const size_t bytes = to.nbytes();
        check(aclrtMemcpy(to.data_ptr(), bytes, from.data_ptr(), bytes, ACL_MEMCPY_DEFAULT),
              "a copy");
        return to;
    }
    if (!to.is_privateuseone()) {
        const_cast<at::Tensor&>(to).copy_(on_host(from));
        return to;
    }
    // Bytes between the elements of `to` are preserved.
    at::Tensor host =
        to.is_non_overlapping_and_dense()
            ? at::empty_strided(to.sizes(), to.strides(), to.options().device(c10::kCPU))
            : on_host(to);
    host.copy_(on_host(from));
    to_device(to, host);
    return to;
}

at::Tensor resize_bytes(const at::Tensor& tensor, at::IntArrayRef size) {
    int64_t elements = tensor.storage_offset();
    int64_t count = 1;
    for (const int64_t extent : size) count *= extent;
    elements += count;
    const size_t bytes = static_cast<size_t>(elements) * tensor.element_size();
    if (bytes > tensor.storage().nbytes()) Hooks().resizePrivateUse1Bytes(tensor.storage(), bytes);
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    return tensor;
}

const at::Tensor& resize(const at::Tensor& self, at::IntArrayRef size,
                         std::optional<at::MemoryFormat> format) {
    if (self.sizes() != size) resize_bytes(self, size);
    if (format && *format != at::MemoryFormat::Contiguous)
        self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
    return self;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
    if (from.sizes() != to.sizes()) resize_bytes(to, from.sizes());
    return copy_from(from, to, false);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
    return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

at::Tensor as_strided(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                      std::optional<c10::SymInt> offset) {
    return at::native::as_strided_tensorimpl(
        self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
        offset ? std::optional<int64_t>(offset->expect_int()) : std::nullopt);
}

at::Tensor reshape_alias(const at::Tensor& self, c10::SymIntArrayRef size,
                         c10::SymIntArrayRef stride) {
    return as_strided(self, size, stride, self.sym_storage_offset());
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source) {
    const int64_t count = static_cast<int64_t>(source.nbytes()) / self.element_size();
    self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
    self.unsafeGetTensorImpl()->set_storage_offset(0);
    self.unsafeGetTensorImpl()->set_sizes_contiguous({count});
    return self;
}

at::Tensor& set_storage_view(at::Tensor& self, at::Storage source, int64_t offset,
                             at::IntArrayRef size, at::IntArrayRef stride) {
    self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
    if (stride.empty() && !size.empty())
        self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    else
        self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
    self.unsafeGetTensorImpl()->set_storage_offset(offset);
    return self;
}

at::Tensor& zero(at::Tensor& self) {
    if (self.numel() == 0) return self;
    operator_bytes += bytes_of(self);
    if (!self.is_non_overlapping_and_dense()) {
        at::Tensor host = on_host(self);
        to_device(self, host.zero_());
        return self;
    }
    check(aclrtMemsetAsync(self.data_ptr(), self.nbytes(), 0, self.nbytes(), current_stream()),
          "a fill");
    return self;
}

// Computed in f32 and rounded for 16-bit floats: the CPU computes f32 by vectors, and 16-bit floats one at a time.
at::Tensor& normal(at::Tensor& self, double mean, double deviation,
                   std::optional<at::Generator> generator) {
    const bool narrow = self.scalar_type() == at::kHalf || self.scalar_type() == at::kBFloat16;
    const double before = operator_bytes;  // copies made here belong to the CPU
    at::Tensor host = at::empty(
        self.sizes(), at::device(at::kCPU).dtype(narrow ? at::kFloat : self.scalar_type()));
    host.normal_(mean, deviation, std::move(generator));
    self.copy_(host);
    operator_bytes = before + bytes_of(self);
    return self;
}

// Integers, for which the CPU has no such operator, are numbers of f32 without their fractions.
at::Tensor& uniform(at::Tensor& self, double from, double to, std::optional<at::Generator> generator) {
    const double before = operator_bytes;  // copies made here belong to the CPU
    at::Tensor host = at::empty(self.sizes(), at::device(at::kCPU).dtype(self.is_floating_point() ? self.scalar_type() : at::kFloat));
    host.uniform_(from, to, std::move(generator));
    self.copy_(host);
    operator_bytes = before + bytes_of(self);
    return self;
}

void on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const auto& arguments = op.schema().arguments();
    double read = bytes_of_last(*stack, arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i)  // outputs count as results
        if (arguments[i].is_out()) read -= bytes_of((*stack)[stack->size() - arguments.size() + i]);
    const double before = operator_bytes;  // its copies belong to the CPU
    at::native::cpu_fallback(op, stack);
    operator_bytes = before + read + bytes_of_last(*stack, op.schema().returns().size());
}

// In descending order (ascending without `largest`) also without `sorted`: tests of cann/pypto compare kernels that sort
// with it (glm_select_experts of its models). Of equal numbers the one with the lower index is first.
std::tuple<at::Tensor, at::Tensor> topk(const at::Tensor& self, c10::SymInt k, int64_t dim, bool largest, bool) {
    const double before = operator_bytes;  // copies made here belong to the CPU
    const auto [values, indices] = at::sort(on_host(self), /*stable=*/true, dim, largest);
    const int64_t count = k.expect_int();
    std::tuple<at::Tensor, at::Tensor> made{values.narrow(dim, 0, count).contiguous().to(self.device()),
                                            indices.narrow(dim, 0, count).contiguous().to(self.device())};
    operator_bytes = before + bytes_of(self) + bytes_of(std::get<0>(made)) + bytes_of(std::get<1>(made));
    return made;
}

// ---- products: 16-bit floats are multiplied in f32 and rounded once, as the cube does; the CPU's own 16-bit products
// take ten times as long

at::Tensor wide(const at::Tensor& tensor) {
    const at::Tensor host = on_host(tensor);
    const bool narrow = host.scalar_type() == at::kHalf || host.scalar_type() == at::kBFloat16;
    return narrow ? host.to(at::kFloat) : host;
}

// `compute` gets the operands on the CPU, widened. Its result goes to `out`, or to a new tensor with the first
// operand's type and device.
template <typename F>
at::Tensor product(std::initializer_list<at::Tensor> operands, at::Tensor* out, F compute) {
    const at::Tensor& first = *operands.begin();
    std::vector<at::Tensor> host;
    double bytes = operator_bytes;  // copies made here belong to the CPU
    for (const at::Tensor& operand : operands) {
        TORCH_CHECK(operand.scalar_type() == first.scalar_type(), "a product of ",
                    first.scalar_type(), " and ", operand.scalar_type());
        host.push_back(wide(operand));
        bytes += bytes_of(operand);
    }
    const at::Tensor made = compute(host).to(first.scalar_type());
    at::Tensor result;
    if (out != nullptr) {
        if (out->sizes() != made.sizes()) resize_bytes(*out, made.sizes());
        out->copy_(made);
        result = *out;
    } else {
        result = made.to(first.device());
    }
    operator_bytes = bytes + bytes_of(result);
    return result;
}

using Host = std::vector<at::Tensor>;

at::Tensor mm_to(const at::Tensor& a, const at::Tensor& b, at::Tensor* out) {
    return product({a, b}, out, [](const Host& t) { return at::mm(t[0], t[1]); });
}
at::Tensor mm(const at::Tensor& a, const at::Tensor& b) { return mm_to(a, b, nullptr); }
at::Tensor& mm_out(const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
    return mm_to(a, b, &out), out;
}

at::Tensor bmm_to(const at::Tensor& a, const at::Tensor& b, at::Tensor* out) {
    return product({a, b}, out, [](const Host& t) { return at::bmm(t[0], t[1]); });
}
at::Tensor bmm(const at::Tensor& a, const at::Tensor& b) { return bmm_to(a, b, nullptr); }
at::Tensor& bmm_out(const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
    return bmm_to(a, b, &out), out;
}

at::Tensor addmm_to(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b,
                    const at::Scalar& beta, const at::Scalar& alpha, at::Tensor* out) {
    return product({self, a, b}, out,
                   [&](const Host& t) { return at::addmm(t[0], t[1], t[2], beta, alpha); });
}
at::Tensor addmm(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b,
                 const at::Scalar& beta, const at::Scalar& alpha) {
    return addmm_to(self, a, b, beta, alpha, nullptr);
}
at::Tensor& addmm_out(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b,
                      const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
    return addmm_to(self, a, b, beta, alpha, &out), out;
}

at::Tensor baddbmm_to(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b,
                      const at::Scalar& beta, const at::Scalar& alpha, at::Tensor* out) {
    return product({self, a, b}, out,
                   [&](const Host& t) { return at::baddbmm(t[0], t[1], t[2], beta, alpha); });
}
at::Tensor baddbmm(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b,
                   const at::Scalar& beta, const at::Scalar& alpha) {
    return baddbmm_to(self, a, b, beta, alpha, nullptr);
}
at::Tensor& baddbmm_out(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b,
                        const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
    return baddbmm_to(self, a, b, beta, alpha, &out), out;
}

// PyTorch has no fallback for it.
at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight,
                       const std::optional<at::Tensor>& bias, c10::SymIntArrayRef stride,
                       c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation, bool transposed,
                       c10::SymIntArrayRef output_padding, c10::SymInt groups) {
    const auto convolved = [&](const Host& t) {
        return at::convolution(t[0], t[1], t.size() > 2 ? t[2] : at::Tensor(),
                               C10_AS_INTARRAYREF_SLOW(stride), C10_AS_INTARRAYREF_SLOW(padding),
                               C10_AS_INTARRAYREF_SLOW(dilation), transposed,
                               C10_AS_INTARRAYREF_SLOW(output_padding), groups.expect_int());
    };
    if (!bias || !bias->defined()) return product({input, weight}, nullptr, convolved);
    return product({input, weight, *bias}, nullptr, convolved);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&on_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
    m.impl("empty.memory_format", &empty);
    m.impl("empty_strided", &empty_strided);
    m.impl("empty_like", &empty_like);
    m.impl("_copy_from", &copy_from);
    m.impl("_copy_from_and_resize", &copy_from_and_resize);
    m.impl("resize_", &resize);
    m.impl("view", &view);
    m.impl("as_strided", &as_strided);
    m.impl("_reshape_alias", &reshape_alias);
    m.impl("unfold", &at::native::unfold);
    m.impl("set_.source_Storage", &set_storage);
    m.impl("set_.source_Storage_storage_offset", &set_storage_view);
    m.impl("zero_", &zero);
    m.impl("normal_", &normal);
    m.impl("uniform_", &uniform);
    m.impl("topk", &topk);
    m.impl("convolution_overrideable", &convolution);
    m.impl("mm", &mm);
    m.impl("mm.out", &mm_out);
    m.impl("bmm", &bmm);
    m.impl("bmm.out", &bmm_out);
    m.impl("addmm", &addmm);
    m.impl("addmm.out", &addmm_out);
    m.impl("baddbmm", &baddbmm);
    m.impl("baddbmm.out", &baddbmm_out);
}

extern "C" {

void ptosim_torch_start() {
    static Hooks hooks;
    if (!at::isPrivateUse1HooksRegistered()) at::RegisterPrivateUse1HooksInterface(&hooks);
    c10::SetStorageImplCreate(kNpu, &make_storage);
}
int ptosim_torch_format(const void* memory) {
    constexpr int kNd = 2;
    const std::optional<Blocked> found = blocked_at(memory);
    return found ? found->format : kNd;
}
// `boxes`: the extents of the memory in its format.
void ptosim_torch_set_format(c10::StorageImpl* storage, int format, const int64_t* sizes,
                             int dimensions, const int64_t* boxes, int box_dimensions) {
    torch_npu::NPUStorageDesc& seen = static_cast<torch_npu::NPUStorageImpl*>(storage)->npu_desc_;
    seen.npu_format_ = static_cast<aclFormat>(format);
    seen.base_sizes_.assign(sizes, sizes + dimensions);
    seen.storage_sizes_.assign(boxes, boxes + box_dimensions);
    const std::lock_guard lock(blocked_mutex);
    blocked[storage->data()] = {format, {sizes, sizes + dimensions}};
}
int ptosim_torch_device() { return current_device; }
void ptosim_torch_set_device(int index) { set_current_device(index); }
int ptosim_torch_device_count() { return ptosim_select_device(current_device); }
double ptosim_torch_operator_bytes() { return operator_bytes; }
void ptosim_torch_set_operator_bytes(double bytes) { operator_bytes = bytes; }
// Tensors that are made from now on belong to a new pool, whose number is returned.
int ptosim_torch_begin_pool() {
    const std::lock_guard lock(pools().mutex);
    return pools().current = ++pools().last;
}
void ptosim_torch_end_pool() {
    const std::lock_guard lock(pools().mutex);
    pools().current = 0;
}
void ptosim_torch_release_pool(int pool) {
    std::vector<void*> freed;
    {
        const std::lock_guard lock(pools().mutex);
        freed.swap(pools().kept[pool]);
        pools().kept.erase(pool);
        std::erase_if(pools().owner, [&](const auto& entry) { return entry.second == pool; });
    }
    for (void* const pointer : freed) free_memory(pointer);
}
void* ptosim_torch_stream() { return current_stream(); }
void ptosim_torch_set_stream(void* stream) { current_stream() = stream; }
}
