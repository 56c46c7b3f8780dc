"""What ``explore`` is given, checked, and how values are written."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np


def label(value: Any) -> str:
    """A value as text."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.12g}"
    return str(value)


def is_texts(values: list[Any]) -> bool:
    """Whether the choices are texts, which have no order: they get buttons in place of a slider."""
    return all(isinstance(value, str) for value in values)


def state(values: Mapping[str, Any]) -> str:
    """The values as one text: d = 64, N = 3."""
    return ", ".join(f"{name} = {label(value)}" for name, value in values.items())


def check_choices(choices: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    """One or two parameters, each with its distinct plain values."""
    if not 1 <= len(choices) <= 2:
        given = ", ".join(choices) if choices else "none"
        raise ValueError(
            f"explore: one or two parameters are needed, given: {given}; "
            "write for example explore(draw, alt=..., d=[64, 256, 1024])."
        )
    checked = {}
    for name, values in choices.items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise TypeError(
                f"explore: the choices of {name} are {values!r}; give a list or a range of values."
            )
        listed = [v.item() if isinstance(v, np.generic) else v for v in values]
        if not listed:
            raise ValueError(f"explore: {name} has no choices; give at least one value.")
        for value in listed:
            if not isinstance(value, (bool, int, float, str)):
                raise TypeError(
                    f"explore: a choice of {name} is a {type(value).__name__}; give numbers or "
                    "texts and look other things up in the function."
                )
        labels = [label(value) for value in listed]
        if len(set(labels)) < len(labels) or len(set(listed)) < len(listed):
            twice = next((x for x in labels if labels.count(x) > 1), labels[0])
            raise ValueError(f"explore: {name} has a choice twice ({twice}); give each value once.")
        checked[name] = listed
    return checked


def check_start(start: Any, choices: Mapping[str, list[Any]]) -> dict[str, Any]:
    """The value of each parameter that is shown first."""
    first = {name: values[0] for name, values in choices.items()}
    if start is None:
        return first
    if not isinstance(start, Mapping):
        if len(choices) > 1:
            example = ", ".join(f"{name!r}: {values[0]!r}" for name, values in choices.items())
            raise ValueError(
                f"explore: start = {start!r} does not say which parameter it belongs to; "
                f"give a dict, for example start={{{example}}}."
            )
        start = {next(iter(choices)): start}
    for name, value in start.items():
        if name not in choices:
            raise ValueError(
                f"explore: start names {name!r}, which is no parameter; "
                f"parameters: {', '.join(choices)}."
            )
        if value not in choices[name]:
            raise ValueError(
                f"explore: start {name} = {value!r} is not among its choices; "
                f"take one of {', '.join(map(label, choices[name]))}."
            )
        first[name] = choices[name][choices[name].index(value)]
    return first


def check_call(func: Callable[..., Any], names: list[str]) -> None:
    """The function takes these parameters."""
    if not callable(func):
        raise TypeError(
            f"explore: {func!r} cannot be called; give the function itself, without parentheses."
        )
    try:
        signature = inspect.signature(func)
    except (TypeError, ValueError):  # some compiled callables have none
        return
    try:
        signature.bind(**dict.fromkeys(names))
    except TypeError as error:
        label = getattr(func, "__name__", type(func).__name__)
        raise TypeError(
            f"explore: {label}{signature} cannot be called with {', '.join(names)} ({error}); "
            "name the choices as the function's parameters, and give its others defaults."
        ) from None
