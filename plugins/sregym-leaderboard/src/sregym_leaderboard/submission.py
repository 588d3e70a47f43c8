"""A submission: a finished campaign with what its submitter says of it, in one signed file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import platform
from importlib.metadata import distributions
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from sregym_core.api import EpisodeRecord, Problem
from sregym_core.errors import UsageError
from sregym_core.model.validation import explain

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SUFFIX = ".submission.gz"
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
_MOST_BYTES = 2_000_000_000


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Statement(_Part):
    """What the submitter says.

    Attributes:
        name: Of the entry.
        agent: What the campaign calls the agent that is submitted.
        organisation: Who submits.
        contact: Where questions go.
        contamination: What the agent's model may have seen of the problems, and whether the agent
            could look them up while it played.
        image: Digest of the image in which the campaign was played; empty for none.
    """

    name: str = Field(pattern=_NAME)
    agent: str
    organisation: str = ""
    contact: str = ""
    contamination: str = Field(min_length=1)
    image: str = ""


class Episode(_Part):
    """One graded episode.

    Attributes:
        agent: What the campaign calls its agent.
        noise: Name of the level.
        record: All of it.
    """

    agent: str
    noise: str
    record: EpisodeRecord


class Content(_Part):
    """What is signed.

    Attributes:
        format: Of the file.
        statement: What the submitter says.
        campaign: Name of the campaign.
        planned: How many episodes of each agent the campaign planned, by name.
        tries: How many tries ended in which way, retried ones included.
        problems: By id, as they were played.
        noise: Levels by name.
        prices: Of the agent's model, if they were told.
        baselines: Agents that the campaign played besides.
        versions: Of all distributions that were installed where it was signed.
        played_with: Of those of SREGym when the campaign began.
        python: Version and platform.
        episodes: All that were graded.
    """

    format: int = 1
    statement: Statement
    campaign: str
    planned: dict[str, int]
    tries: dict[str, int]
    problems: dict[str, Problem]
    noise: dict[str, int | tuple[str, ...] | None]
    prices: dict[str, dict[str, float]]
    baselines: tuple[str, ...]
    versions: dict[str, str]
    played_with: dict[str, str]
    python: str
    episodes: tuple[Episode, ...]

    @model_validator(mode="after")
    def _whole(self) -> Content:
        """Whatever is named is there: it has not been verified yet."""
        for one in self.episodes:
            if one.record.problem not in self.problems:
                raise ValueError(f"problem {one.record.problem!r} of an episode is not there")
            if one.noise not in self.noise:
                raise ValueError(f"noise {one.noise!r} of an episode is not there")
        if self.statement.agent not in self.planned:
            raise ValueError(f"agent {self.statement.agent!r} is not planned")
        return self


class Signed(_Part):
    """The file: the content's bytes with the signature of exactly these."""

    algorithm: str = "ed25519"
    key: str
    signature: str
    content: str


def collected(folder: Path, statement: Statement) -> Content:
    """A finished campaign as content.

    Args:
        folder: Of the campaign.
        statement: Of the submitter.

    Raises:
        UsageError: It holds no finished campaign, a record of it is damaged, or the agent played
            nothing in it.
    """
    plan = _json(folder / "campaign.json")
    if not plan.get("finished"):
        msg = f"campaign {str(folder)!r} is not finished: go on with `sregym campaign run` first"
        raise UsageError(msg)
    if statement.agent not in plan["agents"]:
        known = ", ".join(plan["agents"])
        msg = f"campaign {str(folder)!r} has no agent {statement.agent!r}; it has: {known}"
        raise UsageError(msg)
    wanted = {statement.agent, *plan["baselines"]}
    cells = {cell["id"]: cell for cell in plan["cells"] if cell["agent"] in wanted}
    episodes, tries = [], dict[str, int]()
    for file in sorted((folder / "records").iterdir()):
        one = _json(file).get("try", {})
        cell = cells.get(str(one.get("cell")))
        if cell is None:
            continue
        tries[one["kind"]] = tries.get(one["kind"], 0) + 1
        if one["kind"] == "graded":
            episodes.append(
                {"agent": cell["agent"], "noise": cell["noise"], "record": one["record"]}
            )
    agents = {name: plan["agents"][name] for name in wanted}
    content = {
        "statement": statement,
        "campaign": plan["name"],
        "planned": {name: sum(cell["agent"] == name for cell in cells.values()) for name in agents},
        "tries": tries,
        "problems": plan["problems"],
        "noise": plan["noise"],
        "prices": {
            name: {key: value for key, value in agent["prices"].items() if value is not None}
            for name, agent in agents.items()
            if agent["prices"] is not None
        },
        "baselines": plan["baselines"],
        "versions": installed(),
        "played_with": plan["plugins"],
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "episodes": episodes,
    }
    try:
        return Content.model_validate(content)
    except ValidationError as error:
        wrong = explain(error, Content, content)
        raise UsageError(f"campaign {str(folder)!r} is damaged: {wrong}") from error


def installed() -> dict[str, str]:
    """Version of each distribution of this environment."""
    return dict(sorted((one.name, one.version) for one in distributions() if one.name))


def written(content: Content, key: Ed25519PrivateKey, folder: Path) -> Path:
    """Sign it and write it; gives the file."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    text = content.model_dump_json()
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    signed = Signed(
        key=base64.b64encode(public).decode(),
        signature=base64.b64encode(key.sign(text.encode())).decode(),
        content=text,
    )
    file = folder / f"{content.statement.name}{SUFFIX}"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(signed.model_dump_json().encode(), mtime=0))
    return file


def opened(file: Path) -> tuple[Content, Signed]:
    """A submission whose signature is right.

    Raises:
        UsageError: It is none, its signature is not right, or its content says what is not known.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        with gzip.open(file) as stream:
            text = stream.read(_MOST_BYTES)
        signed = Signed.model_validate_json(text)
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(signed.key))
        key.verify(base64.b64decode(signed.signature), signed.content.encode())
        return Content.model_validate_json(signed.content), signed
    except InvalidSignature as error:
        msg = f"submission {file.name!r}: the signature is not that of its content"
        raise UsageError(msg) from error
    except ValidationError as error:
        form = Signed if error.title == "Signed" else Content
        raise UsageError(f"submission {file.name!r}: {explain(error, form, None)}") from error
    except (OSError, EOFError, ValueError) as error:
        # What gzip finds wrong has no `strerror`.
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"submission {file.name!r} cannot be read: {why}") from error


def fingerprint(key: str) -> str:
    """What people compare of a public key."""
    return hashlib.sha256(base64.b64decode(key)).hexdigest()[:16]


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except OSError as error:
        msg = f"{str(file)!r} cannot be read: {error.strerror}; give the folder of a campaign"
        raise UsageError(msg) from error
    except ValueError as error:
        msg = f"{str(file)!r} is damaged, or its campaign is not finished"
        raise UsageError(msg) from error
    if not isinstance(found, dict):
        raise UsageError(f"{str(file)!r} is damaged, or its campaign is not finished")
    return found
