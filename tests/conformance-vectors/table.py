#!/usr/bin/env python3
"""A table of who agrees with the conformance vectors, and every case that somebody does not.

    table.py NAME=RESULTS.json... > FILE, then scripts/evidence.py --record vectors FILE
"""
import collections
import json
import sys


def main():
    if len(sys.argv) < 2 or not all("=" in word for word in sys.argv[1:]):
        sys.exit(__doc__)
    names, results = [], []
    for word in sys.argv[1:]:
        name, path = word.split("=", 1)
        names.append(name)
        with open(path) as file:
            results.append(json.load(file)["cases"])
    print("| | agrees | differs | not there |\n|---|---|---|---|")
    for name, cases in zip(names, results):
        counts = collections.Counter(outcome for outcome, _ in cases.values())
        print(f"| {name} | {counts['agrees']} | {counts['differs']} | {counts['not there']} |")
    lines = []
    for case in results[0]:
        outcomes = [cases.get(case, ["not there", ""]) for cases in results]
        if any(outcome == "differs" for outcome, _ in outcomes):
            cells = [note if outcome == "differs" else outcome for outcome, note in outcomes]
            lines.append(f"| {case} | {' | '.join(cells)} |")
    print(f"\n| case | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    print("\n".join(lines) if lines else f"| none | {' | '.join('' for _ in names)} |")


if __name__ == "__main__":
    main()
