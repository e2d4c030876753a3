"""Our own kernels that do the work of the measured kernels, as `.pto` text.

They have the properties that decide time: tile sizes, the number and order of reads of each byte, the depth of buffers,
and the dependences of instructions. They run in `--mode timing`, on zeros.
"""
from attention_kernel import attention
from hand_off_kernels import direct_hand_offs, hand_offs
from kernel_builder import BITS
from matmul_kernel import matmul, operand_moves, products
from stream_kernels import (add_stream, copy_stream, nothing, one_core_copies, read_stream, results_out,
                            shared_reads)
from top_k_kernel import top_k
from vector_kernels import VECTOR_FUNCTIONS, vector_function, vector_instructions

__all__ = ["BITS", "VECTOR_FUNCTIONS", "add_stream", "attention", "copy_stream", "direct_hand_offs", "hand_offs",
           "matmul", "nothing", "one_core_copies", "operand_moves", "products", "read_stream", "results_out",
           "shared_reads", "top_k", "vector_function", "vector_instructions"]
