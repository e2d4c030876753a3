/* Programs of many kernels: what a runtime that is compiled against the simulator (orchestration
 * and schedulers on the AICPU, an executor on each core, kernels as tasks) and the simulator say to
 * each other. Plain C, and nothing of ours but the kernel ABI included.
 *
 * A run begins when all its processors and cores have arrived, each in a thread of its own
 * (ptosim_mpmd_run_processor, ptosim_mpmd_run_core); from then on their code runs as processes on
 * the simulated clock, one at a time, and the threads sleep until the run has ended. */
#ifndef PTOSIM_MPMD_H
#define PTOSIM_MPMD_H

#include "ptosim/kernel_abi.h"

/* ---- the chip and its memory; for any thread ---------------------------------------------- */

/* The architecture ("a2a3", "a5") that the runtime was compiled for: before anything else. */
PTOSIM_ABI void ptosim_mpmd_open(const char* arch);
/* Clusters that a run may use: those of the chip, at most `most`. */
PTOSIM_ABI uint32_t ptosim_mpmd_clusters(uint32_t most);
/* Device memory; null if there is none left. It is zeroed, unless reads of what nobody has written
 * are looked for. */
PTOSIM_ABI void* ptosim_mpmd_allocate(uint64_t size);
PTOSIM_ABI void ptosim_mpmd_free(void* memory);
/* Device memory that chips share which are processes of their own: its bytes are the first of a
 * file. Null if there is no room, or a run is under way. */
PTOSIM_ABI void* ptosim_mpmd_map(uint64_t size, int file);
PTOSIM_ABI void ptosim_mpmd_unmap(void* window);
/* What checkers have found since the last call in runs that have ended, as a JSON document with a
 * list `findings` (code, line, text); null if nothing. `test` is the name of the test that has made
 * the runs. The end of the process does not tell them again. */
PTOSIM_ABI const char* ptosim_mpmd_take_findings(const char* test);
/* Writes what was asked for of all runs, and tells what is wrong with them. The exit of a process
 * does that by itself; this is for one that is about to leave by _exit(status). The status to leave
 * with: another if that was 0 and something is wrong. Nothing is to be called after it. */
PTOSIM_ABI int ptosim_mpmd_finish(int status);

/* ---- several chips with one clock (PTOSIM_SYSTEM); the host forks the chips ----------------- */

/* The host, before it forks the chips. 1: they have one clock; 0: no system; -1: an error, on standard error. */
PTOSIM_ABI int ptosim_mpmd_job_begin(uint32_t chips);
/* The same for nodes (level 4), each with its number of chips. */
PTOSIM_ABI int ptosim_mpmd_job_begin_nodes(const uint32_t* chips, uint32_t nodes);
/* By this path a node finds the job that the host has not forked itself. */
PTOSIM_ABI const char* ptosim_mpmd_job_path(void);
/* A node, in its process, before it forks its chips. `path`: null if the host has forked it; `chips`: of all nodes. 0, or
 * -1 with an error on standard error. From now on the calls of a host below are the node's. */
PTOSIM_ABI int ptosim_mpmd_job_become_node(const char* path, uint32_t chips, uint32_t node);
/* A node begins and ends a task of the host; it has waited for the task's runs. */
PTOSIM_ABI void ptosim_mpmd_job_begin_task(void);
PTOSIM_ABI void ptosim_mpmd_job_end_task(void);
/* A chip of a host or node, in its process, before it opens the platform. */
PTOSIM_ABI void ptosim_mpmd_job_become(uint32_t chip);
/* The host enters an orchestration. */
PTOSIM_ABI void ptosim_mpmd_job_orchestrate(void);
/* It submits a run for each of these chips (a task for each of these nodes), after the first after[c] runs of each chip c,
 * with `hops` tasks of the host between. */
PTOSIM_ABI void ptosim_mpmd_job_submit(const uint32_t* chips, uint32_t count, const uint32_t* after, uint32_t hops);
/* Before and after it waits for the first until[c] runs of each chip c. */
PTOSIM_ABI void ptosim_mpmd_job_begin_wait(const uint32_t* until);
PTOSIM_ABI void ptosim_mpmd_job_end_wait(void);
/* Windows of these chips in one mapped file, as this chip addresses them. 0, or -1 with an error on standard error. */
PTOSIM_ABI int ptosim_mpmd_windows(const uint64_t* windows, const uint32_t* chips, uint32_t count, uint64_t bytes);
/* This chip's window, which is a mapped file; then, when all have offered theirs, one of another chip, as this chip
 * addresses it. 0, or -1 with an error on standard error. */
PTOSIM_ABI int ptosim_mpmd_offer_window(uint64_t window, uint64_t bytes);
PTOSIM_ABI int ptosim_mpmd_import_window(uint64_t window, uint64_t bytes);
/* 0 if the process of another chip of the job has been killed. */
PTOSIM_ABI int ptosim_mpmd_chips_live(void);

/* ---- runs --------------------------------------------------------------------------------- */

typedef struct ptosim_mpmd_size {
    uint32_t processors, cores; /* that take part in the run */
} ptosim_mpmd_size;
/* Runs work(argument) on a processor; returns its result when the run has ended, or -1 if the run
 * has failed (what is wrong has been told on standard error). */
PTOSIM_ABI int ptosim_mpmd_run_processor(ptosim_mpmd_size size, int (*work)(void*), void* argument);
/* Runs work(argument) on core `index` of its type (ptosim_core). */
PTOSIM_ABI void ptosim_mpmd_run_core(ptosim_mpmd_size size, uint32_t core, uint32_t index,
                                     void (*work)(void*), void* argument);

/* Simulated nanoseconds that all runs so far have taken, each from its begin until its last
 * processor had ended its work; for any thread. A run that has failed does not count. */
PTOSIM_ABI uint64_t ptosim_mpmd_run_nanoseconds(void);

/* ---- for the code of processors and executors ---------------------------------------------- */

/* Simulated nanoseconds since the chip came up; of a thread that is neither: those of the last
 * run's end. */
PTOSIM_ABI uint64_t ptosim_mpmd_nanoseconds(void);

/* ---- for the code of the host -------------------------------------------------------------- */

/* Nanoseconds of a clock of the host that does not depend on it: those that runs have taken, and
 * what the code of the thread that has asked for a run last (ptosim_mpmd_record_run) takes by its
 * basic blocks, where it says when they begin. Other threads read when that run was asked for. */
PTOSIM_ABI uint64_t ptosim_mpmd_host_nanoseconds(void);
/* Numbers of this process and of the thread that calls: while runs are recorded, small ones that
 * are the same each time. */
PTOSIM_ABI int ptosim_mpmd_host_process(void);
PTOSIM_ABI int ptosim_mpmd_host_thread(void);

/* ---- what a runtime records itself --------------------------------------------------------- */

/* Before each run, in their order: the folder into which the runtime is to write its own records of
 * the run (tasks, dependencies); null if nothing is recorded. A runtime that was told a folder by
 * its user says so, and keeps it. */
PTOSIM_ABI const char* ptosim_mpmd_record_run(const char* folder_of_user);
/* For processors: lets the threads of the host that gather records do so. No simulated time passes.
 */
PTOSIM_ABI void ptosim_mpmd_wait_for_host(void);

/* For processors. Registers are words of memory that both sides address. */
PTOSIM_ABI void __sanitizer_cov_trace_pc(void); /* a basic block begins */
PTOSIM_ABI uint32_t ptosim_mpmd_load(const volatile uint32_t* address);
PTOSIM_ABI void ptosim_mpmd_store(volatile uint32_t* address, uint32_t value);
/* Cleans or invalidates lines of the processors' data cache. */
PTOSIM_ABI void ptosim_mpmd_clean(const void* address, uint64_t bytes);
PTOSIM_ABI void ptosim_mpmd_invalidate(const void* address, uint64_t bytes);
PTOSIM_ABI void ptosim_mpmd_spin(void);
/* A processor copies bytes, for checkers: `to` may be device memory. `code` is the address of the
 * code if the library reports its loads and stores, else null. */
PTOSIM_ABI void ptosim_mpmd_copied(void* to, const void* from, uint64_t size, const void* code);
/* The number of the processor that calls; -1 for another thread. */
PTOSIM_ABI int32_t ptosim_mpmd_processor(void);
/* A word that each processor has for itself; -1 at the begin of a run. */
PTOSIM_ABI int32_t* ptosim_mpmd_processor_word(void);

/* For executors. `registers` is the address of the core's register block. */
PTOSIM_ABI uint32_t ptosim_mpmd_core_load(const volatile void* registers, uint32_t offset);
PTOSIM_ABI void ptosim_mpmd_core_store(volatile void* registers, uint32_t offset, uint32_t value);
/* Cleans and invalidates a line of the core's data cache, or with null all of it. */
PTOSIM_ABI void ptosim_mpmd_core_cache(const volatile void* line);
/* Reads a line that it has invalidated: from global memory. */
PTOSIM_ABI void ptosim_mpmd_core_read(const volatile void* line);
/* A round of a loop that waits: until a processor has stored to a register, or, if the loop also
 * watches what is stored otherwise (it says so in each round), for a moment. */
PTOSIM_ABI void ptosim_mpmd_core_spin(void);
PTOSIM_ABI void ptosim_mpmd_core_watch(void);
/* For kernels that are executors themselves. The number of the core among all of its chip if the
 * driver has mapped their registers, else its index among those of its type. */
PTOSIM_ABI uint32_t ptosim_mpmd_core_number(void);
/* Registers of the core: the word that a processor has written last, which names a task
 * (DATA_MAIN_BASE; 0 if none are mapped), and the one that processors read (COND). */
PTOSIM_ABI uint64_t ptosim_mpmd_main_base(void);
PTOSIM_ABI void ptosim_mpmd_set_condition(uint64_t value);
/* What threads keep by a key (pthread_getspecific), for each core: there is always another key. */
PTOSIM_ABI uint32_t ptosim_mpmd_core_key(void);
PTOSIM_ABI void* ptosim_mpmd_core_get(uint32_t key);
PTOSIM_ABI void ptosim_mpmd_core_set(uint32_t key, const void* value);

/* ---- kernels ------------------------------------------------------------------------------ */

/* The images of a kernel (the bytes of its section `ptosim_kernels`), from when it is loaded. */
PTOSIM_ABI void ptosim_mpmd_add_kernel(const char* name, const void* begin, const void* end);
PTOSIM_ABI void ptosim_mpmd_remove_kernel(const void* begin);
/* How its images were made, as JSON: the user's `source`, and the words of `ptosim build` from a `file` on. */
PTOSIM_ABI void ptosim_mpmd_kernel_made(const void* begin, const char* how);
/* For executors: the words that will hold the runtime's number of the next task, and its block. */
PTOSIM_ABI void ptosim_mpmd_core_task(const volatile uint64_t* number, const volatile int32_t* block);
/* An executor runs the kernel as a task, with this argument. */
PTOSIM_ABI void ptosim_mpmd_run_task(const void* begin, int64_t* arguments);

#endif
