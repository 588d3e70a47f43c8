from __future__ import annotations

import pytest
from sregym_app_synthetic.application import Synthetic
from sregym_app_synthetic.settings import Settings
from sregym_core.errors import UsageError


def test_options_become_settings_and_settings_options() -> None:
    given = {"services": "200", "fan-out": "2.5", "seed": "7"}
    settings = Settings.of(given, "synthetic")
    assert settings == Settings(services=200, fan_out=2.5, seed=7)
    assert settings.options() == "services=200,fan-out=2.5,seed=7"
    assert Settings().options() == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"size": "9"},
            "application 'synthetic' has no option 'size'; known: services, depth, fan-out, stores, caches, queues, load, seed",
        ),
        (
            {"services": "5001"},
            "application 'synthetic', option 'services': a whole number from 10 to 5000 is needed, not '5001'",
        ),
        (
            {"services": "4.5"},
            "application 'synthetic', option 'services': a whole number from 10 to 5000 is needed, not '4.5'",
        ),
        (
            {"stores": "many"},
            "application 'synthetic', option 'stores': a number from 0 to 0.5 is needed, not 'many'",
        ),
        (
            {"stores": "nan"},
            "application 'synthetic', option 'stores': a number from 0 to 0.5 is needed, not 'nan'",
        ),
        (
            {"stores": "0.1"},
            "application 'synthetic': 0.15 of the parts are to be caches, and 0.1 stores; "
            "each cache stands before a store, so make it fewer caches or more stores",
        ),
    ],
)
def test_what_does_not_fit_is_told(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        Synthetic().with_options(options)
    assert str(raised.value) == message


def test_an_application_is_named_by_what_differs() -> None:
    usual = Synthetic()
    assert (usual.name, usual.with_options({"services": "40"}).name) == ("synthetic", "synthetic")
    other = usual.with_options({"seed": "4", "services": "12"})
    assert other.name == "synthetic:services=12,seed=4"
    assert other.with_options({"services": "13"}).name == "synthetic:services=13"
    assert other.namespaces != usual.namespaces or other.manifests() != usual.manifests()
