// The binder's inside, shared by binder.cpp and the bind_*.cpp. Include binder.h instead.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/bind/layout_inference.h"
#include "isa/instruction_table.h"

namespace ptosim::assembly {

enum class ValueKind : uint8_t {
    kPoison,  // the result of an operation that has been reported already
    kScalar,  // integers and floats
    kPointer,
    kTile,
    kMultiTile,
    kView,
    kLocalArray,
    kEventArray,
    kStruct,  // the slots of its numbers in the order of the text, inner structures in place
    kHandle,  // what another operation makes and nobody reads: sessions, events, vectors of counts
    kFifo,    // slot: the FifoEnd of C2V; count 2: that of V2C follows
};
std::string_view name(ValueKind kind);
// The kind of values that a type has; kPoison for types that no value can have here.
ValueKind make_kind(const Type& type);
// The type of results that the text gives no type for: "i1", "index", "i64", "i32".
const Type& builtin_type(std::string_view name);
// A line of a text, for messages; at most 500 characters of it.
std::string_view text_line(std::string_view text, uint32_t line);

// What a name of the text stands for.
struct Value {
    ValueKind kind = ValueKind::kPoison;
    Slot slot = kNoSlot;         // of its kind; arrays: the first of `count` scalar slots
    const Type* type = nullptr;  // as written where it was defined
    uint32_t count = 1;
    int parameter = -1;                       // a kernel parameter's pointer, unmoved
    bool temporary = false;                   // a pointer made of a number, for scalar accesses
    bool ambiguous_layout = false;            // views: see InferredLayout
    GlobalLayout layout = GlobalLayout::kND;  // views

    static Value of(ValueKind kind, const Type& type, Slot slot) {
        Value value;
        value.kind = kind;
        value.type = &type;
        value.slot = slot;
        return value;
    }
};

// The index of a new element of one of the program's tables.
template <typename Item>
uint32_t added(std::vector<Item>& table, Item item) {
    table.push_back(std::move(item));
    return static_cast<uint32_t>(table.size() - 1);
}

class Binder {
 public:
    Binder(const Module& module, const BindOptions& options);
    std::unique_ptr<AssemblyKernel> run(BindRecord* record);

 private:
    struct Failure {
        Diagnostic diagnostic;
    };
    struct Silent {};  // the problem has been reported where the value was made
    struct TooMany {};

    using Handler = void (Binder::*)(const Operation&);
    struct NamedHandler {
        std::string_view name;
        Handler handler;
    };

    // --- binder.cpp: errors
    [[noreturn]] void fail(SourceLocation where, std::string code, std::string message,
                           std::string hint = {});
    [[noreturn]] void fail(const Operation& op, std::string code, std::string message,
                           std::string hint = {});
    void report(Diagnostic diagnostic);
    Diagnostic diagnostic_at(SourceLocation where, std::string code, std::string message,
                             std::string hint);

    // --- binder.cpp: functions
    void collect_functions(std::span<const Operation> operations, const Operation* module);
    std::vector<const Operation*> entry_functions();
    std::optional<CoreType> kernel_kind(const Operation& function) const;
    void bind_parameters(std::span<const Operation* const> entries);
    void check_parameter(const BlockArgument& argument);
    Value parameter_view(const Operation& function, const Type& type, Slot pointer);
    void check_kind(const Operation& function);
    void define_parameters(const Operation& function);
    void bind_entry(const Operation& function);
    void bind_function_body(const Operation& function);
    void bind_block(const Block& block);
    void call(const Operation& op);
    void function_return(const Operation& op);

    // --- bind_branches.cpp
    struct BlockPlace {
        std::vector<Value> arguments;
        uint32_t start = 0;
    };
    struct Branches {  // of one function of several blocks
        std::map<std::string_view, BlockPlace> blocks;
        std::vector<std::pair<uint32_t, std::string_view>> jumps;  // step, label
        std::vector<uint32_t> exits;                               // steps that jump to the end
        std::vector<Value> results;
        size_t depth = 0;  // of calls
    };
    void bind_blocks(const Operation& function);
    void bind_one_of(const Block& block, const Operation& function, Branches& branches);
    void jump_to(const Operation& op, const Item& label, std::span<const Item> handed);
    void branch(const Operation& op);

    // --- bind_handles.cpp
    void declare_struct(const Operation& op);
    void struct_access(const Operation& op);
    void of_several_devices(const Operation& op);
    void verified_only(const Operation& op);
    void handle(const Operation& op);
    void define_handle(const Operation& op);
    void prefetch(const Operation& op);
    void async_event(const Operation& op);
    void require_verify(const Operation& op, const char* why);

    // --- bind_operation.cpp
    void bind_operation(const Operation& op);
    static Handler handler_of(std::string_view name);
    [[noreturn]] void fail_unknown(const Operation& op);

    // --- bind_values.cpp
    Slot new_scalar(uint64_t initial = 0);
    Slot new_tile() { return program_.tile_slots++; }
    Slot new_view() { return program_.view_slots++; }
    Slot constant(uint64_t value);
    bool is_constant(Slot slot) const { return slot != kNoSlot && constant_[slot]; }
    uint64_t constant_value(Slot slot) const { return program_.scalars[slot]; }
    Value make_value(const Type& type, const Operation& op);  // fresh slots for a type
    void define(const Operation& op, size_t result, const Value& value);
    void define_name(std::string_view name, SourceLocation where, std::vector<Value> values);
    const Value& value(const Item& item);
    const Value& value_of_kind(const Item& item, ValueKind kind);
    Slot integer(const Item& item);                                // index or iN; literals too
    std::vector<const Item*> operands(const Operation& op) const;  // values of plain clauses
    const Item& operand(const Operation& op, size_t index);
    const Clause& clause(const Operation& op, std::string_view name);
    const Item& only_item(const Operation& op, const Clause& clause);
    const Type& result_type(const Operation& op, size_t index = 0);
    Tile tile_of(const Type& type, const Operation& op);
    Step& emit(StepCode code, const Operation& op);
    uint32_t here() const { return static_cast<uint32_t>(program_.steps.size()); }
    void move(const Value& to, const Value& from, const Operation& op);
    // All at once: no target is read after it was written.
    void move_all(std::span<const Value> to, std::span<const Value> from, const Operation& op);
    void check_kinds(std::span<const Value> to, std::span<const Value> from, const Operation& op);

    // --- bind_control.cpp
    void check_condition(const Operation& op, const Item& item);
    Slot known_or_one(const Item& item);
    void scf_for(const Operation& op);
    void scf_if(const Operation& op);
    void scf_while(const Operation& op);
    void scf_index_switch(const Operation& op);
    void inline_region(const Operation& op);
    void section(const Operation& op);
    std::vector<Value> make_results(const Operation& op);
    void define_results(const Operation& op, std::span<const Value> values);
    // Binds a region of one block and returns the values of its terminator, which must be `name`.
    void fuse(size_t first, Slot first_tile, const std::vector<Value>& results);
    std::vector<Value> bind_region(const Operation& op, const Region& region,
                                   std::string_view terminator, size_t expected);
    std::vector<Value> values_of(const Operation& op, std::span<const Item> items);
    void nothing(const Operation&) {}

    // --- bind_scalar.cpp
    bool bind_arith(const Operation& op);
    void arith_constant(const Operation& op);
    void arith_compare(const Operation& op, bool floating);
    void arith_select(const Operation& op);
    void arith_binary(const Operation& op, ScalarOp scalar_op);
    void arith_conversion(const Operation& op, ScalarOp scalar_op);
    void arith_extended(const Operation& op);
    Slot emit_scalar(const Operation& op, ScalarOp scalar_op, const ScalarFormat& format, Slot a,
                     Slot b);
    uint64_t literal_bits(const Operation& op, const Attribute& literal, const Type& type);
    void check_scalar_type(const Item& item, const Type* given);
    void block_number(const Operation& op);

    // --- bind_memory.cpp
    void make_tensor_view(const Operation& op);
    void verify_lasting(const Operation& op, const Value& pointer);
    const Type* ranked_type(const Type& type, size_t rank);
    // The clause `layout`, if it is there.
    std::optional<GlobalLayout> layout_attribute(const Operation& op);
    void partition_view(const Operation& op);
    void view_extent(const Operation& op);
    void view_address(const Operation& op);
    void add_pointer(const Operation& op);
    void cast_pointer(const Operation& op);
    void load_scalar(const Operation& op);
    void store_scalar(const Operation& op);
    void declare_array(const Operation& op);
    void array_get(const Operation& op);
    void array_set(const Operation& op);
    uint32_t array_access(const Operation& op, const Value& array);
    void print(const Operation& op);
    void trap(const Operation& op);
    DType element_type(const Type& type, SourceLocation where);
    void note_parameter_view(const Value& pointer, const ViewPlan& plan, bool all_constant);

    // --- bind_tiles.cpp
    void check_words(const Operation& op, std::vector<std::string_view> clauses,
                     std::vector<std::string_view> attributes);
    void alloc_tile(const Operation& op);
    void declare_tile(const Operation& op);
    void tile_window(const Operation& op);
    const Type* window_type(const Type& source, const Tile& tile);
    void retype_tile(const Operation& op);
    void assign_tile(const Operation& op);
    void multi_tile_get(const Operation& op);
    void verify_window(const Operation& op, const Type& type, const WindowPlan& plan);
    void scale_address(const Operation& op);
    void set_valid(const Operation& op);
    void get_valid(const Operation& op);
    void tile_valid_extent(const Operation& op);
    void get_tile_value(const Operation& op);
    void set_tile_value(const Operation& op);

    // --- bind_sync.cpp
    void cache_invalid(const Operation& op);
    void set_or_wait_flag(const Operation& op);
    void event(const Operation& op);
    void buffer_token(const Operation& op);
    void barrier(const Operation& op);
    void cross_core(const Operation& op);
    void sync_all(const Operation& op);
    void check_sync_workspace(const Item& item);
    void fence(const Operation& op);
    Pipe pipe_of_item(const Item& item);
    Pipe pipe_of_event_type(const Item& item);
    void set_event(IssuePlan& plan, const Item& item);
    void check_event(const IssuePlan& plan, const Item& item);
    std::optional<int64_t> known_number(const Item& item);
    void issue(const Operation& op, IssuePlan plan);

    // --- bind_fifo.cpp
    void reserve_buffer(const Operation& op);
    void import_buffer(const Operation& op);
    void initialise_pipe(const Operation& op);
    void initialise_low_pipe(const Operation& op);
    struct FifoRequest {  // of a pair of ends on one core
        int64_t directions = 0, slot_bytes = 0, slots = 0, local_slots = 0;
        Slot ring = kNoSlot, to_vector = kNoSlot, to_cube = kNoSlot;
    };
    struct BufferUse {  // of a reserved buffer, by an end of a pipe
        const Operation* op = nullptr;
        CoreType core = CoreType::kAIC;
        Slot buffer = kNoSlot;
        int64_t directions = 0;
        std::optional<int64_t> name;  // of the pipe, if it has an id
    };
    int64_t name_of_pipe(const Operation& op, CoreType core, int64_t id,
                         const FifoRequest& request);
    bool is_reserved(Slot buffer) const;
    void note_buffer_use(const Operation& op, CoreType core, const FifoRequest& request,
                         std::optional<int64_t> name);
    std::optional<int64_t> peer_id(CoreType core, int64_t id) const;
    void check_buffer_uses();
    int64_t flags_of_pipe(int64_t id, int64_t count);
    uint32_t open_fifo(const Operation& op, CoreType producer, const FifoRequest& request,
                       uint8_t flag);
    CoreType current_core(const Operation& op) const;
    int64_t integer_attribute(const Operation& op, std::string_view name,
                              std::optional<int64_t> otherwise = {});
    void emit_fifo(const Operation& op, FifoPlan plan);
    // Of the two ends of a pipe with an id: the index of that whose tiles come from `producer`.
    static constexpr size_t direction_of(CoreType producer) {
        return producer == CoreType::kAIC ? 0 : 1;
    }
    void plan_reserved();

    // --- bind_fifo_slots.cpp
    void declare_global(const Operation& op);
    void fifo_push(const Operation& op);
    void fifo_pop(const Operation& op);
    void fifo_release(const Operation& op);
    void fifo_alloc(const Operation& op);
    void check_odd_split(const Operation& op, FifoSplit split, const Type* tile, bool whole);
    void check_slot_view(const Operation& op, const Type& slot, uint32_t end);
    uint32_t fifo_end(const Operation& op, bool push);
    void check_split(const Operation& op, const FifoPlan& plan);
    FifoPlan fifo_plan(const Operation& op, FifoAction action, bool push);
    GlobalView static_view(const Type& type, const Operation& op);
    // The values of an operation, in parentheses or without.
    static std::vector<const Item*> given_to(const Operation& op);

    // --- bind_epilogue.cpp
    struct Epilogue {
        std::string_view layout, quant, relu;
    };
    struct PipeEnd {  // of a pipe with an id
        const Operation* op = nullptr;
        std::optional<Epilogue> epilogue;
        int64_t slot_bytes = 0;
        std::vector<std::pair<const Type*, const Operation*>> pushed, popped;
    };
    struct QuantState {
        bool vector = false;
        uint32_t block = 0;  // in which it was set
        OperandPlan plan;
    };
    void check_pipe_attributes(const Operation& op);
    std::optional<Epilogue> epilogue_of(const Operation& op);
    void note_pipe_end(const Operation& op, CoreType core, int64_t id, const FifoRequest& request);
    void set_quant(const Operation& op);
    void verify_quant(const Operation& op, const Item& item, const Value& scale, bool vector);
    void check_epilogue_push(const Operation& op, const Value& entry, FifoPlan& plan);
    void check_epilogue_pop(const Operation& op, const Value& result, const FifoPlan& plan);
    void check_epilogue_split(const Operation& op, const FifoPlan& plan);
    void check_epilogues();
    void check_peer_epilogue(const PipeEnd& end, const PipeEnd& peer);
    void check_consumer(int64_t id, const PipeEnd& consumer, const PipeEnd& producer,
                        int64_t producer_id);

    // --- bind_transfer.cpp
    void transfer(const Operation& op);
    void verify_transfer(const Operation& op, const Clause& list);
    void signal(const Operation& op);

    // --- bind_instruction.cpp
    struct Operands {
        std::vector<const Item*> values;  // in the order of the text
        std::vector<const Type*> types;   // as the clauses give them
        bool no_scratch = false;
    };
    bool is_generic(const Operation& op) const;
    static void order_generic(const InstructionInfo& row, std::vector<int>& places);
    void check_pad_value(const Operation& op, const Tile& dst);
    void check_type_count(const Operation& op, const Operands& list);
    void bind_padding(const Operation& op, const InstructionInfo& row, const Clause& clause);
    void bind_instruction(const Operation& op, const InstructionInfo& row);
    static std::string scratch_type(const Tile& tile);
    void add_scratch(const Operation& op, const InstructionInfo& row, IssuePlan& plan);
    void collect(const Operation& op, const InstructionInfo& row, Operands& inputs,
                 Operands& outputs, std::vector<const Item*>& chosen);
    void place_merge_scratch(const InstructionInfo& row, Operands& inputs, const Operands& outputs,
                             std::vector<const Item*>& chosen, std::vector<int>& input_places);
    bool compares(const Operation& op, const Operands& inputs);
    static bool is_axis(const InstructionInfo& row, const Item& item);
    bool match(const InstructionInfo& row, std::span<const Item* const> values,
               std::span<const int> places, std::vector<const Item*>& chosen);
    bool match_by_kind(const InstructionInfo& row, std::span<const Item* const> values,
                       std::span<const int> places, std::vector<const Item*>& chosen);
    [[noreturn]] void fail_operands(const Operation& op, const InstructionInfo& row,
                                    const Operands& inputs, const Operands& outputs);
    bool fits(const Item& item, const OperandInfo& info);
    void bind_attributes(const Operation& op, const InstructionInfo& row, Attributes& attributes);
    void bind_attribute(const Operation& op, const InstructionInfo& row, std::string_view key,
                        const Attribute& value, SourceLocation where, Attributes& attributes);
    OperandPlan operand_plan(const Item& item);
    void check_given_type(const Item& item, const Type* given);

    // --- verify/verify.cpp
    void verify(const Operation& op, const InstructionInfo& row, const IssuePlan& plan,
                std::span<const Item* const> chosen);
    void check_rules(const Operation& op, const InstructionInfo& row, Instruction instruction,
                     bool known);
    void note_problem(const Operation& op, const InstructionInfo& row, const Problem& problem);
    // --- verify/contracts.cpp
    struct Contract;
    void contract_quant_mx(const Contract& contract);
    void contract_quant_mx_rows(const Contract& contract, int64_t groups);
    void contract_quant(const Contract& contract);
    void contract_move(const Contract& contract);
    void contract_transfer(const Contract& contract);
    void contract_product_mx(const Contract& contract);
    void contract_gather(const Contract& contract);
    void contract_expand_scratch(const Contract& contract);
    void contract_fill(const Contract& contract);
    void contract_others(const Contract& contract);
    void verify_contract(const Operation& op, const InstructionInfo& row,
                         const Instruction& instruction, std::span<const Item* const> chosen);
    void verify_scratch(const Operation& op, const InstructionInfo& row,
                        const Instruction& instruction);
    void verify_tile(const Operation& op, const Type& type, const Tile& tile);
    void verify_address(const Operation& op, Slot address);
    void verify_function(const Operation& function);
    void verify_helper(const Block& block);
    static const Tile* first_tile(const Instruction& instruction);
    // Fill in what is open; false if something was.
    static bool assume_tile(Tile& tile);
    static bool assume_view(GlobalView& view, const Value& value, const Tile* tile);

    // --- plan/plan_tiles.cpp
    void plan_addresses();
    void check_apart();
    Diagnostic not_fitting(const PlanProblem& problem, std::span<const Allocation> list);
    void drop_scratch();
    std::vector<Allocation> tile_lifetimes() const;
    std::vector<Allocation> allocations();
    PlanFacts plan_facts(std::span<const Allocation> allocations) const;
    std::vector<std::pair<size_t, size_t>> exclusive_tiles() const;
    SourceLocation place_of(size_t allocation) const;

    // --- bind_finish.cpp
    void place_cores();
    void fill(BindRecord& record) const;
    std::optional<CoreType> core_of_plan(const IssuePlan& plan) const;

    const Module& module_;
    const BindOptions& options_;
    Program program_;
    std::vector<Parameter> parameters_;
    std::vector<bool> dynamic_parameter_;  // some view of it has no constant size
    std::vector<bool> constant_;           // by scalar slot
    std::unordered_map<uint64_t, Slot> constants_;

    struct FunctionInfo {
        const Operation* function = nullptr;
        const Operation* module = nullptr;
        unsigned definitions = 0;
    };
    std::unordered_map<std::string_view, FunctionInfo> functions_;
    std::vector<std::string_view> call_stack_;
    std::vector<Value> returned_;
    Branches* branches_ = nullptr;  // of the function that is being bound, if it has several blocks
    std::vector<Value> arguments_;  // of the entry, by position

    // Names in sight. Regions restore what they hid or added.
    using Names = std::unordered_map<std::string_view, std::vector<Value>>;
    Names names_;
    std::vector<std::string_view> scope_;  // names in the order of their definition

    // Steps that give a tile its place, where that is known or to be planned.
    struct TileHome {
        const Operation* operation = nullptr;
        uint32_t step = 0;
        uint64_t bytes = 0;
        bool planned = false;
        size_t allocation = 0;  // in the list of allocations(): shared by the calls of a function
        SourceLocation where;
        bool is_scratch = false;     // of an instruction that was given none
        size_t scratch_operand = 0;  // where it stands among its inputs
    };
    std::vector<TileHome> homes_;
    size_t first_buffer_ = 0;                // in the list of allocations()
    std::optional<bool> leaves_places_;      // tiles without an address, to the planner
    std::vector<const Operation*> origins_;  // of the steps
    std::vector<std::unique_ptr<Type>> made_types_;
    std::vector<LoopRange> loops_;
    // The steps of an scf.if's two arms: [first, middle) and [middle, last).
    struct Arms {
        uint32_t first = 0, middle = 0, last = 0;
    };
    std::vector<Arms> arms_;
    std::unordered_set<Slot> chosen_tiles_;  // results of an scf.if
    int in_section_ = 0;
    std::optional<CoreType> section_core_;

    // Named buffers of FIFO consumers, by function and name; scalar slot of the address.
    struct Reserved {
        Slot address = kNoSlot;
        uint64_t bytes = 0;
        Space space = Space::kUB;
        bool planned = false, defined = false;
        SourceLocation where;
        const Operation* operation = nullptr;
    };
    std::map<std::string, Reserved> reserved_;
    Reserved& reserved(std::string_view function, std::string_view name);
    // FIFOs of a core, by the id of their initialisation: C2V and V2C.
    std::map<std::pair<CoreType, int64_t>, std::array<std::optional<uint32_t>, 2>> fifo_ids_;
    std::map<CoreType, uint8_t> next_flag_;
    std::vector<BufferUse> buffer_uses_;
    std::map<uint32_t, const Type*> ring_types_;  // by end; where the ring is a view
    std::map<std::pair<CoreType, int64_t>, int64_t> pipe_names_;  // by core and id
    std::map<int64_t, int64_t> pipe_flags_;  // the first flag of a pipe, by its name
    std::map<std::pair<CoreType, int64_t>, PipeEnd> pipe_ends_;
    std::map<int64_t, QuantState> quant_states_;
    std::map<uint32_t, bool> splits_, nosplit_;  // by FifoEnd
    uint32_t block_number_ = 0, blocks_bound_ = 0;
    bool fifo_used_ = false, fifo_split_ = false;
    bool explicit_sync_ = false;
    bool aic_section_ = false, aiv_section_ = false;
    bool unsectioned_transfer_ = false;
    std::vector<uint32_t> unsectioned_issues_;  // plans
    std::vector<Diagnostic> problems_, warnings_;
};

}  // namespace ptosim::assembly
