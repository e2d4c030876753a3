"""ptosim serve: requests as JSON lines on standard input or a Unix socket, a verdict for each."""
from __future__ import annotations

import argparse
import atexit
import concurrent.futures
import json
import os
import queue
import signal
import socket
import socketserver
import stat
import sys
import threading
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional

from . import worker
from .cases import load_references
from .errors import misuse
from .files import Files
from .request_lines import Budget, SocketLines, parse, skip_line
from .runs import Limits
from .turns import Line, Turns
from .verdict import judge, no_verdict

MOST_WAITING = 256  # lines of a client that are read ahead


class Server:
    """Judges requests on several threads; answers come in the order of their requests."""

    def __init__(self, limits: Limits, references: Mapping[str, Any], jobs: int,
                 folder: Optional[str] = None, files: Optional[Files] = None,
                 most_line: int = 16 << 20):
        self.limits, self.references, self.folder = limits, references, folder
        self.files, self.most_line = files or Files(), most_line
        self.turns = Turns(jobs)

    def close(self) -> None:
        """Requests that have not begun are dropped."""
        self.turns.close()

    def judge(self, request: Any) -> Dict[str, Any]:
        return judge(request, self.limits, self.references, self.files, self.folder)

    def answer(self, reader: Any, writer: Any) -> None:
        """Until the reader ends, or its caller has gone."""
        waiting: "queue.Queue[Any]" = queue.Queue(MOST_WAITING)
        budget = Budget(2 * self.most_line)
        sender = threading.Thread(target=_send, args=(waiting, writer, budget), daemon=True)
        sender.start()
        try:
            self._read(reader, waiting, budget)
        except OSError:
            pass  # the caller has gone
        finally:
            waiting.put(None)
        sender.join()

    def _read(self, reader: Any, waiting: "queue.Queue[Any]", budget: Budget) -> None:
        caller = self.turns.caller()
        while True:
            line = reader.readline(self.most_line)
            if not line:
                return
            if not line.strip():
                continue
            budget.take(len(line))
            waiting.put((len(line), self._begun(line, reader, caller)))

    def _begun(self, line: bytes, reader: Any, caller: Line) -> Any:
        """A verdict, or the future of one, or a list of futures."""
        try:
            if len(line) == self.most_line and not line.endswith(b"\n"):
                skip_line(reader)
                raise ValueError(f"it has more than {self.most_line >> 20} MiB")
            request = parse(line)
        except ValueError as error:
            return {"id": None, "verdict": "error", "code": "I61",
                    "reason": f"a line that cannot be read as JSON: {error}",
                    "hint": "a request is one line: an object, or a list of them"}
        if isinstance(request, list):
            return [self.turns.submit(caller, self.judge, entry) for entry in request]
        return self.turns.submit(caller, self.judge, request)


def _send(waiting: "queue.Queue[Any]", writer: Any, budget: Budget) -> None:
    """Writes verdicts as they come. If the caller has gone, cancels the work that has not begun."""
    gone = False
    while True:
        entry = waiting.get()
        if entry is None:
            return
        length, verdict = entry
        if gone:
            _cancel(verdict)
        else:
            try:
                writer.write(_text(verdict).encode() + b"\n")
                writer.flush()
            except (OSError, ValueError):
                gone = True
        budget.give(length)


def _cancel(verdict: Any) -> None:
    for future in verdict if isinstance(verdict, list) else [verdict]:
        if isinstance(future, concurrent.futures.Future):
            future.cancel()


def _text(entry: Any) -> str:
    """A verdict, or that of a future, or of each of a list, as JSON, whatever becomes of it."""
    if isinstance(entry, list):
        return f"[{', '.join(_text(one) for one in entry)}]"
    try:
        return json.dumps(entry.result() if isinstance(entry, concurrent.futures.Future) else entry)
    except Exception as error:
        return json.dumps(no_verdict(error))


def _remove_stale(path: str) -> None:
    """Removes a socket left by a server, and nothing else. Raises Error (I02)."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise misuse(f"{path} exists, and is not a socket", "choose another path", "I02")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except OSError as error:  # whether somebody listens is not known
            raise misuse(f"{path}: {error.strerror or error}", "choose another path",
                         "I02") from None
    raise misuse(f"another server listens at {path}", "stop it, or choose another path", "I02")


def _on_socket(server: Server, path: str, clients: int) -> None:
    free = threading.BoundedSemaphore(clients)
    full = no_verdict(misuse(f"this server has {clients} clients already",
                             "come again, or start it with more --clients"))

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            lines = SocketLines(self.request)
            if not free.acquire(blocking=False):
                lines.write(_text(full).encode() + b"\n")
                return
            try:
                server.answer(lines, lines)
            finally:
                free.release()

    class Listener(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
        daemon_threads = True
        request_queue_size = 128

    _remove_stale(path)
    before = os.umask(0o077)  # who may connect may run kernels
    try:
        listener = Listener(path, Handler)
    finally:
        os.umask(before)
    try:
        listener.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        listener.server_close()
        os.unlink(path)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise misuse(message, "'ptosim serve --help' lists the options", "I00")


def _more_than_zero(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        value = kind(text)
        if not value > 0:
            raise ValueError
        return value

    read.__name__ = f"{kind.__name__} above 0"
    return read


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("ptosim serve", description=__doc__)
    defaults = Limits()
    number, seconds = _more_than_zero(int), _more_than_zero(float)
    parser.add_argument("--socket", metavar="PATH",
                        help="listen at this Unix socket (default: standard input and output)")
    parser.add_argument("--root", metavar="DIR",
                        help="requests may name files below it (default: none, they hold texts)")
    parser.add_argument("--jobs", type=number, default=os.cpu_count() or 1, metavar="N",
                        help="requests to answer at a time (default: the number of processors)")
    parser.add_argument("--references", metavar="FILE",
                        help="a Python file of yours: its functions compute goldens")
    parser.add_argument("--results", metavar="DIR",
                        help="keep the result JSON of each request; verdicts name the file")
    parser.add_argument("--timeout", type=seconds, default=defaults.seconds, metavar="SECONDS",
                        help="that a run may take (default: %(default)s)")
    parser.add_argument("--compile-timeout", type=seconds, default=defaults.compile_seconds,
                        metavar="SECONDS",
                        help="that compiling a kernel may (default: %(default)s)")
    parser.add_argument("--request-timeout", type=seconds, default=defaults.request_seconds,
                        metavar="SECONDS",
                        help="that a request may take with all its runs (default: %(default)s)")
    parser.add_argument("--memory", type=number, default=defaults.memory_mib, metavar="MIB",
                        help="that a run may take (default: %(default)s)")
    parser.add_argument("--cpu", type=number, default=defaults.cpu_seconds, metavar="SECONDS",
                        help="processor time of a run (default: %(default)s)")
    parser.add_argument("--line", type=number, default=16, metavar="MIB",
                        help="that a line of requests may have (default: %(default)s)")
    parser.add_argument("--clients", type=number, default=32, metavar="N",
                        help="of a socket at a time (default: %(default)s)")
    parser.add_argument("--no-sandbox", action="store_true",
                        help="trust compiled kernels with this machine")
    return parser


def _interrupt(*_: Any) -> NoReturn:
    raise KeyboardInterrupt


def main(words: List[str]) -> int:
    choice = _parser().parse_args(words)
    limits = Limits(seconds=choice.timeout, compile_seconds=choice.compile_timeout,
                    request_seconds=choice.request_timeout, memory_mib=choice.memory, cpu_seconds=choice.cpu,
                    sandbox=not choice.no_sandbox)
    try:
        if choice.results:
            os.makedirs(choice.results, exist_ok=True)
        references = load_references(choice.references)
    except OSError as error:
        raise misuse(f"{error.filename}: {error.strerror}",
                     code="I01" if error.filename == choice.references else "I02") from None
    if choice.root is not None and not os.path.isdir(choice.root):
        raise misuse(f"{choice.root} is not a folder", "--root names the folder of the files that "
                     "requests may name", "I01")
    server = Server(limits, references, choice.jobs, choice.results, Files(choice.root),
                    choice.line << 20)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    worker.warm()
    try:
        if choice.socket:
            _on_socket(server, choice.socket, choice.clients)
        else:
            server.answer(sys.stdin.buffer, sys.stdout.buffer)
    finally:
        server.close()
    _leave()
    return 0


def _leave() -> None:
    """Ends the process if threads still answer clients: CPython may crash if they run while it finalises."""
    if threading.active_count() == 1:
        return
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
