// A kernel on the CPU simulator of a pto-isa checkout, compiled by peers.py with that checkout's
// headers: KERNEL_FILE is its source, KERNEL its function. Arguments: the blocks, and for each
// parameter in=FILE, out=FILE=BYTES or a number. Prints seconds of the launch: elapsed, processor.
#include KERNEL_FILE

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

template <class T>
struct Argument {
    explicit Argument(const char* text) : value(std::atoi(text)) {}
    T get() { return value; }
    T value;
};

template <class T>
struct Argument<T*> {
    explicit Argument(const std::string& text) {
        const size_t end = text.find('=', text.find('=') + 1);
        const std::string file = text.substr(text.find('=') + 1, end - text.find('=') - 1);
        if (text.starts_with("in=")) {
            bytes.resize(std::filesystem::file_size(file));
            std::ifstream(file, std::ios::binary)
                .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        } else {
            bytes.resize(std::stoul(text.substr(end + 1)));
            output = file;
        }
    }
    ~Argument() {
        if (!output.empty())
            std::ofstream(output, std::ios::binary)
                .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    T* get() { return reinterpret_cast<T*>(bytes.data()); }
    std::vector<char> bytes;
    std::string output;
};

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class... Types, size_t... Index>
void run(void (*kernel)(Types...), char** words, std::index_sequence<Index...>) {
    std::tuple<Argument<Types>...> arguments(words[2 + Index]...);
    setenv("PTO_CPU_SIM_NUM_CORES", words[1], 1);
    pto::cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = static_cast<uint32_t>(std::atoi(words[1]));
    const auto begin = std::chrono::steady_clock::now();
    const double used = processor_seconds();
    pto::cpu_sim::LaunchKernelMultiCore(options, nullptr,
                                        [&] { kernel(std::get<Index>(arguments).get()...); });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    std::printf("%.6f %.6f\n", elapsed.count(), processor_seconds() - used);
}

template <class... Types>
bool run(void (*kernel)(Types...), int count, char** words) {
    if (count != 2 + static_cast<int>(sizeof...(Types))) return false;
    run(kernel, words, std::index_sequence_for<Types...>());
    return true;
}

}  // namespace

int main(int count, char** words) { return run(KERNEL, count, words) ? 0 : 2; }
