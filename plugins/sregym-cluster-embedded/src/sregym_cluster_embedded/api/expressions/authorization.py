"""The variable `authorizer`: questions to the authorizers, asked step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_cel.kinds import BOOL, STRING, UNKNOWN
from sregym_cel.libraries import Library
from sregym_cel.operators import no_overload
from sregym_cel.signatures import Overload
from sregym_cel.values import Opaque

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Question(Opaque):
    """What is known of a question so far.

    Attributes:
        decide: Answers `(verb, fields)` with whether, and why.
        fields: `group`, `resource`, `subresource`, `namespace`, `name`, `path`, `user`.
        request: The fields of the request that is being admitted: `authorizer.requestResource`.
    """

    decide: Callable[[str, Mapping[str, str]], tuple[bool, str]]
    fields: tuple[tuple[str, str], ...] = ()
    request: tuple[tuple[str, str], ...] = ()
    type_name: ClassVar[str] = "kubernetes.authorization.Authorizer"

    def field(self, name: str) -> Any:
        """`requestResource`: the question about what the request is about."""
        if name != "requestResource":
            return super().field(name)
        return replace(self, fields=(*self.fields, *self.request))


@dataclass(frozen=True)
class Verdict(Opaque):
    """The answer to a question."""

    allowed: bool
    reason: str
    type_name: ClassVar[str] = "kubernetes.authorization.Decision"


def _with(field: str) -> Callable[[Any, Any], Question]:
    def run(target: Any, value: Any) -> Question:
        if not isinstance(target, Question) or not isinstance(value, str):
            raise no_overload()
        return replace(target, fields=(*target.fields, (field, value)))

    return run


def _account(target: Any, namespace: Any, name: Any) -> Question:
    return _with("user")(target, f"system:serviceaccount:{namespace}:{name}")


def _check(target: Any, verb: Any) -> Verdict:
    if not isinstance(target, Question) or not isinstance(verb, str):
        raise no_overload()
    return Verdict(*target.decide(verb, dict(target.fields)))


def _of(read: Callable[[Verdict], Any]) -> Callable[[Any], Any]:
    def run(target: Any) -> Any:
        if not isinstance(target, Verdict):
            raise no_overload()
        return read(target)

    return run


_FUNCTIONS: Mapping[tuple[str, bool, int], Callable[..., Any]] = {
    **{
        (field, True, 2): _with(field)
        for field in (
            *("group", "resource", "subresource", "namespace", "name", "path"),
            *("fieldSelector", "labelSelector"),
        )
    },
    ("serviceAccount", True, 3): _account,
    ("check", True, 2): _check,
    ("allowed", True, 1): _of(lambda verdict: verdict.allowed),
    ("reason", True, 1): _of(lambda verdict: verdict.reason),
    ("errored", True, 1): _of(lambda _: False),
    ("error", True, 1): _of(lambda _: ""),
}

LIBRARY = Library(
    functions=_FUNCTIONS,
    methods={
        **dict.fromkeys(("allowed", "errored"), (Overload((UNKNOWN,), BOOL),)),
        **dict.fromkeys(("reason", "error"), (Overload((UNKNOWN,), STRING),)),
    },
)
