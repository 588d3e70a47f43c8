"""A campaign's file: what it may say, read strictly."""

from __future__ import annotations

import hashlib
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from sregym_core.errors import UsageError
from sregym_core.model.defect import field_path
from sregym_core.model.validation import invalid_fields
from sregym_core.model.yaml_lines import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sregym_core.model.defect import Location

_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
# Who knows the answers, and who knows nothing: between them lies every agent.
BASELINES = ("expert", "random", "noop")


def _texts(given: Any) -> Any:
    """Options are texts; in a file they may stand as numbers or truth values."""
    if not isinstance(given, dict):
        return given
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in given.items()
    }


Options = Annotated[dict[str, str], BeforeValidator(_texts)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Prices(_Strict):
    """Money for a million tokens.

    Attributes:
        prompt: Read by the model.
        completion: Written by it.
        cached: Of the prompt, what the provider had kept; as `prompt` where it is left out.
    """

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)

    def told(self) -> dict[str, float]:
        """As `sregym_statistics.cost_of` takes them."""
        return {name: value for name, value in self.model_dump().items() if value is not None}

    @property
    def highest(self) -> float:
        """Of any token."""
        return max(self.told().values())


class AgentSpec(_Strict):
    """Who plays.

    Attributes:
        name: In the report; that of the adapter where it is left out.
        agent: Name of the adapter, as behind `--agent`.
        options: As behind `--agent-option`.
        prices: Of its language model.
        expected_tokens: What an episode is expected to take, prompt and completion together.
    """

    name: str = Field(pattern=_NAME)
    agent: str
    options: Options = Field(default_factory=dict)
    prices: Prices | None = None
    expected_tokens: int | None = Field(default=None, gt=0)

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        """A bare name is an adapter without options."""
        if isinstance(given, str):
            return {"name": given, "agent": given}
        if isinstance(given, dict):
            given = {**given}
            if "agent" in given:
                given.setdefault("name", given["agent"])
        return given


class Limits(_Strict):
    """Of each episode.

    Attributes:
        steps: Tool calls.
        tokens: Of the language model.
        episode_s: Seconds on the episode's clock.
        wall_s: Wall-clock seconds of the agent's part.
        grace_s: Wall-clock seconds besides for set-up, grading and recovery, after which the
            process of an episode is ended.
    """

    steps: int | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    episode_s: float | None = Field(default=1800.0, gt=0)
    wall_s: float = Field(default=1800.0, gt=0)
    grace_s: float = Field(default=300.0, gt=0)


class CampaignBudget(_Strict):
    """Of all episodes together, retried ones included; None means none."""

    tokens: int | None = Field(default=None, ge=0)
    money: float | None = Field(default=None, ge=0)


class RunnerSpec(_Strict):
    """Where episodes are played.

    Attributes:
        name: `processes`, or what a plugin offers.
        jobs: How many at once; None for one a processor.
        options: Of the runner.
    """

    name: str = "processes"
    jobs: int | None = Field(default=None, gt=0)
    options: Options = Field(default_factory=dict)


class CampaignFile(_Strict):
    """Suites x agents x modes x noise levels x seeds x attempts.

    Attributes:
        name: Of the campaign.
        suites: Names of suites, all problems of which are played.
        problems: Ids of further problems.
        agents: Who plays.
        baselines: Scripted agents that play besides, once in each world.
        modes: How episodes are put to agents.
        noise: Levels by name: how much of a mixture of all sources, 0 to 3, or the sources, as `NAME`
            or `NAME=LEVEL`; None leaves to each problem what it says itself.
        seeds: Of the worlds.
        attempts: Of each agent in each world.
        cluster: As behind `--cluster`.
        reward: What episodes are worth to a trainer, as behind `--reward`.
        limits: Of each episode.
        budget: Of all together.
        retries: How often an episode is played again that says nothing of the agent.
        backoff_s: Wall-clock seconds before the first of them; doubled each time.
        records: Folder or fsspec URL; `campaigns/NAME` where it is left out.
        runner: Where episodes are played.
    """

    name: str = Field(pattern=_NAME)
    suites: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    agents: tuple[AgentSpec, ...] = Field(min_length=1)
    baselines: tuple[str, ...] = BASELINES
    modes: tuple[str, ...] = Field(default=("standard",), min_length=1)
    noise: dict[str, int | tuple[str, ...] | None] = {"none": ()}
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1)
    attempts: int = Field(default=1, gt=0)
    cluster: str = "embedded"
    reward: str | None = None
    limits: Limits = Limits()
    budget: CampaignBudget = CampaignBudget()
    retries: int = Field(default=2, ge=0)
    backoff_s: float = Field(default=5.0, ge=0)
    records: str = ""
    runner: RunnerSpec = RunnerSpec()
    _text: str = PrivateAttr("{}")

    @property
    def text(self) -> str:
        """The YAML that it was read from."""
        return self._text

    @property
    def digest(self) -> str:
        """Of what decides which episodes are played and how; not of where, or how many at once."""
        told = self.model_dump_json(exclude={"records", "runner", "retries", "backoff_s", "budget"})
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def read(path: Path) -> CampaignFile:
    """A campaign's file.

    Raises:
        UsageError: It cannot be read, or says something that is not known; all of it is named.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = yaml.safe_load(text)
    except OSError as error:
        msg = f"campaign file {str(path)!r} cannot be read: {error.strerror}"
        raise UsageError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"campaign file {str(path)!r} cannot be read: it is not UTF-8"
        raise UsageError(msg) from error
    except yaml.YAMLError as error:
        msg = f"campaign file {str(path)!r} is no YAML: {' '.join(str(error).split())}"
        raise UsageError(msg) from error
    try:
        file = CampaignFile.model_validate(content)
    except ValidationError as error:
        raise mistakes(path, text, invalid_fields(error, CampaignFile, content)) from error
    file._text = text
    return file


def mistakes(path: Path, text: str, found: Sequence[tuple[Location, str]]) -> UsageError:
    """What is wrong with a file, all of it at once, by lines.

    Args:
        path: Of the file.
        text: That stands in it.
        found: Locations in it, each with what is wrong there; the whole file where one is empty.
    """
    root = yaml.compose(text, yaml.SafeLoader)
    lines = sorted(
        ((line_of(root, where), where, what) for where, what in found), key=itemgetter(0)
    )
    head = f"campaign file {str(path)!r}: {len(found)} mistake{'' if len(found) == 1 else 's'}"
    texts = [
        f"  line {line}, {f'{field_path(where)}: ' if where else 'a campaign file '}{what}"
        for line, where, what in lines
    ]
    return UsageError("\n".join([f"{head}, nothing was begun", *texts]))
