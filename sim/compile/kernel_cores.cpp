#include "sim/compile/kernel_cores.h"

namespace ptosim {
namespace {

KernelCores only_vector() { return {true, false, true, 0}; }
KernelCores only_cube() { return {true, true, false, 0}; }
KernelCores clusters(uint32_t vectors) { return {true, true, vectors > 0, vectors}; }

// The types of CANN's KernelMetaType.
bool task_type(std::string_view word, KernelCores& cores) {
    const std::string_view name = word.substr(word.rfind(':') == word.npos ? 0 : word.rfind(':') + 1);
    if (name == "KERNEL_TYPE_AIV_ONLY" || name == "KERNEL_TYPE_MIX_AIV_1_0")
        cores = only_vector();
    else if (name == "KERNEL_TYPE_AIC_ONLY" || name == "KERNEL_TYPE_MIX_AIC_1_0")
        cores = only_cube();
    else if (name == "KERNEL_TYPE_MIX_AIC_1_1")
        cores = clusters(1);
    else if (name == "KERNEL_TYPE_MIX_AIC_1_2")
        cores = clusters(2);
    else
        return false;
    return true;
}

// __mix__(1, 2): the second number is the number of AIVs.
KernelCores mix(const TokenText& text, size_t i) {
    const size_t end = after_core_mark(text, i);
    if (end < i + 6 || text.text(end - 2).size() != 1) return {};
    const char vectors = text.text(end - 2)[0];
    return vectors >= '0' && vectors <= '2' ? clusters(static_cast<uint32_t>(vectors - '0'))
                                            : KernelCores{};
}

// __attribute__((word))
bool is_attribute(const TokenText& text, size_t i) {
    return i >= 3 && text.is(i - 1, '(') && text.is(i - 2, '(') && text.text(i - 3) == "__attribute__";
}

}  // namespace

size_t after_core_mark(const TokenText& text, size_t i) {
    const std::string_view word = text.text(i);
    if (word == kVectorMark || word == kCubeMark) return i + 1;
    if ((word == kMixMark || word == kTaskTypeMark) && text.is(i + 1, '(')) {
        const size_t after = text.after_bracket(i + 1);
        return after == TokenText::kNone ? i : after;
    }
    return i;
}

KernelCores kernel_cores(const TokenText& text, size_t first, size_t head, size_t last) {
    KernelCores cores;
    for (size_t i = first; i < head; ++i) {
        const std::string_view word = text.text(i);
        if (word == kVectorMark) cores = only_vector();
        if (word == kCubeMark) cores = only_cube();
        if (word == "aiv" && is_attribute(text, i)) cores = only_vector();
        if (word == "aic" && is_attribute(text, i)) cores = only_cube();
        if (word == kMixMark) cores = mix(text, i);
    }
    for (size_t i = head; i < last && !cores.named; ++i)
        if (text.text(i) == kTaskTypeMark) {
            const size_t end = after_core_mark(text, i);
            if (end > i + 2) task_type(text.text(end - 2), cores);
        }
    return cores;
}

}  // namespace ptosim
