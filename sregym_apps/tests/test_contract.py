"""The contract of this package."""

from __future__ import annotations

from sregym_testing import PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-apps"
