"""The contract of this package."""

from __future__ import annotations

from sregym_core.testing import PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-runner-ray"
