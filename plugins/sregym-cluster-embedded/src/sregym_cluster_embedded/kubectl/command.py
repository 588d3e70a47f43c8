"""Which module runs which command."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.kubectl import impersonating
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import CONNECTION, GLOBAL, parse
from sregym_cluster_embedded.kubectl.session import CommandResult, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_cluster_embedded.kubectl.access import Access
    from sregym_cluster_embedded.kubectl.flags import Arguments, Flag


# The field manager of commands that mostly write nothing.
_READER = "kubectl"


class _Entry(NamedTuple):
    """Module, function, name of its flags, and the field manager of its writes."""

    module: str
    function: str
    flags: str = "FLAGS"
    manager: str = _READER


_COMMANDS: dict[tuple[str, ...], _Entry] = {
    ("get",): _Entry("get", "get"),
    ("patch",): _Entry("patch", "patch", manager="kubectl-patch"),
    ("scale",): _Entry("scale", "scale"),
    ("set", "image"): _Entry("setting", "set_image", "IMAGE_FLAGS", "kubectl-set"),
    ("set", "env"): _Entry("setting", "set_env", "ENV_FLAGS", "kubectl-set"),
    ("set", "resources"): _Entry("setting", "set_resources", "RESOURCES_FLAGS", "kubectl-set"),
    ("set", "serviceaccount"): _Entry("setting_others", "set_service_account", manager="kubectl-set"),
    ("set", "selector"): _Entry("setting_others", "set_selector", manager="kubectl-set"),
    ("set", "subject"): _Entry("setting_others", "set_subject", "SUBJECT_FLAGS", "kubectl-set"),
    ("rollout", "restart"): _Entry("rollout", "restart", manager="kubectl-rollout"),
    ("rollout", "pause"): _Entry("rollout", "pause", manager="kubectl-rollout"),
    ("rollout", "resume"): _Entry("rollout", "resume", manager="kubectl-rollout"),
    ("rollout", "history"): _Entry("revisions", "history", "HISTORY_FLAGS"),
    ("rollout", "undo"): _Entry("revisions", "undo", "UNDO_FLAGS"),
    ("rollout", "status"): _Entry("rollout_status", "status"),
    ("delete",): _Entry("delete", "delete"),
    ("apply",): _Entry("apply", "apply", manager="kubectl-client-side-apply"),
    ("create", "namespace"): _Entry("create", "create_namespace", "NAMESPACE_FLAGS", "kubectl-create"),
    ("create", "configmap"): _Entry("create", "create_configmap", "CONFIGMAP_FLAGS", "kubectl-create"),
    ("create", "secret", "generic"): _Entry("create", "create_secret", "SECRET_FLAGS", "kubectl-create"),
    ("create", "deployment"): _Entry("create", "create_deployment", "DEPLOYMENT_FLAGS", "kubectl-create"),
    ("create", "service", "clusterip"): _Entry("create", "create_service", "SERVICE_FLAGS", "kubectl-create"),
    ("create", "service", "nodeport"): _Entry("create", "create_service", "SERVICE_FLAGS", "kubectl-create"),
    ("create", "service", "loadbalancer"): _Entry("create", "create_service", "SERVICE_FLAGS", "kubectl-create"),
    ("create", "service", "externalname"): _Entry("create", "create_service", "SERVICE_FLAGS", "kubectl-create"),
    ("create", "serviceaccount"): _Entry("generators", "create_service_account", "ACCOUNT_FLAGS", "kubectl-create"),
    ("create", "role"): _Entry("generators", "create_role", "ROLE_FLAGS", "kubectl-create"),
    ("create", "clusterrole"): _Entry("generators", "create_cluster_role", "ROLE_FLAGS", "kubectl-create"),
    ("create", "rolebinding"): _Entry("generators", "create_role_binding", "BINDING_FLAGS", "kubectl-create"),
    ("create", "clusterrolebinding"): _Entry("generators", "create_cluster_role_binding", "BINDING_FLAGS", "kubectl-create"),
    ("create", "quota"): _Entry("generators", "create_quota", "QUOTA_FLAGS", "kubectl-create"),
    ("create", "poddisruptionbudget"): _Entry("generators", "create_budget", "BUDGET_FLAGS", "kubectl-create"),
    ("create", "job"): _Entry("generators", "create_job", "JOB_FLAGS", "kubectl-create"),
    ("create", "cronjob"): _Entry("generators", "create_cron_job", "CRON_JOB_FLAGS", "kubectl-create"),
    ("create", "priorityclass"): _Entry("generators", "create_priority_class", "PRIORITY_FLAGS", "kubectl-create"),
    ("create", "secret", "docker-registry"): _Entry("credentials", "create_registry_secret", "REGISTRY_FLAGS", "kubectl-create"),
    ("create", "secret", "tls"): _Entry("credentials", "create_tls_secret", "TLS_FLAGS", "kubectl-create"),
    ("create", "token"): _Entry("credentials", "create_token", "TOKEN_FLAGS", "kubectl-create"),
    ("create", "ingress"): _Entry("ingress_rules", "create_ingress", manager="kubectl-create"),
    ("create",): _Entry("create", "create_files", "FILE_FLAGS", "kubectl-create"),
    ("label",): _Entry("labels", "label", manager="kubectl-label"),
    ("annotate",): _Entry("labels", "annotate", manager="kubectl-annotate"),
    ("logs",): _Entry("streams", "logs", "LOGS_FLAGS"),
    ("exec",): _Entry("streams", "execute", "EXEC_FLAGS"),
    ("describe",): _Entry("describe", "describe"),
    ("explain",): _Entry("explain", "explain"),
    ("expose",): _Entry("expose", "expose", manager="kubectl-expose"),
    ("wait",): _Entry("wait", "wait"),
    ("auth", "can-i"): _Entry("access_review", "can_i", "CAN_I_FLAGS"),
    ("auth", "whoami"): _Entry("access_review", "whoami", "WHOAMI_FLAGS"),
    ("taint",): _Entry("taint", "taint", manager="kubectl-taint"),
    ("events",): _Entry("recent", "events"),
    ("api-resources",): _Entry("api_resources", "api_resources", "RESOURCES_FLAGS"),
    ("api-versions",): _Entry("api_resources", "api_versions", "VERSIONS_FLAGS"),
    ("replace",): _Entry("replace", "replace", manager="kubectl-replace"),
    ("run",): _Entry("run_pod", "run", manager="kubectl-run"),
    ("cordon",): _Entry("nodes", "cordon"),
    ("uncordon",): _Entry("nodes", "uncordon"),
    ("cp",): _Entry("copying", "copy"),
    ("attach",): _Entry("joining", "attach", "ATTACH_FLAGS"),
    ("debug",): _Entry("debugging", "debug"),
    ("edit",): _Entry("usage_errors", "edit", "NO_FLAGS"),
    ("port-forward",): _Entry("usage_errors", "forward", "NO_FLAGS"),
    ("proxy",): _Entry("usage_errors", "proxy", "PROXY_FLAGS"),
    ("autoscale",): _Entry("autoscale", "autoscale", manager="kubectl-autoscale"),
    ("version",): _Entry("api_resources", "version", "VERSION_FLAGS"),
    ("drain",): _Entry("nodes", "drain", "DRAIN_FLAGS"),
    ("config", "view"): _Entry("config", "view", "VIEW_FLAGS"),
    ("config", "current-context"): _Entry("config", "current_context"),
    ("config", "get-contexts"): _Entry("config", "get_contexts", "CONTEXTS_FLAGS"),
    ("config", "get-clusters"): _Entry("config", "get_clusters"),
    ("config", "get-users"): _Entry("config", "get_users"),
    ("config", "use-context"): _Entry("config", "use_context"),
    ("config", "set-context"): _Entry("config", "set_context", "SET_FLAGS"),
    ("kustomize",): _Entry("kustomizing", "kustomize"),
    ("cluster-info",): _Entry("config", "cluster_info"),
    ("top", "pod"): _Entry("top", "pods", "POD_FLAGS"),
    ("top", "node"): _Entry("top", "nodes", "NODE_FLAGS"),
}  # fmt: skip

# Commands that have commands below them.
_PARENTS = frozenset({
    ("apply",), ("auth",), ("cluster-info",), ("config",), ("create",),
    ("create", "secret"), ("create", "service"), ("rollout",), ("set",), ("top",),
})  # fmt: skip
# Other names of commands below others.
_ALIASES: dict[tuple[str, str], str] = {
    ("create", "cj"): "cronjob",
    ("create", "cm"): "configmap",
    ("create", "deploy"): "deployment",
    ("create", "ing"): "ingress",
    ("create", "ns"): "namespace",
    ("create", "pc"): "priorityclass",
    ("create", "pdb"): "poddisruptionbudget",
    ("create", "resourcequota"): "quota",
    ("create", "sa"): "serviceaccount",
    ("create", "svc"): "service",
    ("config", "use"): "use-context",
    ("set", "sa"): "serviceaccount",
    ("top", "no"): "node",
    ("top", "nodes"): "node",
    ("top", "po"): "pod",
    ("top", "pods"): "pod",
}
_CONNECTION = frozenset(flag.name for flag in CONNECTION)
_VALUED_BEFORE = ("-n", "--namespace", "-f", "--filename")


def run(
    access: Access,
    argv: Sequence[str],
    stdin: str = "",
    files: Path | Callable[[], Path] | None = None,
    namespace: str = "default",
) -> CommandResult:
    """Run `kubectl ARGV...` without a process and without a socket.

    Args:
        access: The cluster.
        argv: The words behind `kubectl`.
        stdin: Standard input.
        files: The folder from which file names count, or what makes it for a command that needs
            one; the current one when none is given.
        namespace: That of the context.

    Raises:
        NotCovered: The command, or something about it, is left to the binary. Nothing has been
            changed.
    """
    try:
        name, entry, rest = _entry(list(argv))
        module = import_module(f"sregym_cluster_embedded.kubectl.{entry.module}")
        # A command's own flags hide those of all commands.
        flags = (*GLOBAL, *impersonating.FLAGS, *getattr(module, entry.flags))
        arguments = parse(rest, flags, name)
    except CommandError as error:
        return CommandResult(error.exit_code, "", f"{error.text}\n")
    if any(arguments.has(name) for name in ("warnings-as-errors",)):
        raise NotCovered("--warnings-as-errors")
    if access.memory.get("redirected"):
        raise NotCovered("a context of somebody else")
    folder = _folder(files)
    headers = impersonating.headers(entry.module, arguments, "discovery" in access.memory)
    namespace = access.memory.get("namespace", namespace)
    asked = _connecting(arguments, getattr(module, entry.flags))
    if entry.module != "config" and asked is not None:
        connection = import_module("sregym_cluster_embedded.kubectl.connection")
        try:
            found = connection.connected(access, asked, folder(), stdin)
        except connection.PromptedError:
            return CommandResult(1, "Please enter Username: ", "error: EOF\n")
        except CommandError as error:
            return CommandResult(error.exit_code, "", f"{error.text}\n")
        access, namespace, headers = found.access, found.namespace, {**headers, **found.headers}
    session = Session(
        access=access,
        arguments=arguments,
        namespace=arguments.text("namespace") or namespace,
        stdin=stdin,
        folder=folder,
        manager=arguments.text("field-manager") or entry.manager,
        headers=headers,
        managed_fields=_shows_managed_fields(arguments),
    )
    act: Callable[[Session], None] = getattr(module, entry.function)
    if _writes_before_it_renders(entry, arguments):
        # What a template cannot do is noticed when the object has changed already.
        given = {name: list(values) for name, values in arguments.given.items()}
        tried = replace(arguments, given=given)
        ahead = replace(session, access=session.access.ahead(), arguments=tried, out=[], err=[])
        with suppress(CommandError):
            act(ahead)
    exit_code = 0
    try:
        act(session)
    except CommandError as error:
        if error.text:
            # The binary ends what it says with a newline, unless there is one already.
            invalid = isinstance(error, ServerError) and error.reason == "Invalid"
            session.complain(error.text if invalid else error.text.removesuffix("\n"))
        exit_code = error.exit_code
    return CommandResult(exit_code, "".join(session.out), "".join(session.err))


def _folder(files: Path | Callable[[], Path] | None) -> Callable[[], Path]:
    if callable(files):
        return files
    return lambda: files or Path()


def _connecting(arguments: Arguments, own: Sequence[Flag]) -> Arguments | None:
    """The command line without the command's own flags, when flags of the connection are left."""
    if _CONNECTION.isdisjoint(arguments.given):
        return None
    hidden = {flag.name for flag in own}
    given = {name: values for name, values in arguments.given.items() if name not in hidden}
    return None if _CONNECTION.isdisjoint(given) else replace(arguments, given=given)


def _writes_before_it_renders(entry: _Entry, arguments: Arguments) -> bool:
    output = arguments.text("output")
    writes = entry.manager != _READER or entry.module == "scale"
    if not output or not writes:
        return False
    return "=" in output or output == "kyaml" or (output == "json" and _holds_structs(arguments))


def _holds_structs(arguments: Arguments) -> bool:
    printing = import_module("sregym_cluster_embedded.kubectl.printing")
    return bool(printing.holds_structs(arguments))


def _shows_managed_fields(arguments: Arguments) -> bool:
    """As `printing.shows_managed_fields`, which is asked about templates alone."""
    if "=" not in arguments.text("output"):
        return arguments.on("show-managed-fields")
    printing = import_module("sregym_cluster_embedded.kubectl.printing")
    return bool(printing.shows_managed_fields(arguments))


def _entry(words: list[str]) -> tuple[str, _Entry, list[str]]:
    """The command's full name, what runs it, and its words without that name.

    Raises:
        CommandError: There is no such command.
    """
    at = _next_word(words, 0, "")
    if at is None:
        raise NotCovered("no command")
    path: tuple[str, ...] = (words[at],)
    rest = [*words[:at], *words[at + 1 :]]
    while path in _PARENTS:
        at = _next_word(rest, at, " ".join(path))
        longer = None if at is None else _below(path, rest[at])
        if at is None or longer is None:
            break
        path = longer
        rest.pop(at)
    entry = _COMMANDS.get(path)
    name = " ".join(path)
    if entry is not None:
        return name, entry, rest
    if len(path) == 1 and not _usage().has_command(name):
        raise _usage().unknown_command(name)
    if path in _PARENTS and at is not None and len(rest) == 1:
        raise _usage().usage_error(name, f'unknown command "{rest[0]}"')
    raise NotCovered(" ".join([name, *rest[:1]]))


def _below(path: tuple[str, ...], word: str) -> tuple[str, ...] | None:
    """The command below `path` that `word` names."""
    longer = (*path, _ALIASES.get((path[-1], word), word))
    if longer in _COMMANDS or longer in _PARENTS:
        return longer
    return longer if _usage().has_subcommand(" ".join(longer)) else None


def _next_word(words: list[str], start: int, command: str) -> int | None:
    """Where the next word stands that is neither a flag nor the value of one."""
    at = start
    while at < len(words):
        word = words[at]
        if word == "--":
            return None
        if not word.startswith("-") or word == "-":
            return at
        at += 1 + _takes_next(word, command)
    return None


def _takes_next(word: str, command: str) -> bool:
    if word in _VALUED_BEFORE:
        return True
    if "=" in word or word.startswith("-n"):
        return False
    if word.startswith("--"):
        return bool(_usage().takes_value(command, word[2:]))
    return len(word) == len("-x") and bool(_usage().takes_value(command, word[1]))


def _usage() -> Any:
    """What is said about wrong command lines; imported when one is met."""
    return import_module("sregym_cluster_embedded.kubectl.usage")
