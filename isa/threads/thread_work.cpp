#include "isa/threads/thread_work.h"

#include <deque>
#include <mutex>

namespace ptosim {
namespace {

struct Works {
    std::mutex mutex{};
    std::deque<ThreadWork> list{};
};

Works& works() {
    static auto& all = *new Works;
    return all;
}

}  // namespace

Instruction threads_instruction(ThreadWork work, SourceLocation where) {
    Instruction instruction(Opcode::kTHREADS, where);
    for (const uint64_t figure : {work.cycles, work.read, work.written, work.behind_l2})
        instruction.add(Scalar{figure, DType::kU64});
    Works& all = works();
    const std::lock_guard lock(all.mutex);
    // Most blocks have nothing that checkers need, and are equal then.
    const bool plain = work.local_reads.empty() && work.local_writes.empty() && work.global_reads.empty() &&
                       work.global_writes.empty();
    if (all.list.empty()) all.list.emplace_back();
    if (!plain) all.list.push_back(std::move(work));
    return instruction.add(Scalar{plain ? 0 : all.list.size() - 1, DType::kU64});
}

const ThreadWork& thread_work(const Instruction& instruction) {
    Works& all = works();
    const std::lock_guard lock(all.mutex);
    return all.list.at(instruction.operands[4].scalar.bits);
}

}  // namespace ptosim
