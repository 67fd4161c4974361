"""Turns the generators of operations into methods of the two clients, with their signatures."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Concatenate, Coroutine, ParamSpec, TypeVar

from ._requests import Flow

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")


def blocking(operation: Callable[Concatenate[Any, P], Flow[T]]) -> Callable[Concatenate[Any, P], T]:
    """A method that runs the operation on `self._target`."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = self._driver.run(operation(self._target, *args, **kwargs))
        return result

    return _documented(method, operation)


def awaiting(
    operation: Callable[Concatenate[Any, P], Flow[T]],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """The same with `await`."""

    async def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = await self._driver.run(operation(self._target, *args, **kwargs))
        return result

    return _documented(method, operation)


def blocking_handle(
    operation: Callable[Concatenate[Any, P], Flow[T]], handle: Callable[[Any, T], R]
) -> Callable[Concatenate[Any, P], R]:
    """A method whose result is a handle of what the operation has made."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return handle(self, self._driver.run(operation(self._target, *args, **kwargs)))

    return _documented(method, operation)


def awaiting_handle(
    operation: Callable[Concatenate[Any, P], Flow[T]], handle: Callable[[Any, T], R]
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """The same with `await`."""

    async def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return handle(self, await self._driver.run(operation(self._target, *args, **kwargs)))

    return _documented(method, operation)


def targeted(function: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """A method that calls a function with `self._target`."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(self._target, *args, **kwargs)

    return _documented(method, function)


M = TypeVar("M", bound=Callable[..., Any])


def _documented(method: M, operation: Callable[..., Any]) -> M:
    """The name, help and parameters of the operation for `help()` and editors."""
    functools.update_wrapper(method, operation)
    first, *others = inspect.signature(operation).parameters.values()
    parameters = [first.replace(name="self", annotation=inspect.Parameter.empty), *others]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return method
