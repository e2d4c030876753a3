/* Kernels in PTO assembly within compiled code: what the C++ that `ptoas` of the toolkit writes
 * says to the simulator.
 *
 * A function of such C++ has the parameters of its .pto function and hands them on to the
 * interpreter of .pto; whoever calls or launches it needs not know. The text is the explicit form:
 * tiles have addresses, and flags have been inserted where that was asked for. */
#ifndef PTOSIM_ASSEMBLY_H
#define PTOSIM_ASSEMBLY_H

#include "ptosim/kernel_abi.h"

/* The cores that a kernel is for, bit by bit; `ptosim build` sees by the words what to compile. */
enum ptosim_cores { ptosim_on_aic = 1 << PTOSIM_AIC, ptosim_on_aiv = 1 << PTOSIM_AIV };

typedef struct ptosim_assembly {
    const char* id;           /* a digest of all below */
    const char* entry;        /* the function, or the two halves of a kernel: "cube+vector" */
    const char* text;         /* ends with 0 */
    const char* const* files; /* that locations name: its own, those of its loc(...); 0 ends */
    const uint32_t* lines;    /* of its own file: for each line of the text, from 1 */
    uint64_t line_count;
    uint32_t cores; /* ptosim_cores: the others do nothing */
} ptosim_assembly;

/* Called while a library is loaded: its files become known to recordings and findings. */
PTOSIM_ABI void ptosim_register_assembly(const ptosim_assembly* kernel);

/* Which part of the launch the core is, as its C++ sees it (get_block_idx() and the like may be
 * macros of a runtime of many kernels); a negative number is the core's own. */
typedef struct ptosim_part {
    int64_t block, blocks, subblock, subblocks;
} ptosim_part;

/* Runs the kernel on this core, with a 64-bit word for each parameter of its function. */
PTOSIM_ABI void ptosim_run_assembly(const ptosim_assembly* kernel, const ptosim_part* part,
                                    const uint64_t* words, uint64_t word_count);

/* A function of C++ that .pto declares without a body and calls, by its name there; `call` takes a
 * 64-bit word for each argument, and returns that of the result. */
typedef struct ptosim_external_function {
    const char* name;
    uint64_t (*call)(const uint64_t* words);
} ptosim_external_function;

/* The same with the functions that the kernel calls; a name of 0 ends them. */
PTOSIM_ABI void ptosim_run_assembly_with_externals(const ptosim_assembly* kernel,
                                                   const ptosim_part* part, const uint64_t* words,
                                                   uint64_t word_count,
                                                   const ptosim_external_function* externals);

#ifdef __cplusplus
namespace ptosim {

template <class T>
uint64_t assembly_word(T value) {
    static_assert(sizeof(T) <= 8, "parameters of .pto functions are pointers and scalars");
    uint64_t word = 0;
    __builtin_memcpy(&word, &value, sizeof value);
    return word;
}

template <class T>
T assembly_value(uint64_t word) {
    T value;
    __builtin_memcpy(&value, &word, sizeof value);
    return value;
}

template <class... A>
void run_assembly(const ptosim_assembly& kernel, const ptosim_part& part, A... arguments) {
    const uint64_t words[sizeof...(A) + 1] = {assembly_word(arguments)..., 0};
    ptosim_run_assembly(&kernel, &part, words, sizeof...(A));
}

template <class... A>
void run_assembly(const ptosim_assembly& kernel, const ptosim_external_function* externals,
                  const ptosim_part& part, A... arguments) {
    const uint64_t words[sizeof...(A) + 1] = {assembly_word(arguments)..., 0};
    ptosim_run_assembly_with_externals(&kernel, &part, words, sizeof...(A), externals);
}

} /* namespace ptosim */
#endif
#endif
