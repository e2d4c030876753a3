#!/usr/bin/env python3
"""Results of all suites as data, and the one page that is generated from them.

    scripts/evidence.py                       write docs/evidence.md from tests/evidence, as each recording does, too
    scripts/evidence.py --check               fail if the page is not current
    scripts/evidence.py --record NAME FILE    take the tables of a Markdown report into tests/evidence

tests/evidence/NAME.json is a suite: title, upstream commits, date, commands, tables, and notes. A table has its rows
there, or names a CSV file below tests/ or models/ that a script writes. tests/evidence/summary.json has the summary;
`{count:TABLE:COLUMN=VALUE}`, `{rows:TABLE}`, `{sum:TABLE:COLUMN}` and `{cell:TABLE:COLUMN=VALUE:COLUMN}` in it are figures of tables, where TABLE is a CSV file,
or NAME/N, the N-th table of a suite.
"""
import argparse
import csv
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "evidence"
PAGE = ROOT / "docs" / "evidence.md"
OUTCOMES = ("outcome", "result", "state", "verdict")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
MOST_REASONS = 6
LONGEST_OUTCOME = 24


def plain(text):
    """A Markdown cell as plain text."""
    return LINK.sub(r"\1", text).replace("`", "").replace("**", "").replace("\\|", "|").strip()


def tables(text):
    """(heading, header, rows) of each table of a Markdown text."""
    heading, found, lines = "", [], text.splitlines()
    for at, line in enumerate(lines):
        mark = re.match(r"<!-- (.*): begin -->|#+ (.*)", line)
        if mark:
            heading = mark[1] or mark[2]
        if line.startswith("|"):
            cells = [plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if at == 0 or not lines[at - 1].startswith("|"):
                found.append((plain(heading), cells, []))
            elif not re.fullmatch(r"[|:\- ]+", line.strip()):
                found[-1][2].append(cells)
    return found


def notes(text):
    """{section, text} of each paragraph of a Markdown text that is not a table."""
    heading, found = "", []
    for block in re.split(r"\n\s*\n|\n(?=- |#+ )|(?<=\n)(?=#+ )", text):
        block = block.strip()
        if block.startswith("#"):
            heading, _, block = block.partition("\n")
            heading = plain(heading.lstrip("# "))
        block = "\n".join(line for line in block.splitlines() if not line.startswith("|")).strip()
        if block and not block.startswith(("![", "<!--")):
            found.append({"section": heading, "text": LINK.sub(r"\1", block if "```" in block else " ".join(block.split()))})
    return found


def save(name, suite):
    """Writes the data of a suite, a line for each row of a table and each note, and the page anew."""
    def lines(values, indent):
        return ",\n".join(indent + json.dumps(value, ensure_ascii=False) for value in values)
    fields = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
              for key, value in suite.items() if key not in ("tables", "notes")]
    parts = []
    for table in suite["tables"]:
        head = json.dumps({key: value for key, value in table.items() if key != "rows"}, ensure_ascii=False)
        parts.append(head if "file" in table else head[:-1] + ', "rows": [\n' + lines(table["rows"], "   ") + "]}")
    fields.append('"tables": [' + ",\n  ".join(parts) + "]")
    fields.append('"notes": [\n' + lines(suite.get("notes", []), "  ") + "]")
    (DATA / f"{name}.json").write_text("{" + ",\n ".join(fields) + "}\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


def load(name):
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def record(name, text, title=None):
    """Replaces the tables of a suite by the tables of a report; the other fields and tables in CSV files stay."""
    suite = load(name) if (DATA / f"{name}.json").exists() else {"title": name, "upstream": [], "notes": []}
    found = [{"title": (title or heading) + (f" {number}" if title and number > 1 else ""), "columns": header, "rows": rows}
             for number, (heading, header, rows) in enumerate(tables(text), 1)]
    titles = {table["title"] for table in found}
    suite["tables"] = [table for table in suite.get("tables", []) if table["title"] not in titles] + found
    save(name, suite)


def record_row(name, title, columns, row):
    """Replaces the row of a table that begins with the same cell, or adds it in its order."""
    suite = load(name)
    table = next((table for table in suite["tables"] if table["title"] == title), None)
    if table is None:
        table = {"title": title, "columns": columns, "rows": []}
        suite["tables"].append(table)
    table["rows"] = sorted([old for old in table["rows"] if old[0] != row[0]] + [row])
    save(name, suite)


def rows_of(table):
    """The rows of a table as dictionaries."""
    if "file" in table:
        with open(ROOT / table["file"], newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


def read_table(name):
    if name.endswith(".csv"):
        return rows_of({"file": name})
    suite, _, number = name.partition("/")
    return rows_of(load(suite)["tables"][int(number)])


def filled(text):
    """A text of the summary with the figures of the tables."""
    def figure(match):
        kind, file, *rest = match[1].split(":", 2)
        rows = read_table(file)
        if kind == "rows":
            return f"{len(rows)}"
        if kind == "sum":
            return f"{sum(int(row[rest[0]]) for row in rows)}"
        if kind == "cell":
            chosen, _, wanted = rest[0].partition(":")
            column, _, value = chosen.partition("=")
            return next(row[wanted] for row in rows if row[column] == value)
        column, _, value = rest[0].partition("=")
        return f"{sum(row[column] == value for row in rows)}"
    return re.sub(r"\{((?:count|rows|sum|cell):[^}]*)\}", figure, text)


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def reasons(rows):
    """Reasons of a table's rows with how many rows have each, most first."""
    column = next((name for name in rows[0] if "reason" in name or name in ("why", "why it does not apply")), None)
    found = {}
    for row in rows:
        if column and row[column]:
            key = cell(row[column])[:160]
            found[key] = found.get(key, 0) + 1
    return sorted(found.items(), key=lambda item: -item[1])


def table_line(table):
    rows = rows_of(table)
    column = next((name for name in OUTCOMES if rows and name in rows[0]), None)
    counts = {}
    for row in rows if column else []:
        value = row[column] if len(row[column]) <= LONGEST_OUTCOME else "others"
        counts[value] = counts.get(value, 0) + 1
    text = ", ".join(f"{count} {cell(value)}" for value, count in sorted(counts.items(), key=lambda item: -item[1])[:6])
    where = f"[{table['file']}](../{table['file']})" if "file" in table else ""
    return f"| {cell(table['title'])} | {where} | {len(rows)} | {text} |", rows


def suite_section(name, suite):
    lines = [f"## {suite['title']}", ""]
    if suite.get("about"):
        lines += [suite["about"], ""]
    facts = [("upstream", ", ".join(suite.get("upstream", []))), ("date", suite.get("date", "")),
             ("command", ", ".join(f"`{command}`" for command in suite.get("commands", [])))]
    lines += [f"- {key}: {value}" for key, value in facts if value]
    lines += [f"- data: [{name}.json](../tests/evidence/{name}.json), with {len(suite.get('notes', []))} notes"]
    lines += ["", "| table | file | rows | outcomes |", "|---|---|--:|---|"] if suite["tables"] else []
    listed = {}
    for table in suite["tables"]:
        line, rows = table_line(table)
        lines.append(line)
        for reason, count in reasons(rows) if rows else []:
            listed[reason] = listed.get(reason, 0) + count
    first = sorted(listed.items(), key=lambda item: -item[1])[:MOST_REASONS]
    if first:
        lines += ["", "| reason | rows |", "|---|--:|"] + [f"| {reason} | {count} |" for reason, count in first]
        if len(listed) > len(first):
            lines += ["", f"{len(listed) - len(first)} further reasons are in the tables."]
    return lines + [""]


def page():
    summary = load("summary")
    lines = ["# Evidence", "", *summary["about"], ""]
    for group in summary["groups"]:
        lines += [f"## {group['question']}", "", "| compared with | outcome | suite |", "|---|---|---|"]
        for row in group["rows"]:
            suite = f"[{row['suite']}](#{slug_of_heading(row['suite'])})" if row.get("suite") else cell(row.get("where", ""))
            lines.append(f"| {cell(row['with'])} | {cell(filled(row['outcome']))} | {suite} |")
        lines.append("")
    for path in sorted(DATA.glob("*.json")):
        if path.name != "summary.json":
            lines += suite_section(path.stem, load(path.stem))
    return "\n".join(lines).rstrip() + "\n"


def slug_of_heading(name):
    title = load(name)["title"]
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", nargs=2, metavar=("NAME", "FILE"))
    options = parser.parse_args()
    if options.record:
        record(options.record[0], Path(options.record[1]).read_text(encoding="utf-8"))
        return 0
    text = page()
    if options.check:
        if PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/evidence.md is not current: run scripts/evidence.py", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
