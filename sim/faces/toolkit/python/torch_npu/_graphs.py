"""Graphs of `torch.npu`: work of a stream that is captured once and replayed (NPUGraph, graph).

Kernels go into a model of acl (aclmdlRICaptureBegin). Operators of PyTorch, which run on the CPU, become calls of the host
in that model. As on the device, nothing runs while it is captured: an operator's result has its shape, and no values.
"""
import ctypes
import gc

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from . import _acl, _state

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}
_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
# Operators that only make a tensor, whose memory has no values yet.
_MAKERS = ("aten::empty", "aten::new_empty")


class _Unchecked:
    """`with`: copies that a capture forbids are allowed, and work of the default stream runs at once."""

    def __enter__(self):
        self.mode = ctypes.c_int(_MODES["relaxed"])
        _acl.call("aclmdlRICaptureThreadExchangeMode", ctypes.byref(self.mode))
        self.stream = ctypes.c_void_p(_state.backend.ptosim_torch_stream())
        _state.backend.ptosim_torch_set_stream(None)

    def __exit__(self, *exception):
        _state.backend.ptosim_torch_set_stream(self.stream)
        _acl.call("aclmdlRICaptureThreadExchangeMode", ctypes.byref(self.mode))
        return False


def _is_npu(value):
    return isinstance(value, torch.Tensor) and value.device.type == "npu"


def _device_of(kwargs):
    device = kwargs.get("device")
    return None if device is None else torch.device(device)


class _Operator:
    """An operator that a graph runs again, with the tensors that it had."""

    def __init__(self, function, args, kwargs, results):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.results = results  # tensors that get the new results; none if the operator writes its arguments

    def run(self):
        made = self.function(*self.args, **self.kwargs)
        moved = _state.backend.ptosim_torch_operator_bytes()
        for old, new in zip(self.results, tree_flatten(made)[0]):
            old.copy_(new)
        # The operator itself has written its results.
        _state.backend.ptosim_torch_set_operator_bytes(ctypes.c_double(moved))


class _Recorder(TorchDispatchMode):
    """Adds operators to a graph instead of running them."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        schema = function._schema
        values = tree_flatten((args, kwargs))[0]
        device = _device_of(kwargs)
        on_npu = any(map(_is_npu, values)) or (device is not None and device.type == "npu")
        if not on_npu:
            return function(*args, **kwargs)
        self._refuse_host(function, values, device)
        returned = [argument.alias_info for argument in schema.returns]
        if any(alias is not None and not alias.is_write for alias in returned) or schema.name.startswith(_MAKERS):
            return function(*args, **kwargs)  # a view, or memory without values
        if schema.is_mutable:
            self.graph._add_operator(_Operator(function, args, kwargs, ()))
            return self._written(function, args, kwargs)
        made = self._shaped(function, args, kwargs)
        self.graph._add_operator(_Operator(function, args, kwargs, tuple(tree_flatten(made)[0])))
        return made

    @staticmethod
    def _refuse_host(function, values, device):
        """A copy between host and device waits for the device, which does not run."""
        name = function._schema.name
        to_host = name == "aten::_local_scalar_dense" or (device is not None and device.type == "cpu")
        hosts = [value for value in values if isinstance(value, torch.Tensor) and value.device.type == "cpu"]
        if to_host or any(host.dim() > 0 for host in hosts):
            raise RuntimeError(f"{name}: a copy between host and device while a graph is captured; "
                               "copy before the capture, or after the replay")

    @staticmethod
    def _written(function, args, kwargs):
        """The written arguments, which such an operator returns."""
        schema = function._schema
        given = {argument.name: value for argument, value in zip(schema.arguments, args)} | kwargs
        by_alias = {next(iter(argument.alias_info.before_set)): given[argument.name] for argument in schema.arguments
                    if argument.alias_info is not None and argument.name in given}
        results = [by_alias[next(iter(result.alias_info.before_set))] for result in schema.returns
                   if result.alias_info is not None]
        return None if not results else results[0] if len(results) == 1 else tuple(results)

    @staticmethod
    def _shaped(function, args, kwargs):
        """Results of the right shape: from PyTorch's meta device, or, if it lacks the operator, by running it."""
        values = tree_flatten((args, kwargs))[0]
        device = next((value.device for value in values if _is_npu(value)), None) or _device_of(kwargs)

        def meta(value):
            return value.to("meta") if isinstance(value, torch.Tensor) else value

        def real(value):
            if not isinstance(value, torch.Tensor):
                return value
            return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=device)

        others = {key: "meta" if key == "device" else meta(value) for key, value in kwargs.items()}
        try:
            made = function(*tree_map(meta, args), **others)
        except (NotImplementedError, RuntimeError):
            with _Unchecked():
                return function(*args, **kwargs)
        return tree_map(real, made)


class NPUGraph:
    """Work that was captured once and is replayed."""

    def __init__(self, keep_graph=False):
        self._model = self._recorder = self._pool = None
        self._calls = []

    def capture_begin(self, pool=None, capture_error_mode="global", report_shape=True):
        from . import npu
        if self._model is not None or self._recorder is not None:
            raise RuntimeError("this graph has been captured: reset() it first")
        if capture_error_mode not in _MODES:
            raise RuntimeError(f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, "
                               f"got {capture_error_mode}")
        self._stream = npu.current_stream()
        if self._stream.npu_stream == 0:
            raise RuntimeError("NPU graphs must be captured on a non-default stream: "
                               "use torch.npu.graph(), or torch.npu.stream(torch.npu.Stream())")
        _acl.call("aclmdlRICaptureBegin", self._stream._handle, _MODES[capture_error_mode])
        self._pool = _state.backend.ptosim_torch_begin_pool()
        self._recorder = _Recorder(self)
        self._recorder.__enter__()

    def capture_end(self):
        if self._recorder is None:
            raise RuntimeError("capture_end() of a graph that is not being captured")
        self._recorder.__exit__(None, None, None)
        self._recorder = None
        _state.backend.ptosim_torch_end_pool()
        self._model = _acl.pointer_from_last("aclmdlRICaptureEnd", self._stream._handle)

    def replay(self):
        from . import npu
        if self._model is None:
            raise RuntimeError("replay() of a graph that has not been captured")
        self._failure = None
        _acl.call("aclmdlRIExecuteAsync", self._model, npu.current_stream()._handle)
        if self._failure is not None:
            raise self._failure

    def reset(self):
        if self._model is not None:
            _acl.call("aclmdlRIDestroy", self._model)
        self._calls.clear()
        if self._pool is not None:
            _state.backend.ptosim_torch_release_pool(self._pool)
        self._model = self._pool = None

    def pool(self):
        """A handle of the graph's memory. Graphs never share memory, whatever pool they are given."""
        return (0, self._pool or 0)

    def enable_debug_mode(self):
        """Nothing to do: debug_dump() works always."""

    def debug_dump(self, debug_path=None):
        _acl.call("aclmdlRIDebugPrint", self._model)

    def __del__(self):
        if _acl is not None and self._model is not None:
            self.reset()

    def _add_operator(self, operator):
        from . import npu

        def run(_):
            try:
                with _Unchecked():
                    operator.run()
            except BaseException as failure:  # an exception cannot pass through acl
                self._failure = self._failure or failure

        self._calls.append(_CALL(run))
        _acl.call("aclrtLaunchHostFunc", npu.current_stream()._handle, self._calls[-1], None)


class graph:
    """`with torch.npu.graph(g):` captures into `g`, in a separate stream unless one is given."""

    default_stream = None

    def __init__(self, npu_graph, pool=None, stream=None, capture_error_mode="global", report_shape=True):
        from . import npu
        if stream is None:
            if graph.default_stream is None:
                graph.default_stream = npu.Stream()
            stream = graph.default_stream
        self.npu_graph, self.pool, self.mode = npu_graph, pool, capture_error_mode
        self.context = npu.stream(stream)

    def __enter__(self):
        from . import npu
        npu.synchronize()
        gc.collect()
        npu.empty_cache()
        self.context.__enter__()
        self.npu_graph.capture_begin(pool=self.pool, capture_error_mode=self.mode)

    def __exit__(self, *exception):
        try:
            self.npu_graph.capture_end()
        finally:
            self.context.__exit__(*exception)
        return False


_pools = iter(range(1, 1 << 62))


def graph_pool_handle():
    return (next(_pools), 0)


def is_current_stream_capturing():
    status = ctypes.c_int()
    _acl.call("aclmdlRICaptureGetInfo", ctypes.c_void_p(_state.backend.ptosim_torch_stream()), ctypes.byref(status), None)
    return status.value != 0
