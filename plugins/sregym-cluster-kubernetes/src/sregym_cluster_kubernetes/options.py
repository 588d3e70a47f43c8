"""What a user can say of a cluster behind `--cluster kubeconfig:`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

from sregym_cluster_kubernetes.telemetry.places import is_address, parse_place

if TYPE_CHECKING:
    from collections.abc import Mapping

ENDPOINTS = ("prometheus", "loki", "jaeger", "alertmanager")
KNOWN = (
    "context",
    "kubeconfig",
    "pace",
    *ENDPOINTS,
    "nodes",
    "ssh-user",
    "ssh-config",
    "enter-nodes",
    "suffix",
    "telemetry",
)
_SUFFIX = re.compile(r"([a-z0-9-]{0,19}[a-z0-9])?")
# Ways to the hosts of nodes; docker and podman for nodes that are containers, as those of kind; local
# for a cluster of one node on this machine.
WAYS = ("none", "pod", "ssh", "docker", "podman", "local")


@dataclass(frozen=True)
class ClusterOptions:
    """The options of one cluster.

    Attributes:
        context: Context of the kubeconfig; empty for the current one.
        kubeconfig: Path of the file; empty for the usual places (`KUBECONFIG`, `~/.kube/config`).
        pace: Seconds of the cluster's time per wall second.
        endpoints: Base URLs or Services of telemetry, by name.
        nodes: The way to the hosts of nodes, one of `WAYS`.
        ssh_user: As whom `ssh` logs in there.
        ssh_config: A file in the place of `~/.ssh/config`: ports, keys, jump hosts; empty for the usual ones.
        enter_nodes: Whether agents may enter nodes as root (`kubectl debug node/NAME`) to repair them.
        telemetry: Namespace whose Services of observability are used; empty for none.
        suffix: With which the names of applications' namespaces end.
    """

    context: str = ""
    kubeconfig: str = ""
    pace: float = 1.0
    endpoints: Mapping[str, str] = field(default_factory=dict)
    nodes: str = "none"
    ssh_user: str = "root"
    ssh_config: str = ""
    enter_nodes: bool = False
    suffix: str = ""
    telemetry: str = ""


def parse(options: Mapping[str, str]) -> ClusterOptions:
    """Check the options and give them types.

    Raises:
        UsageError: An option is unknown or its value is of no use.
    """
    for name in options:
        if name not in KNOWN:
            msg = f"cluster 'kubeconfig' has no option {name!r}; known: {', '.join(KNOWN)}"
            raise UsageError(msg)
    text = options.get("pace", "1")
    try:
        pace = float(text)
    except ValueError:
        pace = 0.0
    if pace <= 0:
        msg = f"cluster 'kubeconfig', option 'pace': a positive number is needed, not {text!r}"
        raise UsageError(msg)
    suffix = options.get("suffix", "")
    if not _SUFFIX.fullmatch(suffix):
        msg = (
            "cluster 'kubeconfig', option 'suffix': at most 20 small letters, digits and dashes, "
            f"the last no dash, not {suffix!r}"
        )
        raise UsageError(msg)
    for name in ENDPOINTS:
        text = options.get(name, "http://")
        if not is_address(text) and parse_place(name, text) is None:
            msg = (
                f"cluster 'kubeconfig', option {name!r}: a URL, or NAMESPACE/SERVICE[:PORT][/PATH] "
                f"of a Service in the cluster, not {text!r}"
            )
            raise UsageError(msg)
    way = options.get("nodes", "none")
    if way not in WAYS:
        msg = f"cluster 'kubeconfig', option 'nodes': one of {', '.join(WAYS)}, not {way!r}"
        raise UsageError(msg)
    return ClusterOptions(
        context=options.get("context", ""),
        kubeconfig=options.get("kubeconfig", ""),
        nodes=way,
        ssh_user=options.get("ssh-user", "root"),
        ssh_config=_file(options.get("ssh-config", "")),
        enter_nodes=_switch("enter-nodes", options.get("enter-nodes", "false")),
        pace=pace,
        suffix=suffix,
        telemetry=options.get("telemetry", ""),
        endpoints={name: options[name] for name in ENDPOINTS if name in options},
    )


def _file(text: str) -> str:
    """An absolute path to a file that is there, or nothing.

    Raises:
        UsageError: It is not there.
    """
    if not text:
        return ""
    path = Path(text).expanduser().absolute()
    if not path.is_file():
        msg = f"cluster 'kubeconfig', option 'ssh-config': there is no file {text!r}"
        raise UsageError(msg)
    return str(path)


def _switch(name: str, text: str) -> bool:
    """`true` or `false`.

    Raises:
        UsageError: It is neither.
    """
    if text not in ("true", "false"):
        msg = f"cluster 'kubeconfig', option {name!r}: true or false, not {text!r}"
        raise UsageError(msg)
    return text == "true"
