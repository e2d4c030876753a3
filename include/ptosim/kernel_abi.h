/* The kernel ABI: what a compiled kernel and the simulator say to each other.
 *
 * Plain C, and nothing of ours included. The headers in include/pto describe operands with these
 * records and call these functions; the simulator (the `ptosim` program or libptosim) defines
 * them, and a kernel library leaves them undefined until it is loaded. Every call is about the core
 * that makes it, and may let simulated time pass. Calls may unwind the kernel (a C++ exception
 * that must not be caught) when a run stops early.
 *
 * What is stable: instructions are named by a hash of their name in the instruction table, so that
 * rows may come, go and move; attributes are (key, value) pairs, so that keys may be added; every
 * number below keeps its meaning for ever. Anything else raises PTOSIM_ABI_VERSION, and a library
 * of another version is refused by name. */
#ifndef PTOSIM_KERNEL_ABI_H
#define PTOSIM_KERNEL_ABI_H

#include <stdint.h>

#ifdef __cplusplus
#define PTOSIM_ABI extern "C" __attribute__((visibility("default")))
#define PTOSIM_CONSTEXPR constexpr
#else
#define PTOSIM_ABI extern __attribute__((visibility("default")))
#define PTOSIM_CONSTEXPR
#endif

/* A call whose place in the kernel is read from its return address: the calls of two branches stay
 * two. */
#if defined(__has_attribute)
#if __has_attribute(nomerge)
#define PTOSIM_PLACED __attribute__((nomerge))
#endif
#endif
#ifndef PTOSIM_PLACED
#define PTOSIM_PLACED
#endif

#define PTOSIM_ABI_VERSION 4

/* ---- numbers ----------------------------------------------------------------------------- */

enum ptosim_dtype {
    PTOSIM_F32 = 0,
    PTOSIM_F16 = 1,
    PTOSIM_BF16 = 2,
    PTOSIM_TF32 = 3,
    PTOSIM_HF32 = 4,
    PTOSIM_E4M3 = 5,
    PTOSIM_E5M2 = 6,
    PTOSIM_E8M0 = 7,
    PTOSIM_HIF8 = 8,
    PTOSIM_E2M1 = 9,  /* fp4, two to a byte, low nibble is the even element */
    PTOSIM_E1M2 = 10, /* fp4, two to a byte */
    PTOSIM_I4 = 11,   /* two to a byte */
    PTOSIM_I8 = 12,
    PTOSIM_U8 = 13,
    PTOSIM_I16 = 14,
    PTOSIM_U16 = 15,
    PTOSIM_I32 = 16,
    PTOSIM_U32 = 17,
    PTOSIM_I64 = 18,
    PTOSIM_U64 = 19
};

enum ptosim_space {
    PTOSIM_UB = 0,
    PTOSIM_L1 = 1,
    PTOSIM_L0A = 2,
    PTOSIM_L0B = 3,
    PTOSIM_L0C = 4,
    PTOSIM_BIAS = 5,
    PTOSIM_FIXPIPE = 6,
    PTOSIM_SCALE_A = 7, /* MX scales beside L0A */
    PTOSIM_SCALE_B = 8
};

enum ptosim_pipe {
    PTOSIM_PIPE_S = 0,
    PTOSIM_PIPE_MTE2 = 1,
    PTOSIM_PIPE_MTE1 = 2,
    PTOSIM_PIPE_M = 3,
    PTOSIM_PIPE_V = 4,
    PTOSIM_PIPE_FIX = 5,
    PTOSIM_PIPE_MTE3 = 6,
    PTOSIM_PIPE_ALL = 7
};

enum ptosim_core { PTOSIM_AIC = 0, PTOSIM_AIV = 1 };
enum ptosim_arch { PTOSIM_A2A3 = 0, PTOSIM_A5 = 1, PTOSIM_KIRIN = 2 };

/* Outer and inner layout (BLayout, SLayout), padding, compactness of tiles. */
enum ptosim_outer { PTOSIM_OUTER_ROW = 0, PTOSIM_OUTER_COL = 1 };
enum ptosim_inner { PTOSIM_INNER_NONE = 0, PTOSIM_INNER_ROW = 1, PTOSIM_INNER_COL = 2 };
enum ptosim_pad {
    PTOSIM_PAD_NULL = 0,
    PTOSIM_PAD_ZERO = 1,
    PTOSIM_PAD_MAX = 2,
    PTOSIM_PAD_MIN = 3,
    PTOSIM_PAD_CUSTOM = 4 /* the lower bits of ptosim_tile.pad_bits */
};
enum ptosim_compact {
    PTOSIM_COMPACT_NULL = 0,
    PTOSIM_COMPACT_NORMAL = 1,
    PTOSIM_COMPACT_ROW_PLUS_ONE = 2,
    PTOSIM_COMPACT_ROW_ALIGNED = 3
};
/* The numbers of the C++ API's Layout; those that the headers name themselves. */
enum ptosim_global_layout { PTOSIM_ND = 0, PTOSIM_DN = 1, PTOSIM_NZ = 2 };

/* ---- operands ---------------------------------------------------------------------------- */

/* A tile: a typed, laid-out name for bytes of an on-chip buffer (isa/core/tile.h). */
/* The address of a tile that has none: TASSIGN gives it one. */
#define PTOSIM_NO_ADDRESS 0xFFFFFFFFu

typedef struct ptosim_tile {
    uint8_t space;    /* ptosim_space */
    uint8_t dtype;    /* ptosim_dtype */
    uint8_t outer;    /* ptosim_outer */
    uint8_t inner;    /* ptosim_inner */
    uint16_t fractal; /* bytes of an inner box: 512, 1024 (accumulators), 32 (MX scales) */
    uint8_t pad;      /* ptosim_pad */
    uint8_t compact;  /* ptosim_compact */
    uint32_t address; /* byte address in its space */
    int32_t rows, cols;
    int32_t valid_rows, valid_cols;
    int32_t pitch;     /* isa/core/tile.h; 0: follows from the shape */
    uint32_t pad_bits; /* of PTOSIM_PAD_CUSTOM: an element's bits, right-aligned */
} ptosim_tile;

/* A view of global memory (isa/core/global_view.h): dimension 4 is the innermost. */
/* A bit of the address of a transfer's global memory, which bypasses L2 then. Scalar code does not use such addresses. */
#define PTOSIM_PAST_L2 0x1000000000000000u

typedef struct ptosim_global {
    uint64_t address;  /* of element 0 */
    int64_t stride[5]; /* in elements */
    int32_t shape[5];
    uint8_t dtype;  /* ptosim_dtype */
    uint8_t layout; /* ptosim_global_layout */
} ptosim_global;

typedef struct ptosim_scalar {
    uint64_t bits; /* right-aligned */
    uint8_t dtype; /* ptosim_dtype */
} ptosim_scalar;

enum ptosim_operand_kind {
    PTOSIM_NO_OPERAND = 0, /* an optional operand that is not given, before one that is */
    PTOSIM_TILE_OPERAND = 1,
    PTOSIM_GLOBAL_OPERAND = 2,
    PTOSIM_SCALAR_OPERAND = 3
};

typedef struct ptosim_operand {
    uint8_t kind; /* ptosim_operand_kind */
    union {
        ptosim_scalar scalar;
        ptosim_tile tile;
        ptosim_global global;
    };
} ptosim_operand;

/* ---- instructions ------------------------------------------------------------------------ */

/* Keys of attributes, PTOSIM_ATTR_ROUND and its like: attributes.def explains their values. An
 * attribute that is not given has the instruction's default. */
enum ptosim_attribute_key {
#define ATTRIBUTE(TYPE, MEMBER, DEFAULT, KEY, NUMBER, TEXT) PTOSIM_ATTR_##KEY = NUMBER,
#define CONVOLUTION_ATTRIBUTE(MEMBER, KEY, NUMBER) PTOSIM_ATTR_##KEY = NUMBER,
#define OTHER_KEY(KEY, NUMBER, TEXT) PTOSIM_ATTR_##KEY = NUMBER,
#include "attributes.def"
};

typedef struct ptosim_attribute {
    uint32_t key; /* ptosim_attribute_key */
    int32_t value;
} ptosim_attribute;

typedef struct ptosim_location {
    const char* file; /* lives as long as the library; 0: unknown */
    uint32_t line;    /* from 1; 0: unknown */
} ptosim_location;

/* An instruction of the table (`ptosim isa` lists them), with its operands in the order of its row
 * (the C++ API's order: destination first). The arrays are read before the call returns. */
typedef struct ptosim_instruction {
    uint32_t opcode; /* ptosim_opcode("TADD") */
    uint16_t operand_count;
    uint16_t attribute_count;
    const char* name; /* "TADD": for messages */
    const ptosim_operand* operands;
    const ptosim_attribute* attributes;
    ptosim_location where;
} ptosim_instruction;

/* The number of an instruction: the 32-bit FNV-1a hash of its name in the table. A constant
 * expression in C++. */
static inline PTOSIM_CONSTEXPR uint32_t ptosim_opcode(const char* name) {
    uint32_t hash = 2166136261u;
    for (; *name != 0; ++name) hash = (hash ^ (uint32_t)(unsigned char)*name) * 16777619u;
    return hash;
}

/* ---- vector functions -------------------------------------------------------------------- */

/* An operation of a vector function of an a5, on registers of 256 bytes and on predicates. Each result
 * has a number of its own in the function, from 1 on, by which later operations name it. */
typedef struct ptosim_vector_operation {
    uint32_t opcode;      /* ptosim_opcode("VADD") */
    uint8_t dtype;        /* ptosim_dtype of the lanes that it reads */
    uint8_t to;           /* and of those that it makes */
    uint8_t mode;         /* vector_modes.def: distribution, comparison, part */
    uint8_t round;        /* as PTOSIM_ATTR_ROUND */
    uint8_t saturation;   /* as PTOSIM_ATTR_SATURATION */
    uint8_t merges;       /* 1: lanes that are not active keep what sources[3] has */
    uint16_t block_stride, repeat_stride; /* of strided loads and stores: in 32 bytes */
    uint32_t results[2];
    uint32_t sources[4];
    uint32_t mask;        /* the predicate that says which lanes are active; 0: all */
    uint32_t address;     /* byte in UB */
    uint32_t line;        /* from 1; 0: unknown */
    uint64_t scalar;      /* bits, right-aligned; or a count */
} ptosim_vector_operation;

/* ---- intrinsics ---------------------------------------------------------------------------- */

/* Registers of a core that its scalar unit writes, and that intrinsics have as they are when they are
 * issued. A block finds them as the core's last block has left them. */
enum ptosim_register {
#define CORE_REGISTER(NAME, NUMBER, CODE, INITIAL, MODE, TEXT) PTOSIM_REGISTER_##NAME = NUMBER,
#include "core_registers.def"
};
typedef struct ptosim_registers {
    uint64_t value[32]; /* by ptosim_register */
    uint64_t va[8][8];  /* set_va_reg_sb: addresses in UB */
} ptosim_registers;

/* Registers that instructions of pipe V write. */
enum ptosim_result_register {
    PTOSIM_CMPMASK_LOW = 0,
    PTOSIM_CMPMASK_HIGH = 1,
    PTOSIM_VMS4_SR = 2,
    PTOSIM_RSVD_CNT = 3,
    PTOSIM_ACC_VAL = 4,
    PTOSIM_MAX_MIN_CNT = 5,
    PTOSIM_AR = 6
};

/* A call of an intrinsic: its arguments in the order of CCE, without optional ones at
 * its end. Addresses are byte addresses in their memory, scalars bits of `scalar_type`. */
typedef struct ptosim_intrinsic {
    uint32_t opcode; /* ptosim_opcode("vadd") */
    uint8_t argument_count;
    uint8_t scalar_type; /* ptosim_dtype */
    uint8_t types[6];    /* ptosim_dtype of what its addresses point to, in their order */
    const char* name;    /* "vadd": for messages */
    uint64_t arguments[20];
    ptosim_location where;
} ptosim_intrinsic;

/* ---- calls ------------------------------------------------------------------------------- */

/* Puts an instruction into the queue of its pipe; waits while the queue is full. An illegal one
 * ends the run with a diagnostic at `where`. */
PTOSIM_ABI PTOSIM_PLACED void ptosim_issue(const ptosim_instruction* instruction);

/* Puts a vector function into the queue of pipe V, as ptosim_issue does an instruction. `where`: its
 * first line. The array is read before the call returns. */
PTOSIM_ABI void ptosim_vector_function(const ptosim_vector_operation* operations, uint64_t count,
                                       ptosim_location where);

/* Puts an intrinsic into the queue of its pipe, as ptosim_issue does an instruction. */
PTOSIM_ABI PTOSIM_PLACED void ptosim_issue_intrinsic(const ptosim_intrinsic* intrinsic);

/* The registers of the core that runs the kernel, to read and to write. Valid until the block ends. */
PTOSIM_ABI ptosim_registers* ptosim_core_registers(void);

/* A register (ptosim_result_register) as pipe V has left it by now. */
PTOSIM_ABI uint64_t ptosim_result(uint32_t which, ptosim_location where);

/* Charges `operations` scalar operations (address arithmetic, loop control, cache maintenance). */
PTOSIM_ABI void ptosim_scalar_work(uint32_t operations);
// Charges the operations between two looks at a word that another core writes.
PTOSIM_ABI void ptosim_pause(void);

/* Accesses of UB by pointers, below this address, since the last call of this interface; the next one
 * charges them. */
#define PTOSIM_UB_END 0x100000
PTOSIM_ABI uint64_t ptosim_ub_accesses;
/* Instructions of the host that stand for scalar code, executed since the last call: `ptosim build` inserts additions
 * to it into the assembly of kernels. */
PTOSIM_ABI uint64_t ptosim_scalar_instructions;

/* Cleans and invalidates a line of the core's data cache; with 0 bytes all of it. For checkers: the
 * data are in memory at once. */
PTOSIM_ABI void ptosim_clean_cache(uint64_t address, uint64_t bytes, ptosim_location where);

/* Loads and stores of the scalar unit in global memory; `bits` are right-aligned. The address is
 * that of the C++ pointer. */
PTOSIM_ABI uint64_t ptosim_load_global(uint64_t address, uint8_t dtype, ptosim_location where);
/* Before a load by a pointer: time passes, so that the kernel sees the current memory. */
PTOSIM_ABI void ptosim_fetch_line(uint64_t address, ptosim_location where);
/* A store through the data cache between two cleanings of its line of 64 bytes. */
PTOSIM_ABI void ptosim_store_line(uint64_t address, uint8_t dtype, uint64_t bits,
                                  ptosim_location where);
PTOSIM_ABI void ptosim_store_global(uint64_t address, uint8_t dtype, uint64_t bits,
                                    ptosim_location where);
/* Reads, combines and writes without another core in between; returns the value before.
 * `operation` is a value of PTOSIM_ATTR_ATOMIC: 1 add, 2 max, 3 min. */
PTOSIM_ABI uint64_t ptosim_atomic_global(uint64_t address, uint8_t dtype, uint8_t operation,
                                         uint64_t bits, ptosim_location where);

/* The kernel is about to read signals, the int32 words of a view, with a load for each. */
PTOSIM_ABI void ptosim_read_signals(const ptosim_global* view, ptosim_location where);
/* The kernel has read a signal and found `present`, will read it again, and goes on when it compares with
 * `value`: 0 ==, 1 !=, 2 >, 3 >=, 4 <, 5 <=. */
PTOSIM_ABI void ptosim_await_signal(uint64_t address, int32_t present, uint8_t comparison, int32_t value,
                                    ptosim_location where);
/* That wait is over. */
PTOSIM_ABI void ptosim_end_wait(void);

/* GetValue and SetValue: element `offset` (counted from the tile's address in its dtype). */
PTOSIM_ABI uint64_t ptosim_load_local(const ptosim_tile* tile, int64_t offset,
                                      ptosim_location where);
PTOSIM_ABI void ptosim_store_local(const ptosim_tile* tile, int64_t offset, uint64_t bits,
                                   ptosim_location where);

/* Which part of the launch this core is. */
typedef struct ptosim_identity {
    uint8_t core; /* ptosim_core */
    uint8_t arch; /* ptosim_arch of the simulated chip */
    uint32_t block, blocks;
    uint32_t subblock, subblocks; /* among the AIVs that share a block; 0 of 1 elsewhere */
    uint32_t core_index;          /* among the cores of its type on the chip */
} ptosim_identity;
/* Valid until the block ends. */
PTOSIM_ABI const ptosim_identity* ptosim_self(void);

/* Ticks of the system counter since the simulation began, by its frequency in the chip's file:
 * get_sys_cnt. */
PTOSIM_ABI uint64_t ptosim_system_counter(void);

/* Text of a kernel's print, in the order of the calls; complete lines are shown with the core. */
PTOSIM_ABI void ptosim_print(const char* text, uint64_t length);

/* Ends the run with a diagnostic: the kernel called trap() or a PTO_ASSERT of it failed. */
PTOSIM_ABI void ptosim_trap(const char* message, ptosim_location where) __attribute__((noreturn));

/* Where the kernel is now: for messages about what it does without an instruction (a crash, an
 * endless loop). ptosim_issue, loads and stores tell it by themselves. */
PTOSIM_ABI void ptosim_at(ptosim_location where);

#endif
