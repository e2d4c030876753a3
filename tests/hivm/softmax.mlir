// Softmax of 16 rows of 64 f32.
module {
  func.func @softmax(%x: memref<16x64xf32, #hivm.address_space<gm>>, %y: memref<16x64xf32, #hivm.address_space<gm>>)
  attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>} {
    %c0_i64 = arith.constant 0 : i64
    %c4096_i64 = arith.constant 4096 : i64
    %c8192_i64 = arith.constant 8192 : i64
    %c8704_i64 = arith.constant 8704 : i64
    %t = hivm.hir.pointer_cast(%c0_i64) [] : memref<16x64xf32, #hivm.address_space<ub>>
    %wide = hivm.hir.pointer_cast(%c4096_i64) [] : memref<16x64xf32, #hivm.address_space<ub>>
    %row = hivm.hir.pointer_cast(%c8192_i64) [] : memref<16x1xf32, strided<[8, 1]>, #hivm.address_space<ub>>
    %scratch = hivm.hir.pointer_cast(%c8704_i64) [] : memref<2048xf32, #hivm.address_space<ub>>
    hivm.hir.load ins(%x : memref<16x64xf32, #hivm.address_space<gm>>) outs(%t : memref<16x64xf32, #hivm.address_space<ub>>)
    hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.vreduce <max> ins(%t : memref<16x64xf32, #hivm.address_space<ub>>) outs(%row : memref<16x1xf32, strided<[8, 1]>, #hivm.address_space<ub>>) temp_buffer(%scratch : memref<2048xf32, #hivm.address_space<ub>>) reduce_dims = [1]
    hivm.hir.pipe_barrier[<PIPE_V>]
    hivm.hir.vbrc ins(%row : memref<16x1xf32, strided<[8, 1]>, #hivm.address_space<ub>>) outs(%wide : memref<16x64xf32, #hivm.address_space<ub>>) temp_buffer(%scratch : memref<2048xf32, #hivm.address_space<ub>>) broadcast_dims = [1]
    hivm.hir.pipe_barrier[<PIPE_V>]
    hivm.hir.vsub ins(%t, %wide : memref<16x64xf32, #hivm.address_space<ub>>, memref<16x64xf32, #hivm.address_space<ub>>) outs(%t : memref<16x64xf32, #hivm.address_space<ub>>)
    hivm.hir.pipe_barrier[<PIPE_V>]
    hivm.hir.vexp ins(%t : memref<16x64xf32, #hivm.address_space<ub>>) outs(%t : memref<16x64xf32, #hivm.address_space<ub>>)
    hivm.hir.pipe_barrier[<PIPE_V>]
    hivm.hir.vreduce <sum> ins(%t : memref<16x64xf32, #hivm.address_space<ub>>) outs(%row : memref<16x1xf32, strided<[8, 1]>, #hivm.address_space<ub>>) temp_buffer(%scratch : memref<2048xf32, #hivm.address_space<ub>>) reduce_dims = [1]
    hivm.hir.pipe_barrier[<PIPE_V>]
    hivm.hir.vbrc ins(%row : memref<16x1xf32, strided<[8, 1]>, #hivm.address_space<ub>>) outs(%wide : memref<16x64xf32, #hivm.address_space<ub>>) temp_buffer(%scratch : memref<2048xf32, #hivm.address_space<ub>>) broadcast_dims = [1]
    hivm.hir.pipe_barrier[<PIPE_V>]
    hivm.hir.vdiv ins(%t, %wide : memref<16x64xf32, #hivm.address_space<ub>>, memref<16x64xf32, #hivm.address_space<ub>>) outs(%t : memref<16x64xf32, #hivm.address_space<ub>>)
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    hivm.hir.store ins(%t : memref<16x64xf32, #hivm.address_space<ub>>) outs(%y : memref<16x64xf32, #hivm.address_space<gm>>)
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}
