"""`kubectl logs` and `kubectl exec`."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.attended import PATIENCE_S, tried_ahead
from sregym_cluster_embedded.kubectl.choice import best_pod, selector_of
from sregym_cluster_embedded.kubectl.containers import DEFAULT_CONTAINER, ContainerNotRunningError
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import IGNORED, Flag, parse_duration, switch
from sregym_cluster_embedded.kubectl.usage import usage_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.kubelet.runtime import ExecResult
    from sregym_cluster_embedded.store import Object

LOGS_FLAGS = (
    *IGNORED, Flag("container", "c"), switch("previous", "p"), Flag("tail"), Flag("since"),
    Flag("since-time"), switch("timestamps"), Flag("limit-bytes"), Flag("selector", "l"),
    switch("all-containers"), switch("prefix"), switch("follow", "f"),
)  # fmt: skip
EXEC_FLAGS = (
    Flag("container", "c"), switch("stdin", "i"), switch("tty", "t"), switch("quiet", "q"),
    Flag("pod-running-timeout"),
)  # fmt: skip

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_CANCELED = "net/http: request canceled (Client.Timeout or context cancellation while reading body)"
_NO_TERMINAL = "Unable to use a TTY - input is not a terminal or the right kind of file"
_LOGS_USAGE = """error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.
POD or TYPE/NAME is a required argument for the logs command
See 'kubectl logs -h' for help and examples"""


def logs(session: Session) -> None:
    """Run `kubectl logs`."""
    arguments = session.arguments
    query = _log_query(session)
    if arguments.text("selector"):
        if len(arguments.words) == 1:
            raise usage_error("logs", "only a selector (-l) or a POD name is allowed")
        if arguments.words:
            raise NotCovered("several words and a selector")
        kind = session.client.resource_type("pods")
        selector = [("labelSelector", arguments.text("selector"))]
        pods = session.client.list(kind, session.namespace, selector)
        if not pods:
            session.complain(f"No resources found in {session.namespace} namespace.")
        if not arguments.has("tail"):
            query.append(("tailLines", "10"))
    elif not arguments.words:
        raise CommandError(_LOGS_USAGE)
    else:
        words = arguments.words
        if len(words) == 2 and not arguments.has("container"):
            arguments.given["container"] = [words[1]]
        elif len(words) > 2:
            raise CommandError(_LOGS_USAGE)
        elif len(words) > 1:
            raise NotCovered("a container by a word and by a flag")
        pods = [_log_pod(session, words[0])]
    logs_of = [(pod, name) for pod in pods for name in _log_containers(session, pod)]
    if arguments.on("follow"):
        _follow(session, logs_of, query)
        return
    for pod, container in logs_of:
        _print_log(session, pod, container, query)


def _follow(
    session: Session, wanted: Sequence[tuple[Object, str]], query: list[tuple[str, str]]
) -> None:
    """Print a log that ends."""
    if len(wanted) != 1 or session.arguments.on("previous") or session.headers:
        raise NotCovered("several logs that are followed")
    pod, container = wanted[0]
    tried_ahead(session, lambda s: _print_followed(s, pod, container, query))


def _print_followed(
    session: Session, pod: Object, container: str, query: list[tuple[str, str]]
) -> None:
    metadata = pod["metadata"]
    where = (metadata["namespace"], metadata["name"])
    limit_s = _time_limit(session)
    try:
        found = session.access.follow(*where, container, dict(query), limit_s or PATIENCE_S)
    except ServerError as error:
        # The binary asks again and again for a while.
        raise NotCovered("a log that is not there yet") from error
    if not found.ended and not limit_s:
        raise NotCovered("a log that does not end")
    _print_lines(session, pod, container, found.text)
    if not found.ended:
        session.complain(_CANCELED)
        raise CommandError(f"error: {_CANCELED}")


def _time_limit(session: Session) -> float:
    """Seconds after which the request is given up; 0 when it is not."""
    if not session.arguments.has("request-timeout"):
        return 0.0
    from sregym_cluster_embedded.kubectl.watches import time_limit

    limit_s = time_limit(session)
    if limit_s > PATIENCE_S:
        raise NotCovered("a log that is followed for long")
    return limit_s


def execute(session: Session) -> None:
    """Run `kubectl exec` of a command that ends."""
    arguments = session.arguments
    if not arguments.words and not arguments.after_dash:
        raise CommandError("error: pod, type/name or --filename must be specified")
    command = arguments.after_dash
    if command is None or len(arguments.words) != 1:
        if len(arguments.words) == 1:
            raise CommandError("error: you must specify at least one command for the container")
        if command is None and arguments.words:
            text = (
                "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead"
            )
            raise usage_error("exec", text)
        raise NotCovered("exec without --")
    if not command:
        raise CommandError("error: you must specify at least one command for the container")
    if arguments.on("tty") and len(command) == 1:
        raise NotCovered("exec of what may be an interactive shell")
    pod = pod_of(session, arguments.words[0])
    container = exec_container(session, pod)
    if arguments.on("tty") and arguments.on("stdin"):
        session.complain(_NO_TERMINAL)
    result = exec_in(
        session, pod, container, command, session.stdin if arguments.on("stdin") else ""
    )
    if result.grows is not None and not result.grows.ends:
        raise NotCovered("a command that does not end")
    session.out.append(result.stdout)
    session.err.append(result.stderr)
    refuse_failed(result)


def exec_container(session: Session, pod: Object) -> str:
    """The container of a pod in which a command is to run.

    Raises:
        CommandError: The pod has ended.
    """
    phase = pod.get("status", {}).get("phase")
    if phase in ("Succeeded", "Failed"):
        raise CommandError(
            "error: cannot exec into a container in a completed pod; current phase is " + phase
        )
    return container_of(session, pod)


def exec_in(
    session: Session, pod: Object, container: str, command: Sequence[str], stdin: str
) -> ExecResult:
    """Run a command in a container.

    Raises:
        CommandError: There is no process to join.
    """
    if session.headers:
        raise NotCovered("exec as somebody else")
    metadata = pod["metadata"]
    try:
        return session.access.exec(
            metadata["namespace"], metadata["name"], container, tuple(command), stdin
        )
    except ContainerNotRunningError as error:
        raise CommandError(f"error: unable to upgrade connection: {error}") from error


def refuse_failed(result: ExecResult) -> None:
    """End the command as the one in the container has ended."""
    if result.error:
        text = f"error: Internal error occurred: {result.error}"
        raise CommandError(text)
    if result.exit_code:
        text = f"command terminated with exit code {result.exit_code}"
        raise CommandError(text, result.exit_code)


def _log_query(session: Session) -> list[tuple[str, str]]:
    arguments = session.arguments
    query: list[tuple[str, str]] = []
    if arguments.on("previous"):
        query.append(("previous", "true"))
    if arguments.text("since-time") and not _MOMENT.fullmatch(arguments.text("since-time")):
        raise NotCovered("--since-time that is no time")
    if arguments.text("since") and arguments.text("since-time"):
        text = "at most one of `sinceTime` or `sinceSeconds` may be specified"
        raise CommandError(f"error: {text}")
    limit = arguments.number("limit-bytes", 0)
    if limit < 0:
        raise CommandError("error: --limit-bytes must be greater than 0")
    if arguments.text("since").startswith("-"):
        raise CommandError("error: --since must be greater than 0")
    if arguments.text("since"):
        query.append(("sinceSeconds", str(math.ceil(parse_duration(arguments.text("since"))))))
    if arguments.text("since-time"):
        query.append(("sinceTime", arguments.text("since-time")))
    if arguments.on("timestamps"):
        query.append(("timestamps", "true"))
    tail = arguments.number("tail", -1)
    if tail >= 0:
        query.append(("tailLines", str(tail)))
    elif tail < -1:
        raise CommandError("error: --tail must be greater than or equal to -1")
    if limit:
        query.append(("limitBytes", str(limit)))
    return query


def _log_pod(session: Session, word: str) -> Object:
    try:
        return pod_of(session, word, for_logs=True)
    except ServerError as error:
        if not error.not_found:
            raise
        text = f'error: error from server (NotFound): {error.message} in namespace "{session.namespace}"'
        raise CommandError(text) from error


def pod_of(session: Session, word: str, for_logs: bool = False) -> Object:
    """The pod that `NAME` or `TYPE/NAME` means; `logs` says which one it chose of several."""
    type_word, slash, name = word.partition("/")
    client = session.client
    if not slash:
        return client.get(client.resource_type("pods"), session.namespace, word)
    kind = client.resource_type(type_word)
    obj = client.get(kind, session.namespace, name)
    if kind.kind == "Pod":
        return obj
    selector = [("labelSelector", selector_of(obj))]
    pods = client.list(client.resource_type("pods"), session.namespace, selector)
    if not pods:
        raise NotCovered("a workload without pods")
    chosen = best_pod(pods, restarted_first=for_logs)
    if for_logs and len(pods) > 1:
        name = chosen["metadata"]["name"]
        session.complain(f"Found {len(pods)} pods, using pod/{name}")
    return chosen


def _log_containers(session: Session, pod: Object) -> list[str]:
    if not session.arguments.on("all-containers"):
        return [container_of(session, pod)]
    spec = pod["spec"]
    return [c["name"] for c in (*spec.get("initContainers", ()), *spec["containers"])]


def container_of(session: Session, pod: Object) -> str:
    """The container that `-c`, an annotation, or the order in the pod chooses."""
    spec = pod["spec"]
    known = {
        suffix: [c["name"] for c in spec.get(field, ())]
        for suffix, field in (
            ("", "containers"),
            (" (ephem)", "ephemeralContainers"),
            (" (init)", "initContainers"),
        )
    }
    names = [name for group in known.values() for name in group]
    described = ", ".join(f"{name}{suffix}" for suffix, group in known.items() for name in group)
    wanted = session.arguments.text("container")
    if wanted:
        if wanted in names:
            return wanted
        where = f"pod {pod['metadata']['name']} out of: {described}"
        raise CommandError(f"error: container {wanted} is not valid for {where}")
    annotated = pod["metadata"].get("annotations", {}).get(DEFAULT_CONTAINER, "")
    if annotated:
        if annotated not in names:
            raise NotCovered("a default container that is not there")
        return str(annotated)
    first = str(spec["containers"][0]["name"])
    if len(names) > 1:
        session.complain(f'Defaulted container "{first}" out of: {described}')
    return first


def _print_log(session: Session, pod: Object, container: str, query: list[tuple[str, str]]) -> None:
    metadata = pod["metadata"]
    path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/log"
    text: str = session.client.send("GET", path, [("container", container), *query])
    _print_lines(session, pod, container, text)


def _print_lines(session: Session, pod: Object, container: str, text: str) -> None:
    metadata = pod["metadata"]
    if session.arguments.on("prefix"):
        lead = f"[pod/{metadata['name']}/{container}] "
        text = "".join(lead + line for line in text.splitlines(keepends=True))
    session.out.append(text)
