#!/usr/bin/env python3
"""A residual layer for simpler: an orchestration and three kernels. After 'ptosim simpler-setup':

    ptosim exec --trace out -- python test_layer.py -p a2a3sim --case TestLayer::tiles8
    ptosim exec --check race -- python test_layer.py -p a2a3sim --case TestOverwritingLayer::tiles8   (a race, G05)
"""
import torch
from simpler.task_interface import ArgDirection as D

from simpler_setup import SceneTestCase, TaskArgsBuilder, TensorArg, scene_test

TILE = 64
KERNELS = [
    {"func_id": 0, "source": "kernels/matmul.cpp", "core_type": "aic", "signature": [D.IN, D.IN, D.OUT]},
    {"func_id": 1, "source": "kernels/relu.cpp", "core_type": "aiv", "signature": [D.IN, D.OUT]},
    {"func_id": 2, "source": "kernels/add.cpp", "core_type": "aiv", "signature": [D.IN, D.IN, D.OUT]},
]


def layer(source):
    return {"orchestration": {"source": source, "function_name": "aicpu_orchestration_entry",
                              "signature": [D.INOUT, D.IN, D.OUT]},
            "incores": KERNELS}


class Layer:
    CASES = [{"name": "tiles8", "platforms": ["a2a3sim", "a5sim"], "params": {"tiles": 8}},
             {"name": "tiles128", "platforms": ["a2a3sim", "a5sim"], "manual": True, "params": {"tiles": 128}}]

    def generate_args(self, params):
        generator = torch.Generator().manual_seed(7)

        def numbers(count):  # small whole numbers: products and sums are exact
            return torch.randint(-4, 5, (count * TILE * TILE,), generator=generator).to(torch.float32)

        return TaskArgsBuilder(TensorArg("x", numbers(params["tiles"])), TensorArg("w", numbers(1)),
                               TensorArg("y", torch.zeros(params["tiles"] * TILE * TILE)))

    def compute_golden(self, args, params):
        x = args.x.view(-1, TILE, TILE)
        args.y[:] = (torch.relu(x @ args.w.view(TILE, TILE)) + x).flatten()


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class TestLayer(Layer, SceneTestCase):
    CALLABLE = layer("layer.cpp")


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class TestOverwritingLayer(Layer, SceneTestCase):
    CALLABLE = layer("overwriting_layer.cpp")

    def compute_golden(self, args, params):
        super().compute_golden(args, params)
        args.x[:TILE * TILE] = torch.relu(args.w)


if __name__ == "__main__":
    SceneTestCase.run_module(__name__)
