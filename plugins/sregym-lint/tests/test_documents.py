"""YAML texts as people wrote them, and models that they are compared with."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from sregym_lint import Defect, compare, documents

TEXT = """\
title: Cart
parts:
- name: cart
  port: many
- name: till
  prot: 80
title: Till
"""


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    port: int = 80


class Shop(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str
    parts: list[Part]


def test_all_mistakes_are_told_with_line_and_field() -> None:
    (document,), none = documents(TEXT, "shop.yaml")
    compared = compare(Shop, document.data)
    assert none == []
    assert document.own + document.defects(compared.found) == [
        Defect(
            "shop.yaml",
            7,
            "title",
            "stands twice, in line 1 and here; the first is without effect",
        ),
        Defect(
            "shop.yaml",
            4,
            "parts[0].port",
            "must be a whole number, not 'many'",
        ),
        Defect(
            "shop.yaml",
            6,
            "parts[1].prot",
            "unknown; did you mean 'port'?",
        ),
    ]


def test_what_is_right_is_left() -> None:
    (document,), _ = documents(TEXT, "shop.yaml")
    compared = compare(Shop, document.data)
    assert compared.value == Shop(title="Till", parts=[Part(name="cart"), Part(name="till")])
    assert compared.left_out == {"port", "many", "prot"}


def test_a_text_that_is_no_yaml() -> None:
    assert documents("a: [1\nb: 2", "x.yaml") == (
        [],
        [Defect("x.yaml", 2, "", "not valid YAML: did not find expected ',' or ']'")],
    )
