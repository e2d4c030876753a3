// A program that simulates by itself: adds two vectors on a chip that it chooses, twice, and prints
// the time. Arguments: the kernel's file (tests/kernels/vadd_f32.pto), and the path of its result
// JSON.
//
//   c++ -std=c++17 vadd.cpp $(pkg-config --cflags --libs ptosim) -o vadd
#include <cstdio>
#include <fstream>
#include <ptosim/ptosim.hpp>
#include <vector>

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    try {
        ptosim::Chip chip("ascend910b1");
        chip.set("aiv.ub.bytes", "128KiB");
        ptosim::Options options;
        options.check = "all";
        ptosim::Device device(chip, options);
        const ptosim::Kernel kernel = device.load(argv[1]);

        constexpr int kRows = 1024;
        std::vector<float> x(kRows * 256), y(x.size());
        for (size_t i = 0; i < x.size(); ++i) {
            x[i] = static_cast<float>(i % 1000);
            y[i] = 0.5f;
        }
        const ptosim::Array a = device.put(x), b = device.put(y);
        const ptosim::Array sum = device.allocate(x.size() * sizeof(float));
        device.launch(kernel, {a, b, sum, kRows}, 8);
        const ptosim::Launch last = device.launch(kernel, {sum, b, sum, kRows}, 8);
        for (const ptosim::Finding& finding : last.findings) std::puts(finding.text.c_str());

        const std::vector<float> found = device.get<float>(sum);
        size_t wrong = 0;
        for (size_t i = 0; i < x.size(); ++i) wrong += found[i] != x[i] + 1;

        const ptosim::Result result = device.finish();
        std::printf("%s: %zu launches, %llu cycles, %zu findings, %zu wrong\n", result.chip.c_str(),
                    result.launches.size(), static_cast<unsigned long long>(result.cycles),
                    result.findings.size(), wrong);
        std::ofstream(argv[2]) << result.json;
        return wrong == 0 ? result.exit_code : 1;
    } catch (const ptosim::Error& error) {
        for (const ptosim::Finding& finding : error.findings())
            std::fputs(finding.text.c_str(), stderr);
        return 2;
    }
}
