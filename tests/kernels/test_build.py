"""What is compiled ahead is what its sources say."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from real.needing import needs
from sregym_injector_khaos.rows import ROWS
from sregym_nodes.agent import hooks
from sregym_nodes.agent.families import ModifyReturn

ROOT = Path(__file__).resolve().parents[2]
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def test_programs_are_the_same_bytes_each_time() -> None:
    """Compiled twice, and once more by whoever wrote the table."""
    needs("clang")
    if not Path("/usr/include/bpf/bpf_helpers.h").exists():
        pytest.skip("needs the headers of libbpf-dev")
    tool = ROOT / "tools" / "kernel_programs.py"
    done = subprocess.run(
        [sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("machine", sorted(HEADERS))
def test_numbers_of_calls_are_those_of_the_headers(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("needs the headers of linux-libc-dev")
    pairs = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", HEADERS[machine].read_text())
    known = {name: int(number) for name, number in pairs}
    monkeypatch.setattr(hooks.platform, "machine", lambda: machine)
    numbers = hooks.numbers()
    assert numbers == {name: known[name] for name in numbers}
    # And none is missing there.
    monkeypatch.setattr(hooks.platform, "machine", lambda: "x86_64")
    assert {name for name in hooks.numbers() if name in known} == set(numbers)


def test_names_of_khaos_by_what_brings_them_about() -> None:
    """As the plugin's README counts them; whether a node allows it, its trials say."""
    found: Counter[str] = Counter()
    for row in ROWS[:47]:
        setting = row.setting
        ask = {"kind": "calls", "call": setting.get("call"), "error": setting.get("error", "")}
        if "loss" in setting:
            found["netem"] += 1
        elif "call" not in setting or setting["call"] in hooks.IN_USER_SPACE:
            found["none"] += 1
        elif ModifyReturn.can(ask) and not ModifyReturn.unfit(ask):
            found["fmod_ret"] += 1
        else:
            found["strace"] += 1
    assert found == {"fmod_ret": 21, "strace": 11, "netem": 2, "none": 13}
