"""`sregym submit`: hand in the current stage of the session around this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse


class Submit(Subcommand):
    """Submits to a session of `sregym up` or of the agent `shell`."""

    name: ClassVar[str] = "submit"
    summary: ClassVar[str] = (
        "submit the diagnosis, or that the repair is done, from inside a session"
    )
    examples: ClassVar[tuple[str, ...]] = (
        "sregym submit 'Service geo selects no pods' --component geo",
        "sregym submit repaired",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "text", metavar="TEXT", help="the diagnosis, then word that the repair is done"
        )
        parser.add_argument(
            "--claims",
            type=Path,
            default=None,
            metavar="FILE",
            help="a structured diagnosis as JSON",
        )
        fields = parser.add_argument_group("the diagnosis in fields, all optional")
        for field, about in _fields().items():
            fields.add_argument(
                f"--{field}",
                default=None,
                metavar="NAMES" if about.many else "TEXT",
                help=about.help.replace("%", "%%"),
            )
        parser.add_argument("--json", action="store_true", help="print JSON: the receipt")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Send it and print the receipt."""
        from sregym_agents.session_folder import find_address

        from sregym_up.gateway_client import get_json

        address = find_address(self.settings)
        body: dict[str, Any] = {"text": arguments.text}
        given = _given(arguments)
        if arguments.claims is not None:
            told = _read_claims(arguments.claims)
            given = {**told, **given} if isinstance(told, dict) else told
        if given:
            body["claims"] = given
        receipt = get_json(address, "/submit", "submission", body)
        if arguments.json:
            self.console.json(receipt, one_line=True)
        else:
            self.console.say(str(receipt.get("message", "")))
        return ExitCode.DONE if receipt.get("accepted") else ExitCode.FAILED


@dataclass(frozen=True)
class _Field:
    """A field of claims on the command line; several names stand behind one another with commas."""

    help: str
    many: bool


def _fields() -> dict[str, _Field]:
    from sregym_core.model import Claims

    return {
        name: _Field(
            _lower(about.description or "") + (" (with commas)" if about.default == () else ""),
            about.default == (),
        )
        for name, about in Claims.model_fields.items()
    }


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields that the command line names."""
    told = {name: getattr(arguments, name, None) for name in _fields()}
    return {
        name: [part.strip() for part in value.split(",")] if about.many else value
        for name, about in _fields().items()
        if (value := told[name]) is not None
    }


def _read_claims(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"claims file {str(path)!r} cannot be read: {error.strerror}"
        raise UsageError(msg) from error
    except ValueError as error:
        msg = f"claims file {str(path)!r} is not JSON: {error}"
        raise UsageError(msg) from error
