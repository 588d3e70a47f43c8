"""The rules of alerts that are installed on real clusters are those of simulated ones."""

from __future__ import annotations

from importlib.resources import files


def test_both_have_the_same_rules() -> None:
    embedded = files("sregym_cluster_embedded") / "telemetry" / "rules" / "standard"
    installed = files("sregym_cluster_kubernetes") / "telemetry" / "rules"
    texts = [
        {file.name: file.read_text("utf-8") for file in place.iterdir() if file.is_file()}
        for place in (embedded, installed)
    ]
    assert texts[0] == texts[1]
