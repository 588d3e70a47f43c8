"""`kubectl auth can-i` and `kubectl auth whoami`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag, switch
from sregym_cluster_embedded.kubectl.printing import formatted
from sregym_cluster_embedded.kubectl.tables import aligned

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session

CAN_I_FLAGS = (
    switch("all-namespaces", "A"), switch("quiet", "q"), Flag("subresource"), switch("list"),
    switch("no-headers"),
)  # fmt: skip
WHOAMI_FLAGS = (Flag("output", "o"),)

_ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_RULES = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
_SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_WORDS = (
    "error: you must specify two arguments: verb resource or verb resource/resourceName.\n"
    "See 'kubectl auth can-i -h' for help and examples."
)
_VERBS = frozenset({
    "*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use",
    "bind", "impersonate", "escalate", "approve", "sign", "attest",
})  # fmt: skip
_NONSTANDARD = frozenset({"users", "groups"})


class _Resource(NamedTuple):
    """A resource as a review names it; version is empty when the server does not know it."""

    group: str
    version: str
    plural: str
    namespaced: bool = True


_TWO_WORDS = """\
error: you must specify two arguments: verb resource or verb resource/resourceName.
See 'kubectl auth can-i -h' for help and examples."""


def can_i(session: Session) -> None:
    """Run `kubectl auth can-i`."""
    arguments = session.arguments
    if arguments.after_dash is not None:
        raise NotCovered("auth can-i --")
    if arguments.on("list"):
        _list(session)
        return
    if arguments.on("no-headers"):
        raise CommandError("error: --no-headers cannot be set without --list specified")
    if len(arguments.words) != 2:
        raise CommandError(_TWO_WORDS)
    verb, what = arguments.words
    if what.startswith("/"):
        if arguments.text("subresource"):
            raise CommandError("error: --subresource can not be used with NonResourceURL")
        spec: dict[str, object] = {"nonResourceAttributes": {"path": what, "verb": verb}}
    else:
        word, _, name = what.partition("/")
        found = _resource(session, word)
        everywhere = arguments.on("all-namespaces")
        if not everywhere:
            _warn(session, verb, found)
        attributes = {
            "group": found.group,
            "name": name,
            "namespace": "" if everywhere else session.namespace,
            "resource": found.plural,
            "subresource": arguments.text("subresource"),
            "verb": verb,
            "version": found.version,
        }
        spec = {"resourceAttributes": {key: text for key, text in attributes.items() if text}}
    _ask(session, spec)


def _list(session: Session) -> None:
    """All that may be done in the namespace, one row for each rule."""
    from sregym_cluster_embedded.kubectl.describe.access_rules import rule_rows

    if session.arguments.words:
        raise CommandError("error: list option must be specified with no arguments")
    if session.arguments.on("all-namespaces"):
        raise NotCovered("auth can-i --list everywhere")
    review = {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "metadata": {}, "spec": {"namespace": session.namespace},
        "status": {"resourceRules": None, "nonResourceRules": None, "incomplete": False},
    }  # fmt: skip
    status = session.client.send("POST", _RULES, body=review)["status"]
    if status.get("incomplete"):
        why = status.get("evaluationError", "")
        session.warn(f"the list may be incomplete: {why}")
    rows = rule_rows([*(status["resourceRules"] or ()), *(status["nonResourceRules"] or ())])
    head = [["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]]
    session.out.append(aligned(rows if session.arguments.on("no-headers") else [*head, *rows]))


def _ask(session: Session, spec: dict[str, object]) -> None:
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "metadata": {},
        "spec": spec,
        "status": {"allowed": False},
    }
    status = session.client.send("POST", _ACCESS, body=review)["status"]
    told = "yes"
    if not status.get("allowed"):
        parts = ("no", status.get("reason"), status.get("evaluationError"))
        told = " - ".join(str(part) for part in parts if part)
    if not session.arguments.on("quiet"):
        session.say(told)
    if not status.get("allowed"):
        raise SilentExitError


class SilentExitError(CommandError):
    """The command fails without a message."""

    def __init__(self) -> None:
        super().__init__("")


def _resource(session: Session, word: str) -> _Resource:
    if word == "*":
        return _Resource("", "", "*")
    discovery = session.client.discovery()
    found = discovery.find(word)
    if found is not None:
        return _Resource(found.group, found.version, found.plural, found.namespaced)
    plural, _, group = word.partition(".")
    if word not in _NONSTANDARD:
        where = f" in group '{group}'" if group else ""
        session.warn(f"the server doesn't have a resource type '{plural}'{where}\n")
    return _Resource("", "", word)


def _warn(session: Session, verb: str, found: _Resource) -> None:
    if found.version and not found.namespaced:
        where = f" in group '{found.group}'" if found.group else ""
        session.warn(f"resource '{found.plural}' is not namespace scoped{where}\n")
    if verb not in _VERBS:
        session.warn(f"verb '{verb}' is not a known verb\n")


def whoami(session: Session) -> None:
    """Run `kubectl auth whoami`."""
    output = session.arguments.text("output")
    if session.arguments.words or output not in ("", "yaml"):
        # As JSON the binary prints fields in the order of its own types.
        raise NotCovered("auth whoami with words, or in another format")
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = session.client.send("POST", _SELF, body=review)
    if output:
        session.out.append(formatted(session.arguments, [{**review, **answer}], single=True))
        return
    info = answer["status"]["userInfo"]
    rows = [["ATTRIBUTE", "VALUE"], ["Username", info.get("username", "")]]
    if info.get("uid"):
        rows.append(["UID", info["uid"]])
    if info.get("groups"):
        rows.append(["Groups", f"[{' '.join(info['groups'])}]"])
    for key in sorted(info.get("extra", {})):
        rows.append([f"Extra: {key}", f"[{' '.join(info['extra'][key])}]"])
    session.out.append(aligned(rows))
