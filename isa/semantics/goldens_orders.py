"""Functions of a5 that flush subnormals."""
import numpy as np

from goldens_cases import Scalar, Tile, to_bits


def add_cases(book):
    flushed(book)


def flush(values, least):
    return np.where(np.abs(values) < least, values * values.dtype.type(0), values)


def flushed(book):
    """Subnormals and their neighbours. The first two quotients are examples of the API's documents
    (CANN API, Reg Div, table 8), but for the bits of NaN."""
    with np.errstate(all="ignore"):
        one_by_one(book)


def one_by_one(book):
    for dtype, kind, least in (("f32", np.float32, np.float32(2.0 ** -126)),):
        below, tiny = np.nextafter(least, kind(0)), np.nextafter(kind(0), kind(1))
        huge = np.finfo(kind).max
        a = np.array([[1, below, tiny, -tiny, least, -below, 3, 0, huge, least, -below, least, -least,
                       kind(np.inf), kind(np.nan), below]], kind)
        b = np.array([[-below, tiny, 1, 1, 2, -2, 4, below, huge, huge, huge, 1, 1, tiny, 1, below]], kind)
        if dtype == "f32":
            a[0, :2] = np.array([0x3F800000, 0x0014440B], np.uint32).view(np.float32)
            b[0, :2] = np.array([0x8036A794, 0x0053E3CF], np.uint32).view(np.float32)
        count = a.shape[1]
        wide = lambda values: flush(values, least)
        quotient = wide((wide(a) / wide(b)).astype(kind))
        if dtype == "f32":
            assert quotient[0, 0] == -np.inf and np.isnan(quotient[0, 1])
        out = Tile(dtype, None, valid=(1, count))

        def case(name, opcode, operands, result, **attributes):
            book.case(f"{name}.a5.{dtype}", opcode, [out, *operands], {0: to_bits(dtype, result)},
                      arch="a5/a5", **attributes)

        def tile(values):
            return Tile(dtype, to_bits(dtype, values))

        case("TDIV.flush", "TDIV", [tile(a), tile(b)], quotient)
        case("TDIV.kept", "TDIV", [tile(a), tile(b)], (a / b).astype(kind),
             precisionType="high_precision")
        for divisor, name in ((kind(3), "normal"), (below, "subnormal")):
            case(f"TDIVS.flush.{name}", "TDIVS", [tile(a), Scalar(dtype, divisor)],
                 wide((wide(a) / wide(np.array(divisor, kind))).astype(kind)))
        case("TCOLEXPANDDIV.flush", "TCOLEXPANDDIV", [tile(a), tile(b)], quotient)
        case("TROWEXPANDDIV.flush", "TROWEXPANDDIV",
             [tile(a), Tile(dtype, to_bits(dtype, b[:, :1]), rows=16, cols=1, layout="DN")],
             wide((wide(a) / wide(b[:, :1])).astype(kind)))
        case("TRECIP.flush", "TRECIP", [tile(np.where(a == 1, huge, a))],
             wide((kind(1) / wide(np.where(a == 1, huge, a))).astype(kind)))
        roots = np.sqrt(wide(a))
        case("TSQRT.flush", "TSQRT", [tile(a)], roots)
        case("TRSQRT.flush", "TRSQRT", [tile(a)], (kind(1) / roots).astype(kind))
        # Arguments with certain results: beyond the least normal one, zeros, and infinities.
        arguments = np.array([[tiny, -below, 0, -np.inf, -1000, np.inf, np.nan, -17 if dtype == "f16"
                               else -100]], kind)
        case_of = np.array([[1, 1, 1, 0, 0, np.inf, np.nan, 0]], kind)
        book.case(f"TEXP.flush.a5.{dtype}", "TEXP",
                  [Tile(dtype, None, valid=(1, 8)), tile(arguments)], {0: to_bits(dtype, case_of)},
                  arch="a5/a5")
        logs = np.array([[1, tiny, -below, 0, np.inf]], kind)
        book.case(f"TLOG.flush.a5.{dtype}", "TLOG", [Tile(dtype, None, valid=(1, 5)), tile(logs)],
                  {0: to_bits(dtype, np.array([[0, -np.inf, -np.inf, -np.inf, np.inf]], kind))},
                  arch="a5/a5")
        difference = np.array([[-17 if dtype == "f16" else -100, 0, -1000]], kind)
        for opcode, layout in (("TROWEXPANDEXPDIF", "DN"), ("TCOLEXPANDEXPDIF", "ND")):
            vector = Tile(dtype, to_bits(dtype, np.zeros((1, 1) if layout == "DN" else (1, 3), kind)),
                          **({"rows": 16, "cols": 1, "layout": "DN"} if layout == "DN" else {}))
            book.case(f"{opcode}.flush.a5.{dtype}", opcode,
                      [Tile(dtype, None, valid=(1, 3)), tile(difference), vector],
                      {0: to_bits(dtype, np.array([[0, 1, 0]], kind))}, arch="a5/a5")
