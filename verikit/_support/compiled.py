"""Plain loops, compiled where numba is installed and the input is large: one code only."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import types
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")


def compiled(large: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Compile a function of arrays and numbers for large inputs; small ones run it as it is.

    Parameters
    ----------
    large
        The size from which compiling pays: the number of cells of the largest array given.

    Returns
    -------
    Callable
        A decorator. The function may call others of its module, which are best left as they are:
        a decorated one asks anew at each call whether to compile.

    Examples
    --------
    >>> @compiled(large=1000)
    ... def total(values):
    ...     found = 0.0
    ...     for value in values:
    ...         found += float(value)
    ...     return found
    >>> total(np.ones(10)), total(np.ones(2000))
    (10.0, 2000.0)
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            size = max((part.size for part in args if isinstance(part, np.ndarray)), default=0)
            if size < large or not has_numba():
                return function(*args, **kwargs)
            return _machine_code(function)(*args, **kwargs)

        return call

    return decorate


@functools.cache
def has_numba() -> bool:
    """Whether numba is installed (``pip install verikit[fast]``)."""
    return importlib.util.find_spec("numba") is not None


@functools.cache
def _machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled function, kept on disk for the next session where that is allowed."""
    import numba

    helpers = {
        name: _machine_code(inspect.unwrap(part))
        for name, part in function.__globals__.items()
        if name in function.__code__.co_names and _is_helper(part, function)
    }
    linked = types.FunctionType(
        function.__code__,
        {**function.__globals__, **helpers},
        function.__name__,
        function.__defaults__,
    )
    linked.__module__, linked.__qualname__ = function.__module__, function.__qualname__
    try:
        return numba.njit(cache=True)(linked)
    except RuntimeError:  # no folder to keep it in, such as in a notebook cell
        return numba.njit(linked)


def _is_helper(part: object, function: Callable[..., Any]) -> bool:
    if not isinstance(part, types.FunctionType):
        return False
    return part.__code__ is _CALL_CODE or part.__module__ == function.__module__


_CALL_CODE = compiled(0)(lambda: None).__code__
