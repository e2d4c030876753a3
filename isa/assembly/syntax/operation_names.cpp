// The names of the operations of the pto dialect, of versions 0.27 and 0.60 together (hw-native-sys/PTOAS
// include/PTO/IR/*.td). They are used for messages only; the instruction table defines operands and effects.
#include "isa/assembly/syntax/operation_names.h"

#include <algorithm>
#include <vector>

#include "isa/core/diagnostic.h"

namespace ptosim::assembly {

namespace {

// Tile instructions, views, synchronisation and other operations of tile-level kernels.
constexpr std::string_view kTileLevel =
    "addptr aic_initialize_pipe aiv_initialize_pipe alloc_multi_tile alloc_tile barrier "
    "barrier_sync bitcast build_async_session castptr cmo.cacheinvalid "
    "comm.build_async_session comm.tbroadcast comm.test_async_event comm.tgather comm.tget "
    "comm.tget_async comm.tnotify comm.tput comm.tput_async comm.treduce comm.tscatter "
    "comm.ttest comm.twait comm.wait_async_event dcci declare_eventid_array declare_global "
    "declare_local_array declare_struct declare_tile dsb eventid_array_get "
    "eventid_array_set fence.barrier_all fusion_region get_block_idx get_block_num get_buf "
    "get_buf_dyn get_prefetch_async_session get_subblock_idx get_subblock_num "
    "get_tensor_view_dim get_tensor_view_stride get_validshape import_reserved_buffer "
    "initialize_l2g2l_pipe initialize_l2l_pipe inttoptr load_scalar local_array_get "
    "local_array_set make_prefetch_async_context make_tensor_view mgather mscatter "
    "multi_tile_get partition_view print ptrtoint record_event reserve_buffer rls_buf "
    "rls_buf_dyn section.cube section.vector set_cross_block set_ffts set_flag "
    "set_flag_dyn set_intra_block set_quant_scalar set_quant_vector set_validshape "
    "store_scalar struct_get struct_set subset subview sync.set sync.wait syncall tabs "
    "tadd taddc taddrelu tadds taddsc talloc talloc_to_aic talloc_to_aiv tand tands "
    "tassign taxpy tci tcmp tcmps tcolargmax tcolargmin tcolexpand tcolexpandadd "
    "tcolexpanddiv tcolexpandexpdif tcolexpandmax tcolexpandmin tcolexpandmul "
    "tcolexpandsub tcolmax tcolmin tcolprod tcolsum tconcat tconcatidx tcvt tdequant tdiv "
    "tdivs tensor_view_addr test_async_event texp texpands textract textract_fp tfillpad "
    "tfillpad_expand tfillpad_inplace tfmod tfmods tfree tfree_from_aic tfree_from_aiv "
    "tgather tgatherb tgemv tgemv.acc tgemv.bias tgemv.mx tgemv.mx.acc tgemv.mx.bias "
    "tget_async tget_scale_addr tgetval thistogram tile_buf_addr tile_valid_cols "
    "tile_valid_rows tinsert tinsert_fp tload tlog tlrelu tmatmul tmatmul.acc tmatmul.bias "
    "tmatmul.mx tmatmul.mx.acc tmatmul.mx.bias tmax tmaxs tmin tmins tmov tmov.fp tmrgsort "
    "tmul tmuls tneg tnot tor tors tpack tpartadd tpartargmax tpartargmin tpartmax "
    "tpartmin tpartmul tpop tpop_from_aic tpop_from_aiv tpow tpows tprefetch "
    "tprefetch_async tprelu tprint tpush tpush_to_aic tpush_to_aiv tput_async tquant "
    "tquant.mx trandom trap trecip trelu trem trems treshape trowargmax trowargmin "
    "trowexpand trowexpandadd trowexpanddiv trowexpandexpdif trowexpandmax trowexpandmin "
    "trowexpandmul trowexpandsub trowmax trowmin trowprod trowsum trsqrt tscatter tsel "
    "tsels tsetval tshl tshls tshr tshrs tsort32 tsqrt tstore tstore_fp tsub tsubc tsubs "
    "tsubsc tsync ttrans ttri txor txors wait_async_event wait_cross_block wait_event "
    "wait_flag wait_flag_dyn wait_intra_block yield";

// Operations that the compiler generates from tiles during lowering.
constexpr std::string_view kInnerForm = "bind_tile declare_tile_memref pointer_cast";

// One level below: vector registers, masks, raw DMA descriptors, SIMT threads.
constexpr std::string_view kRegisterLevel =
    "absf atomic_add atomic_and atomic_cas atomic_exch atomic_max atomic_min atomic_or "
    "atomic_sub atomic_xor ceil chistv2 convert copy_cbuf_to_bt copy_cbuf_to_fbuf "
    "copy_cbuf_to_ubuf copy_gm_to_cbuf copy_gm_to_cbuf_multi_dn2nz "
    "copy_gm_to_cbuf_multi_nd2nz copy_gm_to_ubuf copy_matrix_cc_to_cbuf "
    "copy_matrix_cc_to_gm copy_matrix_cc_to_ub copy_ubuf_to_cbuf copy_ubuf_to_gm "
    "copy_ubuf_to_ubuf cos create_cbuf_matrix dhistv2 exp floor fma fmax fmin "
    "get_block_dim_x get_block_dim_y get_block_dim_z get_block_idx_x get_block_idx_y "
    "get_block_idx_z get_clock32 get_clock64 get_ctrl get_grid_dim_x get_grid_dim_y "
    "get_grid_dim_z get_laneid get_lanemask_eq get_lanemask_ge get_lanemask_gt "
    "get_lanemask_le get_lanemask_lt get_tid_x get_tid_y get_tid_z get_veccoreid "
    "get_vms4_sr init_align keep ld_dev ldg load load_cbuf_to_ca load_cbuf_to_ca_mx "
    "load_cbuf_to_ca_s4 load_cbuf_to_cb load_cbuf_to_cb_mx load_cbuf_to_cb_s4 log mad "
    "mad_acc mad_bias mad_bias_raw mad_mx mad_mx_acc mad_mx_bias mad_mx_bias_raw "
    "mad_mx_raw mad_raw mem_bar mte_gm_l1 mte_gm_l1_frac mte_gm_ub mte_l0c_gm mte_l0c_l1 "
    "mte_l0c_ub mte_l1_bt mte_l1_fb mte_l1_l0a mte_l1_l0a_mx mte_l1_l0b mte_l1_l0b_mx "
    "mte_l1_ub mte_ub_gm mte_ub_l1 mte_ub_ub mul_i32toi64 mulhi pand pbitcast pdintlv_b16 "
    "pdintlv_b32 pdintlv_b8 pge_b16 pge_b32 pge_b8 pintlv_b16 pintlv_b32 pintlv_b8 pldi "
    "plds plt_b16 plt_b32 plt_b8 pltm_b16 pltm_b32 pltm_b8 pnot por pow ppack prmt psel "
    "pset_b16 pset_b32 pset_b8 psti psts pstu punpack pxor raw_fill_l1 redux_add redux_max "
    "redux_min resume rint round sbitset0 sbitset1 section.simt set_atomic_add "
    "set_atomic_bf16 set_atomic_f16 set_atomic_f32 set_atomic_max set_atomic_min "
    "set_atomic_none set_atomic_s16 set_atomic_s32 set_atomic_s8 set_channel_para set_ctrl "
    "set_fix_clip_relu set_fpc set_loop1_stride_outtol1 set_loop1_stride_outtoub "
    "set_loop1_stride_ubtoout set_loop2_stride_outtol1 set_loop2_stride_outtoub "
    "set_loop2_stride_ubtoout set_loop3_para set_loop_size_outtol1 set_loop_size_outtoub "
    "set_loop_size_ubtoout set_mov_pad_val set_mte2_nz_para set_pad_val_outtol1 "
    "set_quant_pre set_relu_alpha set_store_atomic_cfg shuffle_bfly shuffle_down "
    "shuffle_idx shuffle_up simt_launch sin sprclr sprsti sprsts sqrt st_dev stg store "
    "store_vfsimt_info strict_vecscope syncthreads threadfence threadfence_block "
    "ub.set_mask ub.set_mask_count ub.set_mask_norm ub.vabs ub.vadd ub.vaddrelu ub.vadds "
    "ub.vand ub.vdiv ub.vdup ub.vexp ub.vln ub.vmax ub.vmaxs ub.vmin ub.vmins ub.vmul "
    "ub.vmuls ub.vnot ub.vor ub.vrelu ub.vrsqrt ub.vshl ub.vshr ub.vsqrt ub.vsub uvld vabs "
    "vadd vaddc vaddcs vaddreluconv vadds vand vaxpy vbitcast vbitsort vbr vcadd vcbmax "
    "vcbmin vcgadd vcgmax vcgmin vci vcmax vcmin vcmp vcmps vcpadd vcvt vdintlv vdintlvv2 "
    "vdiv vdup vecscope vexp vexpdif vgather2 vgather2_bc vgatherb vintlv vintlvv2 vldas "
    "vlds vldsx2 vldus vln vlrelu vmadd vmax vmaxs vmi.absf vmi.absi "
    "vmi.active_prefix_index vmi.addf vmi.addi vmi.andi vmi.bitcast vmi.broadcast "
    "vmi.channel_merge vmi.channel_split vmi.cmpf vmi.cmpi vmi.compress vmi.compress_store "
    "vmi.constant vmi.constant_mask vmi.create_group_mask vmi.create_mask "
    "vmi.deinterleave_load vmi.divf vmi.ensure_layout vmi.ensure_mask_granularity "
    "vmi.ensure_mask_layout vmi.exp vmi.expand_load vmi.extf vmi.extsi vmi.extui vmi.fma "
    "vmi.fptosi vmi.fptoui vmi.gather vmi.group_broadcast vmi.group_broadcast_load "
    "vmi.group_iota vmi.group_load vmi.group_reduce_addf vmi.group_reduce_addi "
    "vmi.group_reduce_maxf vmi.group_reduce_maxi vmi.group_reduce_minf "
    "vmi.group_reduce_mini vmi.group_slot_load vmi.group_store vmi.interleave_store "
    "vmi.iota vmi.ln vmi.load vmi.mask_and vmi.mask_not vmi.mask_or vmi.mask_xor "
    "vmi.masked_load vmi.masked_store vmi.maxf vmi.maxi vmi.minf vmi.mini vmi.mulf "
    "vmi.muli vmi.negf vmi.negi vmi.not vmi.ori vmi.pack vmi.pge vmi.plt vmi.pset "
    "vmi.reduce_addf vmi.reduce_addi vmi.reduce_maxf vmi.reduce_maxi vmi.reduce_minf "
    "vmi.reduce_mini vmi.relu vmi.scatter vmi.select vmi.shli vmi.shrsi vmi.shrui "
    "vmi.shuffle vmi.sitofp vmi.sqrt vmi.store vmi.stride_load vmi.stride_store vmi.subf "
    "vmi.subi vmi.truncf vmi.trunci vmi.unpack vmi.vabs vmi.vadd vmi.vaddc vmi.vaddcs "
    "vmi.vadds vmi.vand vmi.vaxpy vmi.vbrc vmi.vcadd vmi.vchist vmi.vci vmi.vcmax "
    "vmi.vcmin vmi.vcmp vmi.vcmps vmi.vcvt vmi.vdhist vmi.vdintlv vmi.vdiv vmi.vexp "
    "vmi.vexpdif vmi.vgather vmi.vgatherb vmi.vinterpret_cast vmi.vintlv vmi.vln vmi.vload "
    "vmi.vlrelu vmi.vmax vmi.vmaxs vmi.vmin vmi.vmins vmi.vmul vmi.vmula vmi.vmull "
    "vmi.vmuls vmi.vneg vmi.vnot vmi.vor vmi.vprelu vmi.vrelu vmi.vscatter vmi.vsel "
    "vmi.vselr vmi.vshl vmi.vshls vmi.vshr vmi.vshrs vmi.vsqrt vmi.vsstb vmi.vstore "
    "vmi.vsub vmi.vxor vmi.xori vmin vmins vmrgsort4 vmul vmula vmulconv vmull vmuls "
    "vmulscvt vneg vnot vor vote_all vote_any vote_ballot vote_uni vpack vprelu vrelu "
    "vscatter vsel vselr vselrv2 vshl vshls vshr vshrs vsldb vsqrt vsqz vsstb vstar vstas "
    "vsts vstsx2 vstur vstus vsub vsubc vsubcs vsunpack vtrc vusqz vxor vzunpack";

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> names;
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        names.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

bool contains(std::string_view names, std::string_view name) {
    const std::vector<std::string_view> all = split(names);
    return std::find(all.begin(), all.end(), name) != all.end();
}

}  // namespace

OperationLevel operation_level(std::string_view name) {
    if (contains(kTileLevel, name)) return OperationLevel::kTile;
    if (contains(kInnerForm, name)) return OperationLevel::kInner;
    if (contains(kRegisterLevel, name)) return OperationLevel::kRegister;
    return OperationLevel::kUnknown;
}

std::string closest_operation(std::string_view name) { return closest(name, split(kTileLevel)); }

}  // namespace ptosim::assembly
