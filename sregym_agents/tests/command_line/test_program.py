"""Finding a program as npm installs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_agents.command_line.program import Program, find_program
from sregym_core.errors import UsageError

ABOUT = '{"name": "@acme/agent", "version": "1.2.3"}'


def executable(file: Path, content: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    file.chmod(0o755)
    return file


def test_a_script_for_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "lib" / "node_modules"
    inner = packages / "@acme" / "agent" / "node_modules" / "cli" / "run.js"
    executable(inner.with_name("package.json"), '{"name": "cli", "version": "9.9.9"}')
    executable(packages / "@acme" / "agent" / "package.json", ABOUT)
    script = executable(inner, "#!/usr/bin/env node\n")
    node = executable(tmp_path / "bin" / "node", "\x7fELF")
    (tmp_path / "bin" / "acme").symlink_to(script)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_program("acme", "acme", "@acme/agent") == Program(
        (str(node), str(script)), (packages, node), "1.2.3"
    )


def test_a_program_that_runs_by_itself(tmp_path: Path) -> None:
    program = executable(tmp_path / "acme", "\x7fELF")
    assert find_program("acme", "acme", "@acme/agent", str(program)) == Program(
        (str(program),), (program,)
    )


def test_words_of_the_first_line(tmp_path: Path) -> None:
    script = executable(tmp_path / "acme", "#!/usr/bin/env -S sh -e\n")
    found = find_program("acme", "acme", "@acme/agent", str(script))
    assert found.argv[1:] == ("-e", str(script))
    assert Path(found.argv[0]).is_absolute()


def test_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    def said(given: str = "") -> str:
        with pytest.raises(UsageError) as refused:
            find_program("acme", "acme-agent", "@acme/agent", given)
        return str(refused.value)

    assert said() == (
        "agent 'acme' needs the program acme-agent: npm install --global @acme/agent, or name its "
        "path with --agent-option program=/path/to/acme-agent"
    )
    assert said("/nowhere/acme") == (
        "agent 'acme', option 'program': '/nowhere/acme' is no program that can be run"
    )
    script = executable(tmp_path / "acme-agent", "#!/usr/bin/env node\n")
    assert said() == f"agent 'acme': {script} is a script for 'node', which is not on PATH"
