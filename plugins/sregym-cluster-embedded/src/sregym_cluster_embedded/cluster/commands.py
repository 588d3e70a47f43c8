"""Kubectl commands of one caller: in this process where the twin covers them, else the binary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import CommandResult, run_with_deadline
from sregym_kubernetes.scratch import ScratchFolder
from sregym_regex.budget import Budget, BudgetExceededError, under

from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.api.policing import user_of
from sregym_cluster_embedded.api.request import User
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.status import KILLED, TIMED_OUT
from sregym_cluster_embedded.http.time_shift import shifted_text
from sregym_cluster_embedded.kubectl.access import DirectAccess
from sregym_cluster_embedded.kubectl.command import run as run_twin
from sregym_cluster_embedded.kubectl.errors import NotCovered
from sregym_cluster_embedded.kubectl.fallback import KubectlMissingError, run_binary
from sregym_cluster_embedded.kubectl.kubeconfig import remember
from sregym_cluster_embedded.userland.host.redacted import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.policy import Policy

    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.server import ApiEndpoint

# While a client waits, virtual time passes thirty times as fast: this is half an hour.
BINARY_TIMEOUT_S = 60.0
# What Python says of a number with too many digits.
_TOO_LONG = "integer string conversion"
# What one command may cost in this process, that of the requests which it sends among it.
_STEPS, _MEMORY_BYTES = 2_000_000, 256 << 20


def wall_seconds() -> float:
    """The wall clock, in seconds since the Unix epoch; read only where clients outside look on."""
    import time

    return time.time()


def _timed_out(words: Sequence[str]) -> CommandResult | None:
    """What is printed of a command that computes for too long: its process is killed, or a request."""
    if "exec" in words:
        return CommandResult(KILLED, "", f"command terminated with exit code {KILLED}\n")
    return CommandResult(1, "", f"Error from server (Timeout): {TIMED_OUT}\n")


def hide_on_nodes(live: LiveWorld, policy: Policy) -> None:
    """Hide on the machines what is hidden from an agent in the API."""
    with live.open() as world:
        redact(world, policy.redacted())


class Commands:
    """Runs the commands of one caller, and keeps what kubectl keeps between them.

    The binary gets an endpoint and a kubeconfig of its own, in a folder that no other user can read.

    Args:
        live: The cluster.
        policy: What holds for an agent; None for the harness, which may do everything.
    """

    def __init__(self, live: LiveWorld, policy: Policy | None = None) -> None:
        self.policy = policy
        self._live = live
        self._user = User() if policy is None else user_of(policy)
        self._memory: dict[str, Any] = {}
        self._endpoint: ApiEndpoint | None = None
        self._private: ScratchFolder | None = None

    def run(self, words: Sequence[str], stdin: str, files: Callable[[], Path]) -> CommandResult:
        """Run `kubectl WORDS...`; file names count from the folder that `files` gives."""
        done = run_with_deadline(
            lambda: self._twin(words, stdin, files),
            self._live.limit_s,
            lambda: _timed_out(words),
            cpu=True,
        )
        return self._binary(words, stdin, files) if done is None else done

    def _twin(
        self, words: Sequence[str], stdin: str, files: Callable[[], Path]
    ) -> CommandResult | None:
        """What the command answers in this process; None where it is not covered."""
        with self._live.open() as world:
            if self.policy is not None:
                redact(world, self.policy.redacted())
            access = DirectAccess(
                world, self._user, policy=self.policy, kubeconfig=lambda: self._served()[1]
            )
            access.memory = self._memory
            try:
                with under(Budget(_STEPS, _MEMORY_BYTES)):
                    done = run_twin(access, words, stdin, files=files)
            except NotCovered:
                return None
            except (BudgetExceededError, MemoryError):
                return _timed_out(words)
            except (ValueError, OverflowError) as error:
                if not isinstance(error, OverflowError) and _TOO_LONG not in str(error):
                    raise
                # A number of thousands of digits: the binary has words for each place of it.
                return None
            except RecursionError:
                # As a program of Go ends.
                return CommandResult(2, "", "fatal error: stack overflow\n")
            return CommandResult(done.exit_code, done.stdout, done.stderr)

    def close(self) -> None:
        """Stop serving the binary and forget its files."""
        if self._endpoint is not None:
            self._endpoint.close()
            self._endpoint = None
        if self._private is not None:
            self._private.cleanup()
            self._private = None

    def _binary(self, words: Sequence[str], stdin: str, files: Callable[[], Path]) -> CommandResult:
        endpoint, kubeconfig = self._served()
        shift_s = endpoint.shift_s = self._shift_s()
        words = [shifted_text(word, shift_s) for word in words]
        stdin = shifted_text(stdin, shift_s)
        try:
            with self._live.command():
                done = run_binary(
                    kubeconfig, words, stdin, files=files(), timeout_s=BINARY_TIMEOUT_S
                )
        except KubectlMissingError as error:
            return CommandResult(127, "", f"{error}\n")
        if "config" in words:
            # The next command of the twin is to see what this one has changed.
            remember(self._memory, kubeconfig)
        printed = (shifted_text(text, -shift_s) for text in (done.stdout, done.stderr))
        return CommandResult(done.exit_code, *printed)

    def _shift_s(self) -> int:
        """By how much the binary, which computes ages by the wall clock, has to see time moved.

        None where virtual time has followed the wall clock since others are served.
        """
        if not isinstance(self._live.pacing, Stepped):
            return 0
        with self._live.open() as world:
            return round(wall_seconds() - (world.epoch + world.now))

    def _served(self) -> tuple[ApiEndpoint, Path]:
        # The web server is imported only where one is served: most episodes need none.
        from sregym_cluster_embedded.http.secure import client_credentials
        from sregym_cluster_embedded.http.server import ApiEndpoint

        if self._private is None:
            self._private = ScratchFolder("cluster-")
        kubeconfig = Path(self._private.name) / "kubeconfig"
        if self._endpoint is None:
            endpoint = ApiEndpoint(self._live, secure=True, policy=self.policy)
            endpoint.start()
            self._endpoint = endpoint
            groups = tuple(name for name in self._user.groups if name != "system:authenticated")
            with self._live.open() as world:
                authority = certificate_authority(world)
                credentials = client_credentials(world, self._user.name, groups)
            write_kubeconfig(kubeconfig, endpoint.url, authority=authority, credentials=credentials)
        return self._endpoint, kubeconfig
