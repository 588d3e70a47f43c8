"""The contracts of this package."""

from __future__ import annotations

import pytest
from sregym_reporter_html.report import HtmlReporter
from sregym_testing import PluginContract, ReporterContract


class TestPlugin(PluginContract):
    distribution = "sregym-reporter-html"


class TestHtmlReporter(ReporterContract):
    @pytest.fixture
    def make_reporter(self):
        return HtmlReporter
