"""Whose fault an exception is: the component, its distribution with version, and the line.

What a plugin's code raises, anywhere in the life of an episode, is reported as that plugin's.
"""

from __future__ import annotations

import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType, TracebackType

T = TypeVar("T")
_CORE = "sregym_core"
# With which users and jobs end a process.
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Files of the standard library and of the import system belong to nobody.
_NOBODYS = frozenset({"importlib", "importlib_metadata", "importlib_resources", "pluggy"})


def format_error(error: BaseException) -> str:
    """An exception with its class, as messages have it."""
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException as worse:
        if must_propagate(worse):
            raise
        return f"{name} (its message raises {type(worse).__name__})"
    return f"{name}: {text}" if text else name


def plugin_location(error: BaseException, package: str = "") -> str:
    """`FILE:LINE` of the plugin's code from which an exception came; empty when there is none.

    Args:
        error: As it was caught.
        package: Name of the plugin's package; when empty, of the first
            code that is neither the core's nor Python's own.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{_short(error.filename)}:{error.lineno}"
    package = package or _first_package(error)
    found = ""
    for frame, line in frames(error.__traceback__):
        if package and _package(frame) == package:
            found = f"{_short(frame.f_code.co_filename)}:{line}"
    return found


def definition_location(thing: object) -> str:
    """`FILE:LINE` where a function or class is defined; empty where that is not known."""
    code: CodeType | None = getattr(thing, "__code__", None)
    if code is not None:
        return f"{_short(code.co_filename)}:{code.co_firstlineno}"
    if not isinstance(thing, type):
        return ""
    import inspect

    try:
        file, (_, line) = inspect.getfile(thing), inspect.getsourcelines(thing)
    except (OSError, TypeError):
        return ""
    return f"{_short(file)}:{line}"


def at(thing: object) -> str:
    """` (FILE:LINE)` where a function or class is defined; empty where that is not known."""
    where = definition_location(thing)
    return f" ({where})" if where else ""


def format_with_location(error: BaseException) -> str:
    """An exception, then ` (FILE:LINE)` of the plugin's code where there is some."""
    where = plugin_location(error)
    return f"{format_error(error)} ({where})" if where else format_error(error)


def past_caller(error: BaseException) -> BaseException:
    """The same, with a traceback that begins below the package that caught it: it called a plugin."""
    trace = error.__traceback__
    caller = "" if trace is None else _package(trace.tb_frame)
    while trace is not None and _package(trace.tb_frame) == caller:
        trace = trace.tb_next
    return error if trace is None else error.with_traceback(trace)


def check_returned(component: Any, method: str, answer: Any, due: type[T]) -> T:
    """What a component gave, if it is what is due.

    Raises:
        TypeError: It is of another type; names method and place.
    """
    if isinstance(answer, due):
        return answer
    function = getattr(type(component), method, None)
    msg = f"{component.name!r} gave {answer!r:.80} from {method}, where a {due.__name__} is due{at(function)}"
    raise TypeError(msg)


def must_propagate(error: BaseException) -> bool:
    """Whether an exception must pass: the user wants this process to end, or time is over.

    Whatever else a plugin's code raises, `SystemExit` included, is that plugin's.
    """
    if isinstance(error, GeneratorExit) or getattr(error, "passes", False):
        return True
    if not isinstance(error, KeyboardInterrupt):
        return False
    handlers = [signal.getsignal(number) for number in _ENDING]
    if handlers[0] is signal.default_int_handler:
        return True
    last = None
    for frame, _ in frames(error.__traceback__):
        last = frame
    return last is None or last.f_code in {_code(handler) for handler in handlers}


def _code(handler: object) -> CodeType | None:
    """What a handler of a signal runs: a function's, a method's, or that of an object's call."""
    for function in (handler, vars(type(handler)).get("__call__")):
        code = getattr(function, "__code__", None)
        if code is not None:
            found: CodeType = code
            return found
    return None


def _first_package(error: BaseException) -> str:
    packages = (_package(frame) for frame, _ in frames(error.__traceback__))
    return next((top for top in packages if _somebodys(top)), "")


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Frames and lines of a traceback, outermost first."""
    return traceback.walk_tb(trace)


def _somebodys(top: str) -> bool:
    return bool(top) and top not in {_CORE, *_NOBODYS} and top not in sys.stdlib_module_names


def _short(file: str) -> str:
    """A path without the folder from which it is imported."""
    homes = sorted((f"{home}/" for home in sys.path if home), key=len, reverse=True)
    return next((file[len(home) :] for home in homes if file.startswith(home)), file)
