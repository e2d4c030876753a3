// Operations that share a form: PTO_DETAIL_OPERATIONS_UNARY(Form_) is Form_(TABS) Form_(TNEG) ... . Made from the
// instruction table (ptosim isa --cpp-forms) by scripts/regenerate.sh; do not edit.
#pragma once

#define PTO_DETAIL_OPERATIONS_UNARY(Form_)                                                         \
    Form_(TNOT) Form_(TNEG) Form_(TABS) Form_(TRELU) Form_(TPACK) Form_(TPAIRREDUCESUM)            \
    Form_(TCOLMAX) Form_(TCOLMIN) Form_(TCOLPROD) Form_(TROWEXPAND) Form_(TCOLEXPAND)

#define PTO_DETAIL_OPERATIONS_UNARY_PRECISE(Form_)                                                 \
    Form_(TEXP, ExpAlgorithm) Form_(TLOG, LogAlgorithm) Form_(TSQRT, SqrtAlgorithm)                \
    Form_(TRSQRT, RsqrtAlgorithm) Form_(TRECIP, RecipAlgorithm)

#define PTO_DETAIL_OPERATIONS_BINARY(Form_)                                                        \
    Form_(TADD) Form_(TSUB) Form_(TMUL) Form_(TMAX) Form_(TMIN) Form_(TAND) Form_(TOR)             \
    Form_(TSHL) Form_(TSHR) Form_(TFUSEDMULADD) Form_(TFUSEDMULADDRELU) Form_(TMULADDDST)          \
    Form_(TSUBRELU) Form_(TADDRELUCONV) Form_(TSUBRELUCONV) Form_(TROWARGMAX) Form_(TROWARGMIN)    \
    Form_(TCOLARGMAX) Form_(TCOLARGMIN) Form_(TPARTADD) Form_(TPARTMUL) Form_(TPARTMAX)            \
    Form_(TPARTMIN) Form_(TROWSUM) Form_(TROWMAX) Form_(TROWMIN) Form_(TROWPROD)                   \
    Form_(TROWEXPANDADD) Form_(TROWEXPANDSUB) Form_(TROWEXPANDMUL) Form_(TROWEXPANDMAX)            \
    Form_(TROWEXPANDMIN) Form_(TROWEXPANDEXPDIF) Form_(TCOLEXPANDADD) Form_(TCOLEXPANDSUB)         \
    Form_(TCOLEXPANDMUL) Form_(TCOLEXPANDMAX) Form_(TCOLEXPANDMIN) Form_(TCOLEXPANDEXPDIF)

#define PTO_DETAIL_OPERATIONS_BINARY_PRECISE(Form_)                                                \
    Form_(TDIV, DivAlgorithm) Form_(TFMOD, FmodAlgorithm) Form_(TROWEXPANDDIV, DivAlgorithm)       \
    Form_(TCOLEXPANDDIV, DivAlgorithm)

#define PTO_DETAIL_OPERATIONS_BINARY_TMP(Form_)                                                    \
    Form_(TXOR) Form_(TPRELU) Form_(TROWEXPANDADD) Form_(TROWEXPANDSUB) Form_(TROWEXPANDMUL)       \
    Form_(TROWEXPANDMAX) Form_(TROWEXPANDMIN) Form_(TROWEXPANDEXPDIF)

#define PTO_DETAIL_OPERATIONS_BINARY_PRECISE_TMP(Form_)                                            \
    Form_(TREM, RemAlgorithm) Form_(TPOW, PowAlgorithm) Form_(TROWEXPANDDIV, DivAlgorithm)

#define PTO_DETAIL_OPERATIONS_TERNARY(Form_)                                                       \
    Form_(TADDC) Form_(TSUBC)

#define PTO_DETAIL_OPERATIONS_ARGUMENT(Form_)                                                      \
    Form_(TROWARGMAX) Form_(TROWARGMIN) Form_(TCOLARGMAX) Form_(TCOLARGMIN)

#define PTO_DETAIL_OPERATIONS_WITH_SCALAR(Form_)                                                   \
    Form_(TLRELU, Src) Form_(TAXPY, Src) Form_(TADDS, Src) Form_(TSUBS, Src) Form_(TMULS, Src)     \
    Form_(TMAXS, Src) Form_(TMINS, Src) Form_(TANDS, Dst) Form_(TORS, Dst) Form_(TSHLS, Dst)       \
    Form_(TSHRS, Dst)

#define PTO_DETAIL_OPERATIONS_SCALAR_BETWEEN(Form_)                                                \
    Form_(TADDSC) Form_(TSUBSC)
