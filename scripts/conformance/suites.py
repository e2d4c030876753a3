"""The frame of all suites: class Suite, and the helpers that its adapters share for programs, reasons and tables."""
import argparse
import collections
import concurrent.futures
import csv
import importlib
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import evidence  # noqa: E402

TIME_LIMIT = -1  # exit status of a program that was ended because its time was over


def path(text):
    return pathlib.Path(text).resolve()


def program(text):
    """The path of a program, or the end with an error."""
    found = shutil.which(text)
    if not found:
        sys.exit(f"error: no program {text}; scripts/build.sh makes it")
    return pathlib.Path(found).resolve()


def link(text):
    """An interpreter's path, whose links are kept: a virtual environment is found by the path of its program."""
    return pathlib.Path(shutil.which(text) or text).absolute()


# Words of add_argument for kinds of options.


def flag(text):
    return {"action": "store_true", "help": text}


def one(default, text=None, choices=None):
    """An option with a value of the default's type."""
    return {"default": default, "type": type(default), "help": text, "choices": choices}


def place(text, **more):
    return {"type": path, "metavar": "PATH", "help": text, **more}


def many(metavar, text=None, **more):
    return {"action": "append", "default": [], "metavar": metavar, "help": text, **more}


# Options that mean the same in all suites that have them.
OPTIONS = {
    "ptosim": {"type": program, "default": str(ROOT / "build" / "ptosim"), "help": "the program"},
    "only": {"help": "items whose name contains this"},
    "commit": {"default": "", "help": "for a checkout without .git"},
    "json": {"type": path, "metavar": "FILE", "help": "write the results, after each item"},
    "csv": {"type": path, "metavar": "FILE", "help": "write the table, after each item"},
    "table": {"type": path, "metavar": "FILE", "help": "the table"},
    "record": {"metavar": "SUITE", "help": "put the table into tests/evidence/SUITE.json and docs/evidence.md"},
    "resume": flag("run only items without a result in the files"),
    "retry": {"metavar": "STATES", "help": "with --resume: states that are run again, as wrong,run"},
    "work": {"type": path, "metavar": "DIR", "help": "folder for copies, builds and logs"},
    "jobs": {"type": int, "help": "items at a time"},
    "timeout": {"type": int, "metavar": "SECONDS", "help": "seconds of an item"},
    "seconds": {"type": float, "help": "an item that takes longer has failed"},
    "minutes": {"type": float, "help": "no item begins after them"},
    "sample": {"type": int, "metavar": "N", "help": "N items, chosen by --seed"},
    "seed": {"type": int, "default": 1, "help": "selects the sample"},
    "limit": {"type": int, "metavar": "N", "help": "N items at most"},
    "list": flag("print the items and run none"),
    "python": {"type": link, "default": sys.executable, "help": "the Python with the packages of the suite"},
    "toolkit": {"type": path, "metavar": "FOLDER", "help": "folder of `ptosim toolkit`"},
    "check": {"metavar": "LIST", "help": "checkers of the runs (all, ...)"},
}


def options(names, **others):
    """Rows of OPTIONS, required with an exclamation mark; and others by name: words of add_argument, or a default that replaces
    the row's."""
    rows = {name.rstrip("!"): {**OPTIONS[name.rstrip("!")], **({"required": True, "default": None} if name[-1] == "!" else {})}
            for name in names.split()}
    for name, words in others.items():
        name = name.replace("_", "-")
        rows[name] = {**OPTIONS.get(name, {}), **(words if isinstance(words, dict) else {"default": words})}
    return rows


class Suite:
    """A public suite of programs that are run one by one, and the table of its results.

    An adapter is one subclass in a module of scripts/conformance, whose text is the command's description. It gives

        repository    the name of the repository in the checkout
        options       the command's options: options("ptosim only ...", timeout=300, ...); `places` are its other words
        items()       the items, in order; name_of(item) is the name in the table: str(item), or the first of a tuple
        run(item)     the result of an item: a dictionary with its name, state and reason, and more as it needs
        columns       of the table; `key`, `state` and `reason` name the columns that the frame reads, too
        good          the states with which the command ends with 0; None: any

    and, if the defaults do not fit: prepare() before all items, row_of(result), page() and mark for --record, summary()
    at the end, is_done(name) for --resume, document() for --json, rows_of(result) if a result has several rows.

    It gets main(): the options, parsed, with paths made absolute (a folder --work exists); the items that --only,
    --sample with --seed and --limit choose; results of earlier runs (`read`), of which --resume keeps all but the states of
    --retry; runs in --jobs threads until --minutes are over; a line for each result; --json and --csv (or the file `table`),
    written after each; counts, --record, and the exit status. Class attributes that select this behaviour:

        stays         rows of the table that belong to other items stay in it
        whole         the summary and the page are about all results of the files, not only about the chosen items
        sorts         the table is in the order of names, not in that of the items
        resumes       runs continue without --resume
        exact         --only gives whole names, separated by commas
    """
    repository = ""
    places = {"checkout": {"type": path}}
    options = {}
    columns = ()
    key = state = reason = ""
    good = ("passed",)
    mark = ""
    stays = whole = sorts = resumes = exact = False
    table = None  # a file, if it has no option

    # --- Given by adapters

    def prepare(self):
        pass

    def items(self):
        raise NotImplementedError

    def run(self, item):
        raise NotImplementedError

    def name_of(self, item):
        return item[0] if isinstance(item, tuple) else str(item)

    def row_of(self, result):
        return [result.get(column, "") for column in self.columns]

    def rows_of(self, result):
        return [self.row_of(result)]

    def state_of(self, result):
        return result[self.state]

    def is_done(self, name):
        again = (self.given.retry or "").split(",")
        return name in self.results and self.state_of(self.results[name]) not in again

    def told(self, name, result):
        """The line that is printed for a result, if any."""
        seconds = f" {result['seconds']:6.1f} s" if isinstance(result.get("seconds"), (int, float)) else ""
        shown = name if isinstance(name, str) else " ".join(map(str, name))
        return f"{self.state_of(result):8}{seconds} {shown} {result.get(self.reason) or ''}".rstrip()

    def summary(self):
        counts = collections.Counter(map(self.state_of, self.reported()))
        return ", ".join(f"{count} {state}" for state, count in counts.most_common()) + f" of {sum(counts.values())}"

    def page(self):
        """Markdown with the table of --record."""
        return markdown(self.columns, map(self.row_of, self.reported()))

    def document(self):
        """The content of --json."""
        return self.reported()

    # --- The frame

    def __init__(self):
        self.given = None  # the options as parsed; those of OPTIONS that the command does not have are None
        self.results = {}  # by the item's name
        self.names = []  # of the chosen items
        self.store = None  # file with all results, from which a run continues
        self.state, self.reason = self.state or "state", self.reason or "reason"
        self.key = self.key or (self.columns[0] if self.columns else "name")

    def parser(self):
        module = sys.modules[type(self).__module__]
        name = pathlib.Path(module.__file__).stem.replace("_", "-")
        parser = argparse.ArgumentParser(prog=f"conformance.py {name}", description=module.__doc__,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        for place, words in self.places.items():
            parser.add_argument(place, **{"help": f"a checkout of {self.repository}", **words})
        for option, words in type(self).options.items():
            parser.add_argument("--" + option, **words)
        return parser

    def main(self, words=None):
        parser = self.parser()
        given = self.given = parser.parse_args(words, argparse.Namespace(**dict.fromkeys(OPTIONS.keys() - type(self).options)))
        self.error = parser.error
        self.store, self.table = given.json, given.csv or given.table or self.table
        if given.work:
            given.work.mkdir(parents=True, exist_ok=True)
        self.prepare()
        if given.resume and not (self.store or self.table):
            self.error("--resume needs a file of results")
        items = list(self.items())
        if not items:
            sys.exit("error: there are no items in the checkout")
        chosen = self.choose(items)
        if given.list:
            print(*map(self.listed, chosen), sep="\n")
            return 0
        if not chosen:
            sys.exit(f"error: no item has '{given.only}' in its name")
        self.names = [self.name_of(item) for item in chosen]
        self.read()
        skips = self.resumes or given.resume
        for item, result in self.outcomes([item for item in chosen if not (skips and self.is_done(self.name_of(item)))]):
            name = self.name_of(item)
            self.results[name] = result
            line = self.told(name, result)
            if line:
                print(line, flush=True)
            self.save()
        self.save()
        return self.finish()

    def listed(self, item):
        return self.name_of(item)

    def wanted(self, name):
        """True if --only chooses the name: by a text, texts separated by commas, or a list of texts."""
        text, only = name if isinstance(name, str) else name[0], self.given.only or []
        words = only.split(",") if isinstance(only, str) else only
        return not words or (text in words if self.exact else any(word in text for word in words))

    def choose(self, items):
        items = [item for item in items if self.wanted(self.name_of(item))]
        if self.given.sample is not None:
            items = [items[number] for number in sorted(sample(range(len(items)), self.given.sample, self.given.seed))]
        return items[:self.given.limit]

    def read(self):
        """Takes the results of earlier runs."""
        rows = read_table(self.table) if self.stays and self.table else []
        if self.store and self.store.exists() and (
                self.store != self.given.json or self.stays or self.resumes or self.given.resume):
            found = json.loads(self.store.read_text())
            rows += found.values() if isinstance(found, dict) else found  # of an older version
        for row in rows:
            self.take(row)

    def take(self, result):
        name = result[self.key] if isinstance(self.key, str) else tuple(result[key] for key in self.key)
        self.results[name] = result

    def outcomes(self, items):
        """Pairs of an item and its result, as they end."""
        if (self.given.jobs or 1) > 1:
            with concurrent.futures.ThreadPoolExecutor(self.given.jobs) as pool:
                running = {pool.submit(self.run, item): item for item in items}
                yield from ((running[future], future.result()) for future in concurrent.futures.as_completed(running))
            return
        begun = time.monotonic()
        for number, item in enumerate(items):
            if self.given.minutes is not None and time.monotonic() - begun > 60 * self.given.minutes:
                print(f"time is over: {len(items) - number} items are left for the next run")
                return
            yield item, self.run(item)

    def reported(self, whole=None):
        """Results that the summary and the page are about."""
        if not (self.whole if whole is None else whole):
            return [self.results[name] for name in self.names if name in self.results]
        return [self.results[name] for name in (sorted(self.results) if self.sorts else self.results)]

    def save(self):
        if self.given.json:
            write(self.given.json, json.dumps(self.document(), indent=1) + "\n")
        if self.store and self.store != self.given.json:
            write(self.store, json.dumps(list(self.results.values()), indent=1) + "\n")
        if self.table and self.columns:
            write_table(self.table, self.columns, [row for result in self.reported(self.stays or self.whole)
                                                   for row in self.rows_of(result)])

    def fails(self, result):
        return self.good is not None and self.state_of(result) not in self.good

    def finish(self):
        print(self.summary())
        if self.given.record:
            evidence.record(self.given.record, self.page(), self.mark)
        return int(any(map(self.fails, self.reported())))

    def commit(self):
        return commit_of(self.given.checkout, self.given.commit)


def sample(values, count, seed):
    return random.Random(seed).sample(values, min(count, len(values)))


# --- Programs


def run(words, folder, seconds, environment=None, merged=True):
    """Exit status (TIME_LIMIT after the seconds) and output of a program; its errors are merged in, or follow."""
    process = subprocess.Popen(list(map(str, words)), cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT if merged else subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True)
    status = None
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # what a script has started, too
        output, errors = process.communicate()
        status = TIME_LIMIT
    return process.returncode if status is None else status, output + (errors or "")


def timed(words, folder, seconds, environment=None, log=None, merged=True):
    """Like run(), with the processor time of the program; the output is written to `log`."""
    before = processor_time()
    status, output = run(words, folder, seconds, environment, merged)
    if log:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(output)
    return status, output, round(processor_time() - before, 1)


def processor_time():
    """Processor time of all processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processor_seconds(process):
    """Time of processors that a process and its ended children have used: a machine's other work does not count."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def run_limited(words, folder, variables, log, seconds):
    """Runs a program that may use `seconds` of processors: its exit code, or None if it was ended, and the used seconds."""
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen(words, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True)
        begun, used = time.monotonic(), 0.0
        while process.poll() is None:
            used = processor_seconds(process.pid) or used
            if used > seconds or time.monotonic() - begun > 10 * seconds:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return None, used
            time.sleep(0.5)
    return process.returncode, used


def launch(ptosim, *words, arguments=()):
    """The command line of a program of ptosim, with arguments of the kernel."""
    return [ptosim, *words, *(word for argument in arguments for word in ("--arg", argument))]


# --- Toolkits and checkouts


def make_toolkit(ptosim, work, ascendc=None):
    """A toolkit in work/toolkit, for Ascend C if a checkout of asc-devkit is given, and this Python as work/bin/python3."""
    (work / "bin").mkdir(parents=True, exist_ok=True)
    python = work / "bin" / "python3"
    # No link: a virtual environment is found by the path of its program.
    python.unlink(missing_ok=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    subprocess.run([ptosim, "toolkit", work / "toolkit", *(["--ascendc", ascendc] if ascendc else [])], check=True,
                   stdout=subprocess.DEVNULL)
    return work / "toolkit"


def with_path(folder, **variables):
    """The environment with a folder of programs first, and other variables."""
    return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", **variables)


def on_toolkit(toolkit, *commands, strict=True):
    """The command line of a shell that runs commands on a toolkit, to the first that fails."""
    lines = ["set -e"] * strict + [f". {shlex.quote(str(toolkit))}/set_env.sh", *commands]
    return ["bash", "-c", "\n".join(lines) + "\n"]


def toolkit_environment(toolkit, paths, **other):
    """Environment that set_env.sh of a toolkit makes, with folders of Python packages before its own, and other variables."""
    text = subprocess.run(["bash", "-c", f"source '{toolkit}/set_env.sh' && env -0"], check=True, capture_output=True,
                          text=True).stdout
    made = dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)
    python = os.pathsep.join([*(str(path) for path in paths), made.get("PYTHONPATH", "")])
    return {**made, "PYTHONPATH": python, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", **other}


def copy_of(checkout, place):
    if not place.exists():
        shutil.copytree(checkout, place, symlinks=True)
    return place


def commit_of(checkout, given=""):
    if given or not (pathlib.Path(checkout) / ".git").exists():
        return given or "unknown commit"
    done = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown commit"


# --- Reasons and tables


def reason_of(text, *patterns, longest=150, folders=r"\S*/(?=[\w.]+:)", nothing="no output"):
    """One line for a failure's output: the first that fits the first pattern (its group if it has one), else the last."""
    found = next(filter(None, (re.search(pattern, text, re.M) for pattern in patterns)), None)
    line = found[found.lastindex or 0] if found else next(
        (line for line in reversed(text.splitlines()) if line.strip()), nothing)
    return re.sub(folders, "", re.sub(r"\s+", " ", line.strip()))[:longest].strip()


def cell(text):
    return re.sub(r"\s+", " ", str(text)).replace("|", "\\|")


def markdown(header, rows):
    """A table in Markdown."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows]) + "\n"


def write(file, text):
    """Replaces a file as a whole, so that an interrupted run leaves the file before or after."""
    part = file.with_name(file.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def read_table(file):
    if not file.exists():
        return []
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def write_table(file, columns, rows):
    part = file.with_name(file.name + ".part")
    with open(part, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([columns, *rows])
    part.replace(file)


def adapter(name):
    """The suite that a module of this folder defines last."""
    module = importlib.import_module(name)
    return [value for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Suite) and value.__module__ == name][-1]
