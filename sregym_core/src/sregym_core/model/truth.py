"""What is wrong, in fixed fields; and what an agent claims is wrong, in the same fields."""

from __future__ import annotations

from pydantic import Field

from sregym_core.model.base import Value


class Change(Value):
    """The concrete detail that a fault changed.

    Attributes:
        what: The field, key, account or object, as the API words it: `spec.ports[0].targetPort`.
        before: Its value when all was well; empty when it did not exist.
        after: Its value with the fault; empty when it was removed.
    """

    what: str
    before: str = ""
    after: str = ""


class GroundTruth(Value):
    """The root cause of one fault. Never leaves the harness while an agent is alive.

    Attributes:
        component: Name of the component in which the defect lies.
        kind: Kind of the thing that is defective: `Service`, `ConfigMap`, `Deployment`,
            `DatabaseUser` ...
        object_name: Name of that thing (metadata.name, account name).
        namespace: Its namespace.
        mechanism: One slug of the fault's own vocabulary: `service-selector-mismatch`.
        mechanism_phrases: Other phrases of engineers for the same; matched as whole
            words, in any inflection the oracle knows.
        changed: The concrete detail.
        contributing: Names of components that contribute to the cause (not victims).
        affected: Names of components that suffer from it, nearest first.
        impact: What users see, in one sentence.
        impact_phrases: Other ways to say that.
    """

    component: str
    kind: str
    object_name: str
    namespace: str
    mechanism: str
    mechanism_phrases: tuple[str, ...] = ()
    changed: Change
    contributing: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    impact: str = ""
    impact_phrases: tuple[str, ...] = ()

    def sentence(self) -> str:
        """The root cause as an engineer would write it; the expert agent submits it."""
        detail = f"{self.changed.what} changed from {self.changed.before or 'nothing'!r} to {self.changed.after or 'nothing'!r}"
        scope = f" Affected: {', '.join(self.affected)}." if self.affected else ""
        also = f" Contributing: {', '.join(self.contributing)}." if self.contributing else ""
        place = f" in namespace {self.namespace}" if self.namespace else ""
        return (
            f"The root cause is in {self.component}: {self.kind} {self.object_name}{place} "
            f"has {self.mechanism.replace('-', ' ')}; {detail}.{also}{scope} {self.impact}"
        ).strip()


class Claims(Value):
    """A structured diagnosis that an agent may submit beside its text; every field is optional.

    Attributes:
        component: Name of the component that the agent holds responsible.
        kind: Kind of the defective thing.
        namespace: Its namespace.
        mechanism: What kind of defect it is, slug or phrase.
        detail: The concrete changed detail.
        before: The value that it had, or should have.
        after: The value that it has.
        contributing: Further components that contribute.
        affected: Components that suffer.
        evidence: Handles of observations, e.g. ids of tool calls.
    """

    component: str = Field(
        default="", description="The one component or object that is the cause, by its name."
    )
    kind: str = Field(
        default="", description="Kind of the defective object, e.g. Service or ConfigMap."
    )
    namespace: str = Field(default="", description="Its namespace.")
    mechanism: str = Field(
        default="", description="What is wrong with it, in a few words, e.g. 'wrong target port'."
    )
    detail: str = Field(default="", description="The field, key, account or setting concerned.")
    before: str = Field(default="", description="Its right value; empty if it should not exist.")
    after: str = Field(default="", description="Its value now; empty if it is gone.")
    contributing: tuple[str, ...] = Field(
        default=(), description="Further components that take part in the cause; no victims."
    )
    affected: tuple[str, ...] = Field(
        default=(), description="Components that suffer from it, by their names."
    )
    evidence: tuple[str, ...] = Field(
        default=(), description="What was observed that shows it, e.g. commands."
    )
