"""Words for what happened: values, the learner's line, and exceptions."""

import os
import re
import sysconfig
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

_NOT_THE_LEARNERS = tuple(
    os.path.normcase(path) + os.sep
    for path in {
        str(Path(__file__).resolve().parents[1]),
        *(sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")),
    }
)
_CELL = re.compile(r"ipykernel_\d+|^<ipython-input|^<stdin>|^<string>|^<doctest|^<python-input")


def is_learners(filename: str) -> bool:
    """Whether a file is the learner's: a notebook cell, or outside of every installed library."""
    if _CELL.search(filename):
        return True
    if filename.startswith("<"):
        return False
    return not os.path.normcase(os.path.abspath(filename)).startswith(_NOT_THE_LEARNERS)


def learners_frame(frames: Iterable[traceback.FrameSummary]) -> traceback.FrameSummary | None:
    """The innermost frame of the learner's own code."""
    mine = [frame for frame in frames if is_learners(frame.filename)]
    return mine[-1] if mine else None


def where(frame: traceback.FrameSummary | None) -> str:
    """``line 3 of your cell, `return a @ b` ``; "" when there is none."""
    if frame is None:
        return ""
    cell = _CELL.search(frame.filename)
    place = "your cell" if cell else os.path.basename(frame.filename)
    source = (frame.line or "").strip().replace("`", "'")
    return f"line {frame.lineno} of {place}" + (f", `{source}`" if source else "")


def number(x: Any, digits: int = 4) -> str:
    """A number with four digits, or more."""
    if isinstance(x, bool | np.bool_):
        return str(bool(x))
    if isinstance(x, int | np.integer):
        return str(int(x))
    if isinstance(x, complex | np.complexfloating):
        return f"{complex(x):.{digits}g}"
    if isinstance(x, float | np.floating):
        return f"{float(x):.{digits}g}"
    return repr(x)


def name_of(x: Any, otherwise: str) -> str:
    """The ``__name__`` of a function, also where asking for it fails."""
    try:
        return str(x.__name__)
    except Exception:
        return otherwise


def text_of(error: BaseException) -> str:
    """The message of an exception, also where asking for it fails."""
    try:
        return str(error)
    except Exception:
        return ""


def is_tensor(x: Any) -> bool:
    """Whether ``x`` is a torch tensor, told by what its class can do."""
    return all(hasattr(type(x), name) for name in ("detach", "cpu", "numpy"))


def to_numpy(x: Any) -> Any:
    """A tensor, or an array of a class of its own, as a NumPy array; everything else as it is."""
    if isinstance(x, np.ndarray) and not isinstance(x, np.ma.MaskedArray):
        return np.asarray(x)
    if not is_tensor(x):
        return x
    x = x.detach().cpu()
    if hasattr(x, "resolve_conj"):
        x = x.resolve_conj().resolve_neg()
    return (x.float() if str(x.dtype) == "torch.bfloat16" else x).numpy()


def describe(x: Any) -> str:
    """``a float64 array of shape (3, 5)``, ``a list of 3``, ``the number 2.5`` ..."""
    if is_tensor(x):
        return f"a {str(x.dtype).removeprefix('torch.')} tensor of shape {tuple(x.shape)}"
    if isinstance(x, np.ndarray):
        return f"a {x.dtype} array of shape {x.shape}"
    if x is None:
        return "`None`"
    if isinstance(x, bool | np.bool_):
        return f"the boolean {bool(x)}"
    if isinstance(x, int | float | complex | np.number):
        return f"the number {number(x)}"
    if isinstance(x, str):
        return f"the string {x[:40]!r}"
    if isinstance(x, np.random.Generator):
        return "a random generator"
    if isinstance(x, list | tuple | set | dict):
        return f"a {type(x).__name__} of length {len(x)}"
    if isinstance(x, type):
        return f"the class {x.__name__}"
    if callable(x):
        return f"the function {name_of(x, '')}".rstrip()
    return f"an object of type {type(x).__name__}"


def describe_inputs(names: dict[str, Any]) -> str:
    """``a: a float64 array of shape (3, 7); b: ...``."""
    return "; ".join(f"`{name}` is {describe(value)}" for name, value in names.items())


_ADVICE: tuple[tuple[type[BaseException], str, str], ...] = (
    (UnboundLocalError, "", "A variable is used before your function gives it a value."),
    (
        NameError,
        "",
        "The name is not known here: is it spelt right, and was the cell that defines it run?",
    ),
    (
        ModuleNotFoundError,
        "",
        "The exercise needs only what the notebook already imports.",
    ),
    (
        ValueError,
        r"does not have enough dimensions \(has 0",
        "One side of `@` is a single number, or None from a function without `return`.",
    ),
    (
        ValueError,
        r"matmul|not aligned|core dimension",
        "`@` needs the last axis of the left side as long as the second-last axis of the right: "
        "is a transpose missing? (`.T` reverses *all* axes: with three or more, "
        "`.swapaxes(-1, -2)` turns the last two.)",
    ),
    (
        ValueError,
        r"could not be broadcast together with shapes \((\d+),(\d+)\) \(\2,\1\)",
        "One of the two is the transpose of what is meant: `np.outer(a, b)`, for example, has a "
        "row for each component of a.",
    ),
    (
        ValueError,
        r"could not be broadcast",
        "Shapes are compared from the last axis backwards, and each pair of sizes must be equal "
        "or 1: is an axis missing, as in `x[:, None]`?",
    ),
    (
        ValueError,
        r"truth value",
        "`if` needs one yes or no, and an array has many: use `np.where`, `.all()` or `.any()`.",
    ),
    (ValueError, r"cannot reshape", "The number of entries must stay the same."),
    (IndexError, "", "An index is outside of its axis: compare it with the shapes above."),
    (KeyError, "", "There is no such key."),
    (TypeError, r"NoneType", "Something here is None: a function without `return`?"),
    (TypeError, r"not callable", "Round brackets call a function; an array is indexed with `[ ]`."),
    (
        TypeError,
        r"only (length-1|0-dim|integer scalar)",
        "An array stands where one number is needed; `math` works on numbers, `np` on arrays.",
    ),
    (TypeError, r"positional argument|keyword argument", "Compare the call with the definition."),
    (AttributeError, "", "Check the spelling, and what kind of object stands before the dot."),
    (ZeroDivisionError, "", "Something is divided by zero."),
    (
        MemoryError,
        "",
        "An intermediate array is too large: is an axis added that is not needed?",
    ),
    (AssertionError, "", "An `assert` in your own code does not hold."),
)


def advice(error: BaseException) -> str:
    """What usually causes this exception, in one sentence; "" when nothing is known."""
    for kind, pattern, text in _ADVICE:
        if isinstance(error, kind) and re.search(pattern, text_of(error)):
            return text
    return ""


def parameter_words(function: Callable[..., Any], names: list[str]) -> str:
    """``cosine(a, b)``: a call with the learner's own names."""
    name = name_of(function, "your function")
    if name == "<lambda>":
        name = "your function"
    return f"{name}({', '.join(names)})"
