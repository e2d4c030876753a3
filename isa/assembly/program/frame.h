// The slots of one core's run, and the steps that make views and tiles of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/core/signal_listener.h"

namespace ptosim::assembly {

// Operand `view` takes the layout of the tile in UB that it is copied to or from.
void adopt_layout(Instruction& instruction, unsigned view);

struct Frame {
    Frame(const Program& run_program, const SourceMap& source_map, KernelPort& kernel_port)
        : program{run_program},
          sources{source_map},
          port{kernel_port},
          scalars{run_program.scalars},
          tiles(run_program.tile_slots),
          views(run_program.view_slots),
          fifos(run_program.fifo_ends.size()) {}

    [[noreturn]] void fail(const Step& step, std::string_view code, Category category,
                           std::string message, std::string hint = {});

    int64_t integer(Slot slot) const { return static_cast<int64_t>(scalars[slot]); }
    uint64_t identity(IdentityField field) const;
    // A scalar as an extent; an error if it cannot be one.
    int32_t extent(const Step& step, Slot slot, const char* what);
    int64_t stride(const Step& step, Slot slot);
    // `what` is at an address that no memory has (G01).
    [[noreturn]] void fail_beyond(const Step& step, const std::string& what);
    void check_span(const Step& step, const GlobalView& view);
    void warn_outside(const Step& step, const GlobalView& part, int dimension, int64_t offset);
    uint32_t local_address(const Step& step, uint64_t address);
    // Bytes that a number of elements takes; 4-bit elements must fill whole bytes.
    int64_t byte_offset(const Step& step, DType type, int64_t elements);
    // Device address of element `offset` of a pointer.
    uint64_t element_address(const Step& step, Slot pointer, Slot offset);
    // The scalar slot that an access to a local array means.
    Slot array_slot(const Step& step);

    void make_view(const Step& step);
    void partition(const Step& step);
    int64_t view_extent(const Step& step);

    void set_valid(const Step& step, Tile& tile, Slot rows, Slot cols);
    void window(const Step& step);
    void retype(const Step& step);
    void tile_slot(const Step& step);

    // The instruction of an IssuePlan with its operands; false if it is not this core's.
    bool fill(const Step& step, Instruction& instruction);
    void fifo(const Step& step);
    Operand scale_of(const FifoPlan& plan) const;
    void transfer(const Step& step);
    void signal(const Step& step);
    // `missing`, which may be null, becomes the first that does not hold.
    bool signals_hold(const Step& step, const SignalPlan& plan, AwaitedSignal* missing = nullptr);
    void await_signal(const Step& step, const SignalPlan& plan);
    // At the end of the kernel.
    void close_fifos();
    void vector_operation(const Step& step);
    void vector_function(const Step& step);
    void copy(const Step& step);
    void intrinsic(const Step& step);

    const Program& program;
    const SourceMap& sources;
    KernelPort& port;
    std::vector<uint64_t> scalars;
    std::vector<Tile> tiles;
    std::vector<GlobalView> views;
    std::vector<std::optional<Fifo>> fifos;
    // The vector function that is being made.
    std::vector<VectorOperation> vector_operations;
    std::vector<SourceLocation> vector_lines;
    uint32_t vector_values = 0;
};

}  // namespace ptosim::assembly
