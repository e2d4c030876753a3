"""The dialect of modules; `ir.Module` makes them."""
from .. import missing


def __getattr__(name):
    raise missing(__name__, name)
