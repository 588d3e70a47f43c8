"""Ways to run a command as root on the host of a node."""

from __future__ import annotations

import re
import shlex
import subprocess
from abc import ABC, abstractmethod
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import NodeError
from sregym_core.interfaces import CommandResult
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.interfaces import Cluster

TIMEOUT_S = 120.0
POD_NAMESPACE = "kube-system"
POD_IMAGE = "busybox:1.36"
POD_TIMEOUT_S = 120.0
# How Docker, podman and nerdctl begin what they say themselves, and no command in the container.
_OF_ENGINE = re.compile(
    r"(?:Error response from daemon: |Error: (?:No such container|no container with name)"
    r"|Cannot connect to the |.*permission denied while trying to connect to the |.*level=fatal "
    r"|FATA\[|Error: can only create exec sessions on running containers)"
)
_NOBODY = re.compile("no such container|no container with name", re.IGNORECASE)


class UnreachedError(NodeError):
    """No way leads to the host now: whatever else would be asked of it would fail as well."""


class Transport(ABC):
    """One way to the hosts of all nodes.

    Attributes:
        under_kubelet: Whether the way leads through the kubelet and the container runtime of the node.
    """

    under_kubelet: ClassVar[bool] = False

    @abstractmethod
    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Run a command to its end.

        Raises:
            NodeError: The host cannot be reached.
        """


def run_here(argv: Sequence[str], stdin: str) -> CommandResult:
    """Run a program of this machine, which leads to the host.

    Raises:
        NodeError: There is no such program, or it does not end.
    """
    try:
        done = subprocess.run(
            list(argv),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        msg = f"{argv[0]!r} is needed to reach nodes and is not on PATH; install it"
        raise NodeError(msg) from error
    except subprocess.TimeoutExpired as error:
        msg = f"{argv[0]!r} did not end within {TIMEOUT_S:g} s; is the node reachable?"
        raise NodeError(msg) from error
    return CommandResult(done.returncode, done.stdout, done.stderr)


class Here(Transport):
    """This machine itself is the only node."""

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Run it here."""
        return run_here(argv, stdin)


class DockerExec(Transport):
    """Nodes that are containers, as those of kind: named like their nodes.

    Args:
        program: `docker`, `podman` or `nerdctl`.
        run: What runs programs of this machine.
    """

    def __init__(
        self,
        program: str = "docker",
        run: Callable[[Sequence[str], str], CommandResult] = run_here,
    ) -> None:
        self._program = program
        self._run = run

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """`docker exec` in the node's container."""
        head = (self._program, "exec", "-i", "--user", "0", node)
        done = self._run((*head, *argv), stdin)
        said = done.stderr.strip().splitlines()[-1:] or [""]
        if not done.ok and _NOBODY.search(said[0]) and _OF_ENGINE.match(said[0]):
            msg = f"no container is called {node!r}; are the nodes containers of this machine?"
            raise UnreachedError(msg)
        if not done.ok and _OF_ENGINE.match(said[0]):
            msg = f"node {node!r} cannot be reached by {self._program}: {said[0]}"
            raise UnreachedError(msg)
        return done


class Ssh(Transport):
    """Nodes that can be logged in to.

    Args:
        address_of: The address of a node.
        user: As whom; anybody but root has to be allowed `sudo` without a password.
        run: What runs programs of this machine.
        config: Of `ssh`, in the place of the usual files; empty for these.
    """

    def __init__(
        self,
        address_of: Callable[[str], str],
        user: str = "root",
        run: Callable[[Sequence[str], str], CommandResult] = run_here,
        config: str = "",
    ) -> None:
        self._address_of = address_of
        self._user = user
        self._config = ("-F", config) if config else ()
        self._run = run

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """`ssh`, with one line that the login shell takes apart into the same words."""
        words = tuple(argv) if self._user == "root" else ("sudo", "-n", "--", *argv)
        quick = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
        head = ("ssh", *self._config, *quick, "-l", self._user)
        done = self._run((*head, self._address_of(node), "--", shlex.join(words)), stdin)
        if done.exit_code == 255:
            msg = f"node {node!r} cannot be reached by ssh: {done.stderr.strip()}"
            raise UnreachedError(msg)
        return done


class PrivilegedPod(Transport):
    """Any cluster whose user may create privileged pods: one for each command, deleted after it.

    Kubelet and runtime cannot be stopped that way: who does it could not undo it. Its name says nothing; the pod is there only while the command runs.

    Args:
        cluster: Where.
    """

    under_kubelet: ClassVar[bool] = True

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._count = 0

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Enter the namespaces of the host's first process from the pod."""
        self._count += 1
        pod = self._pod(node)
        ref = ObjectRef.of(pod)
        self._cluster.create(pod)
        try:
            if not self._cluster.clock.wait_until(lambda: self._runs(ref), POD_TIMEOUT_S):
                msg = (
                    f"no pod came up on node {node!r} within {POD_TIMEOUT_S:g} s; does its kubelet "
                    "run? Else give another way to nodes (option nodes=ssh)"
                )
                raise UnreachedError(msg)
            enter = ("nsenter", "-t", "1", "-m", "-u", "-i", "-n", "-p", "--")
            # Not every server says where standard input ends, so the pod counts.
            counted = ("sh", "-c", 'head -c "$0" | "$@"', str(len(stdin.encode())))
            words = (*(counted if stdin else ()), *enter, *argv)
            return self._cluster.exec(POD_NAMESPACE, ref.name, words, stdin=stdin)
        finally:
            self._cluster.delete(ref)

    def _runs(self, ref: ObjectRef) -> bool:
        pod = self._cluster.get(ref) or {}
        return bool((pod.get("status") or {}).get("phase") == "Running")

    def _pod(self, node: str) -> dict[str, Any]:
        moment = f"{node} {self._cluster.clock.now()} {self._count}"
        end = blake2b(moment.encode(), digest_size=3).hexdigest()
        container = {
            "name": "node",
            "image": POD_IMAGE,
            "command": ["sleep", "600"],
            "securityContext": {"privileged": True},
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"node-{end}", "namespace": POD_NAMESPACE},
            "spec": {
                "nodeName": node,
                "hostPID": True,
                "hostNetwork": True,
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 0,
                "tolerations": [{"operator": "Exists"}],
                "containers": [container],
            },
        }
