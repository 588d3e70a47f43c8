"""What an adapter must hold to with its vendor's real program, where that is installed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from sregym_core.model import Tokens

from sregym_agents.testing.provider import Provider, provider
from sregym_agents.testing.script import (
    CACHED_TOKENS,
    COMPLETION_TOKENS,
    PROMPT_TOKENS,
    Turn,
    final_message,
    use,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sregym_agents.command_line import CommandLineAgent

_EPISODE = (
    use("kubectl", "I look at the version.", command="kubectl version"),
    use("submit", text="the cart"),
    use("submit", "It runs again.", text="repaired"),
    final_message("All is well."),
)


class ProgramContract:
    """Subclass it in the adapter's tests; the fixtures `new_session` and `folder` are the tests' own.

    Attributes:
        adapter: The class of the agent.
        path: Of the provider's API below its address.
        own_tools: The program's own tools that are harmless and cannot be turned off.
        hasty: Options with which it does not try again what was refused.
    """

    adapter: ClassVar[type[CommandLineAgent]]
    path: ClassVar[str] = ""
    own_tools: ClassVar[frozenset[str]] = frozenset()
    hasty: ClassVar[dict[str, str]] = {}

    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        """Skips where the program is not there."""
        vendor = self.adapter.vendor
        if shutil.which(vendor.program) is None:
            pytest.skip(
                f"{vendor.program} is not installed (npm install --global {vendor.package}); "
                "tox -e vendor-clis brings it"
            )

    def play(
        self, new_session: Callable[..., Any], *script: Turn, **options: str
    ) -> tuple[Any, Provider]:
        """An episode with this provider; gives the session and the provider."""
        session = new_session(wall_s=120.0)
        with provider(*script) as server:
            server.status = int(options.pop("status", "200"))
            where = {"model": "scripted", "base_url": f"{server.url}{self.path}"}
            self.adapter({**where, **options}).run(session)
        return session, server

    def test_it_plays_an_episode(self, new_session: Callable[..., Any], folder: Path) -> None:
        """Calls, words, tokens and files are all there."""
        session, server = self.play(new_session, *_EPISODE)
        assert session.submissions == ["the cart", "repaired"]
        noted = [(call.tool, call.own, call.ok, call.said) for call in session.transcript]
        assert noted == [
            ("kubectl", False, True, "I look at the version."),
            ("submit", False, True, ""),
            ("submit", False, True, "It runs again."),
        ]
        assert session.last_words == "All is well."
        requests = len(server.asked) + len(server.aside)
        assert session.tokens == Tokens(
            prompt=PROMPT_TOKENS * requests,
            completion=COMPLETION_TOKENS * requests,
            cached=CACHED_TOKENS * requests,
        )
        assert (session.agent_version != "", session.model) == (True, "scripted")
        assert (folder / "agent.jsonl").stat().st_size > 0

    def test_it_is_offered_the_tools_of_the_session_alone(
        self, new_session: Callable[..., Any]
    ) -> None:
        """Neither files nor a shell nor the web."""
        session, server = self.play(new_session, final_message("I am done."))
        [offered] = server.offered
        mine = {name: Turn(tool=name).named(offered) for name in (t.name for t in session.tools)}
        assert set(mine.values()) <= set(offered)
        assert set(offered) - set(mine.values()) <= self.own_tools

    def test_its_final_message_can_be_handed_in(self, new_session: Callable[..., Any]) -> None:
        """For each stage that it left open."""
        script = (use("submit", text="the cart"), final_message("I restarted it."))
        session, _ = self.play(new_session, *script, submit_final_message="true")
        assert session.submissions == ["the cart", "I restarted it."]

    def test_a_refusal_of_the_provider_is_told(
        self, new_session: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As the program reports it."""
        monkeypatch.setenv("CLAUDE_CODE_MAX_RETRIES", "0")
        with pytest.raises(RuntimeError) as refused:
            self.play(new_session, status="401", **self.hasty)
        assert f"{self.adapter.vendor.program} ended with exit code" in str(refused.value)
        assert "not today" in str(refused.value)
