#include "sim/native/tensor_queues.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ptosim {
namespace {

struct StepWords {
    std::string_view call;  // of Ascend C
    std::string_view done;  // state of a tensor after it
};
constexpr StepWords kSteps[] = {
    {"AllocTensor", "allocated"}, {"EnQue", "enqueued"}, {"DeQue", "dequeued"}, {"FreeTensor", "freed"}};

bool in_text(SourceLocation a, SourceLocation b) { return std::pair(a.file, a.line) < std::pair(b.file, b.line); }

Diagnostic wrong_step(const ptosim_queue_step& step, ptosim_queue_step_kind last) {
    const bool frees = step.kind == PTOSIM_QUEUE_FREE;
    std::string message(kSteps[step.kind].call);
    std::string hint;
    if (last == PTOSIM_QUEUE_FREE) {
        message += frees ? " of a tensor that is already free: its flag is set twice"
                         : " of a tensor that is already free: AllocTensor may give its bytes to another use";
        hint = frees ? "call FreeTensor once for each tensor" : "call FreeTensor after the last use of the tensor";
    } else {
        message += frees ? " of a tensor that is still in its queue: its data is never awaited"
                         : " of a tensor that is already in its queue";
        hint = "take the tensor from the queue with DeQue first";
    }
    return make_diagnostic("Q01", Category::kSync, std::move(message), std::move(hint));
}

}  // namespace

std::string_view name_of_step(uint8_t kind) { return kSteps[kind].call; }

std::optional<Diagnostic> TensorQueues::allocate(const ptosim_queue_step& step, SourceLocation where,
                                                 const SourceMap& sources) {
    if (step.in_use == 0) {  // also after TPipe::Reset
        waiting_.erase(step.queue);
        std::erase_if(tensors_, [&](const auto& entry) { return entry.second.queue == step.queue; });
    }
    if (step.buffer != 0) {
        tensors_[step.buffer] = {step.queue, PTOSIM_QUEUE_ALLOC, where};
        return std::nullopt;
    }
    Diagnostic d = make_diagnostic("Q03", Category::kDeadlock,
                          "AllocTensor never returns: none of the " + std::to_string(step.buffers) +
                              " buffers of its queue is free",
                          "free each tensor after its last use, or give InitBuffer more buffers");
    std::vector<Tensor> held;
    for (const auto& [buffer, tensor] : tensors_)
        if (tensor.queue == step.queue) held.push_back(tensor);
    std::ranges::sort(held, in_text, &Tensor::where);  // not by addresses, which differ between runs
    const auto same = [](const Tensor& a, const Tensor& b) { return a.last == b.last && a.where == b.where; };
    held.erase(std::unique(held.begin(), held.end(), same), held.end());
    for (const Tensor& tensor : held)
        d.related.push_back(sources.related(std::string(kSteps[tensor.last].done), tensor.where));
    return d;
}

std::optional<Diagnostic> TensorQueues::move(const ptosim_queue_step& step, Tensor& tensor, SourceLocation where,
                                             const SourceMap& sources) {
    const auto last = std::exchange(tensor.last, static_cast<ptosim_queue_step_kind>(step.kind));
    const SourceLocation before = std::exchange(tensor.where, where);
    const bool may = step.kind == PTOSIM_QUEUE_DEQUE || last == PTOSIM_QUEUE_ALLOC || last == PTOSIM_QUEUE_DEQUE;
    if (may) return std::nullopt;
    Diagnostic d = wrong_step(step, last);
    d.related = {sources.related(std::string(kSteps[last].done) + " before", before)};
    return d;
}

std::optional<Diagnostic> TensorQueues::step(const ptosim_queue_step& step, SourceLocation where,
                                             const SourceMap& sources) {
    if (step.kind == PTOSIM_QUEUE_ALLOC) return allocate(step, where, sources);
    std::deque<uint64_t>& waiting = waiting_[step.queue];
    uint64_t buffer = step.buffer;
    if (step.kind == PTOSIM_QUEUE_DEQUE && step.depth != 0) {
        if (waiting.empty())
            return make_diagnostic("Q02", Category::kSync, "DeQue from an empty queue returns an undefined tensor",
                          "put a tensor into the queue with EnQue first");
        buffer = waiting.front();
        waiting.pop_front();
    } else if (step.index < 0 || step.index >= step.buffers) {
        return make_diagnostic("Q01", Category::kSync,
                      std::string(kSteps[step.kind].call) + " of a tensor whose buffer is not one of this queue's",
                      "call it for the queue that has allocated the tensor; a TQueBind joins two queues");
    }
    const auto moved = tensors_.find(buffer);
    if (moved == tensors_.end()) return std::nullopt;
    std::optional<Diagnostic> wrong = move(step, moved->second, where, sources);
    if (step.kind == PTOSIM_QUEUE_FREE) std::erase(waiting, buffer);
    if (step.kind != PTOSIM_QUEUE_ENQUE || step.depth == 0) return wrong;
    if (!wrong && waiting.size() >= step.depth) {
        wrong = make_diagnostic("Q02", Category::kSync,
                       "EnQue into a queue that is full: its depth is " + std::to_string(step.depth) +
                           ", and the tensor takes the place of one in it",
                       "take a tensor from the queue with DeQue first, or declare the queue with a greater depth");
        if (const auto oldest = tensors_.find(waiting.front()); oldest != tensors_.end())
            wrong->related = {sources.related("the oldest tensor in it", oldest->second.where)};
        waiting.pop_front();
    }
    waiting.push_back(buffer);
    return wrong;
}

std::vector<SourceLocation> TensorQueues::left() const {
    std::vector<SourceLocation> places;
    for (const auto& [buffer, tensor] : tensors_)
        if (tensor.last == PTOSIM_QUEUE_ENQUE) places.push_back(tensor.where);
    std::ranges::sort(places, in_text);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

}  // namespace ptosim
