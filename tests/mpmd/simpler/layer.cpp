// Orchestration of a residual layer, tile by tile: y = relu(x w) + x. Arguments: x and y, of
// several tiles one after the other, and w, of one. Compiled twice: with OVERWRITES, the last task
// writes the next layer's input over x.
#include <stddef.h>
#include <stdint.h>

#include "pto_orchestration_api.h"

enum { kMatmul, kRelu, kAdd };  // ids of the kernels
constexpr uint32_t kTile[1] = {64 * 64};

extern "C" __attribute__((visibility("default"))) PTO2OrchestrationConfig
aicpu_orchestration_config(const ChipTaskArgs&) {
    return PTO2OrchestrationConfig{.expected_arg_count = 3};
}

extern "C" __attribute__((visibility("default"))) void aicpu_orchestration_entry(
    const ChipTaskArgs& arguments) {
    const ChipTensor& x = arguments.tensor(0).ref();
    const ChipTensor& w = arguments.tensor(1).ref();
    const ChipTensor& y = arguments.tensor(2).ref();
    const TensorCreateInfo tile(kTile, 1, DataType::FLOAT32);
    for (uint32_t at = 0; at < x.shapes[0]; at += kTile[0]) {
        const uint32_t offset[1] = {at};
        const ChipTensor x_tile = x.view(kTile, offset), y_tile = y.view(kTile, offset);
        CoreTaskArgs matmul;
        matmul.add_input(x_tile);
        matmul.add_input(w);
        matmul.add_output(tile);
        const TaskOutputTensors products = rt_submit_aic_task(kMatmul, matmul);
        CoreTaskArgs relu;
        relu.add_input(products.get_ref(0));
        relu.add_output(tile);
        const TaskOutputTensors rectified = rt_submit_aiv_task(kRelu, relu);
        CoreTaskArgs add;
        add.add_input(rectified.get_ref(0));
        add.add_input(x_tile);
        add.add_output(y_tile);
        rt_submit_aiv_task(kAdd, add);
    }
#ifdef OVERWRITES
    // Nothing orders this after the reads of x by the tasks above, because simpler tracks no write
    // after read.
    const uint32_t first[1] = {0};
    const ChipTensor x_first = x.view(kTile, first);
    CoreTaskArgs next;
    next.add_input(w);
    next.add_output(x_first);
    rt_submit_aiv_task(kRelu, next);
#endif
}
