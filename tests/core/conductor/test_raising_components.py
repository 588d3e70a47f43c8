"""Whatever a component of a plugin raises, anywhere, is told as that component's, with its line.

The methods are those of the public base classes, found by looking: a new one is covered here
without an edit.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import signal
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from sregym_core.api.playing import FunctionAgent
from sregym_core.cli import Subcommand, entry
from sregym_core.conductor import EpisodePlan, EpisodePlayer
from sregym_core.errors import ExitCode
from sregym_core.events import EpisodeFinished
from sregym_core.interfaces import AgentDescription, Noise, NoiseContext, Reporter, Session
from sregym_core.model import EpisodeRecord, Outcome
from sregym_core.registry import base_of
from sregym_runs.reporters import ReporterSet
from sregym_testing import MemoryProvider

from sregym_core import hookimpl

from .conftest import Eyes, LiveShop, Theatre, WrongCurrency, repair


class Hum(Noise):
    """A noise that nobody hears, once."""

    name: ClassVar[str] = "hum"
    _heard = False

    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return None if self._heard else 0.0

    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        self._heard = True
        return "hummed"

    def settle(self, context: NoiseContext) -> None:
        pass


class SilentError(Exception):
    """Cannot even be told."""

    def __str__(self) -> str:
        raise ValueError("no words")


class OwnError(BaseException):
    """Is no `Exception`."""


def _recurse() -> None:
    _recurse()


def _raise(make: Callable[[], BaseException]) -> Callable[[], None]:
    def throw() -> None:
        raise make()  # a new one each time: it remembers where it was raised

    return throw


# What is raised, and how it is told.
ODD: dict[str, tuple[Callable[[], None], str]] = {
    "RuntimeError": (_raise(lambda: RuntimeError("odd")), "RuntimeError: odd"),
    "SystemExit": (_raise(lambda: SystemExit(7)), "SystemExit: 7"),
    "KeyboardInterrupt": (_raise(KeyboardInterrupt), "KeyboardInterrupt"),
    "no Exception": (_raise(lambda: OwnError("own")), "OwnError: own"),
    "no words": (_raise(SilentError), "SilentError (its message raises ValueError)"),
    "recursion": (_recurse, "RecursionError: maximum recursion depth exceeded"),
}
# A good component of each kind that an episode in memory has, by the hook that registers it.
GOOD: dict[str, tuple[str, type[Any]]] = {
    "application": ("applications", LiveShop),
    "fault": ("injectors", WrongCurrency),
    "oracle": ("oracles", Eyes),
    "noise source": ("noise_sources", Hum),
    "cluster": ("clusters", MemoryProvider),
}


def methods_of(kind: str) -> Iterator[str]:
    """What a component of a kind may override."""
    for name, _ in inspect.getmembers(base_of(kind), inspect.isfunction):
        if not name.startswith("_"):
            yield name


def every_method() -> list[tuple[str, str]]:
    return [(kind, method) for kind in GOOD for method in methods_of(kind)]


def every_case() -> list[Any]:
    """Each method with what it may raise: some exception, and in turn one of the odder ones.

    What is done about an odder one is one mechanism for all methods, and each of them meets it at
    many; the others are for `tox -e thorough`.
    """
    ordinary, *odder = ODD
    return [
        pytest.param(
            *(kind, method, odd),
            marks=[] if odd in (ordinary, odder[number % len(odder)]) else pytest.mark.thorough,
        )
        for number, (kind, method) in enumerate(every_method())
        for odd in ODD
    ]


def raising(kind: str, method: str, throw: Callable[[], None], called: list[str]) -> type[Any]:
    """The good component of a kind with a method that raises."""
    good = GOOD[kind][1]

    @functools.wraps(getattr(good, method))
    def replaced(self: Any, *arguments: Any, **named: Any) -> Any:
        called.append(method)
        throw()

    return type(f"Odd{good.__name__}", (good,), {method: replaced, "__module__": __name__})


def play(theatre: Theatre, kind: str, component: type[Any]) -> EpisodeRecord:
    hook, good = GOOD[kind]
    theatre.components["noise_sources"] = [Hum]
    theatre.components[hook] = [
        component if one is good else one for one in theatre.components[hook]
    ]
    theatre.problem = theatre.problem.model_copy(update={"noise": ("hum",)})
    return theatre.play(repair)


@pytest.fixture(autouse=True)
def as_on_the_command_line() -> Iterator[None]:
    """There, Ctrl-C has a handler of its own: what plugins raise can be told from it."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("kind", "method", "odd"), every_case())
def test_what_a_method_raises_is_told_in_the_record(
    theatre: Theatre, kind: str, method: str, odd: str
) -> None:
    throw, told = ODD[odd]
    called: list[str] = []
    component = raising(kind, method, throw, called)
    record = play(theatre, kind, component)
    if not called:  # episodes do not need it: commands do
        assert record.outcome is Outcome.PASS
        return
    text = json.dumps(record.model_dump(mode="json"))
    assert told in text
    assert f"{kind} {component.name!r}" in text, text[text.find(told) - 20 :][:300]
    assert "test_raising_components.py:" in text
    assert record.outcome is not Outcome.PASS or "recovery failed" in text


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        *(("application", name) for name in ("components", "manifests", "deploy", "ready", "traffic")),
        *(("fault", name) for name in ("fits", "inject", "present", "recover", "ground_truth")),
        *(("noise source", name) for name in ("next_at", "disturb", "settle")),
        *(("oracle", "judge"), ("cluster", "provision")),
    ],
)  # fmt: skip
def test_episodes_call_it(theatre: Theatre, kind: str, method: str) -> None:
    """Were it not called, the test above would say nothing of it."""
    called: list[str] = []
    play(theatre, kind, raising(kind, method, ODD["RuntimeError"][0], called))
    assert called


@pytest.mark.parametrize("odd", ODD)
def test_what_a_function_that_acts_raises_is_told_as_its_own(theatre: Theatre, odd: str) -> None:
    throw, told = ODD[odd]

    def my_agent(session: Session) -> None:
        throw()

    factory = theatre.factory()
    adapter = FunctionAgent(my_agent)
    plan = EpisodePlan("e0001", theatre.problem, AgentDescription.of(adapter))
    player = EpisodePlayer(factory, factory.worlds("memory", {}, "salt"), plan)
    record = player.play(adapter)
    name = "test_what_a_function_that_acts_raises_is_told_as_its_own.<locals>.my_agent"
    start, _, place = record.stopped.partition(f" (function {name!r}, ")
    assert start == f"the agent raised {told}"
    assert re.fullmatch(r".*test_raising_components\.py:\d+\)", place)


@pytest.mark.parametrize("odd", ODD)
def test_what_an_observer_raises_is_a_warning(theatre: Theatre, odd: str) -> None:
    throw, told = ODD[odd]

    class Watcher:
        @hookimpl
        def sregym_episode_event(self, event: object) -> None:
            if isinstance(event, EpisodeFinished):
                throw()

    theatre.observers = [Watcher()]
    record = theatre.play(repair)
    assert record.outcome is Outcome.PASS
    (warning,) = record.warnings
    assert warning.startswith(f"observer 'observer-0' of local 0 raised {told} (")
    assert "test_raising_components.py:" in warning


@pytest.mark.parametrize("method", sorted(dict(inspect.getmembers(Reporter, inspect.isfunction))))
@pytest.mark.parametrize("odd", ODD)
def test_what_a_reporter_raises_is_a_warning(method: str, odd: str) -> None:
    throw, told = ODD[odd]
    torn = type(
        "Torn", (Reporter,), {"name": "torn", method: lambda *_: throw(), "__module__": __name__}
    )
    torn.__abstractmethods__ = frozenset()
    if method.startswith("_"):
        pytest.skip("reporters are not called by it")
    audience = ReporterSet([torn()])
    audience.tell(method, *["argument"] * 2)
    (warning,) = audience.warnings
    assert warning.startswith(f"reporter 'torn' raised {told} (")


@pytest.mark.parametrize("odd", ODD)
def test_what_a_command_raises_is_told_as_its_own(
    odd: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    throw, told = ODD[odd]

    class Loud(Subcommand):
        name = "loud"
        summary = "raises"

        def run(self, arguments: Namespace) -> ExitCode:
            throw()
            return ExitCode.DONE

    monkeypatch.setattr(
        entry, "_command", lambda name, settings, console, _: Loud(settings, console)
    )
    assert entry.run(["loud"]) == ExitCode.PLUGIN
    out = capsys.readouterr()
    assert re.fullmatch(
        re.escape(f"sregym: {told} (command 'loud', ") + r"\S+test_raising_components\.py:\d+\)\n"
        r"\(add --traceback to see where\)\n",
        out.err,
    )
    assert out.out == ""


def test_a_command_that_gives_no_exit_code_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Mute(Subcommand):
        name = "mute"
        summary = "gives nothing"

        def run(self, arguments: Namespace) -> ExitCode:
            return None  # type: ignore[return-value]  # what it is about

    monkeypatch.setattr(
        entry, "_command", lambda name, settings, console, _: Mute(settings, console)
    )
    entry.run(["mute"])
    assert "TypeError: 'mute' gave None from run, where a int is due (" in capsys.readouterr().err
