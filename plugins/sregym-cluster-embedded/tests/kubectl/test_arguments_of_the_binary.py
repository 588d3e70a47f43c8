"""Arguments that no process can be started with are refused; how the binary collects garbage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sregym_cluster_embedded.kubectl import fallback

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("x" * 400_000, "kubectl: Argument list too long\n"),
        ("a\0b", "kubectl: an argument holds a zero byte\n"),
    ],
)
def test_what_the_kernel_does_not_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str, said: str
) -> None:
    monkeypatch.setattr(fallback, "find_binary", lambda: "/bin/true")
    done = fallback.run_binary(tmp_path / "kubeconfig", ["get", "--raw", argument])
    assert (done.exit_code, done.stdout, done.stderr) == (126, "", said)


@pytest.mark.parametrize(("own", "collects"), [({}, False), ({"GOGC": "20"}, True)])
def test_the_binary_collects_no_garbage_unless_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: dict[str, str], collects: bool
) -> None:
    for name, text in {"GODEBUG": "gctrace=1", **own}.items():
        monkeypatch.setenv(name, text)
    done = fallback.run_binary(tmp_path / "kubeconfig", ["version", "--client"], timeout_s=60)
    assert done.exit_code == 0
    assert ("gc 1 @" in done.stderr) == collects
