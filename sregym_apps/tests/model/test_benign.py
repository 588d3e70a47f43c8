"""What programs log every day: tables of lines, each with bounds of its rate."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from sregym_apps.model import (
    BenignError,
    ServiceModelError,
    ServiceProgram,
    benign_errors,
    parse_service_model,
)
from sregym_apps.model.benign import known_sets
from sregym_apps.model.building_blocks import GENERIC_FORMATS

MODEL = """\
application: shop
programs:
  web:
    log: {format: spring-boot}
    listeners: {http: {protocol: http, port: 80}}
    clients: {pay: {protocol: http, address: "pay:80"}}
"""


def web(text: str) -> ServiceProgram:
    program = parse_service_model(text, "shop.yaml").programs["web"]
    assert isinstance(program, ServiceProgram)
    return program


def test_sets_have_names_of_formats_or_of_those_that_programs_name() -> None:
    named = {*known_sets()} - {*GENERIC_FORMATS}
    assert named == {"next-js", "none", "openresty"}
    assert known_sets()["none"] == ()
    assert all(entries for name, entries in known_sets().items() if name != "none")


def test_nobody_logs_one_more_often_than_every_ten_seconds_or_thousand_requests() -> None:
    for name, entries in known_sets().items():
        for one in entries:
            assert one.bounds[0] >= (10 if one.every_s else 1000), name


def test_a_program_logs_what_fits_its_format_and_what_it_speaks() -> None:
    here = web(MODEL)
    assert {one.client for one in benign_errors(here)} == {""}
    with_store = MODEL.replace("{pay:", '{db: {protocol: tcp, address: "db:1"}, pay:')
    assert benign_errors(web(with_store)) == benign_errors(here)
    speaks = BenignError(line="x", every_s=(1, 2), client="tcp")
    assert not speaks.is_written_by(here)
    assert speaks.is_written_by(web(with_store))
    serves = BenignError(line="x", every_s=(1, 2), protocol="grpc")
    assert not serves.is_written_by(here)
    assert serves.is_written_by(
        web(MODEL.replace("{protocol: http, port", "{protocol: grpc, port"))
    )


def test_a_program_names_another_set_or_none() -> None:
    log = "log: {format: spring-boot}"
    quiet = web(MODEL.replace(log, "benign_errors: none"))
    assert benign_errors(quiet) == ()
    assert benign_errors(web(MODEL.replace(log, "log: {format: plain}"))) == ()
    named = web(MODEL.replace(log, "benign_errors: next-js"))
    assert benign_errors(named) == known_sets()["next-js"]
    file = "sregym_apps.simulation:benign_errors.yaml#next-js"
    assert benign_errors(web(MODEL.replace(log, f'benign_errors: "{file}"'))) == benign_errors(
        named
    )


def test_a_set_that_is_not_there_is_named_with_all_that_are() -> None:
    there = ", ".join(sorted(known_sets()))
    with pytest.raises(ServiceModelError) as caught:
        web(MODEL + "    benign_errors: nodejs\n")
    assert str(caught.value) == (
        "shop.yaml:7: programs.web.benign_errors: "
        f"there is no set of benign errors 'nodejs' (there are: {there})"
    )


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, "a benign error has either 'every_s' or 'requests'"),
        (
            {"every_s": (1, 2), "requests": (1, 2)},
            "a benign error has either 'every_s' or 'requests'",
        ),
        ({"every_s": (0, 2)}, "bounds go up from above 0, not from 0 to 2"),
        ({"requests": (30, 20)}, "bounds go up from above 0, not from 30 to 20"),
    ],
)
def test_each_has_one_rate(given: dict[str, tuple[float, float]], error: str) -> None:
    with pytest.raises(ValidationError) as caught:
        BenignError.model_validate({"line": "reset", **given})
    (found,) = caught.value.errors()
    assert found["msg"] == f"Value error, {error}"
