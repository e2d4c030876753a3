#include "isa/assembly/interpreter.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "isa/numeric/convert.h"

namespace ptosim::assembly {

namespace {

// Scalar work is told to the core at least this often, so that a loop that issues nothing still
// takes time and can be stopped.
constexpr unsigned kWorkBatch = 4096;

// One core's run: its slots, and what each step does to them.
class Run {
 public:
    Run(const Program& program, const SourceMap& sources, KernelPort& port)
        : program_{program},
          sources_{sources},
          port_{port},
          scalars_{program.scalars},
          tiles_(program.tile_slots),
          views_(program.view_slots) {}

    void set_arguments(KernelArguments arguments) {
        if (arguments.size() != program_.arguments.size())
            fail_input("K08", "the kernel takes " + std::to_string(program_.arguments.size()) +
                                  " arguments, given are " + std::to_string(arguments.size()));
        for (size_t i = 0; i < arguments.size(); ++i) {
            const auto& [slot, width] = program_.arguments[i];
            scalars_[slot] = width == 0 ? arguments[i] : wrap(arguments[i], width);
        }
        for (const auto& [slot, field] : program_.implicit_arguments) scalars_[slot] = identity(field);
    }

    void execute() {
        for (const Step* step = program_.steps.data(); step != nullptr;) {
            work_ += step->work;
            if (work_ >= kWorkBatch) flush_work();
            step = run_step(*step);
        }
        flush_work();
    }

 private:
    [[noreturn]] void fail(const Step& step, std::string_view code, Category category,
                           std::string message, std::string hint = {}) {
        Diagnostic diagnostic;
        diagnostic.code = code;
        diagnostic.category = category;
        diagnostic.message = std::move(message);
        diagnostic.hint = std::move(hint);
        sources_.locate(diagnostic, step.where);
        throw DiagnosticError(std::move(diagnostic));
    }

    void flush_work() {
        if (work_ != 0) port_.scalar_work(std::exchange(work_, 0));
    }

    const Step* at(uint32_t target) const { return program_.steps.data() + target; }
    int64_t integer(Slot slot) const { return static_cast<int64_t>(scalars_[slot]); }

    uint64_t identity(IdentityField field) const {
        const BlockIdentity& id = port_.identity();
        switch (field) {
            case IdentityField::kBlock: return id.block;
            case IdentityField::kBlocks: return id.blocks;
            case IdentityField::kSubblock: return id.subblock;
            case IdentityField::kSubblocks: return id.subblocks;
        }
        return 0;
    }

    int32_t extent(const Step& step, Slot slot, const char* what) {
        const int64_t value = integer(slot);
        if (value < 0 || value > INT32_MAX)
            fail(step, "S02", Category::kIllegal,
                 std::string(what) + " is " + std::to_string(value),
                 "it must lie in 0..2147483647");
        return static_cast<int32_t>(value);
    }

    uint32_t local_address(const Step& step, uint64_t address) {
        if (address > UINT32_MAX)
            fail(step, "A03", Category::kIllegal,
                 "tile address " + std::to_string(static_cast<int64_t>(address)) +
                     " lies outside every on-chip memory");
        return static_cast<uint32_t>(address);
    }

    void set_valid(const Step& step, Tile& tile, Slot rows, Slot cols) {
        if (rows != kNoSlot) tile.valid_rows = extent(step, rows, "the number of valid rows");
        if (cols != kNoSlot) tile.valid_cols = extent(step, cols, "the number of valid columns");
    }

    void make_view(const Step& step) {
        const ViewPlan& plan = program_.views[step.index];
        GlobalView view = plan.view;
        view.address = scalars_[step.a];
        for (int i = 0; i < GlobalView::kRank; ++i) {
            if (plan.shape[i] != kNoSlot) view.shape[i] = extent(step, plan.shape[i], "a dimension");
            if (plan.stride[i] != kNoSlot) view.stride[i] = integer(plan.stride[i]);
        }
        // Leading dimensions that the text does not have are dense around the others.
        for (int i = GlobalView::kRank - plan.rank - 1; i >= 0; --i)
            view.stride[i] = view.shape[i + 1] * view.stride[i + 1];
        views_[step.r] = view;
    }

    void partition(const Step& step) {
        const PartitionPlan& plan = program_.partitions[step.index];
        GlobalView view = views_[step.a];
        int64_t elements = 0;
        for (int i = 0; i < GlobalView::kRank; ++i) {
            if (plan.offset[i] != kNoSlot) elements += integer(plan.offset[i]) * view.stride[i];
            if (plan.size[i] != kNoSlot) view.shape[i] = extent(step, plan.size[i], "a size");
        }
        view.address += static_cast<uint64_t>(byte_offset(step, view.dtype, elements));
        views_[step.r] = view;
    }

    int64_t byte_offset(const Step& step, DType type, int64_t elements) {
        const int64_t offset = elements * static_cast<int64_t>(bits(type));
        if (offset % 8 != 0)
            fail(step, "G03", Category::kIllegal,
                 "element " + std::to_string(elements) + " of a 4-bit type does not begin a byte");
        return offset / 8;
    }

    void window(const Step& step) {
        const WindowPlan& plan = program_.windows[step.index];
        const Tile& parent = tiles_[step.a];
        Tile tile = plan.tile;
        const int32_t row = extent(step, plan.row, "the row of a subview");
        const int32_t col = extent(step, plan.col, "the column of a subview");
        if (row % parent.box_rows() != 0 || col % parent.box_cols() != 0)
            fail(step, "S11", Category::kIllegal,
                 "the window begins at (" + std::to_string(row) + ", " + std::to_string(col) +
                     "), inside a box of " + std::to_string(parent.box_rows()) + "x" +
                     std::to_string(parent.box_cols()));
        tile.pitch = parent.pitch;
        tile.address = local_address(
            step, parent.address + static_cast<uint64_t>(
                                       byte_offset(step, parent.dtype, parent.index(row, col))));
        set_valid(step, tile, plan.valid_rows, plan.valid_cols);
        tile.valid_rows = std::min(tile.valid_rows, tile.rows);
        tile.valid_cols = std::min(tile.valid_cols, tile.cols);
        // The last window of a row of windows may hang over its tile, as long as its valid region
        // does not.
        if (int64_t{row} + tile.valid_rows > parent.rows ||
            int64_t{col} + tile.valid_cols > parent.cols)
            fail(step, "S11", Category::kIllegal,
                 "the window of " + std::to_string(tile.valid_rows) + "x" +
                     std::to_string(tile.valid_cols) + " at (" + std::to_string(row) + ", " +
                     std::to_string(col) + ") leaves its tile of " + std::to_string(parent.rows) +
                     "x" + std::to_string(parent.cols));
        tiles_[step.r] = tile;
    }

    void retype(const Step& step) {
        Tile tile = program_.tiles[step.index];
        const Tile& source = tiles_[step.a];
        tile.address = source.address;
        // A '?' of the result type: what the source has.
        if (tile.valid_rows < 0) tile.valid_rows = std::min(source.valid_rows, tile.rows);
        if (tile.valid_cols < 0) tile.valid_cols = std::min(source.valid_cols, tile.cols);
        // The bytes stay where they are: a window keeps its parent's pitch.
        Tile dense = source;
        set_dense_pitch(dense);
        if (dense.pitch != source.pitch) {
            if (tile.rows != source.rows || tile.outer != source.outer ||
                tile.inner != source.inner || tile.cols * bits(tile.dtype) !=
                                                  source.cols * bits(source.dtype))
                fail(step, "S10", Category::kIllegal,
                     "a subview that is not contiguous cannot be given another shape");
            tile.pitch = static_cast<int32_t>(int64_t{source.pitch} * bits(source.dtype) /
                                              bits(tile.dtype));
            if (source.outer == OuterLayout::kColMajor || source.boxed()) tile.pitch = source.pitch;
        }
        tiles_[step.r] = tile;
    }

    Slot array_slot(const Step& step) {
        const ArrayAccess& array = program_.arrays[step.index];
        int64_t index = 0;
        for (const auto& [slot, stride] : array.indices) index += integer(slot) * stride;
        if (index < 0 || index >= array.count)
            fail(step, "A10", Category::kIllegal,
                 "index " + std::to_string(index) + " lies outside an array of " +
                     std::to_string(array.count));
        return array.first + static_cast<Slot>(index);
    }

    uint64_t sign_extended(DType type, uint64_t value) const {
        return is_integer(type) ? wrap(value, bits(type)) : value;
    }

    uint64_t element_address(const Step& step, Slot pointer, Slot offset) {
        return scalars_[pointer] +
               static_cast<uint64_t>(byte_offset(step, step.type, integer(offset)));
    }

    void issue(const Step& step) {
        const IssuePlan& plan = program_.issues[step.index];
        if (plan.only && *plan.only != port_.identity().core) return;
        Instruction& instruction = scratch_;
        instruction.opcode = plan.prototype.opcode;
        instruction.operand_count = plan.prototype.operand_count;
        instruction.location = plan.prototype.location;
        instruction.attributes = plan.prototype.attributes;
        for (unsigned i = 0; i < plan.prototype.operand_count; ++i) {
            const OperandPlan& operand = plan.operands[i];
            switch (operand.kind) {
                case Operand::Kind::kNone: instruction.operands[i] = Operand(); break;
                case Operand::Kind::kTile: instruction.operands[i] = tiles_[operand.slot]; break;
                case Operand::Kind::kGlobal: instruction.operands[i] = views_[operand.slot]; break;
                case Operand::Kind::kScalar:
                    instruction.operands[i] = Scalar{
                        unsigned_bits(scalars_[operand.slot], bits(operand.dtype)), operand.dtype};
                    break;
            }
            if (operand.layout_from_tile) adopt_layout(instruction, i);
        }
        if (plan.event != kNoSlot) {
            const int64_t event = integer(plan.event);
            if (event < 0 || event > 255)
                fail(step, "E08", Category::kIllegal,
                     "event id " + std::to_string(event) + " is out of range");
            instruction.attributes.event_id = static_cast<uint8_t>(event);
        }
        flush_work();
        port_.issue(instruction);
    }

    static void adopt_layout(Instruction& instruction, unsigned view) {
        for (unsigned i = 0; i < instruction.operand_count; ++i) {
            if (!instruction.operands[i].is_tile()) continue;
            const Tile& tile = instruction.operands[i].tile;
            if (tile.space != Space::kUB) return;
            instruction.operands[view].global.layout = tile.outer == OuterLayout::kColMajor
                                                           ? GlobalLayout::kDN
                                                           : GlobalLayout::kND;
            return;
        }
    }

    void print(const Step& step);

    const Step* run_step(const Step& step) {
        const Step* next = &step + 1;
        switch (step.code) {
            case StepCode::kEnd: return nullptr;
            case StepCode::kTrap:
                fail(step, "K11", Category::kUndefined, "the kernel executed pto.trap");
            case StepCode::kMove: scalars_[step.r] = scalars_[step.a]; break;
            case StepCode::kEvaluate: {
                if (step.op == ScalarOp::kAdd && program_.formats[step.index].width == 64) {
                    scalars_[step.r] = scalars_[step.a] + scalars_[step.b];  // by far the most
                    break;
                }
                const ScalarResult result = evaluate(step.op, program_.formats[step.index],
                                                     scalars_[step.a], scalars_[step.b]);
                if (!result.code.empty())
                    fail(step, result.code, Category::kUndefined, std::string(result.problem));
                scalars_[step.r] = result.value;
                break;
            }
            case StepCode::kSelect:
                scalars_[step.r] = scalars_[scalars_[step.a] != 0 ? step.b : step.c];
                break;
            case StepCode::kIdentity:
                scalars_[step.r] = identity(static_cast<IdentityField>(step.index));
                break;
            case StepCode::kCheckStep:
                if (integer(step.a) <= 0)
                    fail(step, "K11", Category::kUndefined,
                         "the step of this loop is " + std::to_string(integer(step.a)),
                         "scf.for needs a positive step");
                break;
            case StepCode::kArrayGet: scalars_[step.r] = scalars_[array_slot(step)]; break;
            case StepCode::kArraySet: scalars_[array_slot(step)] = scalars_[step.a]; break;

            case StepCode::kJump: return at(step.target);
            case StepCode::kJumpIfZero: return scalars_[step.a] == 0 ? at(step.target) : next;
            case StepCode::kJumpUnlessLess:
                return integer(step.a) < integer(step.b) ? next : at(step.target);
            case StepCode::kLoop: {
                // The distance to the bound, so that the variable cannot overflow.
                const uint64_t left = scalars_[step.b] - scalars_[step.a];
                if (left <= scalars_[step.c]) return next;
                scalars_[step.a] += scalars_[step.c];
                return at(step.target);
            }
            case StepCode::kJumpUnlessCore:
                return port_.identity().core == static_cast<CoreType>(step.index) ? next
                                                                                 : at(step.target);

            case StepCode::kMoveView: views_[step.r] = views_[step.a]; break;
            case StepCode::kSelectView:
                views_[step.r] = views_[scalars_[step.a] != 0 ? step.b : step.c];
                break;
            case StepCode::kMakeView: make_view(step); break;
            case StepCode::kPartition: partition(step); break;
            case StepCode::kViewDim:
            case StepCode::kViewStride: {
                const int64_t dim = integer(step.b);
                if (dim < 0 || dim >= step.index)
                    fail(step, "S01", Category::kIllegal,
                         "dimension " + std::to_string(dim) + " of a view with " +
                             std::to_string(step.index));
                const size_t i = GlobalView::kRank - step.index + static_cast<size_t>(dim);
                const GlobalView& view = views_[step.a];
                scalars_[step.r] = static_cast<uint64_t>(
                    step.code == StepCode::kViewDim ? view.shape[i] : view.stride[i]);
                break;
            }
            case StepCode::kViewAddress: scalars_[step.r] = views_[step.a].address; break;

            case StepCode::kMoveTile: tiles_[step.r] = tiles_[step.a]; break;
            case StepCode::kSelectTile:
                tiles_[step.r] = tiles_[scalars_[step.a] != 0 ? step.b : step.c];
                break;
            case StepCode::kTile: {
                Tile tile = program_.tiles[step.index];
                if (step.a != kNoSlot) tile.address = local_address(step, scalars_[step.a]);
                set_valid(step, tile, step.b, step.c);
                tiles_[step.r] = tile;
                break;
            }
            case StepCode::kSubview: window(step); break;
            case StepCode::kRetype: retype(step); break;
            case StepCode::kTileAt:
                tiles_[step.r] = tiles_[step.a];
                tiles_[step.r].address = local_address(step, scalars_[step.b]);
                break;
            case StepCode::kTileSlot: {
                const int64_t slot = integer(step.b);
                if (slot < 0 || slot >= step.index)
                    fail(step, "A10", Category::kIllegal,
                         "slot " + std::to_string(slot) + " of a tile with " +
                             std::to_string(step.index));
                Tile tile = tiles_[step.a];
                const uint64_t size = (tile.byte_size() + kTileAlignment - 1) / kTileAlignment;
                tile.address = local_address(
                    step, tile.address + static_cast<uint64_t>(slot) * size * kTileAlignment);
                tiles_[step.r] = tile;
                break;
            }
            case StepCode::kSetValid: set_valid(step, tiles_[step.a], step.b, step.c); break;
            case StepCode::kValidRows:
                scalars_[step.r] = static_cast<uint64_t>(tiles_[step.a].valid_rows);
                break;
            case StepCode::kValidCols:
                scalars_[step.r] = static_cast<uint64_t>(tiles_[step.a].valid_cols);
                break;

            case StepCode::kPointerAdd:
                scalars_[step.r] = element_address(step, step.a, step.b);
                break;
            case StepCode::kLoadGlobal:
                flush_work();
                scalars_[step.r] = sign_extended(
                    step.type, port_.load_global(element_address(step, step.a, step.b), step.type,
                                                 step.where));
                break;
            case StepCode::kStoreGlobal:
                flush_work();
                port_.store_global(element_address(step, step.a, step.b), step.type,
                                   unsigned_bits(scalars_[step.c], bits(step.type)), step.where);
                break;
            case StepCode::kLoadLocal:
                if (!holds(tiles_[step.a])) break;
                flush_work();
                scalars_[step.r] = sign_extended(
                    step.type, port_.load_local(tiles_[step.a], integer(step.b), step.where));
                break;
            case StepCode::kStoreLocal:
                if (!holds(tiles_[step.a])) break;
                flush_work();
                port_.store_local(tiles_[step.a], integer(step.b),
                                  unsigned_bits(scalars_[step.c], bits(step.type)), step.where);
                break;

            case StepCode::kIssue: issue(step); break;
            case StepCode::kPrint: print(step); break;
        }
        return next;
    }

    // In a kernel for both core types without sections, each core touches its own memories only.
    bool holds(const Tile& tile) const {
        return (tile.space == Space::kUB) == (port_.identity().core == CoreType::kAIV);
    }

    const Program& program_;
    const SourceMap& sources_;
    KernelPort& port_;
    std::vector<uint64_t> scalars_;
    std::vector<Tile> tiles_;
    std::vector<GlobalView> views_;
    unsigned work_ = 0;
    Instruction scratch_;
};

// The format's first conversion (%d, %f, ...) is replaced by the value; a format without one gets
// it behind.
void Run::print(const Step& step) {
    const PrintPlan& plan = program_.prints[step.index];
    flush_work();
    std::string value;
    if (plan.value != kNoSlot) {
        if (plan.is_float) {
            const uint64_t wide = convert_bits(DType::kF32, plan.dtype, scalars_[plan.value],
                                               RoundMode::kRint, Saturation::kOff);
            char text[64];
            std::snprintf(text, sizeof text, "%f",
                          static_cast<double>(from_bits<DType::kF32>(wide)));
            value = text;
        } else {
            value = std::to_string(integer(plan.value));
        }
    }
    std::string text = plan.format;
    const size_t mark = text.find('%');
    if (mark == std::string::npos) {
        text += value;
    } else {
        const size_t end = text.find_first_of("diuxXfFeEgGcsp%", mark + 1);
        const size_t size = end == std::string::npos ? text.size() - mark : end + 1 - mark;
        text.replace(mark, size, value);
    }
    port_.print(text);
}

}  // namespace

void AssemblyKernel::run(KernelPort& port, KernelArguments arguments) const {
    Run run(program_, sources_, port);
    run.set_arguments(arguments);
    run.execute();
}

}  // namespace ptosim::assembly
