#include "isa/assembly/bind/memory.h"

#include <algorithm>

#include "isa/assembly/context/layout_inference.h"
#include "isa/core/checked.h"

namespace ptosim::assembly {

// The host learns how large a tensor must be from the largest view of it.
void MemoryBinder::note_parameter_view(const Value& pointer, const ViewPlan& plan,
                                       bool all_constant) {
    if (pointer.parameter < 0) return;
    if (!all_constant) {
        context_.dynamic_parameter[pointer.parameter] = true;
        return;
    }
    // No check makes sense beyond 2^62 elements: no such tensor exists.
    constexpr double kMost = 0x1p62;
    double elements = 1;
    for (int i = GlobalView::kRank - plan.rank; i < GlobalView::kRank; ++i) {
        if (plan.view.shape[i] == 0) return;
        elements +=
            static_cast<double>(plan.view.shape[i] - 1) * static_cast<double>(plan.view.stride[i]);
    }
    if (elements < 1 || elements > kMost) return;
    Parameter& parameter = context_.parameters[pointer.parameter];
    parameter.elements = std::max(parameter.elements, static_cast<int64_t>(elements));
}

const Type* MemoryBinder::ranked_type(const Type& type, size_t rank) {
    Type ranked = type;
    ranked.rank = static_cast<uint8_t>(rank);
    ranked.dims.fill(kDynamic);
    return keep(ranked);
}

void MemoryBinder::make_tensor_view(const Operation& op) {
    check_words(op, {"shape", "strides"}, {"layout"});
    const Value pointer = value_of_kind(operand(op, 0), ValueKind::kPointer);
    listener().on_pointer(op, pointer);
    const Type& type = result_type(op);
    if (type.kind != TypeKind::kTensorView)
        fail(op, "K07",
             "'pto.make_tensor_view' makes a !pto.tensor_view<...>, not '" +
                 std::string(type.text) + "'");
    if (pointer.type->space)
        fail(op, "K07",
             "a tensor view lies in global memory, not in " +
                 std::string(name(*pointer.type->space)));
    const Type* view_type = &type;
    const Clause& shape = clause(op, "shape");
    const Clause& strides = clause(op, "strides");
    const size_t rank = shape.items.size();
    if (rank == 0 || rank > GlobalView::kRank || strides.items.size() != rank)
        fail(op, "K06",
             "a view has 1 to 5 dimensions and as many strides; given are " + std::to_string(rank) +
                 " and " + std::to_string(strides.items.size()));
    // An old spelling gives the number of dimensions in place of their extents.
    if (type.rank == 1 && type.dims[0] == static_cast<int64_t>(rank) && rank > 1)
        view_type = ranked_type(type, rank);
    else if (type.rank != rank)
        fail(op, "K07",
             "'" + std::string(type.text) + "' has " + std::to_string(type.rank) +
                 " dimensions, the operation gives " + std::to_string(rank));

    ViewPlan plan;
    plan.rank = static_cast<uint8_t>(rank);
    plan.shape.fill(kNoSlot);
    plan.stride.fill(kNoSlot);
    plan.view.dtype = element_type(type, op.location);
    bool constant_size = true;
    bool constant_shape = true;  // what layout inference sees: static dimensions of the type too
    uint8_t work = 0;
    for (size_t i = 0; i < rank; ++i) {
        const size_t dim = GlobalView::kRank - rank + i;
        const Slot extent = integer(shape.items[i]);
        const Slot stride = element_count(strides.items[i]);
        if (is_constant(extent)) {
            const auto value = static_cast<int64_t>(constant_value(extent));
            if (value < 0 || value > INT32_MAX)
                fail(shape.items[i].location, "K07", "a dimension must lie in 0..2147483647");
            plan.view.shape[dim] = static_cast<int32_t>(value);
        } else {
            plan.shape[dim] = extent;
            constant_size = false;
            ++work;
            if (view_type->dims[i] == kDynamic)
                constant_shape = false;
            else if (view_type->dims[i] > INT32_MAX)
                fail(op, "K07", "a dimension must lie in 0..2147483647");
            else
                plan.view.shape[dim] = static_cast<int32_t>(view_type->dims[i]);
        }
        if (is_constant(stride)) {
            plan.view.stride[dim] = static_cast<int64_t>(constant_value(stride));
        } else {
            plan.stride[dim] = stride;
            constant_size = constant_shape = false;
            ++work;
        }
    }
    for (int i = static_cast<int>(GlobalView::kRank - rank) - 1; i >= 0; --i)
        plan.view.stride[i] =
            checked_multiply(plan.view.shape[i + 1], plan.view.stride[i + 1]).value_or(0);

    Value view = Value::of(ValueKind::kView, *view_type, new_view());
    if (const auto layout = layout_attribute(op)) {
        plan.view.layout = *layout;
    } else if (constant_shape) {
        const InferredLayout inferred = infer_layout(plan.view);
        plan.view.layout = inferred.layout;
        view.ambiguous_layout = inferred.ambiguous;
    }
    // A matrix of scales has the order of the boxes that it is loaded into.
    const bool said = op.attribute("layout") != nullptr &&
                      plan.view.layout != GlobalLayout::kMxAZZ &&
                      plan.view.layout != GlobalLayout::kMxBNN;
    if (plan.view.dtype == DType::kE8M0 && rank <= 2 && !said) view.ambiguous_layout = true;
    view.layout = plan.view.layout;
    note_parameter_view(pointer, plan, constant_size);
    for (size_t i = 0; i < GlobalView::kRank; ++i)
        extents_[view.slot][i] = plan.shape[i] == kNoSlot ? plan.view.shape[i] : kDynamic;
    Step& step = emit(StepCode::kMakeView, op);
    step.r = view.slot;
    step.a = pointer.slot;
    step.index = added(program_.views, plan);
    step.work = work;
    define(op, 0, view);
}

namespace {

// True if a type can be that of a partition with these sizes: it may have more or fewer dimensions, of extent 1 and in
// front: of sizes [1, 128, 128] a 128x128, of a size [%n] a 1x512.
bool fits_partition(const Type& type, std::span<const std::optional<uint64_t>> sizes) {
    const size_t rank = sizes.size();
    for (size_t i = 0; i + rank < type.rank; ++i)
        if (type.dims[i] != 1) return false;
    for (size_t i = 0; i + type.rank < rank; ++i)
        if (sizes[i].value_or(1) != 1) return false;
    return true;
}

}  // namespace

// A part beyond its view, where all numbers are in the text. At run time only the end of the array
// is checked: the extents of a view order nothing on a device.
// The assembler also knows the extents that a view of an open type is made with (hw-native-sys/PTOAS
// v0.61).
void MemoryBinder::check_outside(const Operation& op, size_t dimension, const Value& view,
                                 uint64_t offset, uint64_t size) {
    int64_t extent = view.type->dims[dimension];
    const bool open = extent == kDynamic;
    if (const auto found = extents_.find(view.slot); open && found != extents_.end())
        extent = found->second[GlobalView::kRank - view.type->rank + dimension];
    const bool inside = extent == kDynamic || offset + size <= static_cast<uint64_t>(extent);
    if (inside) return;
    Diagnostic found = diagnostic_at(
        op.location, "A10",
        "elements " + std::to_string(offset) + " to " + std::to_string(offset + size) +
            " of dimension " + std::to_string(dimension) + " lie outside the view, which has " +
            std::to_string(extent),
        "check offsets and sizes against the shape of the view");
    if (open) return listener().on_part_outside(std::move(found));
    context_.warnings.push_back(std::move(found));
}

void MemoryBinder::partition_view(const Operation& op) {
    check_words(op, {"offsets", "sizes", "strides"}, {});
    const Value source = value_of_kind(operand(op, 0), ValueKind::kView);
    const Clause& offsets = clause(op, "offsets");
    const Clause& sizes = clause(op, "sizes");
    const size_t rank = source.type->rank;
    if (offsets.items.size() != rank || sizes.items.size() != rank)
        fail(op, "K06",
             "the view has " + std::to_string(rank) + " dimensions; given are " +
                 std::to_string(offsets.items.size()) + " offsets and " +
                 std::to_string(sizes.items.size()) + " sizes");
    PartitionPlan plan;
    plan.rank = static_cast<uint8_t>(rank);
    plan.offset.fill(kNoSlot);
    plan.size.fill(kNoSlot);
    uint8_t work = 0;
    std::vector<std::optional<uint64_t>> constant_sizes(rank);
    for (size_t i = 0; i < rank; ++i) {
        const size_t dim = GlobalView::kRank - rank + i;
        const Slot offset = element_count(offsets.items[i]);
        if (!is_constant(offset) || constant_value(offset) != 0) plan.offset[dim] = offset;
        if (!is_constant(offset)) ++work;
        plan.size[dim] = integer(sizes.items[i]);
        if (!is_constant(plan.size[dim])) continue;
        constant_sizes[i] = constant_value(plan.size[dim]);
        if (*constant_sizes[i] > INT32_MAX)
            fail(sizes.items[i].location, "K07", "a size must lie in 0..2147483647");
        if (is_constant(offset))
            check_outside(op, i, source, constant_value(offset), *constant_sizes[i]);
    }
    Value view;
    view.kind = ValueKind::kView;
    view.type = op.result_types.empty() ? source.type : op.result_types[0];
    if (!fits_partition(*view.type, constant_sizes) || view.type->dtype != source.type->dtype)
        fail(op, "K07",
             "'" + std::string(view.type->text) + "' is not a part of '" +
                 std::string(source.type->text) + "'");
    view.slot = new_view();
    view.ambiguous_layout = source.ambiguous_layout;
    view.layout = source.layout;
    view.of_parameter = source.of_parameter;
    Step& step = emit(StepCode::kPartition, op);
    step.r = view.slot;
    step.a = source.slot;
    step.index = added(program_.partitions, plan);
    step.work = work;
    define(op, 0, view);
}

// get_tensor_view_dim, get_tensor_view_stride
void MemoryBinder::view_extent(const Operation& op) {
    const Value view = value_of_kind(operand(op, 0), ValueKind::kView);
    const Slot dim = integer(operand(op, 1));
    Value result = Value::of(ValueKind::kScalar, builtin_type("index"), new_scalar());
    const bool stride = op.name == "pto.get_tensor_view_stride";
    Step& step = emit(stride ? StepCode::kViewStride : StepCode::kViewDim, op);
    step.r = result.slot;
    step.a = view.slot;
    step.b = dim;
    step.index = view.type->rank;
    step.work = 1;
    define(op, 0, result);
}

void MemoryBinder::view_address(const Operation& op) {
    const Value view = value_of_kind(operand(op, 0), ValueKind::kView);
    const Type& type = result_type(op);
    if (type.kind != TypeKind::kPointer)
        fail(op, "K07", "'pto.tensor_view_addr' gives a !pto.ptr<...>");
    Value result = Value::of(ValueKind::kPointer, type, new_scalar());
    Step& step = emit(StepCode::kViewAddress, op);
    step.r = result.slot;
    step.a = view.slot;
    define(op, 0, result);
}

void MemoryBinder::add_pointer(const Operation& op) {
    const Value pointer = value_of_kind(operand(op, 0), ValueKind::kPointer);
    listener().on_pointer(op, pointer);
    const Slot offset = element_count(operand(op, 1));
    Value result = pointer;
    result.parameter = -1;
    result.slot = new_scalar();
    if (pointer.parameter >= 0) context_.dynamic_parameter[pointer.parameter] = true;
    Step& step = emit(StepCode::kPointerAdd, op);
    step.type = element_type(*pointer.type, op.location);
    step.r = result.slot;
    step.a = pointer.slot;
    step.b = offset;
    step.work = 1;
    define(op, 0, result);
}

// Between integers and pointers, and between signed and signless integers: the bits stay.
void MemoryBinder::cast_pointer(const Operation& op) {
    Value result = value(operand(op, 0));
    if (result.kind != ValueKind::kScalar && result.kind != ValueKind::kPointer)
        fail(op, "K07",
             "'" + std::string(op.name) + "' does not convert " + std::string(name(result.kind)));
    const Type& to = result_type(op);
    if (!to.is_scalar() && to.kind != TypeKind::kPointer)
        fail(op, "K07",
             "'" + std::string(op.name) + "' does not convert to '" + std::string(to.text) + "'");
    const bool from_number = op.name == "pto.inttoptr";
    listener().on_cast(op, result);
    if (result.parameter >= 0) context_.dynamic_parameter[result.parameter] = true;
    result.parameter = -1;
    result.type = &to;
    result.kind = make_kind(to);
    result.temporary = from_number;
    define(op, 0, result);
}

void MemoryBinder::load_scalar(const Operation& op) {
    const Item& item = operand(op, 0);
    const Value pointer = value_of_kind(item, ValueKind::kPointer);
    if (pointer.type->space)
        fail(op, "K04", "scalar access to on-chip memory through a pointer is out of scope",
             "use pto.tgetval on a tile");
    const Clause& index = clause(op, "[");
    if (index.items.size() != 1) fail(op, "K06", "'pto.load_scalar' takes one offset");
    const Type& type = result_type(op);
    const DType dtype = element_type(*pointer.type, item.location);
    if (!type.is_scalar() || type.width != bits(dtype))
        fail(op, "K07",
             "a load through '" + std::string(pointer.type->text) + "' does not give '" +
                 std::string(type.text) + "'");
    if (pointer.parameter >= 0) context_.dynamic_parameter[pointer.parameter] = true;
    const Slot offset = element_count(index.items[0]);
    Value result = Value::of(ValueKind::kScalar, type, new_scalar());
    Step& step = emit(StepCode::kLoadGlobal, op);
    step.type = dtype;
    step.r = result.slot;
    step.a = pointer.slot;
    step.b = offset;
    define(op, 0, result);
}

void MemoryBinder::store_scalar(const Operation& op) {
    const Item& stored = operand(op, 0);
    const Item& item = operand(op, 1);
    const Value scalar = value_of_kind(stored, ValueKind::kScalar);
    const Value pointer = value_of_kind(item, ValueKind::kPointer);
    if (pointer.type->space)
        fail(op, "K04", "scalar access to on-chip memory through a pointer is out of scope",
             "use pto.tsetval on a tile");
    const Clause& index = clause(op, "[");
    if (index.items.size() != 1) fail(op, "K06", "'pto.store_scalar' takes one offset");
    const DType dtype = element_type(*pointer.type, item.location);
    if (scalar.type != nullptr && scalar.type->width != bits(dtype))
        fail(stored.location, "K07",
             "'%" + std::string(stored.text) + "' is " + std::string(scalar.type->text) +
                 ", which '" + std::string(pointer.type->text) + "' does not point to");
    if (pointer.parameter >= 0) context_.dynamic_parameter[pointer.parameter] = true;
    const Slot offset = element_count(index.items[0]);
    Step& step = emit(StepCode::kStoreGlobal, op);
    step.type = dtype;
    step.a = pointer.slot;
    step.b = offset;
    step.c = scalar.slot;
}

// pto.print ins("format", %x : f32)
void MemoryBinder::print(const Operation& op) {
    PrintPlan plan;
    const auto use = [&](const Item& item) {
        if (item.kind == Item::Kind::kAttribute && item.attribute->kind == AttributeKind::kString) {
            plan.format = item.attribute->text;
        } else if (item.kind == Item::Kind::kValue) {
            const Value& shown = value_of_kind(item, ValueKind::kScalar);
            plan.value = shown.slot;
            plan.is_float = shown.type->kind == TypeKind::kFloat;
            plan.width = shown.type->width;
            if (plan.is_float) plan.dtype = element_type(*shown.type, item.location);
        }
    };
    for (const Clause& clause : op.clauses)
        for (const Item& item : clause.items) use(item);
    if (const Attribute* format = op.attribute("format")) plan.format = format->text;
    emit(StepCode::kPrint, op).index = added(program_.prints, std::move(plan));
}

void MemoryBinder::trap(const Operation& op) { emit(StepCode::kTrap, op); }

}  // namespace ptosim::assembly
