"""The contracts of this package."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from sregym_reporter_console.console import ConsoleReporter
from sregym_testing import PluginContract, ReporterContract


class TestPlugin(PluginContract):
    distribution = "sregym-reporter-console"


class TestConsoleReporter(ReporterContract):
    @pytest.fixture
    def make_reporter(self):
        return lambda: ConsoleReporter(Console(file=io.StringIO(), width=80))
