"""The contracts that this package must hold to."""

from __future__ import annotations

from sregym_testing import PluginContract


class TestPlugin(PluginContract):
    distribution = "sregym-oracle-judge"
