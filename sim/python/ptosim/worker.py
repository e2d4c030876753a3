"""Worker processes: one `ptosim worker` per Python process, which forks a device for each run.

docs/python.md describes their messages. This module does not need NumPy.
"""
from __future__ import annotations

import atexit
import dataclasses
import fcntl
import json
import mmap
import os
import signal
import socket
import subprocess
import threading
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import program
from .errors import DeviceLost, Error, Finding, InternalError, Timeout, misuse

Line = Dict[str, Any]


class _Worker:
    """The process that forks devices. Started when it is needed first, and again if it has died
    or this process has been forked itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._control: Optional[socket.socket] = None
        self._owner = 0
        self._program = ""

    def _start(self) -> None:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._program = program.path()
        self._process = subprocess.Popen([self._program, "worker"], stdin=there,
                                         stdout=subprocess.DEVNULL,
                                         # Symbols are bound once, not in every device.
                                         env={**program.environment(), "LD_BIND_NOW": "1"})
        there.close()
        if here.recv(64) != b"ready":
            raise InternalError(f"{self._program} worker did not start")
        self._control, self._owner = here, os.getpid()

    def device(self, chip: str, overrides: Sequence[str], interpreted: bool) -> socket.socket:
        """The socket of a new device."""
        text = json.dumps({"chip": chip, "set": list(overrides),
                           "interpreted": interpreted}).encode()
        with self._lock:
            if self._owner != os.getpid() and self._control is not None:
                self._control.close()  # it is the parent's
                self._control = None
                if self._process is not None:
                    self._process.returncode = 0
            if self._control is None or self._program != program.path():
                self.stop()
                self._start()
            here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            for attempt in (1, 2):
                try:
                    socket.send_fds(self._control, [text], [there.fileno()])
                    break
                except OSError:
                    if attempt == 2:
                        raise
                    self.stop()
                    self._start()
            there.close()
            return here

    def stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
            if self._process is not None and self._owner == os.getpid():
                self._process.wait()


_worker = _Worker()
atexit.register(_worker.stop)


def warm(chip: str = "ascend910b1", overrides: Sequence[str] = ()) -> None:
    """Starts the worker, and makes the chip, now rather than with the first device."""
    Connection(chip, overrides).close()


class _Pool:
    """Files in memory that runs are done with: the next ones find their pages made already."""

    MOST_BYTES = 64 << 20  #: of all that wait here; the oldest go first
    GRAIN = 1 << 16  #: sizes are multiples of this

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._lock = threading.Lock()
        self._files: List[Tuple[int, int, mmap.mmap]] = []  # size, file, buffer
        self._bytes = 0

    def take(self, size: int) -> Optional[Tuple[int, mmap.mmap]]:
        with self._lock:
            for at in range(len(self._files) - 1, -1, -1):
                if self._files[at][0] == size:
                    self._bytes -= size
                    return self._files.pop(at)[1:]
        return None

    def put(self, size: int, file: int, buffer: mmap.mmap) -> None:
        with self._lock:
            self._bytes += size
            self._files.append((size, file, buffer))
            while self._bytes > self.MOST_BYTES:
                oldest, unused, _ = self._files.pop(0)
                self._bytes -= oldest
                os.close(unused)


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.clear)  # the parent goes on with its files


class Memory:
    """Bytes shared with a device, as a buffer. Their first content has no meaning.

    The file cannot shrink, so that nothing a device does can make reading it a signal here.
    """

    def __init__(self, size: int):
        self.size = (max(size, 1) + _Pool.GRAIN - 1) // _Pool.GRAIN * _Pool.GRAIN
        self.reusable = False  #: set by who knows that no device uses it any more
        self._owner, self.file = os.getpid(), -1
        self.file, self.buffer = _pool.take(self.size) or self._made()

    def _made(self) -> Tuple[int, mmap.mmap]:
        file = os.memfd_create("ptosim-arrays", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(file, self.size)
        # F_SEAL_SHRINK | F_SEAL_GROW, which Python names from 3.9 on some systems only
        fcntl.fcntl(file, getattr(fcntl, "F_ADD_SEALS", 1033), 0x2 | 0x4)
        return file, mmap.mmap(file, self.size)

    def __del__(self) -> None:
        file, self.file = getattr(self, "file", -1), -1
        if file < 0:
            return
        if self.reusable and self._owner == os.getpid():
            _pool.put(self.size, file, self.buffer)
        else:
            os.close(file)


class Connection:
    """A device, by its requests. Used by one thread at a time; close() from any.

    `deadline` is in time.monotonic() seconds; None: none. One that runs `interpreted` kernels
    alone, and no other schedules, has a process less.
    """

    def __init__(self, chip: str, overrides: Sequence[str] = (),
                 deadline: Optional[float] = None, interpreted: bool = False):
        self.deadline, self.interpreted = deadline, interpreted
        self._socket = _worker.device(chip, overrides, interpreted)
        self._received = bytearray()
        self.end: Optional[Line] = None  # how it has ended, once it has

    def request(self, lines: Sequence[Line], memory: Optional[Memory] = None) -> List[Line]:
        """Sends requests together and returns their answers, up to the first error, which is
        raised: Error, Timeout, DeviceLost, InternalError. `memory` goes with the first line."""
        self.send(lines, memory)
        return self.answers(len(lines))

    def send(self, lines: Sequence[Line], memory: Optional[Memory] = None) -> None:
        """The first half of request(): the device works meanwhile."""
        if self._socket.fileno() < 0 and self.end is None:
            raise misuse("the device has been closed", "its arrays and launches end with its "
                         "`with` block, with close(), or with a Timeout")
        self._send("".join(json.dumps(line) + "\n" for line in lines).encode(), memory)

    def answers(self, count: int) -> List[Line]:
        """The other half: the answers to `count` requests that were sent."""
        answers: List[Line] = []
        try:
            for _ in range(count):
                answers.append(self._line())
        except (KeyboardInterrupt, Timeout):
            self.close()
            raise
        for answer in answers:
            if "error" in answer:
                findings = [Finding.of(fields) for fields in answer["error"]]
                if any(finding.code == "H02" for finding in findings):
                    findings = self._with_messages(findings)
                raise Error(findings)
            if "internal" in answer:
                raise InternalError(answer["internal"])
        return answers

    def _with_messages(self, findings: List[Finding]) -> List[Finding]:
        """Adds the compiler's output to its failure. Ends the device."""
        printed = str((self.close(wait=True) or {}).get("text", "")).strip()
        lines = printed.splitlines()
        first = [line for line in lines if "error" in line][:4] or lines[:4]
        return [dataclasses.replace(
            finding, notes=(*finding.notes, *first),
            hint="" if finding.hint.startswith("the messages above") else finding.hint,
            text=f"{printed}\n{finding.text}" if printed else finding.text)
            for finding in findings]

    def _send(self, text: bytes, memory: Optional[Memory]) -> None:
        try:
            sent = 0
            if memory is not None:
                sent = socket.send_fds(self._socket, [text[:4096]], [memory.file])
            self._socket.sendall(text[sent:])
        except OSError:
            pass  # it has gone: its last line says why

    def _line(self) -> Line:
        while True:
            end = self._received.find(b"\n")
            if end >= 0:
                text = bytes(self._received[:end])
                del self._received[:end + 1]
                if not text:
                    continue
                try:
                    line: Line = json.loads(text)
                except ValueError:
                    continue  # it died while it wrote; the next line says so
                if "ended" in line:
                    self.end = line["ended"]
                    raise self._lost()
                return line
            if self.deadline is not None:
                left = self.deadline - time.monotonic()
                if left <= 0:
                    raise self._timeout()
                self._socket.settimeout(left)
            try:
                more = self._socket.recv(1 << 18)
            except socket.timeout:
                raise self._timeout() from None
            except OSError:
                more = b""
            if not more:
                raise self._lost()
            self._received += more

    def _timeout(self) -> Timeout:
        message = "the run was stopped at its deadline"
        return Timeout([Finding(
            code="I65", category="input", message=message,
            text=f"error: {message} [I65]\n  help: an endless loop, or more work than the timeout "
                 "allows: give it more time, or fewer blocks")])

    def _lost(self) -> Error:
        end = self.end or {}
        text = str(end.get("text", "")).strip()
        number = end.get("signal", 0)
        if number == signal.SIGXCPU:
            how = "it used more processor time than its limit"
        elif number:
            how = f"signal {number} ({signal.Signals(number).name})"
        else:
            how = f"exit code {end.get('exit', -1)}"
        message = f"the process of the device has ended: {how}"
        told = text.splitlines()[-1] if text else ""
        finding = Finding(
            code="I66", category="undefined", message=message, notes=(told,) if told else (),
            text=f"error: {message} [I66]" + (f"\n  note: {told}" if told else ""))
        return DeviceLost([finding], end)

    def close(self, wait: bool = False) -> Optional[Line]:
        """Ends the device and the processes that it has started. With `wait`, returns the message about its end."""
        if self._socket.fileno() < 0:
            return self.end
        if wait and self.end is None:
            self._end()
        self._socket.close()
        return self.end

    def _end(self) -> None:
        try:
            self._socket.settimeout(5)
            self._socket.shutdown(socket.SHUT_WR)
            while self.end is None:
                self.deadline = None
                self._line()
        except (OSError, Error):
            pass

    def __del__(self) -> None:
        try:
            self.close()
        except AttributeError:
            pass
