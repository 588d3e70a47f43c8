"""The contracts of servers and commands accept good ones, and find each kind of bad one."""

from __future__ import annotations

import itertools
from typing import Any, Literal

import pytest
from sregym_apps.model import Line, StoreProgram, Text
from sregym_apps.simulation import Command, Extension, Installed, ServerKind
from sregym_cluster_embedded.sdk.commands import Output
from sregym_cluster_embedded.sdk.servers import StoreKind, storage, write_log
from sregym_cluster_embedded.sdk.testing import (
    ContainerCommandContract,
    ContainerTestbed,
    ServerContract,
)
from sregym_core.plugins import Found, PluginStatus

OWNER = PluginStatus("acme", "sregym-acme", "1.0", "ok")


def known(**parts: Any) -> Installed:
    return Installed([Found(OWNER, Extension(name="acme", **parts))])


# Servers.


class JarProgram(StoreProgram):
    kind: Literal["jar"]
    port: Text = "7000"


class Jar(StoreKind):
    """Keeps lines under the identity of its volume."""

    def talk(self, world: Any, process: Any, program: Any, text: str) -> str:
        table = world.table("userland.jar")
        kept = storage(world, process, "/data")
        for line in text.split("\n"):
            if line.startswith("put "):
                table[kept] = (*table.get(kept, ()), line[4:])
        return f"{len(table.get(kept, ()))}\n"


class NeverOpens(Jar):
    def event(self, *_: Any) -> None:
        pass


class Raises(Jar):
    def talk(self, world: Any, process: Any, program: Any, text: str) -> str:
        return super().talk(world, process, program, text) if text[:4] == "put " else text[0]


class EditsInPlace(Jar):
    def talk(self, world: Any, process: Any, program: Any, text: str) -> str:
        kept = world.table("userland.jar").setdefault(storage(world, process, "/data"), [])
        kept.extend(line for line in text.split("\n") if line.startswith("put "))
        return f"{len(kept)}\n"


class Forgets(Jar):
    def begin(self, world: Any, process: Any, program: Any) -> None:
        world.table("userland.jar").pop(storage(world, process, "/data"), None)
        super().begin(world, process, program)


class SharesVolumes(Jar):
    def talk(self, world: Any, process: Any, program: Any, text: str) -> str:
        if text.startswith("put "):
            world.table("userland.jar")["all"] = ("put",)
        return f"{len(world.table('userland.jar').get('all', ()))}\n"


class Counts(Jar):
    """Its log depends on what was before in this Python process."""

    serial = itertools.count()

    def ready_lines(self, process: Any, program: Any) -> tuple[Line, ...]:
        return (Line(text=f"start {next(self.serial)}"),)


class Ends(Jar):
    def talk(self, world: Any, process: Any, program: Any, text: str) -> str:
        if text.startswith("GET"):
            from sregym_cluster_embedded.sdk.servers import end

            write_log(world, process.ref, program, (Line(text="bad request"),))
            end(world, process.ref, 1)
        return super().talk(world, process, program, text)


class TakesForEver(Jar):
    def goodbye(self, *_: Any) -> float | None:
        return 3600.0


MODEL = """
application: jar
images:
  - repository: jar
    tags: ["1"]
    size_mib: 1
    binaries: {/jar: jar}
    entrypoint: [/jar]
programs:
  jar: {kind: jar}
"""


class OfJars(ServerContract):
    kind, image, stores, asks = "jar", "jar:1", "put a\n", "\n"

    def __init__(self, behaviour: type[Jar]) -> None:
        self.described_kind = ServerKind(
            name="jar",
            program=JarProgram,
            behaviour=behaviour,
            durable={"jar": repr},
        )
        self._known = known(server_kinds=(self.described_kind,))

    def made(self) -> ContainerTestbed:
        testbed = ContainerTestbed.of(MODEL, known=self._known)
        self._start(testbed, 0)
        return testbed


def check_server(behaviour: type[Jar], name: str) -> None:
    contract = OfJars(behaviour)
    given: dict[str, Any] = {"testbed": contract.made()}
    if name in (
        "test_what_it_keeps_survives_its_container",
        "test_what_it_keeps_ends_with_its_volume",
    ):
        given["described"] = contract.described_kind
    if name == "test_stray_texts_do_it_no_harm":
        for text in ("", "GET / HTTP/1.1\r\n\r\n"):
            getattr(contract, name)(contract.made(), text)
        return
    getattr(contract, name)(**given)


def checks_of(contract: type) -> list[str]:
    return [name for name in vars(contract) if name.startswith("test_")]


@pytest.mark.parametrize("name", checks_of(ServerContract))
def test_a_good_server_is_accepted(name: str) -> None:
    check_server(Jar, name)


@pytest.mark.parametrize(
    ("behaviour", "name"),
    [
        (NeverOpens, "test_it_serves"),
        (Raises, "test_stray_texts_do_it_no_harm"),
        (Ends, "test_stray_texts_do_it_no_harm"),
        (EditsInPlace, "test_copies_of_a_world_share_nothing"),
        (Counts, "test_the_same_seed_gives_the_same_bytes"),
        (Forgets, "test_what_it_keeps_survives_its_container"),
        (SharesVolumes, "test_what_it_keeps_ends_with_its_volume"),
        (TakesForEver, "test_it_ends_when_it_is_asked_to"),
    ],
)
def test_a_bad_server_is_found(behaviour: type[Jar], name: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        check_server(behaviour, name)


# Commands.


def good(session: Any, words: list[str], stdin: str) -> Output:
    odd = [word for word in words[1:] if word.startswith("--")]
    return Output(2, "", "usage: greet\n") if odd else Output(0, "hello\n")


def raising(session: Any, words: list[str], stdin: str) -> Output:
    return (
        good(session, words, stdin) if words[1:] == ["--no-such-option"] else Output(int(words[1]))
    )


def unfinished(session: Any, words: list[str], stdin: str) -> Output:
    return Output(0, "hello")


def tolerant(session: Any, words: list[str], stdin: str) -> Output:
    return Output(0, "hello\n")


def complaining(session: Any, words: list[str], stdin: str) -> Output:
    return Output(0, "hello\n", "deprecated\n")


def counting(session: Any, words: list[str], stdin: str, serial: Any = itertools.count()) -> Output:  # noqa: B008 - the mistake
    return Output(0, f"{next(serial)}\n")


COMMAND_MODEL = """
application: box
images:
  - {repository: contract, tags: ["1"], size_mib: 1, cmd: [sleep, infinity], tools: [busybox, greet]}
"""


def check_command(target: Any, name: str) -> None:
    class OfGreet(ContainerCommandContract):
        command = "greet"

    testbed = ContainerTestbed.of(COMMAND_MODEL, known=known(commands=(Command("greet", target),)))
    testbed.start("box", "contract:1", "3")
    testbed.run(1)
    odd = ((("x" * 50,)),) if name == "test_odd_words_are_no_defect" else ()
    getattr(OfGreet(), name)(testbed, *odd)


@pytest.mark.parametrize("name", checks_of(ContainerCommandContract))
def test_a_good_command_is_accepted(name: str) -> None:
    check_command(good, name)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (raising, "test_odd_words_are_no_defect"),
        (unfinished, "test_odd_words_are_no_defect"),
        (tolerant, "test_an_unknown_option_is_refused"),
        (complaining, "test_it_succeeds"),
        (counting, "test_the_same_question_has_the_same_answer"),
    ],
)
def test_a_bad_command_is_found(target: Any, name: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check_command(target, name)
