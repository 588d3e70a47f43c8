"""The people who change a system: as whom the log of requests shows a change that no pipeline made."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from sregym_core.interfaces.actor import KUBECTL_AGENT, Actor

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster

AUTHENTICATED = "system:authenticated"


class Person(NamedTuple):
    """A person with an account at the company's identity provider.

    Attributes:
        user: Name of the user.
        groups: Groups as the provider reports them.
        agent: Header `User-Agent` of the kubectl on their machine.
    """

    user: str
    groups: tuple[str, ...]
    agent: str


_MAC = "kubectl/v1.33.4 (darwin/arm64) kubernetes/74cdb42"
_OLD_MAC = "kubectl/v1.32.8 (darwin/amd64) kubernetes/2e83bc4"
_LINUX = KUBECTL_AGENT
_WINDOWS = "kubectl/v1.34.0 (windows/amd64) kubernetes/f28b4c9"

PEOPLE = (
    Person("a.okafor@example.com", ("platform", "engineering"), _MAC),
    Person("b.lindqvist@example.com", ("platform", "engineering"), _LINUX),
    Person("c.moreau@example.com", ("payments", "engineering"), _OLD_MAC),
    Person("d.petrov@example.com", ("search", "engineering"), _MAC),
    Person("e.santos@example.com", ("platform", "engineering"), _LINUX),
    Person("f.haddad@example.com", ("data", "engineering"), _WINDOWS),
    Person("j.mendez@example.com", ("web", "engineering"), _MAC),
    Person("k.nowak@example.com", ("growth", "engineering"), _LINUX),
    Person("m.keller@example.com", ("payments", "engineering"), _OLD_MAC),
    Person("p.rao@example.com", ("core", "engineering"), _WINDOWS),
    Person("s.tanaka@example.com", ("search", "engineering"), _MAC),
    Person("t.obrien@example.com", ("web", "engineering"), _LINUX),
)


def choose_person(chance: Random) -> Person:
    """One of those who may change everything."""
    return chance.choice(PEOPLE)


def as_person(person: Person, actor: Actor) -> Actor:
    """The same tool in this person's hands; pipelines have no hands."""
    if actor.user or not actor.user_agent.startswith("kubectl/"):
        return actor
    return replace(
        actor,
        user=person.user,
        user_agent=person.agent,
        groups=(*person.groups, AUTHENTICATED),
    )


def as_chosen_person(cluster: Cluster, actor: Actor, about: object) -> Actor:
    """A tool in the hands of the person who makes a change with it.

    Args:
        cluster: Where; its clock decides who that is.
        actor: The tool.
        about: What is changed.
    """
    moment = Random(f"who changes {about} at {cluster.clock.now():.3f}")  # noqa: S311 - a game, no secret
    return as_person(choose_person(moment), actor)
