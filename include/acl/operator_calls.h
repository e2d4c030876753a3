/* Two-phase calls that are generated from the definition of an operator: what their sources call in
 * libnnopbase.so (sim/python/ptosim/operators/generated.py writes them). */
#ifndef PTOSIM_OPERATOR_CALLS_H
#define PTOSIM_OPERATOR_CALLS_H

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

typedef enum ptosim_argument_kind {
    PTOSIM_INPUT,        /* aclTensor */
    PTOSIM_INPUT_LIST,   /* aclTensorList */
    PTOSIM_INPUT_VALUES, /* an input whose values the tiling reads: aclIntArray of `integer` = type
                          */
    PTOSIM_INPUT_FLOATS, /* aclFloatArray */
    PTOSIM_INPUT_BOOLS,  /* aclBoolArray */
    PTOSIM_OUTPUT,       /* aclTensor */
    PTOSIM_OUTPUT_LIST,  /* aclTensorList */
    PTOSIM_BOOL,         /* attributes, by `integer`, `number` or `pointer` */
    PTOSIM_INT,
    PTOSIM_FLOAT,
    PTOSIM_STRING,
    PTOSIM_BOOL_LIST,
    PTOSIM_INT_LIST,
    PTOSIM_FLOAT_LIST
} ptosim_argument_kind;

typedef struct ptosim_argument {
    ptosim_argument_kind kind;
    const char* name;
    int optional; /* a null pointer: left out */
    const void* pointer;
    int64_t integer;
    double number;
} ptosim_argument;

#ifdef __cplusplus
extern "C" {
#endif

/* The first phase of the call `api` of the operator `type`. Returns a code of aclnn. */
aclnnStatus ptosim_aclnn_prepare(const char* api, const char* type,
                                 const ptosim_argument* arguments, uint64_t count,
                                 uint64_t* workspace, aclOpExecutor** executor);
/* The second phase. */
aclnnStatus ptosim_aclnn_run(void* workspace, uint64_t size, aclOpExecutor* executor,
                             aclrtStream stream);

/* Adds folders of operators that calls may name, separated by colons: of an operator, or of a
 * repository. Libraries of operators call it when they are loaded. */
void ptosim_aclnn_operators(const char* folders);

#ifdef __cplusplus
}
#endif
#endif
