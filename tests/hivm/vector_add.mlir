// z = x + y of 4096 f32 a block, 1024 at a time: the two loads of an iteration wait until the store before has left.
module {
  func.func @vector_add(%x: memref<?xf32, #hivm.address_space<gm>>, %y: memref<?xf32, #hivm.address_space<gm>>,
                        %z: memref<?xf32, #hivm.address_space<gm>>)
  attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %c0_i64 = arith.constant 0 : i64
    %c4096_i64 = arith.constant 4096 : i64
    %block = hivm.hir.get_block_idx -> i64
    %index = arith.index_cast %block : i64 to index
    %first = arith.muli %index, %c4096 : index
    %a = hivm.hir.pointer_cast(%c0_i64) [] : memref<1024xf32, #hivm.address_space<ub>>
    %b = hivm.hir.pointer_cast(%c4096_i64) [] : memref<1024xf32, #hivm.address_space<ub>>
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    scf.for %i = %c0 to %c4096 step %c1024 {
      %at = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%first, %i]
      %x_part = memref.reinterpret_cast %x to offset: [%at], sizes: [1024], strides: [1] : memref<?xf32, #hivm.address_space<gm>> to memref<1024xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
      %y_part = memref.reinterpret_cast %y to offset: [%at], sizes: [1024], strides: [1] : memref<?xf32, #hivm.address_space<gm>> to memref<1024xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
      %z_part = memref.reinterpret_cast %z to offset: [%at], sizes: [1024], strides: [1] : memref<?xf32, #hivm.address_space<gm>> to memref<1024xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
      hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
      hivm.hir.load ins(%x_part : memref<1024xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>)
                    outs(%a : memref<1024xf32, #hivm.address_space<ub>>)
      hivm.hir.load ins(%y_part : memref<1024xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>)
                    outs(%b : memref<1024xf32, #hivm.address_space<ub>>)
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
      hivm.hir.vadd ins(%a, %b : memref<1024xf32, #hivm.address_space<ub>>, memref<1024xf32, #hivm.address_space<ub>>)
                    outs(%a : memref<1024xf32, #hivm.address_space<ub>>)
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.store ins(%a : memref<1024xf32, #hivm.address_space<ub>>)
                     outs(%z_part : memref<1024xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>)
      hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    }
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}
