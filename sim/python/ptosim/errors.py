"""Findings and errors of the simulator, with its codes and texts."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

# Categories of the catalogue, isa/core/diagnostics.tsv.
CATEGORIES = ("illegal", "undefined", "race", "sync", "deadlock", "unsupported", "input")


@dataclass(frozen=True)
class Finding:
    """Something wrong. Empty texts and zeros: does not apply."""

    code: str  #: "E05"; the catalogue is isa/core/diagnostics.tsv
    category: str = ""  #: one of CATEGORIES
    message: str = ""  #: one sentence: what was found
    hint: str = ""  #: what to do about it
    file: str = ""  #: where in the kernel
    line: int = 0  #: from 1
    column: int = 0  #: from 1
    source: str = ""  #: the text of that line
    core: str = ""  #: "AIC00"
    pipe: str = ""  #: "MTE2"
    instruction: str = ""  #: "TADD"
    operand: str = ""  #: "src1"
    cycle: Optional[int] = None  #: core cycles since the chip came up
    bytes: Optional[Tuple[int, int]] = None  #: begin and end in the operand's memory
    count: int = 1  #: how often it was met at this place
    notes: Tuple[str, ...] = ()
    related: Tuple[str, ...] = ()  #: the other places it is about
    #: findings that do not occur in a run with its mend: their codes and lines
    explains: Tuple[Tuple[str, int], ...] = ()
    mend: Optional[Dict[str, Any]] = field(default=None, compare=False)  #: docs/formats.md
    text: str = field(default="", compare=False)  #: all of it, as the command line prints it

    def __str__(self) -> str:
        return self.text or f"error: {self.message} [{self.code}]"

    @classmethod
    def of(cls, fields: Dict[str, Any]) -> "Finding":
        """From a finding of the result JSON (docs/formats.md)."""
        location = fields.get("location") or {}
        extent = fields.get("bytes")
        return cls(
            code=fields.get("code", ""), category=fields.get("category", ""),
            message=fields.get("message", ""), hint=fields.get("hint", ""),
            file=location.get("file", ""), line=location.get("line", 0),
            column=location.get("column", 0), source=fields.get("source", ""),
            core=fields.get("core", ""), pipe=fields.get("pipe", ""),
            instruction=fields.get("instruction", ""), operand=fields.get("operand", ""),
            cycle=fields.get("cycle"), bytes=tuple(extent) if extent else None,
            count=fields.get("count", 1), notes=tuple(fields.get("notes", ())),
            related=tuple(site.get("text", "") for site in fields.get("related", ())),
            explains=tuple((one["code"], one.get("location", {}).get("line", 0))
                           for one in fields.get("explains", ())),
            mend=fields.get("mend"), text=fields.get("text", "").rstrip("\n"))

    @classmethod
    def warning(cls, fields: Dict[str, Any], lines: Sequence[str] = ()) -> "Finding":
        """From a warning of the result JSON, which has no text; `lines` are the lines of its file."""
        found = cls.of(fields)
        source = lines[found.line - 1] if 0 < found.line <= len(lines) else ""
        where = ":".join(str(part) for part in (found.file, found.line, found.column) if part)
        text = [(f"{where}: " if where else "") + f"warning: {found.message} [{found.code}]"]
        if source:
            text.append("    " + source)
            text += ["    " + " " * (found.column - 1) + "^"] if found.column else []
        at = [f"{found.core}/{found.pipe}" if found.pipe else found.core,
              f"cycle {found.cycle}" if found.cycle is not None else "",
              found.instruction + (f" operand '{found.operand}'" if found.operand else ""),
              f"met {found.count} times" if found.count > 1 else ""]
        text += ["  at: " + ", ".join(filter(None, at))] if any(at) else []
        text += [f"  note: {note}" for note in (*found.related, *found.notes)]
        text += [f"  help: {found.hint}"] if found.hint else []
        return dataclasses.replace(found, source=source, text="\n".join(text))


class Error(Exception):
    """Something cannot be used: a file, a name, an argument, a kernel that the chip does not have.

    str() is the text of the command line; the attributes come from the first finding.
    """

    def __init__(self, findings: Sequence[Finding]):
        self.findings: List[Finding] = list(findings)
        first = self.findings[0] if self.findings else Finding(code="", message="ptosim failed")
        self.code, self.category = first.code, first.category
        self.message, self.hint = first.message, first.hint
        self.file, self.line, self.column = first.file, first.line, first.column
        self.core, self.pipe, self.instruction = first.core, first.pipe, first.instruction
        super().__init__("\n".join(str(finding) for finding in self.findings) or first.message)


class Timeout(Error):
    """The device was stopped at the deadline that the caller had set; code I65."""


class DeviceLost(Error):
    """The process of the device has ended by itself; code I66.

    `exit_code` or `signal` give the reason, `text` is its output.
    """

    def __init__(self, findings: Sequence[Finding], end: Dict[str, Any]):
        super().__init__(findings)
        self.end = end
        self.exit_code: int = end.get("exit", -1)
        self.signal: int = end.get("signal", 0)
        self.text: str = end.get("text", "")
        self.refused: List[str] = [entry["what"] for entry in end.get("refused", ())]
        self.processes: int = end.get("processes", 0)  #: that it had started, and were ended


class InternalError(RuntimeError):
    """A bug of the simulator; please report it with the kernel."""


def misuse(message: str, hint: str = "", code: str = "I61") -> Error:
    """A wrong call of the package."""
    text = f"error: {message} [{code}]" + (f"\n  help: {hint}" if hint else "")
    return Error([Finding(code=code, category="input", message=message, hint=hint, text=text)])
