// c = a b of 64 x 128 and 128 x 64 f16, sums in f32.
module {
  func.func @matmul(%a: memref<64x128xf16, #hivm.address_space<gm>>, %b: memref<128x64xf16, #hivm.address_space<gm>>,
                    %c: memref<64x64xf32, #hivm.address_space<gm>>)
  attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIC>} {
    %true = arith.constant true
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c0_i64 = arith.constant 0 : i64
    %c16384_i64 = arith.constant 16384 : i64
    %a_l1 = hivm.hir.pointer_cast(%c0_i64) [] : memref<8x4x16x16xf16, #hivm.address_space<cbuf>>
    %b_l1 = hivm.hir.pointer_cast(%c16384_i64) [] : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
    %c_l0 = hivm.hir.pointer_cast(%c0_i64) [] : memref<4x4x16x16xf32, #hivm.address_space<cc>>
    hivm.hir.nd2nz {dst_continuous} ins(%a : memref<64x128xf16, #hivm.address_space<gm>>) outs(%a_l1 : memref<8x4x16x16xf16, #hivm.address_space<cbuf>>) init_out_buffer = false
    hivm.hir.nd2nz {dst_continuous} ins(%b : memref<128x64xf16, #hivm.address_space<gm>>) outs(%b_l1 : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>) init_out_buffer = false
    hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
    hivm.hir.mmadL1 ins(%a_l1, %b_l1, %true, %c64, %c128, %c64 : memref<8x4x16x16xf16, #hivm.address_space<cbuf>>, memref<4x8x16x16xf16, #hivm.address_space<cbuf>>, i1, index, index, index) outs(%c_l0 : memref<4x4x16x16xf32, #hivm.address_space<cc>>)
    hivm.hir.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    hivm.hir.fixpipe {enable_nz2nd} ins(%c_l0 : memref<4x4x16x16xf32, #hivm.address_space<cc>>) outs(%c : memref<64x64xf32, #hivm.address_space<gm>>)
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}
