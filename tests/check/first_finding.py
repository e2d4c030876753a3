"""Decides whether the first finding about a mutant is at the mutated place.

A finding is there if it names the flag of the mutated operation (before or after the mutation), or if it is about two
accesses of the operation's pipes and the operation lies between them: in the order of the text, or, for accesses of
successive iterations, around the end of the loop. Signals between cores have no pipe at the other end: a finding is
there if it names the signal, or if one of its lines is next to the operation. A finding about a FIFO is there if it
names one and is at an operation of a FIFO.
"""
import re

FLAG = re.compile(r"(?:set|wait)_flag(_dyn)?\[<PIPE_(\w+)>, <PIPE_(\w+)>, (?:<EVENT_ID(\d)>|(%\w+))\]")
SIGNAL = re.compile(r"(?:sync\.(?:set|wait)|(?:set|wait)_intra_block) <PIPE_\w+>, (\d+)")
BARRIER = re.compile(r"barrier <PIPE_(\w+)>")
TILE = re.compile(r"^\s*pto\.(t\w+|mgather|mscatter|store_scalar|load_scalar)\b")
FIFO = re.compile(r"pto\.(tpush|tpop|tfree|talloc|aic_initialize_pipe|aiv_initialize_pipe)")


def sites(finding):
    """Line and pipe of the finding's places, the earlier access first."""
    own = (finding.get("location", {}).get("line", 0), finding.get("pipe"))
    others = [(one.get("location", {}).get("line", 0), one.get("pipe"))
              for one in finding.get("related", [])]
    return others[:1] + [own]


def lines_of(finding):
    mend = [one["line"] for one in finding.get("mend", {}).get("lines", [])]
    return [line for line, _ in sites(finding) if line] + mend


def spans(finding, pipes, number):
    found = sites(finding)
    if len(found) != 2 or "race" != finding.get("category"):
        return False
    (first, source), (second, destination) = found
    if "ALL" not in pipes and (source, destination) != pipes:
        return False
    # The lines of the mutant are one further or one back, where the operation has been moved or has a constant.
    between = [first < at < second if first < second else at > first or at < second
               for at in (number - 1, number, number + 1)]
    return any(between)


def near(finding, lines, number):
    """One of the finding's lines is the operation, or the tile operation next to it on either side."""
    low = high = number - 1
    while low > 0 and not TILE.match(lines[low]):
        low -= 1
    while high + 1 < len(lines) and not TILE.match(lines[high]):
        high += 1
    return any(low + 1 <= line <= high + 1 for line in lines_of(finding))


def is_at(finding, before, after, number):
    """`number`: the line of the operation in the text `before` the mutation; `after`: the lines of the mutant."""
    if finding is None:
        return False
    line = before[number - 1]
    text = " ".join([finding["message"], *finding.get("notes", [])])
    if FIFO.search(line):
        return "FIFO" in finding["message"] or near(finding, after, number)
    barrier, signal = BARRIER.search(line), SIGNAL.search(line)
    if barrier:
        pipe = barrier.group(1)
        return spans(finding, (pipe, pipe), number) or near(finding, after, number)
    if signal:
        changed = SIGNAL.search(after[number - 1]) if number <= len(after) else None
        ids = {signal.group(1)} | ({changed.group(1)} if changed else set())
        return any(re.search(rf"(cross-core|intra-block) flag #{one}\b", finding["message"])
                   for one in ids) or near(finding, after, number)
    flag = FLAG.search(line)
    if not flag:
        return near(finding, after, number)
    pipes = (flag.group(2), flag.group(3))
    ids = {flag.group(4)} if flag.group(4) else set()
    changed = FLAG.search(after[number - 1]) if number <= len(after) else None
    if changed and changed.group(4):
        ids.add(changed.group(4))
    name = f"flag {pipes[0]}->{pipes[1]} #"
    named = any(f"{name}{one}" in finding["message"] for one in ids) if flag.group(4) else \
        name in finding["message"]
    return named or spans(finding, pipes, number) or name in text and near(finding, after, number)
