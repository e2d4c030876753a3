#!/usr/bin/python3
"""Inputs that the suite of operators reads from the files of a folder, its comparisons, and reference functions of
repositories. The texts are written here in the shapes that such files have."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
for place in ("scripts", "scripts/conformance", "sim/python"):
    sys.path.insert(0, str(ROOT / place))
import operators  # noqa: E402
from references import operators_cases, operators_golden, operators_numpy  # noqa: E402

REQUIRED, OPTIONAL, DYNAMIC = 2, 1, 3
FLOAT, INT32 = 0, 3


def row(name, kind=REQUIRED, dtype=FLOAT):
    return {"name": name, "kind": kind, "dtypes": [dtype]}


def definition(inputs, outputs, attrs=()):
    return {"inputs": inputs, "outputs": outputs,
            "attrs": [{"name": name, "type": kind, "required": required} for name, kind, required in attrs]}


TILING = """
TEST_F(Sum, refused) { gert::TilingContextPara para("Sum", {{{{3}, {3}}, ge::DT_FLOAT, ge::FORMAT_ND}}, {}, {});
  ExecuteTestCase(para, ge::GRAPH_FAILED); }
TEST_F(Sum, list) {
  std::vector<int32_t> axes = {0, 2};
  gert::TilingContextPara para("Sum",
     {{{{4, 8}, {4, 8}}, ge::DT_FLOAT, ge::FORMAT_ND}, {{{2, 8}, {2, 8}}, ge::DT_FLOAT, ge::FORMAT_ND},
      {{{2}, {2}}, ge::DT_INT32, ge::FORMAT_ND, true, axes}},
     {{{{6, 8}, {6, 8}}, ge::DT_FLOAT, ge::FORMAT_ND}},
     {{"keep", Ops::AnyValue::CreateFrom<bool>(true)}, {"sizes", Ops::AnyValue::CreateFrom<std::vector<int64_t>>({4, 2})}});
  ExecuteTestCase(para, ge::GRAPH_SUCCESS); }
"""
EXAMPLE = """
int main() {
  int64_t rows = 4;
  std::vector<int64_t> selfShape = {rows, 2 * 3}; std::vector<int64_t> idxShape = {2}; std::vector<int64_t> outShape = {2, 6};
  std::vector<float> selfHostData(24, 1.5); std::vector<int> idxHostData = {3, 1};
  ret = CreateAclTensor(selfHostData, selfShape, &selfAddr, aclDataType::ACL_FLOAT, &self);
  ret = CreateAclTensor(idxHostData, idxShape, &idxAddr, aclDataType::ACL_INT32, &idx);
  ret = CreateAclTensor(outHostData, outShape, &outAddr, aclDataType::ACL_FLOAT, &out);
  ret = aclnnTakeGetWorkspaceSize(self, 1, idx, out, &workspaceSize, &executor);
}
"""

GRAPH = """
#define ADD_INPUT(index, inputName, inputDtype, inputShape) \\
    vector<int64_t> placeholder##index##_shape = inputShape; ADD_NODE(inputName);
#define ADD_CONST_INPUT(index, inputName, inputDtype, inputShape, inputValues) op.set_input_##inputName(index);
#define ADD_INPUT_ATTR(attrName, attrValue) op.set_attr_##attrName(attrValue);
int Make() {
  auto op = op::SegmentSum("op");
  DataType inDtype = ge::DT_FLOAT16; float scale = 0.5f;
  std::vector<int64_t> xShape = {4, 2}; std::vector<int32_t> axes = {1};
  ADD_INPUT(1, x, inDtype, xShape);
  ADD_INPUT(2, segment_ids, DT_INT32, {4});  // ADD_INPUT(3, other, DT_INT32, {4});
  ADD_CONST_INPUT(3, axes, DT_INT32, {1}, axes);
  ADD_INPUT_ATTR(scale, scale); op.set_attr_sizes({3, 5});
}
"""


class Cases(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def test_tiling_test_with_a_list_and_values(self):
        self.write("tests/ut/op_host/test_sum_tiling.cpp", TILING)
        made = definition([row("x", DYNAMIC), row("axes", dtype=INT32)], [row("y")])
        found = operators_cases.tiling_tests(self.folder, made, False)
        self.assertEqual(len(found), 1)
        self.assertEqual([one.shape for one in found[0].inputs["x"]], [(4, 8), (2, 8)])
        self.assertEqual(found[0].inputs["axes"], [operators_cases.Given((2,), "DT_INT32", [0, 2])])
        self.assertEqual(found[0].outputs, {"y": [(6, 8)]})
        self.assertEqual(found[0].attributes, {"keep": "true", "sizes": "4,2"})

    def test_example_whose_names_differ_from_the_definition(self):
        self.write("examples/test_aclnn_take.cpp", EXAMPLE)
        found = operators_cases.examples(self.folder, definition([row("x"), row("indices", dtype=INT32)], [row("y")],
                                                                [("axis", "int", True)]))[0]
        self.assertEqual(found.inputs["x"], [operators_cases.Given((4, 6), "DT_FLOAT", [1.5] * 24)])
        self.assertEqual(found.inputs["indices"], [operators_cases.Given((2,), "DT_INT32", [3, 1])])
        self.assertEqual((found.outputs, found.attributes), ({"y": [(2, 6)]}, {"axis": "1"}))

    def test_numbers_that_a_test_points_to(self):
        self.write("tests/ut/op_host/test_sum_tiling.cpp", TILING.replace("true, axes", "true, &axis").replace(
            "std::vector<int32_t> axes = {0, 2};", "int32_t axis = 1;"))
        found = operators_cases.tiling_tests(self.folder, definition([row("x", DYNAMIC), row("axes", dtype=INT32)], [row("y")]), False)
        self.assertEqual(found[0].inputs["axes"][0].values, [1])

    def test_example_of_a_graph(self):
        self.write("examples/test_geir_segment_sum.cpp", GRAPH)
        rows = [row("x"), row("segment_ids", dtype=INT32), row("axes", dtype=INT32)]
        found = operators_cases.graphs(self.folder, definition(rows, [row("y")]))
        self.assertEqual(len(found), 1)
        given = operators_cases.Given
        self.assertEqual(found[0].inputs, {"x": [given((4, 2), "DT_FLOAT16")], "segment_ids": [given((4,), "DT_INT32", [0, 0, 1, 1])],
                                           "axes": [given((1,), "DT_INT32", [1])]})
        self.assertEqual(found[0].attributes, {"sizes": "3,5", "scale": "0.5"})
        self.write("examples/test_geir_segment_sum.cpp", GRAPH.replace("inDtype, xShape", "inDtype, shapes[0]"))
        self.assertEqual(operators_cases.graphs(self.folder, definition(rows, [row("y")])), [])

    def test_guesses_give_lists_two_tensors_and_switch_what_can_be_switched(self):
        made = definition([row("x", DYNAMIC)], [row("y")], [("transpose", "bool", False)])
        found = list(operators_cases.guesses(made))
        self.assertEqual({len(case.inputs["x"]) for case in found}, {2})
        self.assertEqual([case.attributes for case in found], [{}] * (len(found) // 2) + [{"transpose": "true"}] * (len(found) // 2))

    def test_inputs_that_a_test_does_not_state(self):
        given = {"x": [operators_cases.Given((4, 8), "DT_FLOAT")]}
        made = operators_cases.completed(operators_cases.Case("", given, {}, {}),
                                         definition([row("x"), row("y"), row("axes", dtype=INT32), row("z", OPTIONAL)], []))
        self.assertEqual(made.inputs["y"][0].shape, (4, 8))
        self.assertEqual(made.inputs["axes"], [operators_cases.Given((1,), "", [1])])
        self.assertNotIn("z", made.inputs)

    def test_sizes_are_halved_together(self):
        given = {"x": [operators_cases.Given((4096, 512))], "gamma": [operators_cases.Given((512,), values=[1])]}
        case = operators_cases.Case("", given, {"y": [(4096, 512)]}, {})
        made = operators_cases.smaller(case, (1 << 15) + 128)
        self.assertEqual(made.inputs["x"][0].shape, (128, 128))
        self.assertEqual((made.inputs["gamma"][0].shape, made.inputs["gamma"][0].values), ((128,), None))
        self.assertEqual(made.outputs["y"], [(128, 128)])
        odd = operators_cases.Case("", {"x": [operators_cases.Given((4097, 513))]}, {}, {})
        self.assertIsNone(operators_cases.smaller(odd, 1 << 17))


class Values(unittest.TestCase):
    def test_differences(self):
        ones = np.ones(4, np.float32)
        self.assertEqual(operators.difference(ones, ones * 1.0005, "f32", 1e-3, 0), "")
        self.assertIn("differs in 4 of 4 elements, by 0.01", operators.difference(ones, ones * 1.01, "f32", 1e-3, 0))
        self.assertIn("has 4 elements instead of 2", operators.difference(ones, ones[:2], "f32", 0, 0))
        self.assertEqual(operators.difference(np.array([np.nan, np.inf]), np.array([np.nan, np.inf]), "f32", 0, 0), "")
        # 0x3f81 is 1 + 1/128 in bf16.
        self.assertEqual(operators.difference(np.array([0x3f81], np.uint16), np.array([1.0078125]), "bf16", 0, 0), "")
        self.assertEqual(operators.to_bf16(np.array([1.0078125, 1.00390625])).tolist(), [0x3f81, 0x3f80])

    def test_generated_indices(self):
        rng, given = np.random.default_rng(1), operators_cases.Given((64,))
        for name, ordered in (("sorted_indices", True), ("segment_ids", True), ("pos", False)):
            values = operators.generated(rng, name, "i32", given, 16)
            self.assertTrue(0 <= values.min() and values.max() < 16, name)
            self.assertEqual(bool((np.diff(values) >= 0).all()), ordered, name)
        self.assertEqual(sorted(operators.generated(rng, "sorted_ids", "i32", given, 64)), list(range(64)))

    def test_reference_of_a_repository(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "scale" / "tests" / "assets").mkdir(parents=True)
            file = folder / "scale" / "tests" / "assets" / "golden.py"
            file.write_text('__golden__ = {"kernel": {"scale": "scale_golden"}}\n'
                            "def scale_golden(x, y, factor, **kwargs):\n"
                            '    assert y is None and kwargs["output_dtypes"] == ["float32"]\n'
                            "    return [one * factor for one in x]\n")
            found = operators_golden.functions(folder)
            self.assertEqual(found, {"scale": (file, "scale_golden")})
            facts = {"attributes": {"factor": 3}, "keywords": {"output_dtypes": ["float32"]}}
            x = [np.arange(4, dtype=np.float32), np.ones(2, np.float32)]
            made = operators_golden.expected(found["scale"], [("f32", x, True), None], facts, folder, 60)
            self.assertEqual([one.tolist() for one in made], [[0, 3, 6, 9], [3, 3]])
            with self.assertRaisesRegex(RuntimeError, "AssertionError"):
                operators_golden.expected(found["scale"], [("f32", x, True), ("f32", x, False)], facts, folder, 60)

    def test_functions_take_the_attributes_that_they_name(self):
        model = operators_numpy.MODELS["moe_token_permute_grad"]
        made = model.expected({"permuted_output_grad": np.eye(4, dtype=np.float32), "sorted_indices": np.array([2, 0, 1, 3])},
                              {"num_topk": 2, "padded_mode": False})
        self.assertEqual(made["input_grad"].tolist(), [[1, 0, 1, 0], [0, 1, 0, 1]])


if __name__ == "__main__":
    unittest.main()
