"""The agent `stratus`: detection, diagnosis, mitigation and undo as a state machine.

After a repair the system is looked at. What made it better is kept; what did not is put back, the last
change first, and tried again with what was learned. So an attempt never leaves the system worse than
it found it, as far as its configuration goes.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from sregym_agents.language_model import LanguageModel
from sregym_core.errors import UsageError
from sregym_core.interfaces import Agent, Stage

from sregym_agent_stratus import health, roles
from sregym_agent_stratus.health import Health
from sregym_agent_stratus.transaction import Transaction, is_read_only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_ai.models import Model
    from sregym_core.interfaces import Session, ToolResult

STEPS = {"detection": 10, "diagnosis": 20, "mitigation": 20}
ATTEMPTS = 3
# How often a watching agent looks, and when it ceases to.
LOOK_S = 30.0
LOOKS = 60


class State(StrEnum):
    """Where the machine stands."""

    DETECT = "detect"
    DIAGNOSE = "diagnose"
    MITIGATE = "mitigate"
    CHECK = "check"
    UNDO = "undo"
    HAND_IN = "hand in"
    DONE = "done"


class Stratus(Agent):
    """Runs `--agent-option model=...` in several roles, with undo and retry."""

    name: ClassVar[str] = "stratus"
    accepts: ClassVar[tuple[str, ...] | None] = (
        *LanguageModel.OPTIONS,
        *(f"{role}_steps" for role in STEPS),
        "attempts",
    )

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self._model = LanguageModel.of(self.name, self.options)
        self._steps = {role: self._number(f"{role}_steps", STEPS[role]) for role in STEPS}
        self._attempts = self._number("attempts", ATTEMPTS)

    def missing(self) -> str:
        """The key of the model's provider, if it is not set."""
        return self._model.missing(self.options)

    def run(self, session: Session) -> None:
        """Run the machine to its end."""
        asyncio.run(self._run(session))

    async def _run(self, session: Session) -> None:
        async with self._model.opened() as model:
            machine = Machine(session, model, self._steps, self._attempts)
            while machine.state is not State.DONE:
                machine.state = await machine.step()

    def _number(self, option: str, default: int) -> int:
        text = self.options.get(option, str(default))
        if not text.isdecimal() or int(text) < 1:
            msg = (
                f"agent 'stratus', option {option!r}: a whole number from 1 is needed, not {text!r}"
            )
            raise UsageError(msg)
        return int(text)


class Machine:
    """The states of one episode.

    Args:
        session: Where it acts.
        model: Who thinks.
        steps: Tool calls by role.
        attempts: How often a repair is tried.

    Attributes:
        state: Where it stands.
    """

    def __init__(
        self, session: Session, model: Model | str, steps: Mapping[str, int], attempts: int
    ) -> None:
        self._session = session
        self._model = model
        self._steps = steps
        self._attempts_left = attempts
        self._task = session.task
        self._observed = ""
        self._diagnosis = ""
        self._learned: list[str] = []
        self._before = Health()
        self._after = Health()
        self._attempt = Transaction(session)
        self._said = ""
        self.state = State.DETECT if self._task.watching else State.DIAGNOSE

    async def step(self) -> State:
        """Act in the current state; gives the next."""
        act = {
            State.DETECT: self._detect,
            State.DIAGNOSE: self._diagnose,
            State.MITIGATE: self._mitigate,
            State.CHECK: self._check,
            State.UNDO: self._undo,
            State.HAND_IN: self._hand_in,
        }
        return await act[self.state]()

    async def _detect(self) -> State:
        """Look until something is wrong and the agent for detection holds it for an incident."""
        for _ in range(LOOKS):
            seen = health.look(self._session)
            if not seen.good:
                prompt = f"{self._session.instruction}\nThis was noticed:\n{seen}"
                said = await self._role("detection", roles.DETECTION, prompt)
                if not said.lower().lstrip().startswith("no incident"):
                    self._observed = f"{seen}\n{said}"
                    return State.DIAGNOSE
            self._session.wait(LOOK_S)
        self._session.submit("no incident")
        return State.DONE

    async def _diagnose(self) -> State:
        if Stage.DIAGNOSIS not in self._task.judged:
            return State.MITIGATE  # the cause was told
        prompt = self._session.instruction
        if self._observed:
            prompt += f"\nAn incident was noticed:\n{self._observed}"
        self._diagnosis = await self._role("diagnosis", roles.DIAGNOSIS, prompt)
        if Stage.MITIGATION in self._task.judged and Stage.MITIGATION not in self._task.submissions:
            return State.MITIGATE  # one submission for both, after the repair
        receipt = self._session.submit(self._diagnosis)
        if self._task.watching and receipt.stage is Stage.DIAGNOSIS:
            return State.DETECT
        return State.MITIGATE if receipt.stage is Stage.MITIGATION else State.DONE

    async def _mitigate(self) -> State:
        self._attempts_left -= 1
        self._attempt = Transaction(self._session)
        self._before = health.look(self._session)
        parts = [self._session.instruction]
        if self._diagnosis:
            parts.append(f"The diagnosis of your colleague:\n{self._diagnosis}")
        parts.append(f"The system now:\n{self._before}")
        parts += self._learned
        self._said = await self._role(
            "mitigation", roles.MITIGATION, "\n\n".join(parts), self._attempt
        )
        return State.CHECK

    async def _check(self) -> State:
        """Keep what made the system better; everything else is put back."""
        self._after = health.look_until(self._session, lambda seen: seen.good)
        if self._after.good:
            return State.HAND_IN
        if not self._after.better_than(self._before):
            return State.UNDO
        self._learned.append(
            f"An attempt made it better and was kept:\n{self._tried()}\n"
            f"The system afterwards:\n{self._after}"
        )
        return State.MITIGATE if self._attempts_left else State.HAND_IN

    async def _undo(self) -> State:
        left = self._attempt.undo()
        # Alerts of the failed attempt fire on for a while; they say nothing about what is back.
        many = len(self._before.unready)
        health.look_until(self._session, lambda seen: len(seen.unready) <= many)
        self._said = "The repair did not succeed; what was tried is put back."
        stays = f"\nThis could not be put back:\n{_listed(left)}" if left else ""
        outcome = f"put back{stays}"
        self._session.note_own_call(
            "undo", {"steps": len(self._attempt.steps)}, outcome, ok=not left
        )
        self._learned.append(
            f"An attempt did not help and was put back, so try something else:\n{self._tried()}\n"
            f"The system after it, before it was put back:\n{self._after}{stays}"
        )
        return State.MITIGATE if self._attempts_left else State.HAND_IN

    async def _hand_in(self) -> State:
        last = self._task.submissions[-1]
        self._session.submit(self._said if last is Stage.MITIGATION else self._diagnosis)
        return State.DONE

    async def _role(
        self, name: str, brief: str, prompt: str, attempt: Transaction | None = None
    ) -> str:
        def look(tool: str, arguments: Mapping[str, object]) -> ToolResult:
            return is_read_only(self._session, tool, arguments)

        call = look if attempt is None else attempt.call
        return await roles.Role(brief, self._steps[name], call).play(
            self._session, self._model, prompt
        )

    def _tried(self) -> str:
        return _listed(self._attempt.told()) or "- nothing was changed"


def _listed(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
