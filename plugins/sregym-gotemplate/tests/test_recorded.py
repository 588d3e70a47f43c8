"""Templates give, and say of mistakes, what a program of Go does with them (see `record.py`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sregym_gotemplate import BUILTINS, FunctionError, TemplateError, compile_template, function

HERE = Path(__file__).parent
ROWS = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
POD = json.loads((HERE / "pod.json").read_text(encoding="utf-8"))
POD["metadata"]["labels"]["recorded"] = "yes"


def exists(value, *keys):
    """One of the functions that kubectl adds."""
    try:
        return BUILTINS["index"].run(value, *keys) is not None
    except FunctionError:
        return False


# Where this engine says it in other words, and why.
OTHERS = {
    # Values of JSON are no functions.
    "{{call 5}}": 'template: output:1: function "call" not defined',
    # Types of arguments are looked at by the functions themselves.
    "{{printf 5}}": 'template: output:1:2: executing "output" at <printf 5>: '
    "error calling printf: expected string; found 5",
    # One of kubectl's own.
    '{{base64decode "%"}}': 'template: output:1: function "base64decode" not defined',
    # Each level takes frames of Python.
    '{{define "r"}}{{template "r" .}}{{end}}{{template "r" .}}': "template: output:1:25: "
    'executing "r" at <{{template "r" .}}>: exceeded maximum template depth (50)',
    # `%s` is not looked for in the parts of what is no text.
    '{{printf "%s" .spec.containers}}': "[map[image:i:1 name:a ports:[map[containerPort:80] "
    "map[containerPort:443]]] map[args:[one two] image:j name:b]]",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["template"])
def test_as_go(row):
    functions = {**BUILTINS, "exists": function(exists)}
    try:
        said = compile_template(row["template"], "output", functions).render(POD)
        key = "output"
    except TemplateError as error:
        said, key = str(error), "error"
    assert (key, said) == (key, OTHERS.get(row["template"], row.get(key)))
