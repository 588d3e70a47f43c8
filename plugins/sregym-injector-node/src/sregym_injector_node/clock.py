"""The clock of a node is ahead, and certificates look expired to clients on it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import (
    Capability,
    Change,
    Check,
    GroundTruth,
    Node,
    ObjectRef,
    TargetKind,
)
from sregym_injectors.dates import with_dates
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.node_fitting import runs_nothing_that_matters
from sregym_injectors.nodes import NodeEdits, current, on_host, truth_on_node
from sregym_kubernetes.node_settings import NodeClock
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Iterator

# These variables name trusted authorities: a client that has one verifies certificates.
_TRUSTING = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_DAY_S = 86_400.0
_KEY = "tls.crt"
# Clocks that differ by less do no harm.
_TOLERATED_S = 60.0
_STOPPED = (
    (("systemctl", "stop", "chrony"), ("systemctl", "start", "chrony")),
    (("systemctl", "mask", "chrony"), ("systemctl", "unmask", "chrony")),
)
REPAIR = (
    ("systemctl", "unmask", "chrony"),
    ("systemctl", "start", "chrony"),
    ("chronyc", "makestep"),
)


class ClockParameters(BaseModel):
    """How far the clock is off.

    Attributes:
        ahead_days: By how much it is ahead.
        valid_days: For how much longer the certificates of the application's Ingresses are good,
            which are renewed for a short time each.
    """

    model_config = ConfigDict(extra="forbid")

    ahead_days: float = Field(default=30.0, gt=0)
    valid_days: float = Field(default=7.0, gt=0)


class NodeClockAhead(Fault):
    """Stops the NTP client of a node for good and sets its clock ahead."""

    name: ClassVar[str] = "node-clock-ahead"
    title: ClassVar[str] = "Clock of a node is ahead"
    layer: ClassVar[str] = "os"
    Parameters: ClassVar[type[ClockParameters]] = ClockParameters
    takes: ClassVar[tuple[TargetKind, ...]] = (TargetKind.NODE,)
    needs: ClassVar[tuple[Capability, ...]] = (Capability.CLOCK, Capability.COMMANDS)

    @override
    def fits(self, target: Node) -> bool:
        return not self.mismatch_reason(target)

    @override
    def mismatch_reason(self, target: Node, /) -> str:
        component = target.component
        if component is None:
            return runs_nothing_that_matters(target)
        if not component.operations:
            return f"no request of users passes through {component.name}"
        if not any(name in component.env for name in _TRUSTING):
            return (
                f"{component.name} trusts no authority of its own whose certificates could expire"
            )
        return ""

    @override
    def inject(self, context: FaultContext) -> None:
        edits, host, node = Edits(context), NodeEdits(context), context.node.name
        for secret in _certificates(context):
            _renew(context, edits, secret)
        for argv, undo in _STOPPED:
            host.run(node, argv, undo)
        ahead_s = context.parameters.ahead_days * _DAY_S
        host.apply(NodeClock(node=node, offset_s=ahead_s))

    @override
    def present(self, context: FaultContext) -> Check:
        node = context.node.name
        offset_s = current(context, NodeClock(node=node)).offset_s
        off = abs(offset_s) > _TOLERATED_S
        found = [f"the clock of node {node} is {offset_s:+.0f} s off"] if off else []
        return defect_check(f"a clock within {_TOLERATED_S:.0f} s of the true time", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        days = context.parameters.ahead_days
        change = Change(what="clock", before="true time", after=f"{days:g} days ahead")
        phrases = (
            "clock of the node is wrong",
            "clock of the node is ahead",
            "clock skew",
            "clock drift",
            "system time of the node is wrong",
            "NTP is stopped",
            "chrony is stopped and masked",
            "time synchronisation is off",
            "certificates look expired because of the clock",
        )
        return truth_on_node(
            context, "clock-skew", phrases, change, "clients break off at the TLS handshake"
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return tuple(on_host(context, argv) for argv in REPAIR)


def _certificates(context: FaultContext) -> Iterator[ObjectRef]:
    """The Secrets with certificates of the application's Ingresses."""
    for component in context.application.components():
        for use in component.ingresses:
            for name in use.secrets:
                yield ObjectRef(
                    api_version="v1", kind="Secret", namespace=use.ref.namespace, name=name
                )


def _renew(context: FaultContext, edits: Edits, secret: ObjectRef) -> None:
    """Give a certificate new dates, as those who issue them for days only do."""
    text = b64decode(edits.read(secret)["data"][_KEY]).decode()
    now = datetime.fromtimestamp(context.cluster.clock.now(), UTC)
    until = now + timedelta(days=context.parameters.valid_days)
    renewed = with_dates(text, now - timedelta(days=1), until)
    edits.patch(secret, {"data": {_KEY: b64encode(renewed.encode()).decode()}}, "merge")
