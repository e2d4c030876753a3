"""Requirements of GitHub's code scanning on a SARIF document, beyond its schema.

From "SARIF support for code scanning" of GitHub's documentation (github/docs 058fa63,
content/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning.md: required
properties, lengths, paths, fingerprints, size), its table of limits ("SARIF results exceed one or more limits"), and
the hash of lines that github/codeql-action computes (src/fingerprints.ts).
"""
import gzip
import json
import re
import urllib.parse

MOST_BYTES = 10_000_000  # compressed
MOST = {"runs": 20, "results": 25_000, "rules": 25_000, "tags": 10, "locations": 100}
MOST_CHARACTERS = {"name": 255, "shortDescription": 1024, "fullDescription": 1024}
LEVELS = {"note", "warning", "error"}
PRECISIONS = {"very-high", "high", "medium", "low"}
SEVERITIES = {"error", "warning", "recommendation"}


def line_hash(text, line):
    """primaryLocationLineHash of a line (from 1): what its first 100 characters are, blanks left out."""
    units = text.replace("\r\n", "\n").replace("\r", "\n") + "\uffff"
    starts = [0] + [i + 1 for i, c in enumerate(units) if c == "\n"]

    def value(start):
        following = [c for c in units[start:] if c not in " \t"][:100]
        return sum(ord(c) * 37 ** (99 - i) for i, c in enumerate(following)) % 2 ** 64

    values = [value(start) for start in starts[:line]]
    return f"{values[-1]:x}:{values.count(values[-1])}"


def rule_problems(rule):
    for key in ("shortDescription", "fullDescription", "help"):
        if not rule.get(key, {}).get("text"):
            yield f"no {key}"
    for key, most in MOST_CHARACTERS.items():
        text = rule.get(key, "")
        if len(text if key == "name" else text["text"]) > most:
            yield f"{key} of more than {most} characters"
    if rule["defaultConfiguration"]["level"] not in LEVELS:
        yield "level"
    properties = rule["properties"]
    if len(properties["tags"]) > MOST["tags"]:
        yield "too many tags"
    if properties["precision"] not in PRECISIONS:
        yield "precision"
    if properties["problem.severity"] not in SEVERITIES:
        yield "problem.severity"


def place_problems(location):
    place = location.get("physicalLocation", {})
    uri = place.get("artifactLocation", {}).get("uri", "")
    scheme = urllib.parse.urlparse(uri).scheme
    if not uri or scheme not in ("", "file") or uri.startswith(("/", "..")):
        yield f"URI '{uri}'"
    region = place.get("region", {})
    numbers = [region.get(key, 0) for key in ("startLine", "startColumn", "endLine", "endColumn")]
    if min(numbers) < 1 or numbers[2:] < numbers[:2]:
        yield f"region {numbers}"


def result_problems(result, rules):
    if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
        yield "ruleIndex"
    if result["level"] not in LEVELS:
        yield "level"
    text = result["message"]["text"]
    if not text:
        yield "no message"
    locations = result.get("locations", [])
    if not locations or len(locations) > MOST["locations"]:
        yield f"{len(locations)} locations"
    related = result.get("relatedLocations", [])
    for location in locations + related:
        yield from place_problems(location)
    ids = [location["id"] for location in related]
    if sorted(set(ids)) != sorted(ids) or set(map(int, re.findall(r"\]\((\d+)\)", text))) != set(ids):
        yield "links to related locations"
    if not result.get("partialFingerprints") or not all(result["partialFingerprints"].values()):
        yield "no fingerprints"


def problems(text):
    """Parts of a document that code scanning would not take, or not show."""
    document = json.loads(text)
    if len(gzip.compress(text.encode(), mtime=0)) > MOST_BYTES:
        yield "too large"
    if not document.get("$schema") or document.get("version") != "2.1.0":
        yield "no $schema, or not version 2.1.0"
    if not 1 <= len(document["runs"]) <= MOST["runs"]:
        yield "runs"
    for run in document["runs"]:
        driver = run["tool"]["driver"]
        rules = driver["rules"]
        if not driver["name"] or not re.fullmatch(r"\d+\.\d+\.\d+", driver["semanticVersion"]):
            yield "name or version"
        if len({rule["id"] for rule in rules}) != len(rules) or len(rules) > MOST["rules"]:
            yield "rules"
        for rule in rules:
            yield from (f"rule {rule['id']}: {problem}" for problem in rule_problems(rule))
        if len(run["results"]) > MOST["results"]:
            yield "results"
        for i, result in enumerate(run["results"]):
            yield from (f"result {i}: {problem}" for problem in result_problems(result, rules))
        if "/" not in run.get("automationDetails", {}).get("id", ""):
            yield "no category"
