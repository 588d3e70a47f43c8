"""Contract tests for every command for containers."""

from __future__ import annotations

from typing import ClassVar

import pytest

from sregym_cluster_embedded.sdk.testing.containers import ContainerTestbed

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
    def testbed(self) -> ContainerTestbed:
        """A container `box` whose image has the command."""
        testbed = ContainerTestbed.of(_MODEL.format(command=self.command))
        assert testbed.start("box", "contract:1", "3") is None
        testbed.run(1.0)
        return testbed

    def test_it_succeeds(self, testbed: ContainerTestbed) -> None:
        """Its example ends with 0 and says nothing on the error stream."""
        code, _, errors = testbed.exec("box", self.command, *self.example)
        assert (code, errors) == (0, "")

    @pytest.mark.parametrize("words", _ODD)
    def test_odd_words_are_no_defect(
        self, testbed: ContainerTestbed, words: tuple[str, ...]
    ) -> None:
        """Whatever people type, it ends, and what it writes are whole lines."""
        code, out, errors = testbed.exec("box", self.command, *words, stdin="odd\ninput")
        assert 0 <= code < _BY_A_SIGNAL, f"exit code {code}: it raised, or computed without end"
        assert [text for text in (out, errors) if text and not text.endswith("\n")] == []

    def test_an_unknown_option_is_refused(self, testbed: ContainerTestbed) -> None:
        """With a code that is not 0 and words on the error stream, nothing on the other."""
        code, out, errors = testbed.exec("box", self.command, "--no-such-option")
        assert (code > 0, out, errors != "") == (True, "", True)

    def test_the_same_question_has_the_same_answer(self, testbed: ContainerTestbed) -> None:
        """In copies of a world it says the same."""
        first, second = testbed.fork(), testbed.fork()
        words = (self.command, *self.example)
        assert first.exec("box", *words) == second.exec("box", *words)

    def test_it_works_in_pipes(self, testbed: ContainerTestbed) -> None:
        """A shell finds it, and gives what it writes to the next command."""
        _, out, _ = testbed.fork().exec("box", self.command, *self.example)
        counted = testbed.shell("box", f"{self.command} {' '.join(self.example)} | wc -l")
        assert counted == (0, f"{out.count(chr(10))}\n", "")
