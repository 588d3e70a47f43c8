"""Ways to run commands on nodes as root: on this machine, by ssh, in a container."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_nodes.remote import AgentError

if TYPE_CHECKING:
    from collections.abc import Sequence

TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Done:
    """What a command came to.

    Attributes:
        exit_code: Zero when it went well.
        stdout: What it printed.
        stderr: What it complained of.
    """

    exit_code: int
    stdout: str = ""
    stderr: str = ""


class Local:
    """This machine itself.

    Args:
        head: Words before each command: `sudo -n`, or what enters a namespace.
    """

    def __init__(self, head: Sequence[str] = ()) -> None:
        self._head = tuple(head)

    def __call__(self, argv: Sequence[str], stdin: str = "") -> Done:
        """Run it here.

        Raises:
            AgentError: There is no such program, or it does not end.
        """
        try:
            done = subprocess.run(
                [*self._head, *argv],
                input=stdin,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError as error:
            msg = f"{error.filename!r} is needed to reach the node and is not on PATH; install it"
            raise AgentError(msg) from error
        except subprocess.TimeoutExpired as error:
            msg = f"{argv[0]!r} did not end within {TIMEOUT_S:g} s; is the node reachable?"
            raise AgentError(msg) from error
        return Done(done.returncode, done.stdout, done.stderr)


class InContainer(Local):
    """A node that is a container of this machine, as those of kind.

    Args:
        container: Its name.
        program: `docker`, `podman` or `nerdctl`.
    """

    def __init__(self, container: str, program: str = "docker") -> None:
        super().__init__((program, "exec", "-i", "--user", "0", container))


class Ssh:
    """A node that can be logged in to.

    Args:
        address: Of the node.
        user: As whom; any user but root has to be allowed `sudo` without a password.
        options: Further words for `ssh`, such as `-p`, `2222`.
    """

    def __init__(self, address: str, user: str = "root", options: Sequence[str] = ()) -> None:
        plain = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", *options)
        self._local = Local((*plain, "-l", user, address, "--"))
        self._sudo = () if user == "root" else ("sudo", "-n", "--")

    def __call__(self, argv: Sequence[str], stdin: str = "") -> Done:
        """One line that the login shell takes apart into the same words.

        Raises:
            AgentError: `ssh` is not installed here, or does not end.
        """
        return self._local((shlex.join((*self._sudo, *argv)),), stdin)
