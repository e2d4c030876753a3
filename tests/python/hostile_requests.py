"""Requests for other people's data, or for more than there is: the list of hostile_test.py and of
tests/evidence/hostile.json.

Each is (name, server, line, verdict, code): `root` is the server with --root, `text` the one without. A code of None:
any; the verdict is that of a server that gives nothing away, worked out by hand.
"""
import json

SECRET = "s3cr3t-answer"
PLAIN = "#include <pto/pto-inst.hpp>\n__global__ AICORE void k() {}\n"


def paths(folder):
    """Names that lead nowhere that a request may go, each with its code at the server with a root."""
    outside = f"{folder}/outside/secret"
    return [
        ("an absolute path", f"{outside}.npy", "I68"),
        ("upwards", "../outside/secret.npy", "I68"),
        ("down and upwards", "inner/../../outside/secret.npy", "I68"),
        ("many times upwards", "../" * 60 + "etc/passwd", "I68"),
        ("a link to a file outside", "link.npy", "I68"),
        ("through a link to a folder outside", "link/secret.npy", "I68"),
        ("a link to a link", "twice.npy", "I68"),
        ("a link that leads nowhere", "nowhere.npy", "I68"),
        ("a link to itself", "loop.npy", "I01"),
        ("a folder whose name begins as the root's", f"{folder}/root-other/secret.npy", "I68"),
        ("its own memory", "/proc/self/mem", "I68"),
        ("its own environment", "/proc/self/environ", "I68"),
        ("its root by another name", "/proc/self/root/etc/passwd", "I68"),
        ("its standard input", "/dev/stdin", "I68"),
        ("a device without end", "/dev/zero", "I68"),
        ("a device below the root", "zero.npy", "I68"),
        ("a pipe that nobody writes to", "pipe.npy", "I68"),
        ("a socket", "socket.npy", "I68"),
        ("a name with a zero", "x\0.npy", "I68"),
        ("a name with a tab", "x\t/etc/passwd", "I68"),
        ("a name of 5000 letters", "a" * 5000, "I01"),
        ("what is not there", "missing.npy", "I01"),
        ("a home folder", "~/.ssh/id_rsa", "I01"),
        ("a wildcard", "*.npy", "I01"),
        ("a variable", "$HOME/x.npy", "I01"),
        ("another scheme", "file:///etc/passwd", "I01"),
        ("half a letter", "\ud800.npy", None),
    ]


def by_path(good, folder):
    """Each field that takes a file, with each of these names."""
    argument = {"kind": "rand", "shape": [4]}
    fields = {
        "kernel": lambda path: {**good, "kernel": path},
        "in": lambda path: {**good, "args": [{"kind": "in", "in": path}, argument]},
        "inout": lambda path: {**good, "args": [{"kind": "inout", "array": path}]},
        "goldens": lambda path: {**good, "reference": None, "goldens": {"2": path}},
        "includes": lambda path: {**good, "kernel": PLAIN, "args": [], "reference": None, "includes": [path]},
    }
    for field, request in fields.items():
        for name, path, code in paths(folder):
            line = json.dumps(request(path)).encode()
            yield f"{field}: {name}", "root", line, "error", code
    for field in ("kernel", "in", "goldens", "includes"):
        for name, path, _ in paths(folder)[:6]:
            yield f"{field}: {name}, no root", "text", json.dumps(fields[field](path)).encode(), "error", "I68"
    for name, chip, code in (("a chip outside", f"{folder}/outside/chip.json", "I68"),
                             ("a chip upwards", "../outside/chip.json", "I68"),
                             ("a chip that extends one outside", "extends.json", "I68"),
                             ("a chip that extends itself", "itself.json", "I68"),
                             ("a chip that is a link", "link.json", "I68"),
                             ("a chip that is no JSON", "text.json", "I20"),
                             ("a folder as chip", "./inner", "I68"),
                             ("a chip of deep lists", "deep.json", "I20")):
        yield name, "root", json.dumps({**good, "chip": chip}).encode(), "error", code
    yield "a chip file, no root", "text", json.dumps({**good, "chip": f"{folder}/root/extends.json"}).encode(), \
        "error", "I68"
    for name, text in (("upwards", "../../written.cpp"), ("absolute", f"{folder}/outside/written.cpp"),
                       ("with a line end", "x\n/etc/passwd\n.cpp"), ("with a zero", "x\0.cpp"), ("..", ".."),
                       ("empty", ""), ("of 300 letters", "n" * 300), ("with a slash at its end", "x/")):
        yield f"the name of a text: {name}", "text", \
            json.dumps({**good, "kernel": PLAIN, "args": [], "reference": None, "name": text}).encode(), "error", "I68"


def by_form(good):
    """Lines that are not requests, or would be too large if they were read."""
    def line(**fields):
        return json.dumps({**good, **fields}).encode()

    yield from (
        (name, "text", text, "error", "I61") for name, text in (
            ("no JSON", b"{"), ("two objects", b"{} {}"), ("bytes that are no text", b'{"id": "\xff\xfe"}'),
            ("a number", b"5"), ("null", b"null"), ("a text", b'"kernel"'), ("true", b"true"), ("no kernel", b"{}"),
            ("zeros", b"\0" * 100), ("a megabyte of blanks and a brace", b" " * (1 << 20) + b"{"),
            ("65 lists deep", b"[" * 66 + b"]" * 66), ("100,000 lists deep", b"[" * 100000 + b"]" * 100000),
            ("lists that do not end", b"[" * 200000), ("objects deep", b'{"a":' * 5000 + b"1" + b"}" * 5000),
            ("a deep id", b'{"kernel": "x{", "id": ' + b"[" * 100 + b"]" * 100 + b"}"),
            ("a million lists", b"[" + b"[]," * 1000000 + b"[]]"),
            ("five million numbers", b"[" + b"1," * 5000000 + b"1]"),
            ("a batch of 2000", b"[" + b"5," * 1999 + b"5]"), ("a line of 20 MiB", b'"' + b"x" * (20 << 20) + b'"'),
            ("a line of 64 MiB without a brace", b"y" * (64 << 20)), ("a number of 100,000 digits", b"1" * 100000),
            ("a seed of 100 digits", b'{"kernel": "x{", "seeds": [' + b"9" * 100 + b"]}")))
    huge = 10**9
    for name, fields, code in (
            ("a shape of 10^18", {"args": [{"kind": "rand", "shape": [huge, huge]}]}, "I11"),
            ("arrays of 1.5 GiB", {"args": [{"kind": "zeros", "shape": [1 << 27]}] * 3}, "I11"),
            ("a negative extent", {"args": [{"kind": "rand", "shape": [-1]}]}, "I11"),
            ("an extent that is true", {"args": [{"kind": "rand", "shape": "4"}]}, "I11"),
            ("no shape", {"args": [{"kind": "rand"}]}, "I11"),
            ("a shape of 100 extents", {"args": [{"kind": "rand", "shape": [2] * 100}]}, "I11"),
            ("65 seeds", {"seeds": list(range(65))}, "I11"),
            ("a million seeds", {"seeds": list(range(10**6))}, "I11"),
            ("65 cases", {"cases": [{}] * 65}, "I11"),
            ("an infinite seed", {"seeds": [float("inf")]}, "I61"),
            ("a seed that is no number", {"seeds": ["1"]}, "I61"),
            ("an unknown field", {"trace": "/tmp/written"}, "I61"),
            ("a folder for a trace", {"trace": "../outside"}, "I61"),
            ("known findings from a file", {"suppress": "/etc/passwd"}, "I61"),
            ("the sandbox off", {"sandbox": False}, "I61"),
            ("more memory", {"memory_mib": 1 << 20}, "I61"),
            ("more processor time", {"limits": {"cpu_seconds": 10**6}}, "I61"),
            ("a thousand threads", {"threads": 1000}, "I61"),
            ("negative time", {"timeout": -1}, "I61"),
            ("no time", {"timeout": float("nan")}, "I61"),
            ("10^30 blocks", {"blocks": 1e30}, "I61"),
            ("two million blocks", {"blocks": 1 << 21}, "I61"),
            ("10^9 schedules", {"schedules": huge}, "I61"),
            ("a parameter that is none", {"set": {"aiv.ub.bytes": "10^99"}}, None),
            ("a parameter that names a file", {"set": {"@/etc/passwd": "1"}}, None),
            ("a reference that is code", {"reference": "__import__('os').system('touch written')"}, "I61"),
            ("a reference that is the server's own", {"reference": "__builtins__"}, "I61"),
            ("a golden for 10^9", {"reference": None, "goldens": {"9" * 5000: {"values": [1]}}}, "I11"),
            ("values that are no numbers", {"args": [{"kind": "in", "in": {"values": [{}]}}]}, "I11"),
            ("values of two lengths", {"args": [{"kind": "in", "in": {"values": [[1], [1, 2]]}}]}, "I11"),
            ("a type that is none", {"args": [{"kind": "rand", "shape": [4], "dtype": "O"}]}, "I61"),
            ("a structure as type", {"args": [{"kind": "rand", "shape": [4], "dtype": "i4,(9999999,)f8"}]}, "I61"),
            ("an unknown chip", {"chip": "ascend999"}, "I22"),
            ("a chip with a line end", {"chip": "ascend910b1\n/etc/passwd"}, "I68"),
            ("a checker that is none", {"check": "/etc/passwd"}, None),
            ("a kernel of 5 MiB", {"kernel": "{" + "x" * (5 << 20)}, "I61"),
            ("a kernel that is a list", {"kernel": ["/etc/passwd"]}, "I61"),
            ("an empty kernel", {"kernel": "\n"}, "I61"),
            ("includes that are a text", {"includes": "/etc"}, "I61"),
            ("includes of numbers", {"includes": [5]}, "I61")):
        yield name, "text", line(**fields), "error", code


def by_kernel(good, folder):
    """Texts whose kernels, or whose compilers, reach for data that are not theirs."""
    secret = f"{folder}/outside/secret.h"

    def cpp(text, **more):
        return json.dumps({"kernel": text, "args": [], "cores": "aiv", "blocks": 1, **more}).encode()

    for name, code in (("includes a secret", f'#include "{secret}"'),
                       ("includes the passwords", '#include "/etc/passwd"'),
                       ("embeds a secret", f'asm(".incbin \\"{secret}\\"");'),
                       ("includes upwards", '#include "../../../../etc/passwd"'),
                       ("includes a device without end", '#include "/dev/zero"'),
                       ("includes its own standard input", '#include "/dev/stdin"'),
                       ("makes the preprocessor loop", "#define A(x) x x x x x x x x x x\n"
                        + "A(A(A(A(A(A(A(A(A(1)))))))))"),
                       ("writes by a pragma", f'#pragma GCC dependency "{secret}"\nint x = y;'),
                       ("writes by the assembler", f'asm(".include \\"{secret}\\"");')):
        # Standard input of the compiler is empty, so that including it is not an error.
        verdict = None if "standard input" in name else "fail"
        yield f"a kernel that {name}", "text", cpp(PLAIN + code + "\n"), verdict, None
    body = "#include <pto/pto-inst.hpp>\n#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n" \
        "#include <fcntl.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/mman.h>\n" \
        "#include <unistd.h>\n" \
        "__global__ AICORE void k() { %s }\n"
    for name, code, verdict in (
            ("opens a secret", f'if (open("{secret}", O_RDONLY) >= 0) abort();', "unjudged"),
            ("writes a file", f'if (open("{folder}/outside/written", O_WRONLY | O_CREAT, 0644) >= 0) abort();',
             "unjudged"),
            ("removes a file", f'if (unlink("{secret}") == 0) abort();', "unjudged"),
            ("makes a folder", f'if (mkdir("{folder}/outside/made", 0755) == 0) abort();', "unjudged"),
            ("starts a shell", f'execl("/bin/sh", "sh", "-c", "echo > {folder}/outside/written", nullptr);',
             "unjudged"),
            ("forks a hundred times", "for (int i = 0; i < 100; ++i) if (fork() == 0) for (;;) pause();", "unjudged"),
            ("kills its parent", "kill(getppid(), SIGKILL);", "unjudged"),
            ("kills all", "kill(-1, SIGKILL);", "unjudged"),
            ("interrupts the server's group", "kill(0, SIGINT);", "unjudged"),
            ("kills itself", "raise(SIGKILL);", "fail"), ("stops itself", "raise(SIGSTOP);", "fail"),
            ("ends its process", "_exit(0);", "fail"), ("aborts", "abort();", "fail"),
            ("writes to nothing", "*reinterpret_cast<volatile int*>(8) = 1;", "fail"),
            ("loops", "for (;;) asm volatile(\"\");", "fail"),
            ("overruns its stack", "volatile char a[1 << 26]; a[0] = 1;", "fail"),
            ("takes all memory", "for (;;) { auto* p = static_cast<volatile char*>(malloc(64 << 20)); "
             "for (int i = 0; i < 64 << 20; i += 4096) p[i] = 1; }", "fail"),
            ("prints 16 megabytes", 'for (int i = 0; i < 1 << 18; ++i) puts("' + "x" * 60 + '");', "unjudged"),
            ("prints without end", 'for (;;) puts("' + "x" * 60 + '");', "fail"),
            ("makes a socket", "if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) abort();", "unjudged"),
            ("closes every descriptor", "for (int i = 0; i < 1000; ++i) close(i);", None)):
        yield f"a kernel that {name}", "text", cpp(body % code, timeout=2), verdict, None
    yield "a text with half a letter", "text", json.dumps({**good, "kernel": "module { \ud800 }"}).encode(), None, None
    yield "a text that names a file of the host", "text", json.dumps(
        {**good, "kernel": good["kernel"] + f'\nloc("{secret}":1:1)\n'}).encode(), None, None


def requests(good, folder):
    return [*by_path(good, folder), *by_form(good), *by_kernel(good, folder)]
