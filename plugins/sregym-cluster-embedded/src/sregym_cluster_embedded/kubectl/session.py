"""One run of one command: its arguments, its way to the cluster, and what it has printed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.client import Client
from sregym_cluster_embedded.kubectl.errors import CommandError, SeveralErrors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from sregym_cluster_embedded.kubectl.access import Access
    from sregym_cluster_embedded.kubectl.flags import Arguments


@dataclass
class Session:
    """The surroundings of a command.

    Attributes:
        access: The cluster.
        arguments: The parsed command line.
        namespace: From `-n`, or else that of the context.
        stdin: Standard input.
        folder: Gives the folder from which file names count.
        manager: Field manager of writes.
        headers: Sent with every request: those of impersonation.
        managed_fields: Whether the command shows managed fields.
        out: Pieces of standard output.
        err: Lines of standard error.
        printed: Whether an object has been printed.
    """

    access: Access
    arguments: Arguments
    namespace: str
    stdin: str
    folder: Callable[[], Path]
    manager: str
    headers: dict[str, str] = field(default_factory=dict)
    managed_fields: bool = False
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    printed: bool = False

    @property
    def files(self) -> Path:
        """The folder from which file names count."""
        return self.folder()

    @property
    def client(self) -> Client:
        """The API, with warnings going to standard error."""
        shown = self.managed_fields
        return Client(self.access, self.warn, self.manager, self.headers, plain=not shown)

    def say(self, line: str) -> None:
        """Print a line."""
        self.out.append(line + "\n")

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.err.append(f"Warning: {text}\n")

    def complain(self, text: str) -> None:
        """Print a line on standard error."""
        self.err.append(text + "\n")


@dataclass(frozen=True)
class CommandResult:
    """What a command gave back."""

    exit_code: int
    stdout: str
    stderr: str


@contextmanager
def collected(errors: list[CommandError]) -> Iterator[None]:
    """Keep an error of the block in `errors`, so that the next object has its turn."""
    try:
        yield
    except CommandError as error:
        errors.append(error)


def raise_all(errors: Sequence[CommandError]) -> None:
    """End the command with what went wrong, if anything did."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise SeveralErrors(errors)
