// From an operation's name to the part of the binder that knows it.
#include <algorithm>

#include "isa/assembly/bind/binder_state.h"
#include "isa/assembly/syntax/operation_names.h"
#include "isa/assembly/syntax/parser.h"

namespace ptosim::assembly {

namespace {

// Calls inside of calls multiply; a real kernel has some ten thousand steps.
constexpr size_t kMaxSteps = 1u << 22;

}  // namespace

Binder::Handler Binder::handler_of(std::string_view name) {
    static const std::unordered_map<std::string_view, Handler> kHandlers = {
        {"return", &Binder::function_return},
        {"func.return", &Binder::function_return},
        {"func.call", &Binder::call},
        {"call", &Binder::call},
        {"cf.br", &Binder::branch},
        {"cf.cond_br", &Binder::branch},
        {"scf.for", &Binder::scf_for},
        {"scf.if", &Binder::scf_if},
        {"scf.while", &Binder::scf_while},
        {"scf.index_switch", &Binder::scf_index_switch},
        {"scf.execute_region", &Binder::inline_region},
        {"pto.fusion_region", &Binder::inline_region},
        {"pto.section.cube", &Binder::section},
        {"pto.section.vector", &Binder::section},
        {"builtin.unrealized_conversion_cast", &Binder::cast_pointer},
        {"pto.get_block_idx", &Binder::block_number},
        {"pto.get_block_num", &Binder::block_number},
        {"pto.get_subblock_idx", &Binder::block_number},
        {"pto.get_subblock_num", &Binder::block_number},
        {"pto.make_tensor_view", &Binder::make_tensor_view},
        {"pto.partition_view", &Binder::partition_view},
        {"pto.get_tensor_view_dim", &Binder::view_extent},
        {"pto.get_tensor_view_stride", &Binder::view_extent},
        {"pto.tensor_view_addr", &Binder::view_address},
        {"pto.alloc_tile", &Binder::alloc_tile},
        {"pto.alloc_multi_tile", &Binder::alloc_tile},
        {"pto.declare_tile", &Binder::declare_tile},
        {"pto.multi_tile_get", &Binder::multi_tile_get},
        {"pto.tget_scale_addr", &Binder::scale_address},
        {"pto.subview", &Binder::tile_window},
        {"pto.subset", &Binder::tile_window},
        {"pto.treshape", &Binder::retype_tile},
        {"pto.bitcast", &Binder::retype_tile},
        {"pto.tassign", &Binder::assign_tile},
        {"pto.set_validshape", &Binder::set_valid},
        {"pto.get_validshape", &Binder::get_valid},
        {"pto.tile_valid_rows", &Binder::tile_valid_extent},
        {"pto.tile_valid_cols", &Binder::tile_valid_extent},
        {"pto.addptr", &Binder::add_pointer},
        {"pto.castptr", &Binder::cast_pointer},
        {"pto.inttoptr", &Binder::cast_pointer},
        {"pto.ptrtoint", &Binder::cast_pointer},
        {"pto.load_scalar", &Binder::load_scalar},
        {"pto.store_scalar", &Binder::store_scalar},
        {"pto.tgetval", &Binder::get_tile_value},
        {"pto.tsetval", &Binder::set_tile_value},
        {"pto.declare_local_array", &Binder::declare_array},
        {"pto.declare_eventid_array", &Binder::declare_array},
        {"pto.local_array_get", &Binder::array_get},
        {"pto.eventid_array_get", &Binder::array_get},
        {"pto.local_array_set", &Binder::array_set},
        {"pto.eventid_array_set", &Binder::array_set},
        {"pto.declare_struct", &Binder::declare_struct},
        {"pto.struct_get", &Binder::struct_access},
        {"pto.struct_set", &Binder::struct_access},
        {"pto.print", &Binder::print},
        {"pto.trap", &Binder::trap},
        {"pto.set_flag", &Binder::set_or_wait_flag},
        {"pto.wait_flag", &Binder::set_or_wait_flag},
        {"pto.set_flag_dyn", &Binder::set_or_wait_flag},
        {"pto.wait_flag_dyn", &Binder::set_or_wait_flag},
        {"pto.record_event", &Binder::event},
        {"pto.wait_event", &Binder::event},
        {"pto.barrier", &Binder::barrier},
        {"pto.barrier_sync", &Binder::barrier},
        {"pto.sync.set", &Binder::cross_core},
        {"pto.sync.wait", &Binder::cross_core},
        {"pto.set_cross_block", &Binder::cross_core},
        {"pto.wait_cross_block", &Binder::cross_core},
        {"pto.set_intra_block", &Binder::cross_core},
        {"pto.wait_intra_block", &Binder::cross_core},
        {"pto.syncall", &Binder::sync_all},
        {"pto.reserve_buffer", &Binder::reserve_buffer},
        {"pto.import_reserved_buffer", &Binder::import_buffer},
        {"pto.aic_initialize_pipe", &Binder::initialise_pipe},
        {"pto.aiv_initialize_pipe", &Binder::initialise_pipe},
        {"pto.initialize_l2l_pipe", &Binder::initialise_low_pipe},
        {"pto.initialize_l2g2l_pipe", &Binder::initialise_low_pipe},
        {"pto.declare_global", &Binder::declare_global},
        {"pto.set_quant_scalar", &Binder::set_quant},
        {"pto.set_quant_vector", &Binder::set_quant},
        {"pto.tpush", &Binder::fifo_push},
        {"pto.tpush_to_aiv", &Binder::fifo_push},
        {"pto.tpush_to_aic", &Binder::fifo_push},
        {"pto.tpop", &Binder::fifo_pop},
        {"pto.tpop_from_aic", &Binder::fifo_pop},
        {"pto.tpop_from_aiv", &Binder::fifo_pop},
        {"pto.tfree", &Binder::fifo_release},
        {"pto.tfree_from_aic", &Binder::fifo_release},
        {"pto.tfree_from_aiv", &Binder::fifo_release},
        {"pto.talloc", &Binder::fifo_alloc},
        {"pto.talloc_to_aiv", &Binder::fifo_alloc},
        {"pto.talloc_to_aic", &Binder::fifo_alloc},
        {"pto.fence.barrier_all", &Binder::fence},
        {"pto.dsb", &Binder::fence},
        {"pto.comm.tput", &Binder::transfer},
        {"pto.comm.tget", &Binder::transfer},
        {"pto.comm.tnotify", &Binder::signal},
        {"pto.comm.ttest", &Binder::signal},
        {"pto.comm.twait", &Binder::signal},
        {"pto.comm.tbroadcast", &Binder::of_several_devices},
        {"pto.comm.tgather", &Binder::of_several_devices},
        {"pto.comm.tscatter", &Binder::of_several_devices},
        {"pto.comm.treduce", &Binder::of_several_devices},
        {"pto.comm.build_async_session", &Binder::of_several_devices},
        {"pto.comm.tput_async", &Binder::of_several_devices},
        {"pto.comm.tget_async", &Binder::of_several_devices},
        {"pto.comm.wait_async_event", &Binder::async_event},
        {"pto.comm.test_async_event", &Binder::async_event},
        {"pto.build_async_session", &Binder::of_several_devices},
        {"pto.tput_async", &Binder::of_several_devices},
        {"pto.tget_async", &Binder::of_several_devices},
        {"pto.wait_async_event", &Binder::async_event},
        {"pto.test_async_event", &Binder::async_event},
        {"pto.make_prefetch_async_context", &Binder::handle},
        {"pto.tprefetch_async", &Binder::prefetch},
        {"pto.get_prefetch_async_session", &Binder::handle},
        {"pto.get_buf", &Binder::buffer_token},
        {"pto.rls_buf", &Binder::buffer_token},
        {"pto.get_buf_dyn", &Binder::buffer_token},
        {"pto.rls_buf_dyn", &Binder::buffer_token},
        {"pto.tsync", &Binder::verified_only},
        {"pto.tile_buf_addr", &Binder::verified_only},
        {"pto.tpack", &Binder::verified_only},
        {"pto.cmo.cacheinvalid", &Binder::cache_invalid},
        {"pto.dcci", &Binder::cache_invalid},
        // Flags need no base address here.
        {"pto.set_ffts", &Binder::nothing},
    };
    const auto found = kHandlers.find(name);
    return found == kHandlers.end() ? nullptr : found->second;
}

void Binder::bind_operation(const Operation& op) {
    if (program_.steps.size() > kMaxSteps) {
        problems_.push_back(diagnostic_at(op.location, "K11", "the kernel has too many steps", {}));
        throw TooMany{};
    }
    if (const Handler handler = handler_of(op.name)) return (this->*handler)(op);
    if (op.name.starts_with("arith.") && bind_arith(op)) return;
    if (op.name.starts_with("pto.")) {
        const std::string_view word = op.name.substr(4);
        // The table also knows "TADD"; the assembly writes small letters only.
        const InstructionInfo* row = find_instruction(word);
        if (row != nullptr && word != row->name) return bind_instruction(op, *row);
    }
    fail_unknown(op);
}

void Binder::fail_unknown(const Operation& op) {
    const std::string full(op.name);
    constexpr const char* kBefore =
        "give ptosim the file before that step, with !pto.tile_buf types";
    if (!op.name.starts_with("pto.")) {
        const size_t dot = op.name.find('.');
        static constexpr std::string_view kDialects[] = {
            "arith", "scf", "func", "memref", "cf", "math", "affine", "vector", "llvm"};
        const std::string_view dialect = op.name.substr(0, dot);
        const bool known =
            std::find(std::begin(kDialects), std::end(kDialects), dialect) != std::end(kDialects);
        static const std::vector<std::string_view> kArith = {
            "constant", "addi",      "subi",      "muli",       "divsi",        "divui",  "remsi",
            "remui",    "ceildivsi", "ceildivui", "floordivsi", "maxsi",        "maxui",  "minsi",
            "minui",    "andi",      "ori",       "xori",       "shli",         "shrsi",  "shrui",
            "cmpi",     "cmpf",      "select",    "index_cast", "index_castui", "extsi",  "extui",
            "trunci",   "extf",      "truncf",    "sitofp",     "uitofp",       "fptosi", "fptoui",
            "bitcast",  "addf",      "subf",      "mulf",       "divf",         "remf",   "negf",
            "maximumf", "minimumf",  "maxnumf",   "minnumf"};
        const std::string_view rest = dot == op.name.npos ? op.name : op.name.substr(dot + 1);
        if (dialect == "arith")
            if (const std::string near = closest(rest, kArith); !near.empty() && near != rest)
                fail(op, "K02", "unknown operation '" + full + "'",
                     "did you mean 'arith." + near + "'?");
        if (!known && operation_level(rest) == OperationLevel::kTile)
            fail(op, "K02", "unknown operation '" + full + "'",
                 "did you mean 'pto." + std::string(rest) + "'?");
        if (known || dot == std::string_view::npos)
            fail(op, "K03", "the operation '" + full + "' is not supported",
                 dialect == "memref"
                     ? std::string("memref is the compiler's inner form: ") + kBefore
                     : "");
        fail(op, "K02", "unknown operation '" + full + "'");
    }
    const std::string_view word = op.name.substr(4);
    switch (operation_level(word)) {
        case OperationLevel::kTile:
            fail(op, "K03", "the operation '" + full + "' is not supported yet",
                 "it is a known pto operation; `ptosim isa` lists those that work");
        case OperationLevel::kInner:
            fail(op, "K03", "'" + full + "' is an inner form of the compiler", kBefore);
        case OperationLevel::kRegister:
            fail(op, "K04",
                 "'" + full +
                     "' works on vector registers, SIMT threads or raw descriptors, which are out "
                     "of scope",
                 "ptosim runs tile-level kernels: give it the file before it is lowered");
        case OperationLevel::kUnknown:
            break;
    }
    if (word.starts_with("v") || word.starts_with("ub.v") || word.starts_with("vmi."))
        fail(op, "K04", "'" + full + "' is a register-level operation, which is out of scope",
             "ptosim runs tile-level kernels");
    const std::string near = closest_operation(word);
    fail(op, "K02", "unknown operation '" + full + "'",
         near.empty() ? "" : "did you mean 'pto." + near + "'?");
}

}  // namespace ptosim::assembly
