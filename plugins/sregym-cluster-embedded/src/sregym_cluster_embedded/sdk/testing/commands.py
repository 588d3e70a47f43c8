"""What every command for containers must hold to."""

from __future__ import annotations

from typing import ClassVar

import pytest

from sregym_cluster_embedded.sdk.testing.bench import ContainerBench

_MODEL = """
application: contract
images:
  - repository: contract
    tags: ["1"]
    size_mib: 1
    cmd: [sleep, infinity]
    tools: [busybox, {command}]
"""
_ODD = ((), ("--no-such-option",), ("-",), ("",), ("'", '"', "\\"), ("x" * 5000,), ("-" * 50,))
# A command whose code raises is ended by a signal, as the real one would be.
_BY_A_SIGNAL = 128


class ContainerCommandContract:
    """Set `command`.

    Attributes:
        command: Its name.
        example: Words behind the name with which it succeeds.
    """

    command: ClassVar[str]
    example: ClassVar[tuple[str, ...]] = ()

    @pytest.fixture
    def bench(self) -> ContainerBench:
        """A container `box` whose image has the command."""
        bench = ContainerBench.of(_MODEL.format(command=self.command))
        assert bench.start("box", "contract:1", "3") is None
        bench.run(1.0)
        return bench

    def test_it_succeeds(self, bench: ContainerBench) -> None:
        """Its example ends with 0 and says nothing on the error stream."""
        code, _, errors = bench.exec("box", self.command, *self.example)
        assert (code, errors) == (0, "")

    @pytest.mark.parametrize("words", _ODD)
    def test_odd_words_are_no_defect(self, bench: ContainerBench, words: tuple[str, ...]) -> None:
        """Whatever people type, it ends, and what it writes are whole lines."""
        code, out, errors = bench.exec("box", self.command, *words, stdin="odd\ninput")
        assert 0 <= code < _BY_A_SIGNAL, f"exit code {code}: it raised, or computed without end"
        assert [text for text in (out, errors) if text and not text.endswith("\n")] == []

    def test_an_unknown_option_is_refused(self, bench: ContainerBench) -> None:
        """With a code that is not 0 and words on the error stream, nothing on the other."""
        code, out, errors = bench.exec("box", self.command, "--no-such-option")
        assert (code > 0, out, errors != "") == (True, "", True)

    def test_the_same_question_has_the_same_answer(self, bench: ContainerBench) -> None:
        """In copies of a world it says the same."""
        first, second = bench.fork(), bench.fork()
        words = (self.command, *self.example)
        assert first.exec("box", *words) == second.exec("box", *words)

    def test_it_works_in_pipes(self, bench: ContainerBench) -> None:
        """A shell finds it, and gives what it writes to the next command."""
        _, out, _ = bench.fork().exec("box", self.command, *self.example)
        counted = bench.shell("box", f"{self.command} {' '.join(self.example)} | wc -l")
        assert counted == (0, f"{out.count(chr(10))}\n", "")
