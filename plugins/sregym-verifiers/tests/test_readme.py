"""The README's example happens word for word, with a scripted model behind the endpoint."""

from __future__ import annotations

import os
from pathlib import Path

from sregym_testing import run_page

SOLVES = [
    "I look at it first.\n```\nkubectl get service frontend -n hotel-reservation -o yaml\n```",
    "submit Service frontend has a wrong selector: it asks for the label current_service_name, "
    "which no pod has, so it has no endpoints and all requests of users fail.",
    "kubectl patch service frontend -n hotel-reservation --type=json "
    """-p '[{"op": "remove", "path": "/spec/selector/current_service_name"}]'""",
    "submit The selector is repaired.",
]


def test_readme(tmp_path: Path, endpoint: object) -> None:
    endpoint.script = SOLVES
    variables = {**os.environ, "ENDPOINT": endpoint.url, "API_KEY": "none", "MODEL": "scripted"}
    run_page(Path(__file__).parents[1] / "README.md", tmp_path, variables)
    first = endpoint.asked[0]["messages"]
    assert [message["role"] for message in first] == ["system", "user"]
    assert "- kubectl COMMAND (also page, stdin): Run one kubectl command" in first[0]["content"]
    assert first[1]["content"].startswith("You are the engineer on call for Hotel Reservation.")
    assert "selector" not in first[1]["content"]
