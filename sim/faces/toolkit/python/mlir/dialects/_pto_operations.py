"""The operations of the dialect `pto`: names, operands and attributes follow PTOAS' definitions (hw-native-sys/PTOAS
include/PTO/IR/PTOOps.td), as `_definitions` reads them. `ptosim isa NAME` describes each, and the reader's limits."""

# Tile instructions, written `pto.NAME ins(...) outs(...)`.
INSTRUCTIONS = """
TLoad tload = src >dst -> result?
TPrefetch tprefetch = src >dst
TStore tstore = src >dst preQuantScalar? @stPhase:StPhase? @atomicType:AtomicType? @reluPreMode:ReluPreMode? -> result?
TPack tpack = src >dst
TTrans ttrans = src tmp >dst
TMatmulBias tmatmul.bias = a b bias >dst -> result?
TMatmulMx tmatmul.mx = a a_scale b b_scale >dst -> result?
TMatmulMxAcc tmatmul.mx.acc = c_in a a_scale b b_scale >dst -> result?
TMatmulMxBias tmatmul.mx.bias = a a_scale b b_scale bias >dst -> result?
TMatmul tmatmul = lhs rhs >dst -> result?
TMatmulAcc tmatmul.acc = acc_in lhs rhs >dst -> result?
TGemv tgemv = lhs rhs >dst -> result?
TGemvAcc tgemv.acc = acc_in lhs rhs >dst -> result?
TGemvBias tgemv.bias = a b bias >dst -> result?
TGemvMx tgemv.mx = a a_scale b b_scale >dst -> result?
TGemvMxAcc tgemv.mx.acc = c_in a a_scale b b_scale >dst -> result?
TGemvMxBias tgemv.mx.bias = a a_scale b b_scale bias >dst -> result?
TMov tmov = src >dst fp? preQuantScalar? @accToVecMode:AccToVecMode? @reluPreMode:ReluPreMode? -> result?
TSync tsync = events*
MGather mgather = mem idx >dst @gatherOob:GatherOOB?
TSetVal tsetval = >dst offset val
THistogram thistogram = src idx >dst @isMSB:bool?
TGetScaleAddr tget_scale_addr = src >dst
MScatter mscatter = src idx >mem @scatterAtomicOp:ScatterAtomicOp? @scatterOob:ScatterOOB?
TAbs tabs = src >dst
TAdd tadd = src0 src1 >dst
TAddC taddc = src0 src1 src2 >dst
TAddS tadds = src scalar >dst
TAxpy taxpy = src scalar >dst
TAddSC taddsc = src0 scalar src1 >dst
TAnd tand = src0 src1 >dst
TConcat tconcat = src0 src1 >dst
TAndS tands = src scalar >dst
TCI tci = S >dst @descending:bool?
TTri ttri = diagonal >dst @upperOrLower:i32?
TCmp tcmp = src0 src1 >dst @cmpMode:CmpMode?
TCmpS tcmps = src scalar @cmpMode:CmpMode? >dst
TColExpand tcolexpand = src >dst
TColExpandAdd tcolexpandadd = src0 src1 >dst
TColExpandMul tcolexpandmul = src0 src1 >dst
TColExpandDiv tcolexpanddiv = src0 src1 >dst
TColExpandSub tcolexpandsub = src0 src1 >dst
TColExpandExpdif tcolexpandexpdif = src0 src1 >dst
TColExpandMax tcolexpandmax = src0 src1 >dst
TColExpandMin tcolexpandmin = src0 src1 >dst
TColMax tcolmax = src >dst
TColArgMax tcolargmax = src tmp >dst
TColMin tcolmin = src >dst
TColArgMin tcolargmin = src tmp >dst
TColSum tcolsum = src tmp? >dst @isBinary:bool?
TColProd tcolprod = src >dst
TCvt tcvt = src >dst tmp? @rmode:RoundMode? @sat_mode:SaturationMode?
TRandom trandom = key0 key1 counter0 counter1 counter2 counter3 >dst @rounds:i32?
TDiv tdiv = src0 src1 >dst
TDivS tdivs = src scalar >dst
TFMod tfmod = src0 src1 >dst
TFModS tfmods = src scalar >dst
TExp texp = src >dst
TExpands texpands = scalar >dst
TExtract textract = src indexRow indexCol >dst
TExtractFP textract_fp = src fp indexRow indexCol >dst
TInsert tinsert = src indexRow indexCol >dst
TInsertFP tinsert_fp = src fp indexRow indexCol >dst
TFillPad tfillpad = src >dst
TFillPadExpand tfillpad_expand = src >dst
TFillPadInplace tfillpad_inplace = src >dst
TGather tgather = src >dst >cdst? indices? tmp? kValue? @maskPattern:MaskPattern? @cmpMode:CmpMode? @offset:i32?
TGatherB tgatherb = src offsets >dst
TLog tlog = src >dst
TLRelu tlrelu = src slope >dst
TMax tmax = src0 src1 >dst
TMaxS tmaxs = src scalar >dst
TMin tmin = src0 src1 >dst
TMinS tmins = src scalar >dst
TMovFP tmov.fp = src fp >dst
TMrgSort tmrgsort = srcs* blockLen? >dsts* tmp? >excuted? @exhausted:bool?
TMul tmul = src0 src1 >dst
TMulS tmuls = src0 scalar >dst
TNeg tneg = src >dst
TNot tnot = src >dst
TOr tor = src0 src1 >dst
TOrS tors = src scalar >dst
TPartAdd tpartadd = src0 src1 >dst
TPartMax tpartmax = src0 src1 >dst
TPartMin tpartmin = src0 src1 >dst
TPartMul tpartmul = src0 src1 >dst
TPRelu tprelu = src0 src1 tmp >dst
TQuant tquant = src fp offset? >dst @quant_type:QuantType
TDequant tdequant = src scale offset >dst
TRecip trecip = src >dst
TRelu trelu = src >dst
TRem trem = src0 src1 tmp >dst
TRemS trems = src scalar tmp >dst
TRowExpand trowexpand = src >dst
TRowExpandDiv trowexpanddiv = src0 src1 tmp? >dst
TRowExpandMul trowexpandmul = src0 src1 tmp? >dst
TRowExpandSub trowexpandsub = src0 src1 tmp? >dst
TRowExpandAdd trowexpandadd = src0 src1 >dst
TRowExpandExpdif trowexpandexpdif = src0 src1 tmp? >dst
TRowExpandMax trowexpandmax = src0 src1 tmp? >dst
TRowExpandMin trowexpandmin = src0 src1 tmp? >dst
TRowMax trowmax = src tmp >dst
TRowArgMax trowargmax = src tmp >dst
TRowMin trowmin = src tmp >dst
TRowArgMin trowargmin = src tmp >dst
TRowSum trowsum = src tmp >dst
TRowProd trowprod = src tmp >dst
TRsqrt trsqrt = src >dst tmp?
TScatter tscatter = src indexes >dst
TSel tsel = mask src0 src1 tmp >dst
TSelS tsels = mask src tmp scalar >dst
TShl tshl = src0 src1 >dst
TShr tshr = src0 src1 >dst
TShlS tshls = src scalar >dst
TShrS tshrs = src scalar >dst
TSort32 tsort32 = src idx tmp? >dst
TSqrt tsqrt = src >dst
TStoreFP tstore_fp = src fp >dst
TSub tsub = src0 src1 >dst
TSubC tsubc = src0 src1 src2 >dst
TSubS tsubs = src scalar >dst
TSubSC tsubsc = src0 scalar src1 >dst
TXorS txors = src scalar tmp >dst
TXor txor = src0 src1 tmp >dst
TConcatIdx tconcatidx = src0 src1 src0Idx src1Idx >dst
TPow tpow = base exp tmp >dst
TPrint tprint = src tmp? @printFormat:PrintFormat?
"""

# Operations with custom syntax: a row, `|`, and its pattern (`_printing.template`).
OTHERS = """
AddPtr addptr = ptr offset -> result=(ptr) | {ptr}, {offset} : {ptr:type} -> {result:type}
LoadScalar load_scalar = ptr offset -> value | {ptr}[{offset}] : {ptr:type} -> {value:type}
StoreScalar store_scalar = ptr offset value | {value}, {ptr}[{offset}] : {ptr:type}, {value:type}
MakeTensorView make_tensor_view = ptr shape* strides* @layout:Layout? -> result | {ptr}, shape = [{shape}], strides = [{strides}]{attributes} : {result:type}
PartitionView partition_view = source offsets* sizes* -> result | {source}, offsets = [{offsets}], sizes = [{sizes}] : {source:type} -> {result:type}
GetTensorViewDim get_tensor_view_dim = tensor_view dim_index -> result=index | {tensor_view}, {dim_index} : {tensor_view:type} -> {result:type}
AllocTile alloc_tile = addr? valid_row? valid_col? -> result |[[ addr = {addr}]][[ valid_row = {valid_row}]][[ valid_col = {valid_col}]]{attributes} : {result:type}
DeclareTile declare_tile = -> tile | -> {tile:type}
TAssign tassign = tile addr -> result=(tile) | {tile}, {addr} : {tile:type} -> {result:type}
DeclareGlobal declare_global = -> result | -> {result:type}
SetValidShape set_validshape = source valid_row valid_col | {source}, {valid_row}, {valid_col} : {source:type}
Bitcast bitcast = src -> result | {src} : {src:type} -> {result:type}
TReshape treshape = src -> result | {src} : {src:type} -> {result:type}
TGetVal tgetval = src offset -> dst | ins({src}, {offset} : {src:type}, {offset:type}) outs : {dst:type}
Print print = @format:str scalar | ins({format}, {scalar} : {scalar:type})
Trap trap = |

GetBlockIdx get_block_idx = -> result=i64 |
GetBlockNum get_block_num = -> result=i64 |
GetSubBlockIdx get_subblock_idx = -> result=i64 |
GetSubBlockNum get_subblock_num = -> result=i64 |

RecordEvent record_event = @src_op:SyncOpType @dst_op:SyncOpType @event_id:Event |[{src_op}, {dst_op}, {event_id}]
WaitEvent wait_event = @src_op:SyncOpType @dst_op:SyncOpType @event_id:Event |[{src_op}, {dst_op}, {event_id}]
BarrierSync barrier_sync = @op_type:SyncOpType |[{op_type}]
Barrier barrier = @pipe:Pipe | {pipe}
SetFlag set_flag = @src_pipe:Pipe @dst_pipe:Pipe @event_id:Event |[{src_pipe}, {dst_pipe}, {event_id}]
WaitFlag wait_flag = @src_pipe:Pipe @dst_pipe:Pipe @event_id:Event |[{src_pipe}, {dst_pipe}, {event_id}]
SetFlagDyn set_flag_dyn = @src_pipe:Pipe @dst_pipe:Pipe event_id |[{src_pipe}, {dst_pipe}, {event_id}]
WaitFlagDyn wait_flag_dyn = @src_pipe:Pipe @dst_pipe:Pipe event_id |[{src_pipe}, {dst_pipe}, {event_id}]
GetBuf get_buf = @op_type:SyncOpType @buf_id:i32 @mode:i32? |[{op_type}, {buf_id}]{attributes}
RlsBuf rls_buf = @op_type:SyncOpType @buf_id:i32 @mode:i32? |[{op_type}, {buf_id}]{attributes}
SyncSet sync.set = @pipe:Pipe @event_id:i32? @ffts_mode:i32? event_id_dyn? | {pipe}, [[{event_id}]][[{event_id_dyn}]]{attributes}
SyncWait sync.wait = @pipe:Pipe @event_id:i32? event_id_dyn? | {pipe}, [[{event_id}]][[{event_id_dyn}]]
SetIntraBlock set_intra_block = @pipe:Pipe @event_id:i32? event_id_dyn? | {pipe}, [[{event_id}]][[{event_id_dyn}]]
WaitIntraBlock wait_intra_block = @pipe:Pipe @event_id:i32? event_id_dyn? | {pipe}, [[{event_id}]][[{event_id_dyn}]]
SetFFTs set_ffts = ffts | {ffts} : {ffts:type}

ReserveBuffer reserve_buffer = @name:str @size:i32 @location:AddressSpace @autoAlloc:bool @base:i32? -> addr=i32 | {name = {name}, size = {size}, location = {location}, auto = {autoAlloc}[[, base = {base}]]} -> {addr:type}
ImportReservedBuffer import_reserved_buffer = @name:str @peer_func:symbol -> addr=i32 | {name = {name}, peer_func = {peer_func}} -> {addr:type}
AicInitializePipe aic_initialize_pipe = @dir_mask:i8 @slot_size:i32 @id:i32? @slot_num:i32? @local_slot_num:i32? @nosplit:bool? gm_slot_buffer? c2v_consumer_buf v2c_consumer_buf | {[[id = {id}, ]]dir_mask = {dir_mask}, slot_size = {slot_size}[[, slot_num = {slot_num}]][[, local_slot_num = {local_slot_num}]][[, nosplit = {nosplit}]]} ([[gm_slot_buffer = {gm_slot_buffer} : {gm_slot_buffer:type}, ]]c2v_consumer_buf = {c2v_consumer_buf} : {c2v_consumer_buf:type}, v2c_consumer_buf = {v2c_consumer_buf} : {v2c_consumer_buf:type})
AivInitializePipe aiv_initialize_pipe = @dir_mask:i8 @slot_size:i32 @id:i32? @slot_num:i32? @local_slot_num:i32? @nosplit:bool? gm_slot_buffer? c2v_consumer_buf v2c_consumer_buf | {[[id = {id}, ]]dir_mask = {dir_mask}, slot_size = {slot_size}[[, slot_num = {slot_num}]][[, local_slot_num = {local_slot_num}]][[, nosplit = {nosplit}]]} ([[gm_slot_buffer = {gm_slot_buffer} : {gm_slot_buffer:type}, ]]c2v_consumer_buf = {c2v_consumer_buf} : {c2v_consumer_buf:type}, v2c_consumer_buf = {v2c_consumer_buf} : {v2c_consumer_buf:type})
TPushToAiv tpush_to_aiv = tile @split:i8 @id:i32? |({tile} : {tile:type}) {[[id = {id}, ]]split = {split}}
TPushToAic tpush_to_aic = tile @split:i8 @id:i32? |({tile} : {tile:type}) {[[id = {id}, ]]split = {split}}
TPopFromAic tpop_from_aic = valid_row? valid_col? @split:i8 @id:i32? -> tile |[[({valid_row}, {valid_col})]] {[[id = {id}, ]]split = {split}} -> {tile:type}
TPopFromAiv tpop_from_aiv = valid_row? valid_col? @split:i8 @id:i32? -> tile |[[({valid_row}, {valid_col})]] {[[id = {id}, ]]split = {split}} -> {tile:type}
TAllocToAiv talloc_to_aiv = @split:i8 @id:i32? -> entry | {[[id = {id}, ]]split = {split}} -> {entry:type}
TAllocToAic talloc_to_aic = @split:i8 @id:i32? -> entry | {[[id = {id}, ]]split = {split}} -> {entry:type}
TFreeFromAic tfree_from_aic = @split:i8 @id:i32? | {[[id = {id}, ]]split = {split}}
TFreeFromAiv tfree_from_aiv = @split:i8 @id:i32? | {[[id = {id}, ]]split = {split}}
InitializeL2G2LPipe initialize_l2g2l_pipe = @dir_mask:i8 @slot_size:i32 @slot_num:i32 @local_slot_num:i32? @flag_base:i32? @nosplit:bool? gm_addr local_addr? peer_local_addr? -> pipe=!pto.pipe | {dir_mask = {dir_mask}, slot_size = {slot_size}, slot_num = {slot_num}[[, local_slot_num = {local_slot_num}]][[, flag_base = {flag_base}]][[, nosplit = {nosplit}]]} ({gm_addr}[[, {local_addr}]][[, {peer_local_addr}]] : {gm_addr:type}[[, {local_addr:type}]][[, {peer_local_addr:type}]]) -> {pipe:type}
InitializeL2LPipe initialize_l2l_pipe = @dir_mask:i8 @slot_size:i32 @slot_num:i32 @flag_base:i32? @nosplit:bool? local_addr peer_local_addr? -> pipe=!pto.pipe | {dir_mask = {dir_mask}, slot_size = {slot_size}, slot_num = {slot_num}[[, flag_base = {flag_base}]][[, nosplit = {nosplit}]]} ({local_addr}[[, {peer_local_addr}]] : {local_addr:type}[[, {peer_local_addr:type}]]) -> {pipe:type}
TPush tpush = tile pipe_handle @split:i8 |({tile}, {pipe_handle} : {tile:type}, {pipe_handle:type}) {split = {split}}
TAlloc talloc = entry pipe_handle @split:i8 |({entry}, {pipe_handle} : {entry:type}, {pipe_handle:type}) {split = {split}}
TPop tpop = tile pipe_handle @split:i8 |({tile}, {pipe_handle} : {tile:type}, {pipe_handle:type}) {split = {split}}
TFree tfree = pipe_handle @split:i8 entry? |([[{entry}, ]]{pipe_handle} : [[{entry:type}, ]]{pipe_handle:type}) {split = {split}}

DeclareEventIdArray declare_eventid_array = -> array | -> {array:type}
EventIdArrayGet eventid_array_get = array index -> result=index | {array}[{index}] : {array:type}
EventIdArraySet eventid_array_set = array index value | {array}[{index}], {value} : {array:type}
"""
