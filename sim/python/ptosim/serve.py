"""ptosim serve: requests as JSON lines on standard input or a Unix socket, a verdict for each."""
from __future__ import annotations

import argparse
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
from typing import Any, BinaryIO, Callable, Dict, List, Mapping, NoReturn, Optional

from . import worker
from .cases import load_references
from .errors import misuse
from .runs import Limits
from .verdict import judge, no_verdict

MOST_LINE = 64 << 20  # bytes of one request line
MOST_WAITING = 256  # requests that are read ahead


class Server:
    """Judges requests on several threads; answers come in the order of their requests."""

    def __init__(self, limits: Limits, references: Mapping[str, Any], jobs: int,
                 folder: Optional[str]):
        self.limits, self.references, self.folder = limits, references, folder
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)

    def close(self) -> None:
        """Requests that have not begun are dropped."""
        self.pool.shutdown(cancel_futures=True)

    def judge(self, request: Any) -> Dict[str, Any]:
        return judge(request, self.limits, self.references, self.folder)

    def answer(self, reader: BinaryIO, writer: BinaryIO) -> None:
        """Until the reader ends, or its caller has gone."""
        waiting: "queue.Queue[Any]" = queue.Queue(MOST_WAITING)
        sender = threading.Thread(target=self._send, args=(waiting, writer), daemon=True)
        sender.start()
        try:
            self._read(reader, waiting)
        except OSError:
            pass  # the caller has gone; what it has asked is judged to its end
        except Exception:
            waiting.put(None)
            raise
        waiting.put(None)
        sender.join()

    def _read(self, reader: BinaryIO, waiting: "queue.Queue[Any]") -> None:
        while True:
            line = reader.readline(MOST_LINE)
            if not line:
                return
            if not line.strip():
                continue
            try:
                if len(line) == MOST_LINE and not line.endswith(b"\n"):
                    _skip_line(reader)
                    raise ValueError(f"it has more than {MOST_LINE >> 20} MiB")
                request = json.loads(line)
            except (ValueError, RecursionError) as error:
                waiting.put({"id": None, "verdict": "error", "code": "I61",
                             "reason": f"a line that cannot be read as JSON: {error}",
                             "hint": "a request is one line: an object, or a list of them"})
                continue
            if isinstance(request, list):
                waiting.put([self.pool.submit(self.judge, entry) for entry in request])
            else:
                waiting.put(self.pool.submit(self.judge, request))

    @staticmethod
    def _send(waiting: "queue.Queue[Any]", writer: BinaryIO) -> None:
        while True:
            entry = waiting.get()
            if entry is None:
                return
            line = _text(entry).encode() + b"\n"
            try:
                writer.write(line)
                writer.flush()
            except (OSError, ValueError):
                pass  # the caller has gone; its requests are judged to their end


def _text(entry: Any) -> str:
    """A verdict, or that of a future, or of each of a list, as JSON, whatever becomes of it."""
    if isinstance(entry, list):
        return f"[{', '.join(_text(one) for one in entry)}]"
    try:
        return json.dumps(entry.result() if isinstance(entry, concurrent.futures.Future) else entry)
    except Exception as error:
        return json.dumps(no_verdict(error))


def _remove_stale(path: str) -> None:
    """A socket that a server has left behind goes; nothing else does. Raises Error (I02)."""
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


def _skip_line(reader: BinaryIO) -> None:
    while True:
        part = reader.readline(1 << 20)
        if not part or part.endswith(b"\n"):
            return


def _on_socket(server: Server, path: str) -> None:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            server.answer(self.rfile, self.wfile)  # type: ignore[arg-type]

    class Listener(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
        daemon_threads = True

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
    parser.add_argument("--jobs", type=number, default=os.cpu_count() or 1, metavar="N",
                        help="requests at a time (default: as many as processors)")
    parser.add_argument("--references", metavar="FILE",
                        help="a Python file of yours: its functions compute goldens")
    parser.add_argument("--results", metavar="DIR",
                        help="keep the result JSON of each request; verdicts name the file")
    parser.add_argument("--timeout", type=seconds, default=defaults.seconds, metavar="SECONDS",
                        help="that a run may take (default: %(default)s)")
    parser.add_argument("--compile-timeout", type=seconds, default=defaults.compile_seconds,
                        metavar="SECONDS",
                        help="that compiling a kernel may (default: %(default)s)")
    parser.add_argument("--memory", type=number, default=defaults.memory_mib, metavar="MIB",
                        help="that a run may take (default: %(default)s)")
    parser.add_argument("--cpu", type=number, default=defaults.cpu_seconds, metavar="SECONDS",
                        help="processor time of a run (default: %(default)s)")
    parser.add_argument("--no-sandbox", action="store_true",
                        help="trust compiled kernels with this machine")
    return parser


def _interrupt(*_: Any) -> NoReturn:
    raise KeyboardInterrupt


def main(words: List[str]) -> int:
    choice = _parser().parse_args(words)
    limits = Limits(seconds=choice.timeout, compile_seconds=choice.compile_timeout,
                    memory_mib=choice.memory, cpu_seconds=choice.cpu,
                    sandbox=not choice.no_sandbox)
    try:
        if choice.results:
            os.makedirs(choice.results, exist_ok=True)
        references = load_references(choice.references)
    except OSError as error:
        raise misuse(f"{error.filename}: {error.strerror}",
                     code="I01" if error.filename == choice.references else "I02") from None
    server = Server(limits, references, choice.jobs, choice.results)
    signal.signal(signal.SIGTERM, _interrupt)
    worker.warm()
    try:
        if choice.socket:
            _on_socket(server, choice.socket)
        else:
            server.answer(sys.stdin.buffer, sys.stdout.buffer)
    finally:
        server.close()
    return 0
