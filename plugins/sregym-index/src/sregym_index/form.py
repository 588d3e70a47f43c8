"""What an index file says: one entry a distribution."""

from __future__ import annotations

import datetime
from itertools import pairwise
from typing import Any, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAME = r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"


class Contract(BaseModel):
    """What came of the contract tests of a plugin.

    Attributes:
        outcome: `pass` when every one of them passed.
        contracts: Classes of contracts that they hold it to.
        passed: How many tests passed.
        failed: How many did not, those that were skipped included.
        version: Of the distribution that was tested.
        core: Version of `sregym-core` that it was tested with.
        date: When; nothing where versions say enough, as in a repository that tests each change.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    outcome: Literal["pass", "fail"]
    contracts: tuple[str, ...] = Field(min_length=1)
    passed: int = Field(ge=0)
    failed: int = Field(ge=0)
    version: str = Field(min_length=1)
    core: str = Field(min_length=1)
    date: datetime.date | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Contract:
        if (self.outcome == "pass") != (self.failed == 0 and self.passed > 0):
            message = f"outcome {self.outcome!r} does not agree with {self.passed} passed and {self.failed} failed tests"
            raise ValueError(message)
        return self


class Entry(BaseModel):
    """A distribution that can be installed.

    Attributes:
        distribution: Its name, as `pip install` takes it.
        summary: What it is, in one line.
        kinds: Kinds of what it adds, as `sregym plugins` tells them: `fault`, `server kind`.
        adds: What it adds, as `sregym plugins` tells it: `fault acme-dns`.
        core: Versions of `sregym-core` that it fits: `>=0.1,<0.2`.
        home: Its home page; empty where it has none.
        contract: What came of its contract tests; nothing where it was not reported.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    distribution: str = Field(pattern=_NAME)
    summary: str = Field(min_length=1, max_length=200)
    kinds: tuple[str, ...] = Field(min_length=1)
    adds: tuple[str, ...] = ()
    core: str = Field(min_length=1)
    home: str = Field(default="", pattern="^(https?://.+)?$")
    contract: Contract | None = None

    @field_validator("core")
    @classmethod
    def _is_a_range(cls, value: str) -> str:
        try:
            SpecifierSet(value)
        except InvalidSpecifier as error:
            message = f"{value!r} is no range of versions; write it as >=0.1,<0.2"
            raise ValueError(message) from error
        return value

    def fits(self, core: str) -> bool:
        """Whether it fits a version of the core."""
        return SpecifierSet(self.core).contains(core, prereleases=True)

    def has(self, words: tuple[str, ...]) -> bool:
        """Whether all words occur in what is said of it, in whatever case."""
        text = "\n".join([self.distribution, self.summary, *self.kinds, *self.adds]).lower()
        return all(word.lower() in text for word in words)


class Index(BaseModel):
    """An index file.

    Attributes:
        format: Of the file; there is one.
        plugins: The entries, sorted by distribution, each once.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1]
    plugins: tuple[Entry, ...]

    @model_validator(mode="after")
    def _is_in_order(self) -> Index:
        names = [canonicalize_name(entry.distribution) for entry in self.plugins]
        for before, behind in pairwise(names):
            if before == behind:
                message = f"{behind} is listed twice"
                raise ValueError(message)
            if before > behind:
                message = f"{behind} stands behind {before}; entries are sorted by distribution"
                raise ValueError(message)
        return self


def schema() -> dict[str, Any]:
    """The JSON Schema of index files."""
    return {
        "$schema": DIALECT,
        **Index.model_json_schema(),
        "title": "SREGym index of plugins",
    }
