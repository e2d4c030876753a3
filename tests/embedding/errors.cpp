// Errors of a program that embeds the simulator: each case prints the code of the error or finding
// that it gets. Argument: the kernel's file (tests/kernels/vadd_f32.pto).
#include <cstdio>
#include <ptosim/ptosim.hpp>
#include <string>
#include <vector>

namespace {

// No flags, no block index, and a message that is not UTF-8.
const char kScale[] = R"(module {
  func.func @twice(%x: !pto.ptr<f32>, %f: f32) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %v = pto.make_tensor_view %x, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<1x64xf32>
    %p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c1, %c64] : !pto.tensor_view<1x64xf32> -> !pto.partition_tensor_view<1x64xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
    pto.tload ins(%p : !pto.partition_tensor_view<1x64xf32>) outs(%t : !pto.tile_buf<vec, 1x64xf32>)
    pto.tmuls ins(%t, %f : !pto.tile_buf<vec, 1x64xf32>, f32) outs(%t : !pto.tile_buf<vec, 1x64xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x64xf32>) outs(%p : !pto.partition_tensor_view<1x64xf32>)
    return
  }
}
)";

template <class F>
void expect(const char* what, F&& function) {
    try {
        function();
        std::printf("%s: nothing\n", what);
    } catch (const ptosim::Error& error) {
        std::printf("%s: %s\n", what, error.findings().front().code.c_str());
    }
}

}  // namespace

int main(int, char** argv) {
    expect("chip", [] { ptosim::Chip("ascend1"); });
    expect("parameter", [] { ptosim::Chip().set("aiv.ub.size", "1"); });
    expect("mode", [] {
        ptosim::Options options;
        options.mode = "fast";
        ptosim::Device device(ptosim::Chip(), options);
    });
    expect("check", [] {
        ptosim::Options options;
        options.check = "luck";
        ptosim::Device device(ptosim::Chip(), options);
    });
    ptosim::Device device;
    expect("second", [] { ptosim::Device another; });
    expect("file", [&] { device.load("nothing.pto"); });
    expect("text", [&] { device.load_text("module {"); });
    const ptosim::Kernel add = device.load(argv[1]);
    const ptosim::Array array = device.put(std::vector<float>(64, 1.5f));
    expect("count", [&] { device.launch(add, {array}); });
    expect("number", [&] { device.launch(add, {array, array, 7, 32}); });
    expect("array", [&] { device.launch(add, {array, array, array, array}); });
    expect("wide", [&] { device.launch(add, {array, array, array, int64_t{1} << 40}); });
    expect("real", [&] { device.launch(add, {array, array, array, 1.5}); });
    expect("overrun", [&] { device.write(array, "", 1, 256); });
    expect("empty", [&] { device.allocate(0); });

    ptosim::KernelOptions named;
    named.name =
        "tw\xff"
        "ice.pto";
    const ptosim::Kernel twice = device.load_text(kScale, named);
    const ptosim::Launch launch = device.launch(twice, {array, 2});
    std::printf("%u block, %g\n", launch.blocks,
                static_cast<double>(device.get<float>(array).front()));
    const ptosim::Launch beyond = device.launch(twice, {nullptr, 2});
    std::printf("beyond: %s, finished %d\n",
                beyond.findings.empty() ? "nothing" : beyond.findings.front().code.c_str(),
                beyond.finished);
    expect("again", [&] { device.launch(twice, {array, 2}); });
    device.release(array);
    expect("released", [&] { device.read(array, nullptr, 0); });
    const ptosim::Result result = device.finish();
    std::printf("exit code %d, JSON %d\n%s", result.exit_code,
                result.json.find("\xEF\xBF\xBD") != std::string::npos,
                result.summary.substr(0, result.summary.find("chip ")).c_str());
    expect("finished", [&] { device.allocate(1); });
}
