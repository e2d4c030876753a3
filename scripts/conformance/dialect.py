#!/usr/bin/python3
"""Reads, binds, plans and verifies (--dry-run) every .pto file of a checkout of PTOAS.

    scripts/conformance.py dialect CHECKOUT [--ptosim BIN] [--only TEXT] [--json FILE]
                                            [--record SUITE]

Files: test/samples, test/basic, test/lit/pto, test/lit/tile_fusion, test/dsl and
tools/ptobc/testdata, of v0.27 and v0.60. A file in several parts (split-file) is taken apart. What a
file expects is in its RUN lines: `ptoas` must accept it, or refuse it (`not ptoas`) with a message
that its CHECK lines give; samples whose names end in _invalid or _xfail are refused. Each part counts once for each architecture that a RUN line asks for (a3,
the default of `ptoas`, where none does and the module names none). A file without a RUN line that
names no architecture is taken for the one that takes it. Tests below the tile level (test/lit/vpto,
vmi_new, test/vpto, tilelang_st) are not read.

    accepted   expected to be, and is
    warned     accepted, with the warning that the tile library or the chip would refuse it in a run
    refused    expected to be refused, and is
    out        not accepted: register-level code, or the compiler's inner forms (memref)
    missing    not accepted: an operation or form that ptosim reports as not supported
    stricter   not accepted: ptosim knows a rule that ptoas does not have
    lenient    expected to be refused, and is not
    option     the refusal is about an option of ptoas, not about the file

A refusal has the documented reason if the first error of ptosim has the subject of the test's
message: TOPICS maps words of messages to codes (isa/core/diagnostics.tsv).
"""

import collections
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from suites import cell, commit_of, parser_of, program, put

CHIPS = {"a5": "ascend950pr", "a3": "ascend910b1"}
FOLDERS = ["test/samples", "test/basic", "test/lit/pto", "test/lit/tile_fusion", "test/dsl",
           "tools/ptobc/testdata"]

# Words of the assembler's messages, and the codes (or their first letters) of the same matter.
TOPICS = [
    (r"only supported on|A5 only|does not support|unsupported on|is not supported", "P U"),
    (r"element type|dtype|low-precision|type pairs|same type|elem(ent)? size|expects A\d|i16/i32|"
     r"scalar-storable|match one of|to be i32|to be i8|signless", "T K07 P01"),
    (r"valid_?(shape|row|col)|shape|valid region|rows|cols|non-zero|positive|dims?\b|dimension|"
     r"capacity|one row|element count|prefix|padded|tight|compact|contiguous|odd|stride", "S K01 F01 F03"),
    (r"align|multiple", "L04 A04 S"),
    (r"layout|loc=|memory space|address space|loc pair", "L K07"),
    (r"\baddr|overlap|overflow|requires \d+ bits", "A K10"),
    (r"split|slot|pipe|flag|peer|reserve|buffer|acc_push_epilogue|set_quant",
     "F K08 K09 K11 K06 T04 L03"),
    (r"consumer element type|tile type|dynamic validShape|src/dst", "K07"),
    (r"attr|coalesce|maskPattern|'mode'|byte|offset operand|exactly one|preQuant|grpAxis|interleave|isMSB",
     "K09 T00 P02"),
    (r"tmp", "S16 T00 K06"),
    (r"recursive|function|func\.func|peer_func|entry|call|public|helper", "K08 K11"),
    (r"unregistered|unknown|custom op|failed to parse", "K01 K02 K03 K06 K09"),
    (r"step|region|yield|terminate", "K11 K07 K05"),
    (r"workspace|used_cores|operand #\d", "K06 K07"),
    (r"count|out of range|multi-?_?buffer|row_plus_one", "K07 A10 K09 S04"),
    (r"struct", "K07 K09 K01"),
    (r"s_fractal_size", "L05"),
    (r"byte to be", "S15"),
    (r"GM tensor|GM pointer|address space|pointer operand|address operand", "L01 K07"),
    (r"no-alias|distinct", "A07 A10"),
]
# Files that are not taken as they expect, and why.
OF_V060 = "The verifier of v0.60 refuses it: "
REASONS = {
    "test/basic/infer_layout_ambiguous_minor2d_user_dn.pto":
        OF_V060 + "columns of a tile are whole blocks of 32 bytes.",
    "test/basic/thistogram_emitc.pto": OF_V060 + "columns of a tile are whole blocks of 32 bytes.",
    "test/basic/tgemv_mx_emitc.pto": OF_V060 + "its own test of this name expects that.",
    "test/basic/tgemv_mx_variants_emitc.pto": OF_V060 + "its own test of this name expects that.",
    "test/basic/tmatmul_mx_emitc.pto": OF_V060 + "k is a multiple of 64.",
    "test/basic/tquant_e2e.pto": OF_V060 + "scales of a2a3 lie in a column.",
    "test/basic/trem_emitc.pto": OF_V060 + "scratch of a2a3 has two rows.",
    "test/basic/pto_entry_single_nonvoid_rejected.pto":
        "v0.60 takes it: pto_entry_single_nonvoid_non_entry.pto.",
    "tools/ptobc/testdata/recent_ops_v0_roundtrip.pto":
        "Bytecode is made of it, and nothing verified; " + OF_V060[0].lower() + OF_V060[1:] +
        "tiles are whole boxes.",
}
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
    match = re.search(r"--pto-arch[= ](\w+)", command) or re.search(
        r'pto\.target_arch"?\s*=\s*"(\w+)"', text)
    if match:
        return "a5" if match[1] == "a5" else "a3"
    return "a5" if re.search(r'pto\.device-spec"?\s*=\s*"Ascend950', text) else "a3"


def cases_of(path, root):
    text = path.read_text(errors="replace")
    parts = parts_of(text)
    joined = re.sub(r"\\\s*\n\s*//\s*(RUN:)?", "", text)
    found = {}
    for line in re.findall(r"//\s*RUN:\s*(.*)", joined):
        command = next((word for word in re.split(r"&&|;|\|", line)
                        if re.search(r"\bptoas\b", word)), None)
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
        found[""] = {"path": str(path.relative_to(root)), "part": "", "text": text,
                     "arch": arch_of("", text), "checks": [],
                     "negative": path.stem.endswith(("_invalid", "_xfail")),
                     "open": not re.search("target_arch|device-spec", text)}
    return list(found.values())


def is_empty(case):
    """True if the part has comments only: its RUN lines are about another file."""
    return not re.sub(r"//[^\n]*", "", case["text"]).strip()


def dry_run(cases, ptosim):
    with tempfile.TemporaryDirectory(prefix="dialect-") as folder:
        for number, case in enumerate(cases):
            kind = case["arch"] + ("-modern" if case.get("modern") else "")
            path = pathlib.Path(folder) / kind / f"{number:05d}.pto"
            path.parent.mkdir(exist_ok=True)
            path.write_text(case["text"])
        for arch, plan in [(arch, plan) for arch in CHIPS for plan in ("legacy", "modern")]:
            files = pathlib.Path(folder) / (arch + ("-modern" if plan == "modern" else ""))
            if not files.exists():
                continue
            output = pathlib.Path(folder) / f"{files.name}.json"
            subprocess.run([ptosim, "run", "--dry-run", "--chip", CHIPS[arch], "--plan", plan,
                            str(files), "--json", str(output)], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            for entry in json.loads(output.read_text()):
                case = cases[int(pathlib.Path(entry["file"]).stem)]
                case["diagnostics"] = entry["diagnostics"]
                case["warnings"] = entry["warnings"]


def other_arch(cases, ptosim):
    """Files that do not name an architecture, and are refused for a3, count for a5 if that takes them."""
    again = [dict(case, arch="a5") for case in cases if case.get("open") and case["diagnostics"]]
    dry_run(again, ptosim)
    taken = {case["path"]: case for case in again if not case["diagnostics"]}
    return [taken.get(case["path"], case) for case in cases]


def has_reason(case):
    message = " ".join(case["checks"])
    code = case["diagnostics"][0]["code"]
    return any(re.search(words, message) and
               any(code.startswith(known) for known in codes.split()) for words, codes in TOPICS)


def judge(case):
    found = case["diagnostics"]
    codes = {d["code"] for d in found}
    if case["negative"]:
        if not found:
            case["state"] = "option" if OPTION.search(" ".join(case["checks"])) else "lenient"
        else:
            case["state"] = "refused"
            case["reason"] = has_reason(case)
    elif not found:
        case["state"] = "warned" if case["warnings"] else "accepted"
    elif "K04" in codes or any(re.search("memref|simt|pto.vreg", d["message"]) for d in found):
        case["state"] = "out"
    elif codes & {"K03", "U00", "K09", "K02"}:
        case["state"] = "missing"
    else:
        case["state"] = "stricter"


def markdown(cases, name, commit):
    states = collections.Counter(case["state"] for case in cases)
    positive = [case for case in cases if not case["negative"]]
    outside = [case for case in positive if case["state"] == "out"]
    warned = sum(case["state"] == "warned" for case in positive)
    accepted = sum(case["state"] == "accepted" for case in positive) + warned
    negative = [case for case in cases if case["negative"] and case["state"] != "option"]
    refused = [case for case in negative if case["state"] == "refused"]
    reasons = sum(case["reason"] for case in refused)
    lines = [f"{name} at {commit}, {datetime.date.today()}: of {len(positive)} files and parts that "
             f"are right, {len(outside)} are out of scope, and {accepted} of the other "
             f"{len(positive) - len(outside)} are accepted ({warned} with a warning); of {len(negative)} that are wrong, "
             f"{len(refused)} are refused, {reasons} for the documented reason "
             f"({states['option']} more are about options of `ptoas`).", "",
             "| file | part | arch | state | why |", "|---|---|---|---|---|"]
    for case in cases:
        if case["state"] in ("accepted", "refused", "option"):
            continue
        told = case["diagnostics"] or case["warnings"]
        why = (f"`{told[0]['message'][:160]}` [{told[0]['code']}]" if told
               else "expected: " + " ".join(case["checks"])[:160])
        if case["state"] in ("stricter", "lenient") and case["path"] in REASONS:
            why += " " + REASONS[case["path"]]
        lines.append(f"| {case['path']} | {case['part']} | {case['arch']} | {case['state']} | "
                     f"{cell(why)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = parser_of(__doc__, "ptosim", "only", "commit", "json", "record")
    parser.add_argument("checkout")
    parser.add_argument("--name", default="PTOAS", help="of the version, for the table")
    parser.add_argument("--mark", default="dialect", help="of the table in the page")
    options = parser.parse_args()
    root = pathlib.Path(options.checkout).resolve()
    files = sorted(path for folder in FOLDERS if (root / folder).is_dir()
                   for path in (root / folder).rglob("*.pto"))
    cases = [case for path in files if not options.only or options.only in str(path)
             for case in cases_of(path, root) if not is_empty(case)]
    if not cases:
        sys.exit(f"error: no .pto files of PTOAS under {root}")
    ptosim = program(options.ptosim)
    dry_run(cases, ptosim)
    cases = other_arch(cases, ptosim)
    for case in cases:
        judge(case)
        del case["text"]
    for state, count in collections.Counter(case["state"] for case in cases).most_common():
        print(f"{count:5} {state}")
    text = markdown(cases, options.name, commit_of(root, options.commit))
    print(text.split("\n")[0])
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(cases, indent=1) + "\n")
    if options.record:
        put(text, options.record, options.mark)


if __name__ == "__main__":
    main()
