"""Threads that serve several callers, a request of each at a time."""
from __future__ import annotations

import collections
import concurrent.futures
import threading
from typing import Any, Callable, Deque, List, Tuple

Future = concurrent.futures.Future  # type: ignore[type-arg]
Line = Deque[Tuple[Any, Callable[..., Any], Any]]  # what one caller waits for


class Turns:
    """Callers with waiting requests take turns: one that sends a thousand delays another by one."""

    def __init__(self, threads: int):
        self._changed = threading.Condition()
        self._callers: Deque[Line] = collections.deque()  # each with at least one request
        self._ended = False
        self._threads: List[threading.Thread] = []
        for _ in range(threads):
            self._threads.append(threading.Thread(target=self._work, daemon=True))
            self._threads[-1].start()

    @staticmethod
    def caller() -> Line:
        return collections.deque()

    def submit(self, caller: Line, function: Callable[..., Any], argument: Any) -> "Future":
        future: "Future" = concurrent.futures.Future()
        with self._changed:
            caller.append((future, function, argument))
            if len(caller) == 1:
                self._callers.append(caller)
            self._changed.notify()
        return future

    def close(self) -> None:
        """Finishes the work that has begun and cancels the rest."""
        with self._changed:
            self._ended = True
            waiting = [entry for caller in self._callers for entry in caller]
            self._changed.notify_all()
        for future, _, _ in waiting:
            future.cancel()
        for thread in self._threads:
            thread.join()

    def _next(self) -> Any:
        with self._changed:
            while not self._callers and not self._ended:
                self._changed.wait()
            if self._ended:
                return None
            caller = self._callers.popleft()
            entry = caller.popleft()
            if caller:
                self._callers.append(caller)
            return entry

    def _work(self) -> None:
        while True:
            entry = self._next()
            if entry is None:
                return
            future, function, argument = entry
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function(argument))
            except BaseException as error:  # whoever waits for it gets it
                future.set_exception(error)
