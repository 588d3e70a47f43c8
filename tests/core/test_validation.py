"""What pydantic refuses is said in our words, with the whole text of each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    field_validator,
)
from pydantic.types import Discriminator
from sregym_core.model.validation import explain


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Port(_Strict):
    number: int = Field(gt=0, le=65535)
    protocol: Literal["TCP", "UDP"] = "TCP"


class _Link(_Strict):
    link: dict[str, str]


class _Pod(_Strict):
    pod: str


def _which(data: Any) -> str:
    return "link" if isinstance(data, dict) and "link" in data else "pod"


class _Shop(_Strict):
    name: str = Field(pattern="^[a-z]+$")
    open: bool = True
    share: float = Field(default=0.5, ge=0, lt=1)
    ports: tuple[_Port, ...] = Field(default=(), max_length=2)
    tags: list[str] = Field(default=["a"], min_length=1)
    labels: dict[str, str] = {}
    size: int | str | None = None
    target: Annotated[
        Annotated[_Link, Tag("link")] | Annotated[_Pod, Tag("pod")], Discriminator(_which)
    ] = _Pod(pod="a")

    @field_validator("tags")
    @classmethod
    def _no_spaces(cls, value: list[str]) -> list[str]:
        if any(" " in tag for tag in value):
            raise ValueError("a tag has no spaces")
        return value


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([], "it must be a mapping, not a list"),
        ({}, "field 'name': missing"),
        ({"name": None}, "field 'name': must be text, not null"),
        ({"name": "a", "opn": 1}, "field 'opn': unknown; did you mean 'open'?"),
        (
            {"name": "a", "zzz": 1},
            "field 'zzz': unknown; there are: labels, name, open, ports, share, size, tags, target",
        ),
        ({"name": "A 1"}, "field 'name': must match the pattern ^[a-z]+$, not 'A 1'"),
        ({"name": "a", "open": "maybe"}, "field 'open': must be true or false, not 'maybe'"),
        ({"name": "a", "share": "half"}, "field 'share': must be a number, not 'half'"),
        ({"name": "a", "share": -1}, "field 'share': must be at least 0, not -1"),
        ({"name": "a", "share": 1}, "field 'share': must be less than 1, not 1"),
        ({"name": "a", "ports": {}}, "field 'ports': must be a list, not a mapping"),
        (
            {"name": "a", "ports": [{"number": 1.5}, {"number": 0, "protocol": "TCPP"}]},
            "field 'ports[0].number': must be a whole number, not 1.5; field 'ports[1].number': "
            "must be greater than 0, not 0; field 'ports[1].protocol': must be 'TCP' or 'UDP', "
            "not 'TCPP'; did you mean 'TCP'?",
        ),
        (
            {"name": "a", "ports": [{"number": 70000}]},
            "field 'ports[0].number': must be at most 65535, not 70000",
        ),
        (
            {"name": "a", "ports": [{"number": 1}] * 3},
            "field 'ports': must have 2 or fewer items, not 3",
        ),
        ({"name": "a", "tags": []}, "field 'tags': must have 1 or more items, not 0"),
        ({"name": "a", "tags": ["b c"]}, "field 'tags': a tag has no spaces"),
        ({"name": "a", "labels": {"x": True}}, "field 'labels.x': must be text, not true"),
        ({"name": "a", "size": []}, "field 'size': must be a whole number or text, not a list"),
        (
            {"name": "a", "target": {"link": {"from": 3}}},
            "field 'target.link.from': must be text, not 3",
        ),
        (
            {"name": "a", "target": {"link": {}, "pod": "b"}},
            "field 'target.pod': unknown; there are: link",
        ),
        ({"name": "a", "target": {}}, "field 'target.pod': missing"),
    ],
)
def test_each_mistake(data: Any, text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _Shop.model_validate(data)
    assert explain(caught.value, _Shop, data) == text


def test_of_many_mistakes_the_first_are_named() -> None:
    form, data = dict[str, int], {name: name for name in "abcdefghij"}
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(form).validate_python(data)
    named = [f"field {name!r}: must be a whole number, not {name!r}" for name in "abcdefgh"]
    assert explain(caught.value, form, data) == "; ".join([*named, "2 more"])


def test_lines_of_the_text_order_the_mistakes() -> None:
    text = "ports:\n- number: x\nshare: y\n"
    data = {"share": "y", "ports": [{"number": "x"}]}
    with pytest.raises(ValidationError) as caught:
        _Shop.model_validate(data)
    assert explain(caught.value, _Shop, data, "setting", text) == (
        "line 1, setting 'name': missing; line 2, setting 'ports[0].number': must be a whole "
        "number, not 'x'; line 3, setting 'share': must be a number, not 'y'"
    )


def test_json_that_is_none() -> None:
    with pytest.raises(ValidationError) as caught:
        _Shop.model_validate_json("{")
    assert explain(caught.value, _Shop, None) == (
        "Invalid JSON: EOF while parsing an object at line 1 column 1"
    )
