"""Noise of an episode is driven by a plugin, and only where there is to be some."""

from __future__ import annotations

from typing import ClassVar

from sregym_core.interfaces import EpisodeNoise, Noise, NoiseContext, NoiseRequest, Session
from sregym_core.model import Outcome

from sregym_core import hookimpl

from .conftest import Theatre


class Tick(Noise):
    """Every ten seconds."""

    name: ClassVar[str] = "tick"

    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        return elapsed_s + 10.0

    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        return f"level {context.level}, sparing {', '.join(context.excluded_components)}"

    def settle(self, context: NoiseContext) -> None:
        pass


class Watcher:
    """Is asked for noise first, and leaves it to others."""

    def __init__(self) -> None:
        self.asked: list[NoiseRequest] = []

    @hookimpl(tryfirst=True)
    def sregym_drive_noise(self, request: NoiseRequest) -> EpisodeNoise | None:
        self.asked.append(request)
        return None


def give_up(session: Session) -> None:
    session.submit("nothing is wrong")


def noisy(theatre: Theatre, *noise: str) -> None:
    theatre.components["noise_sources"] = [Tick]
    theatre.problem = theatre.problem.model_copy(update={"noise": noise})


def test_sregym_drive_noise_is_asked_for_noisy_episodes_alone(theatre: Theatre) -> None:
    watcher = Watcher()
    theatre.observers = [watcher]
    noisy(theatre, "tick=0")
    assert theatre.play(give_up).noise == {}
    assert watcher.asked == []
    noisy(theatre, "tick=2")
    record = theatre.play(give_up)
    assert record.noise == {"tick": 2}
    made = [entry.fields for entry in record.timeline if entry.event == "NoiseMade"]
    assert made[0] == {"noise": "tick", "what": "level 2, sparing cart", "subjects": ()}
    [request] = watcher.asked
    assert (request.doses, request.level, request.names) == ({"tick": 2}, 0, ["tick"])


def test_noise_that_nothing_drives(theatre: Theatre) -> None:
    theatre.noise_drivers.clear()
    noisy(theatre, "tick")
    record = theatre.play(give_up)
    assert record.outcome is Outcome.ERROR
    assert record.reason == (
        f"problem {theatre.problem.id!r} is to be noisy, and no plugin that is installed drives "
        "noise: pip install sregym-injectors"
    )
