"""Reads, binds, plans and verifies (--dry-run) every .pto file of a checkout of PTOAS.

Files: test/samples, test/basic, test/lit/pto, test/lit/tile_fusion, test/dsl and tools/ptobc/testdata, of v0.27 and v0.60. A
file in several parts (split-file) is taken apart. The RUN lines of a file are its expectation: `ptoas` must accept it, or
refuse it (`not ptoas`) with a message that its CHECK lines give; samples whose names end in _invalid or _xfail are refused.
Each part counts once for each architecture that a RUN line asks for (a3, the default of `ptoas`, where none does and the
module names none). A file without a RUN line that names no architecture is taken for the one that takes it. Tests below the
tile level (test/lit/vpto, vmi_new, test/vpto, tilelang_st) are not read.

    accepted   expected to be, and is
    warned     accepted, with the warning that the tile library or the chip would refuse it in a run
    refused    expected to be refused, and is
    out        not accepted: register-level code, or the compiler's inner forms (memref)
    missing    not accepted: an operation or form that ptosim reports as not supported
    stricter   not accepted: ptosim knows a rule that ptoas does not have
    lenient    expected to be refused, and is not
    option     the refusal is about an option of ptoas, not about the file

A refusal has the documented reason if the first error of ptosim has the subject of the test's message: TOPICS maps words of
messages to codes (isa/core/diagnostics.tsv).
"""

import collections
import json
import pathlib
import re
import subprocess
import tempfile

from suites import Suite, markdown, one, options

CHIPS = {"a5": "ascend950pr", "a3": "ascend910b1"}
FOLDERS = ["test/samples", "test/basic", "test/lit/pto", "test/lit/tile_fusion", "test/dsl", "tools/ptobc/testdata"]

# Words of the assembler's messages, and the codes (or their first letters) of the same matter.
TOPICS = [
    (r"only supported on|A5 only|does not support|unsupported on|is not supported", "P U"),
    (r"element type|dtype|low-precision|type pairs|same type|elem(ent)? size|expects A\d|i16/i32|"
     r"scalar-storable|match one of|to be i32|to be i8|signless", "T K07 P01"),
    (r"valid_?(shape|row|col)|shape|valid region|rows|cols|non-zero|positive|dims?\b|dimension|"
     r"capacity|one row|element count|prefix|padded|tight|compact|contiguous|odd|stride", "S K01 F01 F03"),
    (r"align|multiple", "L04 A04 S"), (r"layout|loc=|memory space|address space|loc pair", "L K07"),
    (r"\baddr|overlap|overflow|requires \d+ bits", "A K10"),
    (r"split|slot|pipe|flag|peer|reserve|buffer|acc_push_epilogue|set_quant", "F K08 K09 K11 K06 T04 L03"),
    (r"consumer element type|tile type|dynamic validShape|src/dst", "K07"),
    (r"attr|coalesce|maskPattern|'mode'|byte|offset operand|exactly one|preQuant|grpAxis|interleave|isMSB", "K09 T00 P02"),
    (r"tmp", "S16 T00 K06"), (r"recursive|function|func\.func|peer_func|entry|call|public|helper", "K08 K11"),
    (r"unregistered|unknown|custom op|failed to parse", "K01 K02 K03 K06 K09"),
    (r"step|region|yield|terminate", "K11 K07 K05"), (r"workspace|used_cores|operand #\d", "K06 K07"),
    (r"count|out of range|multi-?_?buffer|row_plus_one", "K07 A10 K09 S04"), (r"struct", "K07 K09 K01"),
    (r"s_fractal_size", "L05"), (r"byte to be", "S15"),
    (r"GM tensor|GM pointer|address space|pointer operand|address operand", "L01 K07"), (r"no-alias|distinct", "A07 A10"),]
# Files that are not taken as they expect, and why.
OF_V060 = "The verifier of v0.60 refuses it: "
REASONS = {
    "test/basic/infer_layout_ambiguous_minor2d_user_dn.pto": OF_V060 + "columns of a tile are whole blocks of 32 bytes.",
    "test/basic/thistogram_emitc.pto": OF_V060 + "columns of a tile are whole blocks of 32 bytes.",
    "test/basic/tgemv_mx_emitc.pto": OF_V060 + "its own test of this name expects that.",
    "test/basic/tgemv_mx_variants_emitc.pto": OF_V060 + "its own test of this name expects that.",
    "test/basic/tmatmul_mx_emitc.pto": OF_V060 + "k is a multiple of 64.",
    "test/basic/tquant_e2e.pto": OF_V060 + "scales of a2a3 lie in a column.",
    "test/basic/trem_emitc.pto": OF_V060 + "scratch of a2a3 has two rows.", "test/basic/pto_entry_single_nonvoid_rejected.pto":
        "v0.60 takes it: pto_entry_single_nonvoid_non_entry.pto.", "tools/ptobc/testdata/recent_ops_v0_roundtrip.pto":
        "Bytecode is made of it, and nothing verified; " + OF_V060[0].lower() + OF_V060[1:] + "tiles are whole boxes.",}
PLAIN = ("accepted", "refused", "option")  # have no line
OPTION = re.compile(r"--|PlanMemory is skipped|level[123]|backend|buffer-id")


def parts_of(text):
    """Name -> text of the parts of a file for split-file; empty for a file in one part."""
    parts, name = {}, None
    for line in text.split("\n"):
        if match := re.match(r"//-{3,} (\S+)\s*$", line):
            name = match[1]
            parts[name] = []
        elif name:
            parts[name].append(line)
    return {name: "\n".join(lines) for name, lines in parts.items()}


def arch_of(command, text):
    match = re.search(r"--pto-arch[= ](\w+)", command) or re.search(r'pto\.target_arch"?\s*=\s*"(\w+)"', text)
    if match:
        return "a5" if match[1] == "a5" else "a3"
    return "a5" if re.search(r'pto\.device-spec"?\s*=\s*"Ascend950', text) else "a3"


def cases_of(path, root):
    text = path.read_text(errors="replace")
    parts = parts_of(text)
    joined = re.sub(r"\\\s*\n\s*//\s*(RUN:)?", "", text)
    found = {}
    for line in re.findall(r"//\s*RUN:\s*(.*)", joined):
        command = next((word for word in re.split(r"&&|;|\|", line) if re.search(r"\bptoas\b", word)), None)
        if command is None:
            continue
        negative = bool(re.search(r"(^|\s)not\s", command))
        used = [name for name in re.findall(r"%t/([\w.\-]+)", command) if name in parts]
        prefix = re.search(r"--check-prefix(?:es)?[= ]([\w,-]+)", line)
        checks = []
        for name in prefix[1].split(",") if prefix else ["CHECK"]:
            checks += re.findall(rf"//\s*{re.escape(name)}(?:-NEXT|-SAME|-DAG)?:\s*(.*)", text)
        for name in used if parts else [""]:
            body = parts[name] if name else text
            case = found.setdefault((name, arch_of(command, body)), {
                "path": str(path.relative_to(root)), "part": name, "text": body,
                "arch": arch_of(command, body), "modern": False, "negative": True, "checks": []})
            case["modern"] |= "plan-memory-impl=modern" in command
            # v0.27 has tests that look for an error without saying `not`.
            refused = negative or (not checks[1:] and checks and checks[0].startswith("error:"))
            case["negative"] = case["negative"] and bool(refused)
            if refused:
                case["checks"] += checks
    if not found and not parts:
        found[""] = {"path": str(path.relative_to(root)), "part": "", "text": text, "arch": arch_of("", text), "checks": [],
                     "negative": path.stem.endswith(("_invalid", "_xfail")),
                     "open": not re.search("target_arch|device-spec", text)}
    return list(found.values())


def dry_run(cases, ptosim):
    with tempfile.TemporaryDirectory(prefix="dialect-") as name:
        folder = pathlib.Path(name)
        for number, case in enumerate(cases):
            path = folder / (case["arch"] + ("-modern" if case.get("modern") else "-legacy")) / f"{number:05d}.pto"
            path.parent.mkdir(exist_ok=True)
            path.write_text(case["text"])
        for files in sorted(place for place in folder.iterdir() if place.is_dir()):
            (arch, plan), output = files.name.split("-"), folder / f"{files.name}.json"
            subprocess.run([ptosim, "run", "--dry-run", "--chip", CHIPS[arch], "--plan", plan, files, "--json", output],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            for entry in json.loads(output.read_text()):
                case = cases[int(pathlib.Path(entry["file"]).stem)]
                case["diagnostics"], case["warnings"] = entry["diagnostics"], entry["warnings"]


def has_reason(case):
    message, code = " ".join(case["checks"]), case["diagnostics"][0]["code"]
    return any(re.search(words, message) and any(map(code.startswith, codes.split())) for words, codes in TOPICS)


def state_of(case):
    found = case["diagnostics"]
    codes = {diagnostic["code"] for diagnostic in found}
    if case["negative"]:
        if found:
            return "refused"
        return "option" if OPTION.search(" ".join(case["checks"])) else "lenient"
    if not found:
        return "warned" if case["warnings"] else "accepted"
    if "K04" in codes or any(re.search("memref|simt|pto.vreg", diagnostic["message"]) for diagnostic in found):
        return "out"
    return "missing" if codes & {"K03", "U00", "K09", "K02"} else "stricter"


class Files(Suite):
    repository = "PTOAS"
    options = options("ptosim only commit json record", name=one("PTOAS", "of the version"),
                      mark=one("dialect", "of the table in the page"))
    columns = ("file", "part", "arch", "state", "why")
    good = None
    key = ("path", "part", "arch")

    def prepare(self):
        self.mark = self.given.mark

    def items(self):
        root = self.given.checkout
        files = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.pto"))
        return [case for path in files for case in cases_of(path, root)
                if re.sub(r"//[^\n]*", "", case["text"]).strip()]  # the RUN lines of a part with comments only: of another file

    def name_of(self, item):
        return tuple(item[key] for key in self.key)

    def wanted(self, name):
        return super().wanted(f"{self.given.checkout}/{name[0]}")

    def outcomes(self, items):
        """Results of all cases, which ptosim reads in one run for each architecture."""
        dry_run(items, self.given.ptosim)
        # Files that do not name an architecture, and are refused for a3, count for a5 if that takes them.
        again = [dict(case, arch="a5") for case in items if case.get("open") and case["diagnostics"]]
        dry_run(again, self.given.ptosim)
        taken = {case["path"]: case for case in again if not case["diagnostics"]}
        for case in items:
            result = taken.get(case["path"], case)
            result["state"] = state_of(result)
            if result["state"] == "refused":
                result["reason"] = has_reason(result)
            yield case, {key: value for key, value in result.items() if key != "text"}

    def told(self, name, result):
        return "" if result["state"] in PLAIN else f"{result['state']:8} {' '.join(name)}"

    def save(self):
        if len(self.results) == len(set(self.names)):
            super().save()

    def row_of(self, case):
        told = case["diagnostics"] or case["warnings"]
        why = f"`{told[0]['message'][:160]}` [{told[0]['code']}]" if told else "expected: " + " ".join(case["checks"])[:160]
        if case["state"] in ("stricter", "lenient") and case["path"] in REASONS:
            why += " " + REASONS[case["path"]]
        return case["path"], case["part"], case["arch"], case["state"], why

    def page(self):
        return markdown(self.columns, [self.row_of(case) for case in self.reported() if case["state"] not in PLAIN])

    def summary(self):
        states = collections.Counter(case["state"] for case in self.reported())
        right = sum(not case["negative"] for case in self.reported())
        wrong = states["refused"] + states["lenient"]
        return (f"{super().summary()}\n{self.given.name} at {self.commit()}: of {right} files and parts that are right, "
                f"{states['out']} are out of scope, and {states['accepted'] + states['warned']} of the other "
                f"{right - states['out']} are accepted ({states['warned']} with a warning); of {wrong} that are wrong, "
                f"{states['refused']} are refused, {sum(case.get('reason') is True for case in self.reported())} for the "
                f"documented reason ({states['option']} more are about options of `ptoas`)")
