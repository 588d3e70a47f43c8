"""Records of the operands of awk, or of its input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.awk.scope import Scope
from sregym_cluster_embedded.userland.shell.awk.streams import Records, inwards
from sregym_cluster_embedded.userland.shell.awk.values import Input, number_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.awk.values import Value
    from sregym_cluster_embedded.userland.shell.session import Session


class InputRecords(Scope):
    """A scope that reads.

    Args:
        session: Where it runs.
        given: Variables of the command line.
        arguments: `ARGV`, the program's name first.
        source: Opens an operand, or the input when it has no name; None when it cannot be.
    """

    def __init__(
        self,
        session: Session,
        given: dict[str, Value],
        arguments: list[str],
        source: Callable[[str], str | None],
    ) -> None:
        super().__init__(session, given, arguments)
        self._source = source
        self._argument, self._operands = 1, 0
        self._current: Records | None = None

    def leave_file(self) -> None:
        """Go on with the next operand."""
        self._current = None

    def read_record(self) -> str | None:
        """The next record of the operands, or of the input when there are none."""
        while True:
            if self._current is None:
                text = self._open_next()
                if text is None:
                    return None
                self._current = Records(inwards(text))
            found = self._current.following(self.text(self.variable("RS")))
            if found is not None:
                self.globals["NR"] = number_of(self.variable("NR")) + 1
                self.globals["FNR"] = number_of(self.variable("FNR")) + 1
                return found
            self._current = None

    def _open_next(self) -> str | None:
        names = self.array("ARGV")
        while self._argument < number_of(self.variable("ARGC")):
            name = self.text(names.found(str(self._argument)))
            self._argument += 1
            if name == "" or self.assigned(name):
                continue
            self._operands += 1
            text = self._source(name)
            if text is None:
                continue
            self.globals["FILENAME"] = Input(name)
            self.globals["FNR"] = 0.0
            return text
        if self._operands:
            return None
        self._operands = 1
        return self._source("")

    def read_line(self) -> bool:
        """Read the next record into `$0`; whether there was one."""
        found = self.read_record()
        if found is not None:
            self.set_line(found)
        return found is not None
