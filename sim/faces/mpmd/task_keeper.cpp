#include "sim/faces/mpmd/task_keeper.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "isa/core/arch.h"
#include "isa/numeric/round_up.h"
#include "sim/faces/mpmd/kernel_sites.h"
#include "sim/files/files.h"
#include "sim/files/json.h"

namespace ptosim::mpmd {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRedZone = 64 * 1024;  // of GlobalMemory
constexpr uint64_t kHostPage = 4096;
constexpr uint64_t kHostLine = 64;
constexpr uint64_t kArgumentBytes = 512;  // that are kept of the words of a task
constexpr uint64_t kPointedBytes = 256;   // and of host memory at one of their pointers
constexpr size_t kMostBlocks = 256;

class OpenFile {
 public:
    explicit OpenFile(const char* path) : number_{open(path, O_RDONLY | O_CLOEXEC)} {}
    ~OpenFile() {
        if (number_ >= 0) close(number_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    bool read(uint64_t offset, void* to, size_t size) const {
        return number_ >= 0 && pread(number_, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
    }

 private:
    int number_;
};

// Pages that may hold other bytes than zeros. Pages that have never been touched stay untouched.
class TouchedPages {
 public:
    bool operator()(uint64_t page) const {
        uint64_t entry = 0;
        if (!map_.read(page / kHostPage * sizeof entry, &entry, sizeof entry)) return true;
        constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62;
        return (entry & (kPresent | kSwapped)) != 0;
    }

 private:
    OpenFile map_{"/proc/self/pagemap"};
};

bool is_zero(const std::byte* bytes, uint64_t size) {
    return size == 0 || (bytes[0] == std::byte{} && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

uint64_t word_at(const std::string& bytes, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

// "FLOAT32" of the runtime's records; bytes for a type that has no other name here.
DType dtype_of_record(std::string_view type, std::vector<int64_t>& shape, uint64_t bytes) {
    constexpr std::pair<std::string_view, DType> kTypes[] = {
        {"FLOAT32", DType::kF32}, {"FLOAT16", DType::kF16}, {"BFLOAT16", DType::kBF16}, {"INT64", DType::kI64}, {"INT32", DType::kI32},
        {"INT16", DType::kI16},   {"INT8", DType::kI8},     {"UINT64", DType::kU64},    {"UINT32", DType::kU32}, {"UINT16", DType::kU16},
        {"UINT8", DType::kU8},    {"BOOL", DType::kU8}};
    for (const auto& [name, dtype] : kTypes)
        if (name == type) return dtype;
    shape = {static_cast<int64_t>(bytes)};
    return DType::kU8;
}

}  // namespace

std::unique_ptr<TaskKeeper> TaskKeeper::from_environment(Session& session) {
    const char* const wish = std::getenv("PTOSIM_KEEP_TASK");
    if (wish == nullptr || *wish == 0) return nullptr;
    TaskWish parsed = parse_task_wish(wish);
    if (session.settings().mode != RunMode::kFull)
        fail_input("I70", "--keep-task needs data, but --mode timing computes none", "keep the task in --mode full");
    if (const char* const chip = std::getenv("PTOSIM_CHIP_NUMBER"); chip != nullptr && *chip != 0)
        parsed.folder = (fs::path(parsed.folder) / ("chip" + std::string(chip))).string();
    return std::unique_ptr<TaskKeeper>(new TaskKeeper(session, std::move(parsed)));
}

// ---- which ----------------------------------------------------------------------------------

void TaskKeeper::begin_task(size_t run, CoreId core, Cycle now, const KernelStore::Stored& kernel, const int64_t* arguments,
                            const Executor::TaskWords& words) {
    const bool has_number = words.number != nullptr;
    const Group group{run, has_number ? *words.number : kNoTask, words.block == nullptr ? 0 : *words.block};
    Ran& ran = ran_[kernel.name];
    if (ran.count++ == 0) ran.first = std::get<1>(group);
    if (kept_) {
        if (has_number && group == group_) add_part(core, kernel, arguments);
        return;
    }
    if (!is_wanted(group, kernel.name)) return;
    kept_ = true;
    group_ = group;
    begin_ = now;
    task_.kernel = kernel.name;
    if (has_number) task_.name = task_name(*words.number);
    const SessionOptions& options = session_.options();
    task_.chip = options.chip;
    task_.overrides = options.overrides;
    task_.numerics = options.numerics;
    make_folder(wish_.folder);
    keep_memory();
    add_part(core, kernel, arguments);
}

bool TaskKeeper::is_wanted(const Group& group, const std::string& kernel) {
    const auto& [run, number, block] = group;
    const bool first = number == kNoTask || begun_.insert(group).second;
    if (wish_.id) return number == *wish_.id && static_cast<uint64_t>(block) == wish_.number;
    if (kernel != wish_.kernel) return false;
    // A task counts once, also if it runs the kernel on several cores.
    if (number != kNoTask && !of_kernel_.insert(group).second) return false;
    if (seen_++ != wish_.number) return false;
    if (first) return true;
    fail_input("I70", "--keep-task " + wish_.task + ": " + kernel + " is not the first kernel of its task, " + task_name(number),
               "--keep-task " + task_name(number) + (block == 0 ? "" : ":" + std::to_string(block)) + "=" + wish_.folder +
                   " keeps all of it");
}

std::string TaskKeeper::tasks_text() const {
    constexpr size_t kMostNamed = 8;
    std::string text;
    size_t named = 0;
    for (const auto& [kernel, ran] : ran_) {
        if (++named > kMostNamed) return text + ", ...";
        text += (text.empty() ? "" : ", ") + kernel + " (" + std::to_string(ran.count) +
                (ran.first == kNoTask ? ")" : ", first " + task_name(ran.first) + ")");
    }
    return text.empty() ? "none" : text;
}

// ---- bytes ----------------------------------------------------------------------------------

void TaskKeeper::write(uint64_t address, std::string_view bytes) {
    const std::string path = (fs::path(wish_.folder) / kMemoryFile).string();
    const bool first = task_.memory.ranges.empty();
    std::ofstream file(path, std::ios::binary | (first ? std::ios::trunc : std::ios::app));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.flush();
    if (!file) fail_input("I02", path + ": cannot be written: " + std::strerror(errno), "free space, or choose another folder");
    task_.memory.ranges.emplace_back(address, bytes.size());
}

// All that the device holds: a kernel may follow any pointer.
void TaskKeeper::keep_memory() {
    const GlobalMemory& memory = session_.memory();
    task_.memory.base = memory.base();
    const TouchedPages touched;
    for (const auto& [address, allocation] : memory.allocations()) {
        task_.memory.allocations.push_back(allocation);
        const uint64_t end = address + allocation.size;
        uint64_t begin = 0;  // of a range of pages with bytes; 0: none
        const auto close_range = [&](uint64_t at) {
            if (begin != 0) write(begin, {reinterpret_cast<const char*>(GlobalMemory::host(begin)), at - begin});
            begin = 0;
        };
        // Pages of a file that processes share may be there without having been touched here.
        const bool shared = allocation.name == "window";
        for (uint64_t at = address; at < end;) {
            const uint64_t next = std::min(end, at / kHostPage * kHostPage + kHostPage);
            const bool empty = (!shared && !touched(at)) || is_zero(GlobalMemory::host(at), next - at);
            if (empty) close_range(at);
            if (!empty && begin == 0) begin = at;
            at = next;
        }
        close_range(end);
    }
    if (task_.memory.ranges.empty()) write(memory.base(), {});
}

// The words of a task, and host memory that they point to: the runtime keeps both where the device also reads them.
std::vector<TaskKeeper::Block> TaskKeeper::blocks_at(uint64_t arguments) const {
    const GlobalMemory& memory = session_.memory();
    const OpenFile own("/proc/self/mem");
    std::map<uint64_t, Block> blocks;  // by origin, disjoint
    // Lines that can be read, from `address` on and at most `size` bytes; lines of known blocks are left out.
    const auto add = [&](uint64_t address, uint64_t size) {
        for (uint64_t line = address / kHostLine * kHostLine; line < address + size; line += kHostLine) {
            const auto after = blocks.upper_bound(line);
            const auto before = after == blocks.begin() ? blocks.end() : std::prev(after);
            if (before != blocks.end() && line < before->second.end()) continue;
            std::string bytes(kHostLine, 0);
            if (blocks.size() == kMostBlocks || !own.read(line, bytes.data(), kHostLine)) return;
            if (before != blocks.end() && before->second.end() == line)
                before->second.bytes += bytes;
            else
                blocks[line] = {line, 0, std::move(bytes)};
        }
    };
    add(arguments - kHostLine, kHostLine);
    add(arguments, kArgumentBytes);
    for (int depth = 0; depth < 2; ++depth) {
        std::vector<uint64_t> pointers;
        for (const auto& [origin, block] : blocks)
            for (size_t at = 0; at < block.bytes.size(); at += sizeof(uint64_t))
                if (const uint64_t word = word_at(block.bytes, at); word % 4 == 0 && word >= kHostPage && !memory.reserves(word))
                    pointers.push_back(word);
        for (const uint64_t pointer : pointers) add(pointer, kPointedBytes);
    }
    std::vector<Block> list;
    for (auto& [origin, block] : blocks) list.push_back(std::move(block));
    return list;
}

// Blocks of the host get allocations of the device behind all others.
void TaskKeeper::keep_arguments(KeptTask::Part& part, const int64_t* arguments) {
    const GlobalMemory& memory = session_.memory();
    const auto words = reinterpret_cast<uint64_t>(arguments);
    std::vector<Block> blocks = blocks_at(words);
    for (Block& block : blocks) {
        block.address = block.origin;
        if (memory.reserves(block.origin)) continue;
        const GlobalMemory::Allocation& last = task_.memory.allocations.back();
        block.address = round_up(last.address + last.size, uint64_t{512}) + kRedZone;
        task_.memory.allocations.push_back({block.address, block.bytes.size(), "arguments of " + part.kernel});
    }
    const auto moved = [&](uint64_t word) {
        for (const Block& block : blocks)
            if (word >= block.origin && word < block.end()) return block.address + (word - block.origin);
        return word;
    };
    for (Block& block : blocks) {
        for (size_t at = 0; at < block.bytes.size(); at += sizeof(uint64_t)) {
            const uint64_t word = moved(word_at(block.bytes, at));
            std::memcpy(block.bytes.data() + at, &word, sizeof word);
        }
        write(block.address, block.bytes);
    }
    part.arguments = moved(words);
}

void TaskKeeper::add_part(CoreId core, const KernelStore::Stored& kernel, const int64_t* arguments) {
    KeptTask::Part part;
    part.core = core;
    part.kernel = kernel.name;
    const fs::path folder = wish_.folder;
    const std::string file = kernel.name + "_" + std::string(name(core.type));
    part.file = file + ".kernels";
    write_file((folder / part.file).string(), {reinterpret_cast<const char*>(kernel.images.data()), kernel.images.size()});
    if (!kernel.made.empty()) {
        const Json made = parse_json(kernel.made);
        part.source = made.at("source").text();
        part.build = made.at("build").get<std::vector<std::string>>();
        const std::string wrapper = file + ".cpp";
        write_file((folder / wrapper).string(), read_text(part.build.front()));
        part.build.front() = wrapper;
    }
    keep_arguments(part, arguments);
    task_.parts.push_back(std::move(part));
    write_task(wish_.folder, task_);
}

// ---- the end --------------------------------------------------------------------------------

void TaskKeeper::find_arrays(const Program& program, const SourceMap& sources) {
    const size_t number = std::get<0>(group_);
    if (number >= program.runs.size()) return;
    const Run& run = program.runs[number];
    uint64_t id = std::get<1>(group_);
    for (size_t i = run.first_task; i < run.tasks_end && id == kNoTask; ++i)
        if (program.tasks[i].core == task_.parts.front().core && program.tasks[i].begin == begin_) id = program.tasks[i].id;
    if (id == kNoTask) return;
    task_.name = task_name(id);
    KernelSites sites(sources);
    for (const Argument& argument : run.arguments) {
        if (argument.task != id || argument.begin == argument.end) continue;
        KeptTask::Array array;
        std::string text = sites.argument(task_.kernel, argument.index);
        std::erase(text, '`');
        array.name = text.starts_with("argument ") ? "arg" + text.substr(text.find(' ') + 1) : text;
        array.shape = argument.shape;
        array.dtype = dtype_of_record(argument.dtype, array.shape, argument.end - argument.begin);
        array.address = argument.begin;
        array.written = argument.writes;
        task_.arrays.push_back(std::move(array));
    }
}

void TaskKeeper::finish(const Program& program, const SourceMap& sources) {
    if (!kept_) {
        if (is_kept_task(wish_.folder)) return;
        fail_input("I70", "--keep-task " + wish_.task + ": this program has run no such task",
                   "tasks that have run, by kernel: " + tasks_text() + "; program.md (--trace DIR) names each");
    }
    find_arrays(program, sources);
    write_task(wish_.folder, task_);
    std::cerr << "kept task " << task_.text() << ": ptosim debug " << wish_.folder << "\n";
}

}  // namespace ptosim::mpmd
