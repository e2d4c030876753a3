"""A pytest plugin: a test fails if checkers have found anything while it ran, and reports the findings.

`ptosim exec` puts it into each pytest that it starts (hooks.offer_plugin). Findings come from runs in this process, and
from processes that the test has started and that have ended (PTOSIM_FINDINGS names the folder).
"""
import ctypes
import json
import os
import pathlib

import pytest

MOST_LINES = 10
TITLE = "ptosim findings"


def load(name):
    """libptosim, if this process has it."""
    try:
        return ctypes.CDLL(name, os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        return None


class Source:
    """New findings, wherever they come from."""

    def __init__(self):
        self.seen = set()  # files of the folder

    def of_this_process(self, test):
        library = load("libptosim.so")
        if library is None:
            return []
        library.ptosim_mpmd_take_findings.restype = ctypes.c_char_p
        text = library.ptosim_mpmd_take_findings(test.encode())
        return [] if text is None else json.loads(text)["findings"]

    def of_others(self, test):
        folder = os.environ.get("PTOSIM_FINDINGS")
        found = []
        for path in sorted(pathlib.Path(folder).rglob("*.json")) if folder and test else []:
            if path in self.seen:
                continue
            self.seen.add(path)
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["test"] == test and document["process"] != os.getpid():
                found += document["findings"]
        return found

    def take(self, test):
        return self.of_this_process(test) + self.of_others(test)


source = Source()


def name_of(item):
    return item.nodeid.replace("\x00", "(null)")  # as in PYTEST_CURRENT_TEST


def lines_of(findings):
    lines = [finding["line"] for finding in findings[:MOST_LINES]]
    if len(findings) > MOST_LINES:
        lines.append(f"and {len(findings) - MOST_LINES} more")
    return lines


def text_of(findings):
    return "".join(finding["text"] for finding in findings)


def take(item):
    """New findings; they are the item's from now on, and belong to the phase that is under way."""
    findings = source.take(name_of(item))
    item.user_properties += [("ptosim_finding", finding["line"]) for finding in findings]
    item._ptosim_findings = getattr(item, "_ptosim_findings", []) + findings
    return findings


def hold(item):
    findings = take(item)
    if findings:
        pytest.fail("\n".join([f"ptosim: {len(findings)} finding(s)", *lines_of(findings)]), pytrace=False)


# After pytest's own, which run the test: they are not called if it has failed.
@pytest.hookimpl(trylast=True)
def pytest_runtest_setup(item):
    hold(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item):
    hold(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item):
    hold(item)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    take(item)
    findings, item._ptosim_findings = item._ptosim_findings, []
    outcome = yield
    if findings:
        outcome.get_result().sections.append((TITLE, text_of(findings)))


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    """Modules may run programs when they are imported."""
    outcome = yield
    findings = source.of_this_process(collector.nodeid)
    if not findings:
        return
    report = outcome.get_result()
    if report.outcome == "passed":
        report.outcome, report.result = "failed", []
        report.longrepr = "\n".join([f"ptosim: {len(findings)} finding(s)", *lines_of(findings)])
    report.sections.append((TITLE, text_of(findings)))
