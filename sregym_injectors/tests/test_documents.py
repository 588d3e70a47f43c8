"""Reading documents of YAML into which anybody may have written anything."""

from __future__ import annotations

import pytest
import yaml
from sregym_injectors.documents import read_yaml


def test_documents_of_yaml_and_json_are_read() -> None:
    """As deep as files of programs are; brackets that are closed again are not nested."""
    assert read_yaml("net:\n  tls: {mode: requireTLS}\n") == {
        "net": {"tls": {"mode": "requireTLS"}}
    }
    assert read_yaml('{"a": [1, 2]}') == {"a": [1, 2]}
    assert read_yaml("") is None
    assert read_yaml("[" + "[], " * 1000 + "[]]") == [[]] * 1001
    with pytest.raises(yaml.YAMLError):
        read_yaml("a: [")


def test_what_is_nested_too_deeply_is_refused_before_it_is_read() -> None:
    """PyYAML would look for seconds before it says so."""
    with pytest.raises(RecursionError, match=r"^brackets are nested more than 200 deep$"):
        read_yaml("a: " + "[" * 20_000 + "]" * 20_000)
