"""The agent: looks everywhere once, believes its best rule, repairs nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sregym_agents.survey import SIGNALS, list_everything
from sregym_core.interfaces import Agent, Stage
from sregym_core.model import Claims

from sregym_agent_playbook import observations, services, surroundings, workloads
from sregym_agent_playbook.observations import Observation
from sregym_agent_playbook.rules import conclude
from sregym_agent_playbook.stores import store_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_agents.survey import Listing
    from sregym_core.interfaces import Session

    from sregym_agent_playbook.rules import Conclusion

# The order in which equal ranks are believed.
SOURCES: tuple[observations.Source, ...] = (
    observations.events,
    observations.containers,
    services.services,
    services.addresses,
    services.names_without_service,
    workloads.workloads,
    workloads.missing,
    surroundings.policies,
    surroundings.name_server,
    surroundings.flags,
    surroundings.jobs,
    surroundings.nodes,
    observations.logs,
    workloads.drift,
    observations.alerts,
)
THROTTLED = (
    "sum by (pod) (rate(container_cpu_cfs_throttled_periods_total[5m]))"
    " / sum by (pod) (rate(container_cpu_cfs_periods_total[5m])) > 0.5"
)
_POD = re.compile(r'pod="([^"]+)"')


class Playbook(Agent):
    """Diagnoses by a table of rules over what its session shows."""

    name: ClassVar[str] = "playbook"
    accepts: ClassVar[tuple[str, ...] | None] = ()

    def run(self, session: Session) -> None:
        """Diagnose; the repair is left to others."""
        if Stage.DIAGNOSIS in session.task.submissions:
            text, claims = diagnosis(session)
            session.submit(text, claims)
        if Stage.MITIGATION in session.task.submissions:
            session.submit("I changed nothing.")


def diagnosis(session: Session) -> tuple[str, Claims | None]:
    """What the rules say is wrong."""
    seen = list_everything(session)
    found = _of_those_who_suffer(seen, conclude(observed(session, seen)))
    if not found:
        return "no incident: no rule applies to anything that can be seen", None
    told = [(_blamed(seen, one), one) for one in found]
    text = " ".join(
        f"The root cause is in {name}: {one.rule.kind or one.seen.kind} "
        f"{one.seen.name or name} has {one.rule.mechanism.replace('-', ' ')}."
        for name, one in told
    )
    name, first = told[0]
    return text, Claims(
        component=name,
        kind=first.rule.kind or first.seen.kind,
        mechanism=first.rule.mechanism,
        detail=first.seen.text,
    )


def _of_those_who_suffer(seen: Listing, found: list[Conclusion]) -> list[Conclusion]:
    """Without those who are well all the same, where others are not."""
    suffering = SIGNALS["pods"](seen)
    return [one for one in found if one.seen.component in suffering] or found


def observed(session: Session, seen: Listing) -> Iterator[Observation]:
    """Everything that rules can read."""
    for source in SOURCES:
        yield from source(seen)
    told = session.call("query_metrics", {"query": THROTTLED})
    for pod in _POD.findall(told.text) if told.ok else ():
        name = seen.of_pod(pod)
        if name in seen.components:
            yield Observation("metric", name, "Deployment", "throttled in most periods")


def _blamed(seen: Listing, conclusion: Conclusion) -> str:
    name = conclusion.seen.component
    return store_of(seen, name) if conclusion.rule.blames == "store" else name
