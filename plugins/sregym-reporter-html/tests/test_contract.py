"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_core.testing import PluginContract, ReporterContract
from sregym_reporter_html.report import HtmlReporter


class TestPlugin(PluginContract):
    distribution = "sregym-reporter-html"


class TestHtmlReporter(ReporterContract):
    @pytest.fixture
    def make_reporter(self):
        return HtmlReporter
