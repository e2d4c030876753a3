#!/usr/bin/python3
"""Writes golden cases of a2a3's vector CCE intrinsics: the expected content of UB, computed by numpy.

    /usr/bin/python3 isa/intrinsics/intrinsic_goldens.py FILE

A second implementation, made from the public documents and headers that each module names. Needs numpy,
nothing of ptosim. Random numbers depend on the names of intrinsics alone.

FILE is a sequence of

    case NAME TYPES MASK0 MASK1 COUNTER CTRL CMP0 CMP1 NARGS a1 ... aN [words] UBBYTES\\n
    <UB before><UB after><16 bytes of CMPMASK after>

with decimal numbers. MASK0 is the low word of the mask, in counter mode the number of elements. TYPES are
those of the address operands in the order of the signature, one alone if all are equal, - if the signature
has none. Addresses are byte offsets in UB, scalars are the bits of an element. Words:

    deqscale=N       the register DEQSCALE
    vaK=a,b,...      VA register K: eight addresses (scatter_vnchwconv's operands are numbers of registers)
    after_REG=N      the expected value of rsvd_cnt, vms4_sr, acc_val or max_min_cnt
    rule=NAME        the case depends on a choice that the documents leave open: the table RULES
"""
import sys

import intrinsic_goldens_convert as convert
import intrinsic_goldens_elementwise as elementwise
import intrinsic_goldens_move as move
import intrinsic_goldens_reduce as reduce_
import intrinsic_goldens_sort as sort
from intrinsic_goldens_call import Book


# Choices that public documents leave open: the value in these cases, and plausible alternatives. All other cases have
# operands for which the alternatives agree.
RULES = {
    "canonical_nan": "NaN results are 7FC00000 and 7E00; else payloads and signs of operands pass",
    "deq_once": "the product of vconv_deq is rounded once, to f16; else to f32 before, as in the formula with 2**17",
    "directed_overflow": "letters f, c, z, o give the largest number where IEEE 754 does; else an infinity",
    "divide_by_zero": "quotients by zero are those of IEEE 754; the documents call them unknown",
    "equal_zeros": "vbitsort holds -0 and +0 to be equal; else +0 comes first",
    "extreme_nan_zero": "maximum and minimum pass over NaN, -0 is less than +0; else NaN wins, or the first operand",
    "fused_madd": "vmadd and vmaddrelu round once; else the product is rounded, too",
    "integer_wraps": "sums and products of integers keep their low bits; else they saturate",
    "masked_zero": "lanes that take no part count as +0 in sums, so that -0 alone gives +0; else they are left out",
    "nan_to_integer": "NaN becomes 0 where conversions saturate; else the least integer",
    "order_values": "Order_t has the numbers of AscendC's ReduceOrder: value and index, index and value, value, index",
    "reserved_bytes": "vbitsort of f16 clears the two reserved bytes (hw-native-sys/pto-isa docs/isa/TSORT32.md); else "
                      "they stay",
    "rounded_product": "vmla and vaxpy round the product to dst's type; else they round once",
    "saturate_half": "with CTRL[48] clear each f16 or bf16 result is clamped, NaN becomes 0; else f16 only, or never",
    "shift_by_width": "a shift by the width leaves zeros, or copies of the sign; else the count is modulo the width",
    "shl_moves_sign": "vshl of signed elements moves all bits, as hw-native-sys/pto-isa tests/npu/a2a3 tshls expects "
                      "of vshl on i16; else the sign stays (asc-devkit ShiftLeft.md)",
    "sum_rounded_first": "sums of v*reluconv are rounded to the sources' type, then converted; else rounded once",
    "vcmp_one_repeat": "vcmp_* handles one repeat whatever its argument; else each repeat overwrites CMPMASK",
    "wrap_to_integer": "with CTRL[59] set a float that does not fit gives its low bits; else through i32 or i64",
}


def write(path):
    book = Book()
    for module in (elementwise, move, convert, reduce_, sort):
        for cases in module.CASES:
            cases(book)
    unknown = book.rules - set(RULES)
    if unknown:
        raise ValueError(f"rules without a text: {sorted(unknown)}")
    book.write(path)
    return book


if __name__ == "__main__":
    write(sys.argv[1])
