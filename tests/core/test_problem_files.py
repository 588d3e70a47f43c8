"""Problem files: what is wrong is said with file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_core.errors import PluginLoadError, UsageError
from sregym_core.model import FaultRef, Problem
from sregym_core.model.suites import Origin, derived_suites, suites_of
from sregym_core.problems import ProblemSet, parse_problem
from sregym_testing import LocalPlugins

GOOD = """\
id: cart_is_slow
title: The cart is slow
application: shop
layer: kubernetes
suites: [lite]
faults:
  - fault: cpu-limit
    target: cart
    parameters: {cpu: 5m}
"""


def test_a_good_file() -> None:
    assert parse_problem(GOOD, "cart.yaml") == Problem(
        id="cart_is_slow",
        title="The cart is slow",
        application="shop",
        layer="kubernetes",
        suites=("lite",),
        faults=(FaultRef(fault="cpu-limit", target="cart", parameters={"cpu": "5m"}),),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            GOOD.replace("    target: cart\n", ""),
            "cart.yaml, line 7, field 'faults[0].target': missing",
        ),
        (
            GOOD.replace("suites: [lite]", "suits: [lite]"),
            "cart.yaml, line 5, field 'suits': unknown; did you mean 'suites'?",
        ),
        (
            GOOD.replace("id: cart_is_slow", "id: Cart is slow"),
            "cart.yaml, line 1, field 'id': must match the pattern ^[a-z0-9][a-z0-9_.-]*$, not "
            "'Cart is slow'",
        ),
        (
            GOOD + "timing: {warm_up_s: long}\n",
            "cart.yaml, line 10, field 'timing.warm_up_s': must be a number, not 'long'",
        ),
        (
            GOOD + "modes: [slow, grey]\n",
            "cart.yaml, line 10, field 'modes[1]': there is no failure mode 'grey' (there are: "
            "cascading, concurrent, correlated, gray, latent, metastable, recurring, slow, worsening); "
            "did you mean 'gray'?",
        ),
        (
            GOOD + "modes: [worsening]\n",
            "cart.yaml: mode 'worsening' needs `hasty`: the kubectl commands that make it worse",
        ),
        (
            GOOD + "hasty: [kubectl get pods]\n",
            "cart.yaml: `hasty` goes with mode 'worsening', which is not among the modes",
        ),
        (
            GOOD.replace("title: The cart is slow\n", "").replace(
                "    target: cart\n", "    targt: cart\n"
            ),
            "cart.yaml, line 1, field 'title': missing; line 6, field 'faults[0].target': "
            "missing; line 7, field 'faults[0].targt': unknown; did you mean 'target'?",
        ),
        ("", "cart.yaml, line 1: a problem is a mapping of fields; this is none"),
        ("id: 2024-13-45\n", "cart.yaml: not YAML: month must be in 1..12"),
        ("a: [1\nb: 2", "cart.yaml, line 2: not YAML: did not find expected ',' or ']'"),
        (
            "- a\n- b\n",
            "cart.yaml, line 1: a problem is a mapping of fields; this is none",
        ),
    ],
)
def test_a_bad_file(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_problem(text, "cart.yaml")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("fields", "suites"),
    [
        ("", ("lite", "new")),
        ("modes: [gray, slow]\n", ("lite", "new", "gray", "slow")),
        ("upstream: cart_is_slow\n", ("lite", "upstream", "upstream-noisy", "new")),
    ],
)
def test_suites_follow_from_what_a_problem_says_of_itself(
    fields: str, suites: tuple[str, ...]
) -> None:
    assert suites_of(parse_problem(GOOD + fields, "cart.yaml"), Origin.NEW) == suites


@pytest.mark.parametrize(
    ("layer", "suite"),
    [("os", "hardware"), ("hardware", "hardware"), ("network", "network"), ("datastore", "data")],
)
def test_suites_follow_from_the_layer(layer: str, suite: str) -> None:
    text = GOOD.replace("layer: kubernetes", f"layer: {layer}").replace("[lite]", "[]")
    assert suites_of(parse_problem(text, "cart.yaml"), Origin.PORTED) == ("ported", suite)


def test_suites_follow_from_the_faults() -> None:
    text = GOOD.replace("fault: cpu-limit", "fault: cr-misoperation").replace("[lite]", "[]")
    assert suites_of(parse_problem(text, "cart.yaml"), Origin.SIMILAR) == ("similar", "operators")


def test_how_near_a_problem_is_to_upstream_follows_from_faults_and_modes(
    register_plugin: LocalPlugins, tmp_path: Path
) -> None:
    ported = GOOD + "upstream: cart_is_slow\nmodes: [gray]\n"
    others = {
        "same_elsewhere": "",
        "same_mode": "modes: [gray]\n",
        "other_mode": "modes: [gray, slow]\n",
        "other_fault": "",
    }
    (tmp_path / "ported.yaml").write_text(ported)
    for name, fields in others.items():
        text = GOOD.replace("cart_is_slow", name) + fields
        if name == "other_fault":
            text = text.replace("fault: cpu-limit", "fault: image-wrong")
        (tmp_path / f"{name}.yaml").write_text(text)

    def sregym_register_problems() -> list[Path]:
        return [tmp_path]

    problems = ProblemSet(register_plugin(sregym_register_problems))
    assert {
        suite: [problem.id for problem in problems.in_suite(suite)]
        for suite in ("ported", "similar", "new")
    } == {
        "ported": ["cart_is_slow"],
        "similar": ["same_elsewhere", "same_mode"],
        "new": ["other_fault", "other_mode"],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cart.yaml").write_text(GOOD)
    (tmp_path / "web.yaml").write_text(GOOD.replace("cart_is_slow", "web_is_slow"))
    (tmp_path / "README.md").write_text("not a problem")
    return tmp_path


def test_all_files_of_a_folder_are_read(register_plugin: LocalPlugins, folder: Path) -> None:
    def sregym_register_problems() -> list[Path]:
        return [folder]

    problems = ProblemSet(register_plugin(sregym_register_problems))
    assert [problem.id for problem in problems.all()] == ["cart_is_slow", "web_is_slow"]
    assert problems.suites() == sorted(["lite", *derived_suites()])
    assert [p.id for p in problems.choose(["web_is_slow"], "lite")] == [
        "web_is_slow",
        "cart_is_slow",
    ]


@pytest.mark.parametrize(
    ("ids", "suite", "message"),
    [
        (
            ["cart_is_slo"],
            "",
            "no problem named 'cart_is_slo'; did you mean 'cart_is_slow' or 'web_is_slow'? "
            "Known: cart_is_slow, web_is_slow",
        ),
        (["lite"], "", "'lite' is a suite, not a problem: --suite lite"),
        (
            [],
            "light",
            "no suite named 'light'; did you mean 'lite'? Known: cascading, concurrent, correlated, "
            "data, gray, hard, hardware, lite, metastable, network, new, operators, ported, similar, "
            "slow, upstream, upstream-noisy",
        ),
        ([], "slow", "suite 'slow' has no problem with the plugins that are installed"),
        ([], "", "no problem was named: give ids or --suite NAME (see: sregym problems)"),
    ],
)
def test_what_cannot_be_chosen(
    register_plugin: LocalPlugins, folder: Path, ids: list[str], suite: str, message: str
) -> None:
    def sregym_register_problems() -> list[Path]:
        return [folder]

    problems = ProblemSet(register_plugin(sregym_register_problems))
    with pytest.raises(UsageError) as caught:
        problems.choose(ids, suite)
    assert str(caught.value) == message


def test_two_problems_with_one_id(register_plugin: LocalPlugins, folder: Path) -> None:
    def sregym_register_problems() -> list[Path]:
        return [folder]

    def again() -> list[Path]:
        return [folder]

    again.__name__ = sregym_register_problems.__name__
    register_plugin(sregym_register_problems, name="first")
    registry = register_plugin(again, name="second")
    problems = ProblemSet(registry)
    assert problems.all() == []
    with pytest.raises(PluginLoadError) as caught:
        problems.get("cart_is_slow")
    assert str(caught.value) == (
        f"problem 'cart_is_slow' is offered by 'local 0' and by 'local 0' ({folder / 'cart.yaml'}); "
        "uninstall one or set SREGYM_DISABLE=second"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id: [", "{file} (local 0), line 2: not YAML: did not find expected node content"),
        (
            b"\xff\xfe",
            "{file} (local 0) cannot be read: UnicodeDecodeError: 'utf-8' codec can't decode byte "
            "0xff in position 0: invalid start byte",
        ),
    ],
)
def test_a_file_that_cannot_be_read_leaves_the_others(
    register_plugin: LocalPlugins, folder: Path, content: bytes, message: str
) -> None:
    (folder / "bad_one.yaml").write_bytes(content)

    def sregym_register_problems() -> list[Path]:
        return [folder]

    problems = ProblemSet(register_plugin(sregym_register_problems))
    reason = message.format(file=folder / "bad_one.yaml")
    assert [problem.id for problem in problems.all()] == ["cart_is_slow", "web_is_slow"]
    assert problems.left_out() == {"local": [reason]}
    with pytest.raises(PluginLoadError) as caught:
        problems.get("bad_one")
    assert str(caught.value) == reason
    with pytest.raises(PluginLoadError) as caught:
        problems.choose([], "lite")
    assert str(caught.value) == f"suite 'lite' may lack a problem: {reason}"
