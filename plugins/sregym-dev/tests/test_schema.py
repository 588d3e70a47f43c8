"""Editors get a JSON Schema of what authors write."""

from __future__ import annotations

import json
from collections.abc import Callable

from sregym_apps.model import form_of_service_models
from sregym_core.errors import ExitCode
from sregym_core.model import Problem
from sregym_testing import SregymProject


def test_the_schema_of_problems(sregym_project: Callable[..., SregymProject]) -> None:
    done = sregym_project().run("schema", "problem")
    assert (done.exit_code, done.err) == (ExitCode.DONE, "")
    schema = json.loads(done.out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(schema["properties"]) == set(Problem.model_fields)
    assert set(schema["required"]) == {"id", "title", "application", "layer", "faults"}
    one, several = schema["$defs"]["FaultRef"]["properties"]["target"]["anyOf"]
    assert several["items"] == one


def test_the_schema_of_service_models(sregym_project: Callable[..., SregymProject]) -> None:
    done = sregym_project().run("schema", "service-model")
    assert (done.exit_code, done.err) == (ExitCode.DONE, "")
    schema = json.loads(done.out)
    assert set(schema["properties"]) == set(form_of_service_models().model_fields)
    programs = schema["properties"]["programs"]["additionalProperties"]["oneOf"]
    assert {"$ref": "#/$defs/ServiceProgram"} in programs


def test_an_unknown_kind_is_refused(sregym_project: Callable[..., SregymProject]) -> None:
    done = sregym_project().run("schema", "run")
    assert (done.exit_code, done.out) == (ExitCode.USAGE, "")
