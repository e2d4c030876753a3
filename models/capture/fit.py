"""Figures at which residuals vanish: Gauss and Newton on logarithms, then steps of single figures.

A residual moves with few figures, and a figure moves few residuals. Figures that share none are changed in one run:
after the first round, in which each is changed alone, a round takes as many runs as figures share a residual.
"""
import concurrent.futures
import itertools
import math
import os

try:
    import numpy
except ImportError:
    numpy = None

NIL = 0.001  # of a residual


def pool():
    """Runs do not wait for each other."""
    return concurrent.futures.ThreadPoolExecutor(os.cpu_count())


class Slopes:
    """Slopes of residuals by the logarithms of figures. Steps are wider than a cycle, to which costs are rounded; down
    first, as nothing caps slower figures."""

    def __init__(self, off_by, found, off):
        self.off_by = off_by
        with pool() as workers:
            columns = workers.map(lambda path: self.alone(found, path, off), list(found))
            self.of = {path: column for path, column in zip(found, columns) if any(column)}
        self.first = {path: {i for i, slope in enumerate(column) if slope} for path, column in self.of.items()}

    def moved_first(self, path):
        """Residuals that moved at the initial figures: groups rest on them."""
        return self.first[path]

    def alone(self, found, path, off):
        if found[path] != 0:
            for step in (0.8, 1.25):
                stepped = self.off_by({**found, path: found[path] * step})
                by = [now - before for now, before in zip(stepped, off)]
                if max(map(abs, by)) > NIL:
                    return [move / math.log(step) if abs(move) > NIL else 0.0 for move in by]
        return [0.0] * len(off)

    def again(self, found, off):
        """At other figures: all of a group in one run, down and up: what something else hides on the one side, as the least
        that a row takes, moves on the other."""
        parts = groups(self.moved_first, self.of)
        sides = [(group, step) for group in parts for step in (0.8, 1.25)]
        with pool() as workers:
            runs = list(workers.map(lambda side: self.off_by({**found, **{p: found[p] * side[1] for p in side[0]}}), sides))
        for at, group in enumerate(parts):
            for path, i in ((path, i) for path in group for i in self.moved_first(path)):
                slopes = [(stepped[i] - off[i]) / math.log(step)
                          for (_, step), stepped in zip(sides[2 * at:2 * at + 2], runs[2 * at:2 * at + 2])]
                self.of[path][i] = max(slopes, key=abs)

    def matrix(self, paths, rows):
        return numpy.array([[self.of[path][i] for path in paths] for i in rows])


def groups(moved, paths):
    """Figures in groups of which no two move the same residual."""
    made = []
    for path in paths:
        for group in made:
            if not any(moved(path) & moved(other) for other in group):
                group.append(path)
                break
        else:
            made.append([path])
    return made


def components(slopes):
    """(figures, residuals) that have nothing to do with others."""
    parts = []
    for path in slopes.of:
        figures, rows = [path], set(slopes.moved_first(path))
        for part in [part for part in parts if part[1] & rows]:
            parts.remove(part)
            figures, rows = part[0] + figures, part[1] | rows
        parts.append((figures, rows))
    return [(figures, sorted(rows)) for figures, rows in parts]


def squares(off, rows=None):
    return sum(off[i] * off[i] for i in (range(len(off)) if rows is None else rows))


def steps_of(slopes, off, paths, rows):
    """Changes of logarithms that make residuals small."""
    if not paths:
        return []
    return numpy.linalg.lstsq(slopes.matrix(paths, rows), -numpy.array([off[i] for i in rows]), rcond=1e-3)[0]


def moved_by(found, paths, steps):
    return {path: found[path] * math.exp(min(max(float(step), -0.7), 0.7)) for path, step in zip(paths, steps)}


def candidates(slopes, figures, rows, whole):
    """Changes of one component worth a try, from found figures and their residuals, which `send` tells after each."""
    found, off = yield None
    for path in [path for path in figures if path in whole]:
        for value in (math.floor(found[path]), math.ceil(found[path])):
            if value <= 0:
                continue
            found, off = yield with_others(slopes, found, off, figures, rows, {path: float(value)}, whole)
            # Costs are rounded up to cycles: near the slopes' answer lies what goes with a whole number.
            others = [other for other in figures if other not in whole]
            for by, other, sign in itertools.product(range(1, 7), others, (-1, 1)):
                if found[path] == round(found[path]):
                    break
                found, off = yield {path: float(value), other: found[other] * (1 + sign * by / 1000)}
    for step, path, sign in itertools.product((0.03, 0.012, 0.005, 0.002), figures, (1, -1)):
        if squares(off, rows) < 1e-9:
            return
        if path in whole:
            if step not in (0.03, 0.012):
                continue
            fixed = {path: max(1.0, float(round(found[path])) + sign)}
        else:
            fixed = {path: found[path] * (1 + sign * step)}
        if len(figures) > 1:
            found, off = yield with_others(slopes, found, off, figures, rows, fixed, whole)
        found, off = yield fixed


def with_others(slopes, found, off, figures, rows, fixed, whole):
    """Figures of a component: some are given, the others keep residuals small; whole numbers stay."""
    free = [path for path in figures
            if path not in fixed and not (path in whole and found[path] == round(found[path]))]
    given = [path for path in fixed if found[path] > 0]
    expected = list(off)
    for path in given:
        by = math.log(fixed[path] / found[path]) if fixed[path] > 0 else 0
        for i in rows:
            expected[i] += slopes.of[path][i] * by
    return {**fixed, **moved_by(found, free, steps_of(slopes, expected, free, rows))}


def whole_already(found, change, whole):
    return all(found[path] == round(found[path]) for path in change if path in whole)


def polish(off_by, slopes, found, off, whole, runs):
    """Tries changes of all components at once, a run for one of each, and keeps the improvements."""
    tries = []
    for figures, rows in components(slopes):
        each = candidates(slopes, figures, rows, whole)
        next(each)
        tries.append((each, rows))
    for _ in range(runs):
        changes, asked = {}, []
        for each, rows in list(tries):
            try:
                change = each.send((found, off))
            except StopIteration:
                change = None
            if change is None:
                tries.remove((each, rows))
                continue
            changes.update(change)
            asked.append((change, rows))
        if not asked:
            break
        tried = off_by({**found, **changes})
        better, found_now = list(off), dict(found)
        for change, rows in asked:
            as_good = abs(squares(tried, rows) - squares(off, rows)) < 1e-9
            rounder = any(path in whole and value == round(value) != found[path] for path, value in change.items())
            if squares(tried, rows) < squares(off, rows) or (as_good and rounder and
                                                             not whole_already(found, change, whole)):
                found_now.update(change)
                for i in rows:
                    better[i] = tried[i]
        found, off = found_now, better
    return found


def fit(off_by, start, whole, say, rounds=6, runs=300):
    """Returns the figures that minimise `off_by`, of the figures with which it moves at all. `whole` are the figures
    that are whole numbers."""
    found, off = dict(start), off_by(start)
    slopes = Slopes(off_by, found, off)
    paths = list(slopes.of)
    for count in range(rounds):
        say(f"round {count}: {100 * math.fsum(map(abs, off)) / len(off):.2f} % off")
        if max(map(abs, off)) < 0.002:
            break
        if count > 0:
            slopes.again(found, off)
        tried = {**found, **moved_by(found, paths, steps_of(slopes, off, paths, range(len(off))))}
        off_tried = off_by(tried)
        if squares(off_tried) >= squares(off):
            break
        found, off = tried, off_tried
    slopes.again(found, off)
    found = polish(off_by, slopes, found, off, whole, runs)
    return {path: found[path] for path in paths}
