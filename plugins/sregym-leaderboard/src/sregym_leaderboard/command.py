"""`sregym leaderboard`: sign a campaign, verify a submission, build the site."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse

    from sregym_core.api import Workspace

    from sregym_leaderboard.verification import Entry

SIGNERS = "signers.json"
SAMPLE = 20


class Leaderboard(Subcommand):
    """Makes submissions and the site that ranks them."""

    name: ClassVar[str] = "leaderboard"
    summary: ClassVar[str] = "sign a campaign as a submission, and build a site of submissions"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym leaderboard sign campaigns/small --name mine --agent react --key key.pem --contamination none",
        "sregym leaderboard verify mine.submission.gz --sample 5",
        "sregym leaderboard build submissions --out site",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """`sign`, `verify` and `build`."""
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB", help="what to do")
        sign = verbs.add_parser(
            "sign",
            help="make a signed submission of a finished campaign",
            epilog=f"example: {self.examples[0]}",
        )
        sign.add_argument("campaign", type=Path, metavar="CAMPAIGN", help="folder of the campaign")
        sign.add_argument("--name", required=True, help="name of the entry")
        sign.add_argument("--agent", required=True, help="name of the agent in the campaign")
        sign.add_argument(
            "--key",
            type=Path,
            required=True,
            metavar="FILE",
            help="file of the private key; created if missing",
        )
        sign.add_argument(
            "--contamination",
            required=True,
            metavar="TEXT",
            help="what the model may have seen of the problems, and what the agent could look up",
        )
        sign.add_argument("--organisation", default="", help="who submits")
        sign.add_argument("--contact", default="", help="address for questions")
        sign.add_argument(
            "--image",
            default="",
            metavar="DIGEST",
            help="digest of the container image in which it was played",
        )
        sign.add_argument(
            "--out",
            type=Path,
            default=Path(),
            metavar="FOLDER",
            help="folder to write the submission to (default: here)",
        )
        verify = verbs.add_parser(
            "verify",
            help="check one submission: signature, rules, and some episodes played again",
            epilog=f"example: {self.examples[1]}",
        )
        verify.add_argument("file", type=Path, metavar="FILE", help="the submission")
        build = verbs.add_parser(
            "build",
            help="write the site of a folder of submissions",
            epilog=f"example: {self.examples[2]}",
        )
        build.add_argument("folder", type=Path, metavar="FOLDER", help="folder of submissions")
        build.add_argument(
            "--out", type=Path, metavar="FOLDER", help="folder of the site (default: FOLDER/site)"
        )
        for one in (verify, build):
            one.add_argument(
                "--sample",
                type=int,
                default=SAMPLE,
                metavar="N",
                help=f"episodes of each submission that are played again; 0 for all (default: {SAMPLE})",
            )
            one.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Do what the verb says."""
        if arguments.verb == "sign":
            return self._sign(arguments)
        if arguments.sample < 0:
            raise UsageError(f"--sample {arguments.sample}: give a number from 0 on")
        if arguments.verb == "verify":
            return self._verify(arguments, self.workspace())
        return self._build(arguments, self.workspace())

    def workspace(self) -> Workspace:
        """Plugins and worlds with which episodes are played again."""
        from sregym_core.api import Workspace

        return Workspace(self.settings)

    def _sign(self, arguments: argparse.Namespace) -> ExitCode:
        from pydantic import ValidationError
        from sregym_core.model.validation import invalid_fields

        from sregym_leaderboard.keys import key_of
        from sregym_leaderboard.submission import Statement, collected, written

        try:
            statement = Statement(
                name=arguments.name,
                agent=arguments.agent,
                organisation=arguments.organisation,
                contact=arguments.contact,
                contamination=arguments.contamination,
                image=arguments.image,
            )
        except ValidationError as error:
            wrong = invalid_fields(error, Statement, None)
            raise UsageError("; ".join(f"--{where[0]}: {what}" for where, what in wrong)) from error
        content = collected(arguments.campaign, statement)
        file = written(content, key_of(arguments.key), arguments.out)
        self.console.say(f"submission: {file} ({counted(len(content.episodes), 'episode')})")
        return ExitCode.DONE

    def _verify(self, arguments: argparse.Namespace, workspace: Workspace) -> ExitCode:
        entry = _entry(arguments.file, {}, arguments.sample, workspace)
        if arguments.json:
            self.console.json(_told(entry))
        else:
            self._say(entry)
        return ExitCode.FAILED if entry.objections else ExitCode.DONE

    def _build(self, arguments: argparse.Namespace, workspace: Workspace) -> ExitCode:
        from sregym_leaderboard.pages import written
        from sregym_leaderboard.submission import SUFFIX

        folder: Path = arguments.folder
        files = sorted(folder.glob(f"*{SUFFIX}"))
        if not files:
            msg = f"{str(folder)!r} holds no submission (*{SUFFIX}); make one with: sregym leaderboard sign"
            raise UsageError(msg)
        signers = _signers(folder / SIGNERS)
        entries, refused = [], {}
        for file in files:
            try:
                entries.append(_entry(file, signers, arguments.sample, workspace))
            except UsageError as error:
                refused[file.name] = str(error)
                self.console.note(f"warning: left out: {error}")
        index = written(entries, refused, arguments.out or folder / "site")
        if arguments.json:
            told = {"index": str(index), "entries": list(map(_told, entries)), "refused": refused}
            self.console.json(told)
        else:
            for entry in entries:
                self._say(entry)
            self.console.say(f"site: {index}")
        good = not refused and not any(entry.objections for entry in entries)
        return ExitCode.DONE if good else ExitCode.FAILED

    def _say(self, entry: Entry) -> None:
        said = [
            f"{entry.name}: {entry.agreed} of {entry.played_again} episodes agree when played again"
        ]
        if entry.in_part:
            said.append(f"{entry.in_part} in part")
        if entry.not_possible:
            said.append(f"{entry.not_possible} cannot be")
        self.console.say("; ".join(said))
        for objection in entry.objections:
            self.console.say(f"  objection: {objection}")
        for difference in entry.differences:
            self.console.say(f"  played with {difference}")


def _entry(file: Path, signers: dict[str, str], sample: int, workspace: Workspace) -> Entry:
    from sregym_leaderboard.submission import opened
    from sregym_leaderboard.verification import verified

    content, signed = opened(file)
    return verified(content, signed, signers, sample or None, workspace)


def _told(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "key": entry.key,
        "signer": entry.signer,
        "e2e": entry.own["e2e"]
        if entry.content.statement.agent in entry.figures["agents"]
        else None,
        "played_again": entry.played_again,
        "agreed": entry.agreed,
        "in_part": entry.in_part,
        "not_possible": entry.not_possible,
        "replays": [
            {
                "episode": one.episode,
                "result": one.result,
                "why": one.why,
                "verified": list(one.verified),
                "unverified": list(one.unverified),
            }
            for one in entry.replays
        ],
        "objections": list(entry.objections),
        "differences": list(entry.differences),
    }


def _signers(file: Path) -> dict[str, str]:
    if not file.exists():
        return {}
    try:
        found = json.loads(file.read_bytes())
        if isinstance(found, dict) and all(isinstance(name, str) for name in found.values()):
            return found
    except (OSError, ValueError):
        pass  # told below
    raise UsageError(f"{str(file)!r} is no JSON object of names by public key")
