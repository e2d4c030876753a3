// A kernel for device binaries: each vector core runs a task of another object. Registers of a scheduler are read and
// written, as executors do.
#include <pto/pto-inst.hpp>

#ifdef CUBE
#define ENTRY (Rows_7_mix_aic)
#else
#define ENTRY (Rows_7_mix_aiv)
extern "C" [aicore] void double_row(__gm__ float* rows, int64_t row);
#endif

extern "C" __global__ [aicore] void ENTRY(int64_t rows, int64_t task_of_scheduler) {
    uint64_t task = 0;
    do {
        __asm__ volatile("MOV %0, DATA_MAIN_BASE\n" : "+l"(task));
    } while (task == 0 && task_of_scheduler != 0);
    set_cond(task);
#ifndef CUBE
    if (task == static_cast<uint64_t>(task_of_scheduler))
        double_row(reinterpret_cast<__gm__ float*>(rows), get_block_idx() * get_subblockdim() + get_subblockid());
#endif
}
