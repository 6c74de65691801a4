"""Python values as Terrace literals, and the writer of `.ref` files.

A reference script computes expected answers in Python and writes them next to the programs:

    from literals import Reference
    with Reference(__file__, "sieve") as ref:
        ref.equal("primes", [20], [2, 3, 5, 7, 11, 13, 17, 19])   # primes(20) = [2, 3, ...]
        ref.close("mean", [[1.0, 2.0]], 1.5)                      # mean([1.0, 2.0]) ~ 1.5
        ref.stops("mean", [[]], "T0916")                          # mean([]) ! T0916

Lists and numpy arrays become array literals, tuples become tuples, `bytes` become string literals where every byte
is printable and lists of numbers elsewhere. `Record`, `Variant` and `Raw` stand for what Python has no word for.
The arguments of a call are one list, so that an argument which is itself a list needs no special care.
"""

import math
import os


class Record:
    """A record: `Record("point", x=1.0, y=2.0)` is `point{x = 1.0, y = 2.0}`."""

    def __init__(self, name, /, **fields):
        self.name, self.fields = name, fields


class Variant:
    """A variant of an enum: `Variant("some", 3)` is `some(3)`, `Variant("none")` is `none`."""

    def __init__(self, name, *parts):
        self.name, self.parts = name, parts


class Raw(str):
    """Terrace source text, taken as it stands: `Raw("[i * 3 for i < 100]")`."""


def real(x):
    """A float literal: digits on both sides of the point, and no sign in the exponent unless it is a minus."""
    if math.isnan(x):
        return "(0.0 / 0.0)"
    if math.isinf(x):
        return "(1.0 / 0.0)" if x > 0 else "(-1.0 / 0.0)"
    text = repr(float(x)).replace("e+", "e")
    head, mark, tail = text.partition("e")
    return (head if "." in head else head + ".0") + mark + tail


def string(data):
    """Bytes as a string literal, or as a list of numbers where a byte is not printable."""
    if all(32 <= b < 127 for b in data) and data:
        return '"' + data.decode("ascii").replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "[" + ", ".join(str(b) for b in data) + "]"


def literal(value):
    """The Terrace literal of a Python (or numpy) value."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Record):
        return value.name + "{" + ", ".join(f"{k} = {literal(v)}" for k, v in value.fields.items()) + "}"
    if isinstance(value, Variant):
        return value.name + ("(" + ", ".join(map(literal, value.parts)) + ")" if value.parts else "")
    if isinstance(value, (bytes, bytearray)):
        return string(bytes(value))
    if isinstance(value, str):
        return string(value.encode("ascii"))
    if hasattr(value, "tolist"):
        return literal(value.tolist())
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) + ("u64" if value >= 2**63 else "")
    if isinstance(value, float):
        return real(value)
    if isinstance(value, complex):
        return f"({real(value.real)}, {real(value.imag)})"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ")"
    if isinstance(value, (list, range)):
        return "[" + ", ".join(map(literal, value)) + "]"
    raise TypeError(f"no Terrace literal for {type(value).__name__}")


class Reference:
    """Collects the cases of one program and writes `name.ref` beside the script."""

    def __init__(self, script, name):
        self.path = os.path.join(os.path.dirname(os.path.abspath(script)), name + ".ref")
        self.lines = [f"# Expected answers of {name}.tce, written by reference.py."]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            text = "\n".join(self.lines) + "\n"
            if len(text) > 60_000:
                raise ValueError(f"{self.path}: {len(text)} bytes, the limit is 60000")
            with open(self.path, "w", encoding="ascii") as out:
                out.write(text)

    def case(self, entry, arguments, sign, value):
        """One line: the call, how to compare, the value."""
        call = f"{entry}({', '.join(map(literal, arguments))})"
        self.lines.append(f"{call} {sign} {value}")

    def equal(self, entry, arguments, value):
        """The call gives exactly this value."""
        self.case(entry, arguments, "=", literal(value))

    def close(self, entry, arguments, value):
        """The call gives this value up to rounding."""
        self.case(entry, arguments, "~", literal(value))

    def stops(self, entry, arguments, code):
        """The call stops with this error code."""
        self.case(entry, arguments, "!", code)

    def note(self, text):
        """A comment line."""
        self.lines.append("# " + text)
