"""Contract tests for every extension of the simulation, whatever it adds."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from importlib_metadata import EntryPoint
from importlib_metadata import distribution as find_distribution
from sregym_apps.lint import lint_extension
from sregym_apps.model import placeholders
from sregym_apps.model.loading import program_of
from sregym_apps.simulation import (
    SIMULATION,
    TCP_ERRORS,
    Extension,
    Found,
    Installed,
    loaded,
)

from sregym_cluster_embedded.cluster.vocabulary import vocabulary
from sregym_cluster_embedded.subsystem import subsystems_of
from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.rules import rules_of
from sregym_cluster_embedded.userland.builtin import public_models
from sregym_cluster_embedded.userland.kinds import Kinds
from sregym_cluster_embedded.userland.kinds.loading import with_in_tree
from sregym_cluster_embedded.userland.shell.commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LAST_PORT = 65_535
# What a client knows when a call fails.
_FILLED_IN = frozenset({"host", "port", "ip", "dns", "url", "name", "pod_ip", "lookup", "error"})
# Imports the module of the entry point; prints which packages came in with it.
_IMPORTED = """
import importlib, json, sys
import sregym_core.plugins, sregym_core.package_hints, sregym_core.settings
before = set(sys.modules)
importlib.import_module(sys.argv[1])
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(json.dumps(sorted(new - set(sys.stdlib_module_names))))
"""


class ExtensionContract:
    """Set `distribution`: the name under which the extension is installed."""

    distribution: ClassVar[str]

    @pytest.fixture
    def entry_point(self) -> EntryPoint:
        """Its one entry point in the group `sregym.simulation`."""
        found = find_distribution(self.distribution).entry_points.select(group=SIMULATION)
        entries = list(found)
        assert len(entries) == 1, (
            f"{self.distribution} has {len(entries)} entry points in {SIMULATION!r}"
        )
        entry: EntryPoint = entries[0]
        return entry

    @pytest.fixture
    def found(self, entry_point: EntryPoint) -> Found:
        """What the loader makes of it."""
        (found,) = loaded([entry_point])
        return found

    @pytest.fixture
    def known(self, found: Found) -> Installed:
        """It alone, as a cluster meets it."""
        return Installed([found])

    def test_loads(self, found: Found) -> None:
        """The core accepts it, it adds something, and errors call it what `sregym plugins` does."""
        assert (found.status.state, found.status.reason) == ("ok", "")
        assert isinstance(found.loaded, Extension)
        assert found.status.components, "it adds nothing"
        assert found.loaded.name == found.status.name

    def test_loading_is_cheap(self, entry_point: EntryPoint) -> None:
        """Importing its description imports no third-party package and nothing that simulates.

        Every reader of a service model pays for it, on a real cluster too.
        """
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [sys.executable, "-c", _IMPORTED, entry_point.module],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        own = {entry_point.module.partition(".")[0], "sregym_core", "sregym_apps"}
        assert [name for name in json.loads(done.stdout) if name not in own] == []

    def test_names_are_well_formed(self, found: Found) -> None:
        """Kinds of servers and protocols are named in lower case, with hyphens."""
        kinds = [kind.name for kind in found.loaded.server_kinds]
        protocols = [protocol.name for protocol in found.loaded.all_of("protocols")]
        assert [name for name in (*kinds, *protocols) if not _NAME.fullmatch(name)] == []

    def test_protocols_say_what_can_be_filled_in(self, known: Installed) -> None:
        """Words of failures are of kinds that there are, with placeholders that are filled in."""
        for name, protocol in known.protocols.items():
            assert 0 <= protocol.port <= _LAST_PORT, f"protocol {name}: port {protocol.port}"
            odd = sorted(set(protocol.errors) - set(TCP_ERRORS))
            assert odd == [], f"protocol {name}: no such kinds of failure"
            for kind, text in protocol.errors.items():
                wrong = sorted(set(placeholders(text)) - _FILLED_IN)
                assert wrong == [], f"protocol {name}, error {kind!r}: nothing fills these in"

    def test_rules_can_be_read(self, known: Installed) -> None:
        """Its files of rules are Prometheus', and their names are free."""
        for extension in known.extensions:
            assert len(rules_of(known)) >= len(extension.rules)

    def test_servers_keep_their_word(self, known: Installed) -> None:
        """Each kind has a program that a service model can hold, and behaves like a server."""
        kinds = Kinds(known)
        for name, kind in known.kinds.items():
            program_of(name, known)
            kinds.of(name)
            for reference in (*kind.durable.values(), kind.background, kind.broker):
                if reference is not None:
                    known.load("server kind", name, reference)

    def test_commands_and_formats_can_be_called(self, known: Installed) -> None:
        """What they refer to is there, and no command of the shell has the name of one."""
        taken = sorted(set(COMMANDS) & set(known.commands))
        assert taken == [], "the shell has commands of these names already, and keeps to its own"
        for what, name, reference in _functions(known):
            assert callable(known.load(what, name, reference)), f"{what} {name}"

    def test_exporters_and_contributions_fit(self, known: Installed) -> None:
        """Exporters are some, with families; subsystems can be made."""
        catalogue = Catalogue(known)
        assert all(exporter.families for exporter in catalogue.exporters)
        assert all(part.name for part in subsystems_of(known))

    def test_images_can_be_read(self, known: Installed) -> None:
        """Its service models of public images are valid."""
        assert public_models(known)

    def test_files_are_without_defects(self, found: Found, known: Installed) -> None:
        """Everything it refers to is there; each defect of its files is told with line and field."""
        defects = lint_extension(found.loaded, with_in_tree(known), vocabulary(known))
        assert not defects, "\n".join(map(str, defects))

    def test_is_typed(self, entry_point: EntryPoint) -> None:
        """Its package has `py.typed`, so that users' type checkers look into it."""
        package = importlib.import_module(entry_point.module.partition(".")[0])
        assert os.path.exists(os.path.join(package.__path__[0], "py.typed"))  # noqa: PTH110, PTH118 - one stat

    def test_requires_a_range_of_cores(self) -> None:
        """`sregym-core>=0.1,<0.2`: not any version, and not exactly one."""
        lines: list[Any] = [*(find_distribution(self.distribution).requires or [])]
        required = [
            str(line).partition(";")[0].strip()
            for line in lines
            if re.match(r"sregym[-_.]core\b", str(line), re.IGNORECASE)
        ]
        assert len(required) == 1, f"{self.distribution} does not require sregym-core"
        assert ">" in required[0], required[0]
        assert "<" in required[0], required[0]


def _functions(known: Installed) -> Iterator[tuple[str, str, Any]]:
    for name, command in known.commands.items():
        yield "container command", name, command.target
    for name, reference in known.log_formats.items():
        yield "log format", name, reference
