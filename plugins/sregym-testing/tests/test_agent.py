"""The agent contract accepts a good adapter and finds each kind of bad one."""

from __future__ import annotations

import sys

import pytest
from sregym_core.errors import BudgetExceededError
from sregym_core.interfaces import Agent, Session, Stage
from sregym_core.model import ObjectRef
from sregym_mode_basic.modes import mode_named
from sregym_testing import AgentContract, Shop


class Good(Agent):
    """Looks once, says what it saw, and leaves."""

    name = "brief"

    def run(self, session: Session) -> None:
        seen = session.kubectl("kubectl -n shop delete pod cart-0 --ignore-not-found")
        session.submit(f"The cart is at fault: {seen.stdout}")
        session.submit("Done.")


class SubmitsForEver(Good):
    def run(self, session: Session) -> None:
        for number in range(3):
            session.submit(f"Attempt {number}")


class OnlyDiagnoses(Good):
    def run(self, session: Session) -> None:
        assert session.stage is Stage.DIAGNOSIS


class Insists(Good):
    def run(self, session: Session) -> None:
        for _ in range(5):
            try:
                session.wait(1.0)
            except BudgetExceededError:
                continue


class ReachesAround(Good):
    def run(self, session: Session) -> None:
        ref = ObjectRef(api_version="v1", kind="Service", namespace="shop", name="cart")
        session.watched.delete(ref)


class Cheats(Good):
    def run(self, session: Session) -> None:
        try:
            session.submit(session.reference().diagnosis)
        except PermissionError:
            session.submit("I do not know.")


@pytest.fixture
def nosy(tmp_path, monkeypatch) -> type[Agent]:
    """An adapter whose module imports an oracle."""
    (tmp_path / "sregym_oracle_open.py").write_text("")
    text = "import sregym_oracle_open\nfrom sregym_core.interfaces import Agent\n"
    (tmp_path / "nosy_agent.py").write_text(
        f"{text}class Nosy(Agent):\n    name = 'nosy'\n    def run(self, session): pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import nosy_agent

    yield nosy_agent.Nosy
    for name in ("nosy_agent", "sregym_oracle_open"):
        sys.modules.pop(name, None)


BAD: dict[str, type[Agent] | None] = {
    "test_plays_to_its_end": SubmitsForEver,
    "test_plays_in_every_mode": OnlyDiagnoses,
    "test_lets_the_budget_end_it": Insists,
    "test_acts_through_its_session": ReachesAround,
    "test_the_answer_key_is_for_the_privileged": Cheats,
    "test_cannot_see_faults_or_oracles": None,  # the fixture `nosy`
}


class TestGoodAgent(AgentContract):
    @pytest.fixture
    def make_agent(self):
        return Good

    def test_cannot_see_faults_or_oracles(self, make_agent, tmp_path, monkeypatch) -> None:
        """A test module cannot be imported by name, so the adapter goes into a module of its own."""
        text = "from sregym_core.interfaces import Agent\n"
        (tmp_path / "brief_agent.py").write_text(
            f"{text}class Brief(Agent):\n    name = 'brief'\n    def run(self, session): pass\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        import brief_agent

        super().test_cannot_see_faults_or_oracles(brief_agent.Brief)


@pytest.mark.parametrize("check", BAD)
def test_bad_agent_is_found(check, run_check, memory, nosy) -> None:
    values = {
        "make_agent": BAD[check] or nosy,
        "application": Shop(),
        "provision": memory,
        "mode": mode_named("mitigation-only"),
    }
    with pytest.raises(AssertionError):
        run_check(AgentContract, check, **values)


def test_every_check_has_a_bad_agent(checks_of) -> None:
    assert set(BAD) == checks_of(AgentContract)
