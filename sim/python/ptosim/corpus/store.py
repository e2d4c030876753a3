"""Results of comparisons in an SQLite file: runs in it are not repeated, and labelled runs make a trend."""
from __future__ import annotations

import datetime
import json
import sqlite3
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..errors import misuse
from .sides import Outcome

VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, kernel TEXT, side TEXT, outcome TEXT);
CREATE TABLE IF NOT EXISTS words (key TEXT PRIMARY KEY, words TEXT);
CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, time TEXT, label TEXT UNIQUE, a TEXT, b TEXT);
CREATE TABLE IF NOT EXISTS pairs (run INTEGER, kernel TEXT, verdict TEXT, a TEXT, b TEXT,
                                  PRIMARY KEY (run, kernel));
"""


class Store:
    """Used by several threads."""

    def __init__(self, path: str):
        self.path, self._lock = path, threading.Lock()
        try:
            self._base = sqlite3.connect(path, check_same_thread=False, timeout=60)
            version = self._base.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                raise misuse(f"{path} is of version {version}, and this program writes {VERSION}",
                             "name another file", "I02")
            self._base.executescript(f"{_TABLES} PRAGMA user_version = {VERSION};")
        except sqlite3.Error as error:
            raise misuse(f"{path}: {error}", "name another file", "I02") from None

    def result(self, key: str) -> Optional[Outcome]:
        with self._lock:
            row = self._base.execute("SELECT outcome FROM results WHERE key = ?", (key,)).fetchone()
        return Outcome(**json.loads(row[0])) if row else None

    def keep(self, key: str, kernel: str, side: str, outcome: Outcome) -> None:
        if not key:
            return
        with self._lock, self._base:
            self._base.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)",
                               (key, kernel, side, outcome.text()))

    def words(self, key: str) -> Optional[List[str]]:
        """The words that were made up for a kernel."""
        with self._lock:
            row = self._base.execute("SELECT words FROM words WHERE key = ?", (key,)).fetchone()
        return list(json.loads(row[0])) if row else None

    def keep_words(self, key: str, words: Sequence[str]) -> None:
        with self._lock, self._base:
            self._base.execute("INSERT OR REPLACE INTO words VALUES (?, ?)",
                               (key, json.dumps(list(words))))

    def take_from(self, path: str) -> None:
        """Adds the results of a shard."""
        with self._lock:
            self._base.execute("ATTACH ? AS shard", (path,))
            for table in ("results", "words"):
                self._base.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM shard.{table}")
            self._base.commit()
            self._base.execute("DETACH shard")

    def keep_run(self, label: str, a: str, b: str,
                 pairs: Sequence[Tuple[str, str, Outcome, Outcome]]) -> None:
        """A labelled run replaces the one of that name."""
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        with self._lock, self._base:
            for (old,) in self._base.execute("SELECT id FROM runs WHERE label = ?",
                                             (label,)).fetchall():
                self._base.execute("DELETE FROM pairs WHERE run = ?", (old,))
                self._base.execute("DELETE FROM runs WHERE id = ?", (old,))
            run = self._base.execute("INSERT INTO runs (time, label, a, b) VALUES (?, ?, ?, ?)",
                                     (now, label, a, b)).lastrowid
            self._base.executemany("INSERT INTO pairs VALUES (?, ?, ?, ?, ?)",
                                   [(run, kernel, verdict, one.text(), other.text())
                                    for kernel, verdict, one, other in pairs])

    def runs(self) -> List[Dict[str, Any]]:
        """Labelled runs with their pairs, in the order in which they were made."""
        with self._lock:
            rows = self._base.execute("SELECT id, time, label, a, b FROM runs ORDER BY id").fetchall()
            return [{"time": time, "label": label, "a": a, "b": b, "pairs": [
                {"kernel": kernel, "verdict": verdict, "a": json.loads(one), "b": json.loads(other)}
                for kernel, verdict, one, other in self._base.execute(
                    "SELECT kernel, verdict, a, b FROM pairs WHERE run = ?", (number,))]}
                for number, time, label, a, b in rows]
