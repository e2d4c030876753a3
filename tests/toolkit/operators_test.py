#!/usr/bin/python3
"""Operators from their folders (`ptosim op`): template keys, kernel types and structures that sources state, names of an
installed tree, errors. With checkouts of asc-devkit and metadef (PTOSIM_ASCENDC, PTOSIM_METADEF) the operators of
tests/toolkit/operators run; expected values are NumPy's."""
import argparse
import configparser
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sim" / "python"))
import ptosim  # noqa: E402
from ptosim.operators import (blocks, command, compile_options, generated, host, kernel, kernel_tests, operator, project,  # noqa: E402
                              prototypes, serve, template_keys, tree)
from ptosim.operators.includes import Includes  # noqa: E402

OPERATORS = ROOT / "tests" / "toolkit" / "operators"
CHECKOUTS = all(os.environ.get(name) for name in ("PTOSIM_ASCENDC", "PTOSIM_METADEF"))
OPTIONS = None

KEYS = """
ASCENDC_TPL_ARGS_DECL(Sample,
    ASCENDC_TPL_DATATYPE_DECL(T, C_DT_FLOAT, C_DT_FLOAT16),
    ASCENDC_TPL_UINT_DECL(MODE, ASCENDC_TPL_4_BW, ASCENDC_TPL_UI_MIX, 1, 10, 12, 40, kFifty),
    ASCENDC_TPL_BOOL_DECL(LAST, 0, 1));
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY), ASCENDC_TPL_BOOL_SEL(LAST, 0),
                         ASCENDC_TPL_TILING_STRUCT_SEL(First)),
    ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_MIX_AIC_1_2), ASCENDC_TPL_BOOL_SEL(LAST, 1),
                         ASCENDC_TPL_TILING_STRUCT_SEL(Second)));
"""


class Sources(unittest.TestCase):
    def chosen(self, key):
        return template_keys.decode(KEYS, key, {"kFifty": 50}.get)

    def test_template_arguments_of_a_key(self):
        # Bits 0 to 7 the type, 8 to 11 the position among 10, 11, 12, 40, 50, bit 12 the truth value.
        first = self.chosen(1 | 3 << 8)
        self.assertEqual(first.arguments, ["half", "40", "false"])
        self.assertEqual((first.kernel_type, first.structure), ("KERNEL_TYPE_AIV_ONLY", "First"))
        second = self.chosen(0 | 4 << 8 | 1 << 12)
        self.assertEqual(second.arguments, ["float", "50", "true"])
        self.assertEqual((second.kernel_type, second.structure), ("KERNEL_TYPE_MIX_AIC_1_2", "Second"))
        self.assertIsNone(template_keys.decode("int x;", 0, {}.get))

    def test_declarations_in_macros(self):
        text = """
#define MODES() 3, 5
#define MODE_DECL(name, count) \\
    ASCENDC_TPL_UINT_DECL(name, 8, ASCENDC_TPL_UI_LIST, count)
#define ALL_DECL() MODE_DECL(FIRST, 7), ASCENDC_TPL_BOOL_DECL(LAST, 0, 1)
ASCENDC_TPL_ARGS_DECL(Sample, ALL_DECL());
"""
        chosen = template_keys.decode(template_keys.expanded(text), 1 << 8, {}.get)
        self.assertEqual(chosen.arguments, ["7", "true"])
        text = text.replace("ALL_DECL());", "MODE_DECL(FIRST, 7), ASCENDC_TPL_BOOL_DECL(LAST, 0, 1));")
        self.assertEqual(template_keys.decode(template_keys.expanded(text), 1 << 8, {}.get).arguments, ["7", "true"])
        self.assertEqual(template_keys.expanded(KEYS), KEYS)

    def test_kernel_type_and_structure_of_a_key(self):
        text = """
#define KERNEL_TASK_TYPE(key, value)
KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
KERNEL_TASK_TYPE(7, KERNEL_TYPE_AIV_ONLY);
REGISTER_TILING_DEFAULT(Plain<1, 2>);
REGISTER_TILING_FOR_TILINGKEY("(TILING_KEY_VAR >= 20UL) && TILING_KEY_VAR != 21", Special);
"""
        self.assertEqual(kernel.kernel_type([text], 7), "KERNEL_TYPE_AIV_ONLY")
        self.assertEqual(kernel.kernel_type([text], 8), "KERNEL_TYPE_MIX_AIC_1_2")
        self.assertEqual(kernel.kernel_type(["int x;"], 8), "")
        structures = [kernel.registered_structure([text], key) for key in (19, 20, 21)]
        self.assertEqual(structures, ["Plain<1,2>", "Special", "Plain<1,2>"])

    def test_a_type_that_no_source_states_on_the_950(self):
        vector, cube = "Add(z, x, y, 64);", "Mmad(c, a, b, params);"
        found = [kernel.inferred_type(texts, soc) for texts, soc in
                 (([vector], "ascend950"), ([vector, cube], "ascend950"), (["Matmul<A, B, C> m;"], "ascend950"), ([vector], "ascend910b"))]
        self.assertEqual(found, ["KERNEL_TYPE_AIV_ONLY", "", "", ""])

    def test_structures_that_a_kernel_defines_itself_are_not_repeated(self):
        classes = {"Outer": {"class": "Outer", "fields": [["Inner", "inner", -1], ["uint32_t", "sizes", 3]]},
                   "InnerOp": {"class": "Inner", "fields": [["float", "value", -1]]}}
        self.assertEqual(kernel.structures(classes, []),
                         "struct Inner {\n    float value;\n};\nstruct Outer {\n    Inner inner;\n    uint32_t sizes[3];\n};\n")
        self.assertEqual(kernel.structures(classes, ["struct Outer { int x; };", "class Inner : Base {};"]), "")
        # A definition for another operator, whose header defines OTHER_H (sort_with_index of ops-math).
        within = "#ifndef OWN_H\n#define OWN_H\n#ifdef OTHER_H\nstruct Inner {};\n#endif\n#endif\n"
        inner = {"InnerOp": classes["InnerOp"]}
        self.assertIn("struct Inner", kernel.structures(inner, [within]))
        self.assertEqual(kernel.structures(inner, [within, "#define OTHER_H\n"]), "")
        self.assertEqual(kernel.structures(inner, [within.replace("struct", "#else\nstruct")]), "")

    def test_the_entry_of_tests_on_a_host_is_not_the_kernels(self):
        for head, tail in (("#ifdef __CCE_KT_TEST__", "#else"), ("#if defined(__CCE_KT_TEST__)", "#elif defined(OTHER)"),
                           ("#ifndef __CCE_UT_TEST__\n#else", "#endif\n#if 1")):
            with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
                file.write(f'{head}\nextern "C" __global__ void sum(GM_ADDR x) {{}}\n{tail}\n'
                           "template <int N> __global__ void sum(GM_ADDR x, GM_ADDR y) {}\n#endif\n")
                file.flush()
                found = kernel.function_of(file.name, {"type": "Sum", "settings": {}})
            self.assertEqual((found.name, found.template, found.parameters), ("sum", True, 2), head)

    def test_macros_of_tests_read_tiling_data_from_global_memory(self):
        """A host has no address spaces, so that macros of tests on a host name any; a function that reads UB reads UB."""
        kept = "inline void Copy(Data& to) { from = (__ubuf__ Data*)local.GetPhyAddr(); }\n#define IMMEDIATE (__ubuf__ Data*)get_imm(0)\n"
        macro = "#define GET(from, to) \\\n    {} Data* to = \\\n        ({} Data*)(from)\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data_def.h")
            with open(path, "w") as file:
                file.write(macro.format("__ubuf__", "__ubuf__") + kept)
            copy = kernel_tests._own(path, folder).split('"')[1]
            with open(copy) as file:
                self.assertEqual(file.read(), f'#line 1 "{path}"\n' + macro.format("__gm__", "__gm__") + kept)

    def test_an_entry_that_a_macro_declares(self):
        macro = '#define ENTRY extern "C" __global__ __aicore__'
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
            file.write('#include "entry.h"\nENTRY void sum(GM_ADDR x, GM_ADDR y) {}\n')
            file.flush()
            found = kernel.function_of(file.name, {"type": "Sum", "settings": {}}, [macro])
        self.assertEqual((found.name, found.template, found.parameters), ("sum", False, 2))

    def test_a_tiling_that_another_folder_registers(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            texts = {"sum": "OP_ADD(Sum);\nIMPL_OP_INFERSHAPE(Sum);\ncontext->SetTilingKey(1);", "mean": "IMPL_OP_OPTILING(Sum);",
                     "mode": "REGISTER_OPS_TILING_TEMPLATE(Sum, Mode, 1);", "max": "IMPL_OP_OPTILING(SumMax);"}
            for name, text in texts.items():
                (root / name / "op_host").mkdir(parents=True)
                (root / name / "op_host" / f"{name}.cpp").write_text(text)
            own = str(root / "sum/op_host/sum.cpp")
            where = tree.Tree(str(root / "sum"), folder, {})
            self.assertEqual(host._registrars([own], where), [str(root / f"{name}/op_host/{name}.cpp") for name in ("mean", "mode")])

    def test_sources_that_define_a_function_go_before_nearer_ones_that_call_it(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("own/a", "own/b", "own/c", "own/d", "common/cache"):
                (root / name).parent.mkdir(exist_ok=True)
                (root / f"{name}.cpp").write_text("int use()\n{\n    return Prepare(1);\n}\n")
            (root / "common/cache.cpp").write_text("namespace optiling {\nge::graphStatus Prepare(int n) { return 0; }\n}\n")
            found = host._definers("optiling::Prepare(int)", tree.Tree(str(root / "own"), folder, {}))
            self.assertEqual(found[0], str(root / "common/cache.cpp"))
            self.assertEqual(len(found), 4)

    def test_attributes_of_a_prototype(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "op_graph" / "sum_proto.h"
            path.parent.mkdir()
            path.write_text("""REG_OP(SumAll)\n.ATTR(other, Int, 3)\n.OP_END_FACTORY_REG(SumAll)
REG_OP(Sum)\n    .INPUT(x, TensorType({DT_FLOAT}))\n    .ATTR(scale, Float, 1.5f)\n    .REQUIRED_ATTR(heads, Int)
    .REQUIRED_ATTR(layout, String)\n    .ATTR(mode, String, "")\n    .ATTR(axes, ListInt, {1, 2})\n    .ATTR(keep, Bool, false)
    .OP_END_FACTORY_REG(Sum)""")
            rows = prototypes.attributes(folder, "Sum")
        self.assertEqual([row["name"] for row in rows], ["scale", "heads", "layout", "mode", "axes", "keep"])
        self.assertEqual([row["name"] for row in rows if row["required"]], ["heads", "layout"])
        self.assertEqual([operator._attribute(row, row["default"]).strip() for row in rows if not row["required"]],
                         ["float 1.5", "str", "list_int 1 2", "bool 0"])
        self.assertEqual(prototypes.attributes(folder, "Mean"), [])

    def test_integers_of_64_bits_as_attributes(self):
        row = {"name": "n", "type": "int"}
        for value, text in (("9223372036854775807", "int 9223372036854775807"), ("1e3", "int 1000"), (-5, "int -5"), ("", "int 0")):
            self.assertEqual(operator._attribute(row, value), text)

    def test_the_source_for_the_generation_of_the_chip(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("op_kernel/sum.cpp", "op_kernel/arch35/sum.cpp"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("")
            for soc, name in (("ascend910b", "op_kernel/sum.cpp"), ("ascend950", "op_kernel/arch35/sum.cpp")):
                found = kernel.source_of(tree.Tree(folder, folder, {}), {"type": "Sum", "soc": soc, "settings": {}})
                self.assertEqual(found, str(root / name))

    def test_arguments_of_a_kernel(self):
        def tensor():
            return operator.Tensor(0, (4,))
        entry = operator._Entry(1, False)
        entry.add({"name": "x", "kind": operator.DYNAMIC}, [(tensor(), "in"), (tensor(), "in")])
        self.assertIn("dsb(DSB_ALL)", entry.setup[-1])  # before threads read the addresses of the tensors
        self.assertIn("dcci(", entry.setup[-2])
        entry.add({"name": "y", "kind": operator.REQUIRED}, [(tensor(), "out")])
        last = ["ptosim_workspace + AscendC::RESERVED_WORKSPACE", "ptosim_tiling"]
        # unique_dim of ops-nn has a parameter for shapes, non_zero_with_value has none.
        self.assertEqual(kernel.passed(entry, 5), ["list_x", "p3", "nullptr", *last])
        entry.add_shapes(2)
        self.assertEqual((entry.arguments[-1].role, entry.arguments[-1].words.tolist()), ("table", [0] * 18))
        for parameters, expected in ((5, ["list_x", "p3", "p4", *last]), (6, ["list_x", "p3", "p4", "nullptr", *last]),
                                     (4, ["list_x", "p3", *last]), (3, ["list_x", "p3", last[1]]), (2, ["list_x", "p3"]), (1, last[1:])):
            self.assertEqual(kernel.passed(entry, parameters), expected)

    def test_options_of_a_cmakelists(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "op_host").mkdir()
            (root / "CMakeLists.txt").write_text("""
# add_kernel_sources(OPTIONS -DNEVER)
add_kernel_sources(
    COMPUTE_UNITS ascend950 Ascend910_93
    AUTO_SYNC false
)
add_kernel_sources(COMPUTE_UNITS ascend910b OPTIONS "-DFIRST=1" -Werror -DOTHER=${VALUE} "-DSECOND")
""")
            (root / "op_host/CMakeLists.txt").write_text("""
add_ops_compile_options(OP_NAME Sum OPTIONS --cce-auto-sync=off -mllvm -cce-aicore-hoist-movemask=false)
add_ops_compile_options(OP_NAME Sum COMPUTE_UNIT Ascend950 OPTIONS --cce-auto-sync=on)
""")
            for name, soc, expected in (("Product", "ascend950", ["PTOSIM_AUTO_SYNC=0"]), ("Product", "ascend310p", []),
                                        ("Product", "ascend910b", ["FIRST=1", "SECOND"]), ("Sum", "ascend950", []),
                                        ("Sum", "ascend910b", ["FIRST=1", "SECOND", "PTOSIM_AUTO_SYNC=0"])):
                found = compile_options.defines(compile_options.of_kernel(folder, name, soc))
                self.assertEqual(found, expected, (name, soc))

    def test_names_of_functions(self):
        for name, expected in (("AddRmsNorm", "add_rms_norm"), ("MoeGatingTopK", "moe_gating_top_k"), ("IsInf", "is_inf")):
            self.assertEqual(kernel.snake(name), expected)

    def test_headers_by_their_names_in_an_installed_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            files = {"norm/own/op_kernel/own.cpp": '#include "deep/a.h"\n#include "shared/b.h"\n#include "nowhere.h"\n',
                     "norm/own/op_kernel/deep/a.h": '#include "../../other/c.h"\n', "norm/other/op_kernel/c.h": "",
                     "common/inc/shared/b.h": "", "far/inc/shared/x/b.h": ""}
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            source = root / "norm/own/op_kernel/own.cpp"
            found = Includes([str(source)], [], str(root), str(root / "norm/own"))
            self.assertEqual(found.added, [str(root / "common/inc")])
            self.assertEqual(found.links, {"other": str(root / "norm/other/op_kernel")})
            self.assertEqual((found.depth, list(found.missing)), (2, ["nowhere.h"]))

    def test_headers_of_other_operators_are_further_than_common_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            files = {"norm/own/op_kernel/own.cpp": '#include "base/a.h"\n#include "base/b.h"\n', "norm/other/base/a.h": "",
                     "common/inc/base/a.h": "", "norm/other/base/b.h": "", "norm/other/op_host/other.cpp": ""}
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = Includes([str(root / "norm/own/op_kernel/own.cpp")], [], str(root), str(root / "norm/own"))
            self.assertEqual(found.added, [str(root / "common/inc"), str(root / "norm/other")])


class Calls(unittest.TestCase):
    def test_parameters_of_generated_calls(self):
        # Names, types and order are those of asc-devkit's generator (tools/build/opbuild), for an operator of each kind.
        row = {"kind": 1, "value": "", "dtypes": [0], "formats": [2]}
        definition = {
            "type": "MixAll",
            "inputs": [dict(row, name="first_x"), dict(row, name="state", kind=1), dict(row, name="mask", kind=0),
                       dict(row, name="sizes", value="required", dtypes=[9]), dict(row, name="parts", kind=2)],
            "attrs": [{"name": "scale_value", "type": "float", "required": False}, {"name": "mode", "type": "str", "required": False},
                      {"name": "axes", "type": "listInt", "required": True}, {"name": "keep", "type": "bool", "required": True}],
            "outputs": [dict(row, name="state"), dict(row, name="total")]}
        definition["inputs"][1]["kind"] = operator.REQUIRED
        for name, kind in (("first_x", operator.REQUIRED), ("mask", operator.OPTIONAL), ("sizes", operator.REQUIRED),
                           ("parts", operator.DYNAMIC)):
            next(one for one in definition["inputs"] if one["name"] == name)["kind"] = kind
        for one in definition["outputs"]:
            one["kind"] = operator.REQUIRED
        self.assertIn(
            "aclnnStatus aclnnMixAllGetWorkspaceSize(const aclTensor* firstX, aclTensor* stateRef, const aclTensor* maskOptional, "
            "const aclIntArray* sizes, const aclTensorList* parts, double scaleValue, char* modeOptional, const aclIntArray* axes, "
            "bool keep, const aclTensor* totalOut, uint64_t* workspaceSize, aclOpExecutor** executor);", generated.header(definition))
        self.assertIn('{PTOSIM_INPUT_VALUES, "sizes", 0, sizes, 9, 0}', generated.source(definition))
        definition["outputs"] = definition["outputs"][1:]
        self.assertIn("bool keep, const aclTensor* out, uint64_t*", generated.header(definition))
        self.assertEqual(generated.file_of(definition), "aclnn_mix_all")
        inner = dict(definition, prefix=generated.INNER)  # ops-nn includes such a header of TransQuantParamV2
        self.assertEqual(generated.file_of(inner), "aclnnInner_mix_all")
        self.assertIn("aclnnStatus aclnnInnerMixAllGetWorkspaceSize(", generated.source(inner))

    def test_installers_keep_other_vendors(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            with self.assertRaisesRegex(ptosim.Error, "has no library of calls"):
                project.package(folder, str(root / "a.run"), "first")
            for vendor in ("first", "second", "first"):
                for file in ("lib/libcust_opapi.so", "include/aclnn_sum.h", "include/aclnnop/aclnn_sum.h"):
                    path = root / vendor / "packages/vendors" / vendor / "op_api" / file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(file)
                project.package(str(root / vendor), str(root / "a.run"), vendor)
                done = subprocess.run([root / "a.run", f"--install-path={root}/opp"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (0, "SUCCESS\n"), done.stderr)
            self.assertEqual((root / "opp/vendors/config.ini").read_text(), "load_priority=second,first\n")
            for file in ("first/op_api/lib/libcust_opapi.so", "second/op_api/include/aclnn_sum.h",
                         "second/op_api/include/aclnnop/aclnn_sum.h"):
                self.assertTrue((root / "opp/vendors" / file).is_file(), file)
            plain = subprocess.run([root / "a.run"], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
            self.assertEqual(plain.returncode, 2)
            self.assertIn("no folder to install in", plain.stderr)

    def test_the_folder_that_defines_an_operator(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in (("a/other", "OP_ADD(SumAll);"), ("b/sum_all", "OP_ADD(SumAll);"), ("experimental/sum_all", "OP_ADD(SumAll);"),
                               ("b/sum", "OP_ADD(SumAllOfThem);")):
                (root / name / "op_host").mkdir(parents=True)
                (root / name / "op_kernel").mkdir()
                (root / name / "op_host" / "def.cpp").write_text(text)
            self.assertEqual(serve.folder_of("SumAll", (folder,)), str(root / "b/sum_all"))
            self.assertEqual(serve.folder_of("SumAllOfThem", (folder,)), str(root / "b/sum"))
            with self.assertRaisesRegex(ptosim.Error, "no folder defines the operator Sum "):
                serve.folder_of("Sum", (folder,))

    def test_the_compiler_of_packages_describes_what_calls_compile(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "sum.json").write_text(json.dumps({"op_type": "Sum", "op_list": [{
                "bin_filename": "Sum_00ff", "inputs": [{"name": "x", "dtype": "float16"}], "outputs": []}]}))
            words = ["sum.py", "--main_func=sum", f"--input_param={root}/sum.json", "--soc_version=Ascend910B1", f"--output={root}/out",
                     "--impl_mode=high_performance,optional", "--simplified_key_mode=0", "--op_mode=dynamic"]
            done = subprocess.run([OPTIONS.ptosim, "op", "--project", "opc", *words], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (
                0, "note: Sum for Ascend910B1: ptosim compiles the variants that calls select\n"), done.stderr)
            made = json.loads((root / "out/Sum_00ff.json").read_text())
            self.assertEqual((made["binFileName"] + made["binFileSuffix"], made["supportInfo"]["inputs"]),
                             ("Sum_00ff.o", [{"name": "x", "dtype": "float16"}]))
            self.assertTrue((root / "out/Sum_00ff.o").is_file())
            (root / "sum.json").write_text("{}")
            done = subprocess.run([OPTIONS.ptosim, "op", "--project", "opc", *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("sum.json: not a description of an operator", done.stderr)

    def test_attributes_of_a_call_by_their_order(self):
        made = operator.Operator.__new__(operator.Operator)
        made.definition = {"type": "Sum", "attrs": [
            {"name": "axis", "type": "int", "required": True, "default": ""}, {"name": "keep", "type": "bool", "required": False, "default": "false"},
            {"name": "scale", "type": "float", "required": False, "default": "0.5"}]}
        self.assertEqual(made.attribute_lines(["int -1", "int 1"]), ["int -1", "bool 1", "float 0.5"])
        self.assertEqual(made.attribute_lines(["int 3"]), ["int 3", "bool 0", "float 0.5"])
        for given, message in ((["int 1"] * 4, "has 3 attributes, but the call gives 4"), (["str 6162"], "'axis' is a int, but the call gives a str")):
            with self.assertRaisesRegex(ptosim.Error, message):
                made.attribute_lines(given)
        made.definition["attrs"] = []  # as that of FlashAttentionScore
        self.assertEqual(made.attribute_lines(["int 3", "str 6162"]), ["int 3", "str 6162"])

    def test_headers_of_matmul(self):
        for path, found in (("/a/include/adv_api/matmul/matmul_intf.h", True), ("/ptosim/asc_devkit/lib/matmul_intf.h", True),
                            ("/a/impl/adv_api/detail/kfc/kernel_kfc.h", True), ("/a/matmul_client.h", False)):
            self.assertEqual(kernel.has_matmul(["/op/kernel.h", path]), found, path)

    def test_arrays_in_blocks(self):
        """Element (row, column) is in block (column / 16, row / 16)."""
        array = np.arange(2 * 20 * 33, dtype=np.float16).reshape(2, 20, 33)
        made = blocks.in_blocks(array, blocks.columns(29, 1))
        self.assertEqual(made.shape, (2, 3, 2, 16, 16))
        self.assertEqual(made.shape, blocks.shape_in_blocks(array.shape, 16))
        for at, row, column in ((0, 0, 0), (1, 3, 32), (0, 19, 15), (1, 16, 16)):
            self.assertEqual(made[at, column // 16, row // 16, row % 16, column % 16], array[at, row, column])
        self.assertEqual(made[0, 2, 1, 15, 15], 0)
        tensor = operator.Tensor(1, made.shape, 29, logical=array.shape)
        self.assertEqual(operator._tensor_line(tensor), "tensor 1 29 - 5 2 3 2 16 16 of 2 20 33")

    def test_the_source_that_defines_a_function(self):
        for text, defines in (("namespace optiling {\nbool Prepare(Context* context)\n{\n", True), ("bool optiling::Prepare(Context*) {", True),
                              ("namespace Ops {\nnamespace NN {\nbool Prepare(Context* context)\n{\n", False),
                              ("namespace optiling {\nvoid f()\n{\n    Prepare(context);\n}\n}", False),
                              ("namespace optiling {\nbool Prepare(Context* context);\n}", False)):
            self.assertEqual(host._defines(text, "optiling::Prepare(gert::Context*)"), defines, text)
        self.assertTrue(host._defines("int Made::of(int i) const {", "a::Made::of(int) const"))

    def test_arrays_have_plain_formats_if_a_combination_of_types_has(self):
        made = operator.Operator.__new__(operator.Operator)  # two of three columns have int8; blocks (29) first
        made.definition = {"type": "Multiply"}
        made.inputs = [{"name": "x", "dtypes": [2, 2, 2, 1], "formats": [2, 29, 2, 2]},
                       {"name": "weight", "dtypes": [2, 2, 2, 1], "formats": [29, 29, 0, 29]}]
        made.outputs = [{"name": "y", "dtypes": [1, 1, 2, 1], "formats": [2] * 4}]
        self.assertEqual(made.column({"x": 2, "weight": 2}), 2)
        self.assertEqual(made.column({"x": 2, "weight": 2}, {"y": 1}), 0)
        self.assertEqual(made.column({"x": 2, "weight": 2}, {}, {"weight": 29}), 0)
        self.assertEqual(made.column({"x": 1, "weight": 1}), 3)

    def test_requests_that_fail_are_answered(self):
        request = "request plan\nparts asc-devkit=:metadef=:opbase=\nop Nowhere\nend\n"
        done = subprocess.run([OPTIONS.ptosim, "op", "--serve"], input=2 * request, capture_output=True, text=True, check=True)
        answers = done.stdout.split("end\n")[:-1]
        self.assertEqual(len(answers), 2, done.stdout + done.stderr)
        for answer in answers:
            self.assertIn("no folder defines the operator Nowhere", bytes.fromhex(answer.split()[1]).decode())


class Errors(unittest.TestCase):
    def test_folders_and_checkouts(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(ptosim.Error, "no op_host in it"):
                tree.find(folder)
            for name in ("op_host", "op_kernel"):
                os.mkdir(os.path.join(folder, name))
            with self.assertRaisesRegex(ptosim.Error, "is not a checkout of metadef"):
                tree._part("metadef", folder, [])
            with unittest.mock.patch.dict(os.environ):
                os.environ.pop("PTOSIM_METADEF", None)
                with self.assertRaisesRegex(ptosim.Error, "operators need a checkout of metadef"):
                    tree._part("metadef", None, [folder])

    def test_a_toolkit_for_operators_needs_three_checkouts(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([OPTIONS.ptosim, "toolkit", f"{folder}/kit", "--opbase", folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("name them all: --ascendc, --metadef, --opbase", done.stderr)
            self.assertEqual(os.listdir(folder), [])
            done = subprocess.run([OPTIONS.ptosim, "op", "--project", "generate", f"{folder}/none.ptosim", folder],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("configure the project of the operators again", done.stderr)

    def test_help_names_the_options_of_the_parser(self):
        help_text = subprocess.run([OPTIONS.ptosim, "op", "--help"], capture_output=True, text=True, check=True).stdout
        for action in command._parser()._actions:
            for option in action.option_strings:
                self.assertIn(option + " ", help_text.replace("\n", " "))


@unittest.skipUnless(CHECKOUTS, "PTOSIM_ASCENDC and PTOSIM_METADEF name no checkouts")
class Runs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def op(self, name, *words, status=0):
        done = subprocess.run([OPTIONS.ptosim, "op", OPERATORS / name, *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_an_optional_input_and_an_attribute_choose_the_variant(self):
        x = np.arange(1000, dtype=np.float32)
        np.save(self.folder / "x.npy", x)
        np.save(self.folder / "y.npy", 1 - x)
        one = self.op("scaled_sum", "--in", "x=x.npy", "--attr", "alpha=3", "--out", "z=z.npy", "--check")
        self.assertIn("key 2, 4 blocks", one)
        self.assertTrue(np.array_equal(np.load(self.folder / "z.npy"), 3 * x))
        two = self.op("scaled_sum", "--in", "x=x.npy", "--in", "y=y.npy", "--out", "z=z.npy", "--trace", "trace")
        self.assertIn("key 1, 4 blocks", two)
        self.assertTrue(np.array_equal(np.load(self.folder / "z.npy"), 2 * x + (1 - x)))
        self.assertTrue((self.folder / "trace" / "index.html").exists() or list((self.folder / "trace").glob("*.html")))
        refused = self.op("scaled_sum", "--shape", "64,32", status=2)
        self.assertIn("x and y have 64 and 32 elements", refused)
        self.assertIn("scaled_sum.cpp:", refused)

    def test_a_template_key_and_the_package(self):
        operator = ptosim.op(str(OPERATORS / "clipped_relu"), check="all")
        x = np.linspace(-100, 100, 1280).astype(np.float32)
        result = operator(x, limit=50.0)
        self.assertTrue(np.array_equal(result.outputs[0], np.clip(x, 0, 50)))
        self.assertEqual((operator.plan.key, result.findings), (1 | 2 << 1, []))
        with self.assertRaisesRegex(ptosim.Error, "needs the attribute 'limit'"):
            operator(x)
        with self.assertRaisesRegex(ptosim.Error, "refuses the inputs"):
            operator(x[:100], limit=1.0)

    def test_unit_tests_of_a_host(self):
        made = self.op("clipped_relu", "--tests", "host")
        self.assertIn("[  PASSED  ] 3 tests.", made)
        self.assertIn("test_broken_tiling.cpp is left out: ", made)
        with unittest.mock.patch.dict(os.environ, CLIPPED_RELU_KEY="7"):
            self.assertIn("[  FAILED  ] ClippedRelu.key", self.op("clipped_relu", "--tests", "host", "--gtest_filter=*key", status=1))
        self.assertIn("has no tests for this chip", self.op("scaled_sum", "--tests", "host", status=2))

    def test_unit_tests_of_a_kernel(self):
        for words in (), ("--chip", "ascend950pr", "--check"):
            with unittest.mock.patch.dict(os.environ, PTOSIM_MEMORY="exact"):
                made = self.op("scaled_sum", "--tests", "kernel", *words, status=1)
            self.assertIn("tests: 3 of 4 have passed", made)
            self.assertIn("failed: ScaledSum.TooSmall", made)
            self.assertIn("[G01]", made)
        self.assertIn("tests: 1 of 1 ", self.op("scaled_sum", "--tests", "kernel", "--gtest_filter=*WithY"))
        self.assertIn("has no tests for this chip", self.op("clipped_relu", "--tests", "kernel", status=2))

    @unittest.skipUnless(os.environ.get("PTOSIM_OPBASE"), "PTOSIM_OPBASE names no checkout")
    def test_two_phase_calls_by_a_definition(self):
        calls, program = self.folder / "calls", self.folder / "program"
        self.op("scaled_sum", "--aclnn", str(calls))
        subprocess.run(["g++", "-Wall", "-Werror", ROOT / "tests/toolkit/scaled_sum_calls.cpp", f"-I{calls}/include", f"-L{calls}/lib",
                        "-lcust_opapi", "-lnnopbase", "-lascendcl", f"-Wl,-rpath,{calls}/lib", "-o", program], check=True)
        self.check_calls(subprocess.run([program], capture_output=True, text=True))

    @unittest.skipUnless(os.environ.get("PTOSIM_OPBASE"), "PTOSIM_OPBASE names no checkout")
    def test_a_project_is_built_and_installed_by_the_toolkit(self):
        kit = self.folder / "kit"
        subprocess.run([OPTIONS.ptosim, "toolkit", kit, "--ascendc", os.environ["PTOSIM_ASCENDC"], "--metadef",
                        os.environ["PTOSIM_METADEF"], "--opbase", os.environ["PTOSIM_OPBASE"]], check=True, capture_output=True)
        script = f"""set -e
            source {kit}/set_env.sh
            cmake -S {OPERATORS} -B build
            cmake --build build --target binary package
            build/custom_opp_*.run
            g++ -Wall {ROOT}/tests/toolkit/scaled_sum_calls.cpp -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 \\
                -I$ASCEND_OPP_PATH/vendors/customize/op_api/include -L$ASCEND_OPP_PATH/vendors/customize/op_api/lib \\
                -lcust_opapi -lnnopbase -lascendcl -o program"""
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("calls: aclnnClippedRelu, aclnnScaledSum", done.stdout)
        # Hosts of other compilers find tilings, and extensions of PyTorch the functions that make tensors.
        (self.folder / "host.cpp").write_text(r"""#include "tiling/platform/platform_ascendc.h"
#include "register/tilingdata_base.h"
#include <dlfcn.h>
#include <cstdio>
int main() {
    void* const calls = dlopen("libopapi.so", RTLD_LAZY);
    std::printf("%u %d\n", platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv(),
                calls != nullptr && dlsym(calls, "aclCreateTensor") != nullptr);
}
""")
        script = f"""source {kit}/set_env.sh && g++ host.cpp -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 -ltiling_api \\
                -lregister -lplatform -lascendcl -o host && PTOSIM_CHIP=ascend910b4 ./host"""
        host_program = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(host_program.stdout, "40 1\n", host_program.stderr)
        self.check_calls(subprocess.run(["bash", "-c", f"source {kit}/set_env.sh && ./program"], cwd=self.folder, capture_output=True,
                                        text=True))

    @unittest.skipUnless(os.environ.get("PTOSIM_OPBASE"), "PTOSIM_OPBASE names no checkout")
    def test_a_package_is_built_by_the_tools_of_operator_repositories(self):
        """As their build.sh does: op_build writes calls and tables, a package has both, and opc makes its kernels."""
        kit, package = self.folder / "kit", self.folder / "package"
        subprocess.run([OPTIONS.ptosim, "toolkit", kit, "--ascendc", os.environ["PTOSIM_ASCENDC"], "--metadef",
                        os.environ["PTOSIM_METADEF"], "--opbase", os.environ["PTOSIM_OPBASE"]], check=True, capture_output=True)
        (self.folder / "build").mkdir()
        (self.folder / "build/CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={OPERATORS}\n")
        script = f"""set -e
            source {kit}/set_env.sh
            cd build
            mkdir autogen
            export ASCEND_CUSTOM_OPP_PATH={package} include=$ASCEND_HOME_PATH/include lib={package}/op_api/lib
            mkdir -p {package}/op_impl/ai_core/tbe/config/ascend910b $lib
            g++ -shared -fPIC -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 -w -I$include -I$include/external \
                {OPERATORS}/scaled_sum/op_host/scaled_sum.cpp -o libhost_of_build.so
            $ASCEND_HOME_PATH/tools/opbuild/op_build libhost_of_build.so autogen
            g++ -shared -fPIC -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 -w -I$include -I$include/external autogen/aclnn_scaled_sum.cpp \
                -o $lib/libcust_opapi.so
            mkdir autogen/aclnnop
            cp autogen/aclnn_scaled_sum.h autogen/aclnnop
            g++ -Wall {ROOT}/tests/toolkit/scaled_sum_calls.cpp -Iautogen -I$include -L$lib -L$ASCEND_HOME_PATH/lib64 -lcust_opapi \
                -lnnopbase -lascendcl -Wl,-rpath,$lib -o program"""
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        table = configparser.ConfigParser()
        table.optionxform = str
        table.read(self.folder / "build/autogen/aic-ascend910b-ops-info.ini")
        self.assertEqual((table["ScaledSum"]["input1.paramType"], table["ScaledSum"]["ptosim.root"]), ("optional", str(OPERATORS)))
        run = ["bash", "-c", f"source {kit}/set_env.sh && ASCEND_CUSTOM_OPP_PATH={package} build/program"]
        self.assertIn("no folder defines the operator ScaledSum", subprocess.run(run, cwd=self.folder, capture_output=True, text=True).stderr)
        groups = {}
        for key, value in table["ScaledSum"].items():
            groups.setdefault(key.split(".")[0], {})[key.split(".")[1]] = value
        (package / "op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json").write_text(json.dumps({"ScaledSum": groups}))
        done = subprocess.run(run, cwd=self.folder, capture_output=True, text=True)
        x = np.arange(1000.0)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:2], [f"0 {y.sum():.1f} {y[-1]:.1f}" for y in (3 * x, 2 * x + (1 - x))], done.stdout + done.stderr)
        self.assertRegex(lines[2], r"refused 561002: .*refuses the inputs")
        self.assertIn("refused 161001: a two-phase call ends because 'x' is null", done.stdout)
        self.assertIn("refused 161002: aclnnScaledSumGetWorkspaceSize: input 'x' is not contiguous", done.stdout)

    @unittest.skipUnless(os.environ.get("PTOSIM_OPBASE"), "PTOSIM_OPBASE names no checkout")
    def test_calls_between_ranks(self):
        kit, calls, program = (self.folder / name for name in ("kit", "calls", "program"))
        subprocess.run([OPTIONS.ptosim, "toolkit", kit], check=True, capture_output=True)
        self.op("shared_sum", OPERATORS / "scaled_sum", "--aclnn", str(calls))
        subprocess.run(["g++", "-Wall", "-Werror", ROOT / "tests/toolkit/shared_sum_ranks.cpp", f"-I{ROOT}/tests/system",
                        f"-I{calls}/include", f"-L{calls}/lib", "-lcust_opapi", "-lnnopbase", "-lascendcl", "-ldl",
                        f"-Wl,-rpath,{calls}/lib", "-o", program], check=True)

        def ranks(chip, *words):
            return subprocess.run([kit / "bin/mpirun", "-n", "2", program, *words], capture_output=True, text=True,
                                  env=dict(os.environ, PTOSIM_CHIP=chip, MPI_LIB=str(kit / "lib64/libmpi.so")))

        x = np.arange(1000.0)
        expected = sorted(f"rank {rank} call {call}: {(3 * x + 2 * call).sum():.0f} {3 * x[-1] + 2 * call:.0f}"
                          for rank in (0, 1) for call in range(4))
        for chip in ("ascend910c", "ascend910b1"):
            done = ranks(chip)
            self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, expected), chip + done.stderr)
        self.assertIn("whose windows HcclAllocComResourceByTiling has made [H27]", ranks("ascend910b1", "windows").stderr)
        self.assertIn("SharedSum sends its data by the server of HCCL on the AICPU, which belongs to a closed library",
                      ranks("ascend950pr").stderr)
        refused = self.op("shared_sum", "--shape", "64", "--attr", "group=g", status=2)
        self.assertIn("SharedSum runs on several ranks [H02]", refused)

    def check_calls(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        x = np.arange(1000.0)
        lines = done.stdout.splitlines()
        for line, expected in zip(lines, (3 * x, 2 * x + (1 - x))):
            self.assertEqual(line, f"0 {expected.sum():.1f} {expected[-1]:.1f}")
        # Codes as opbase's op_errno.h has them.
        self.assertRegex(lines[2], r"refused 561002: .*refuses the inputs")
        self.assertRegex(done.stdout, r"scaled_sum\.cpp:\d+\] x and y have 1000 and 32 elements")
        self.assertRegex(done.stdout, "refused 161001: .*'x' is null")
        self.assertRegex(done.stdout, "refused 161002: aclnnScaledSumGetWorkspaceSize: (input )?'x' is not contiguous")
        self.assertIn("option: 0 1, unknown: 1", lines)
        self.assertEqual(lines[-3:], ["no address: 161001", "no workspace: 161001", "no executor: 161001"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", default=str(ROOT / "build" / "ptosim"))
    OPTIONS, rest = parser.parse_known_args()
    os.environ["PTOSIM_PROGRAM"] = OPTIONS.ptosim
    unittest.main(argv=[sys.argv[0], *rest])
