"""The contract kit: the requirements of every kind of plugin, as tests to run.

Switch it on with `-p sregym_testing` and subclass the contract of your kind, one fixture to
override each:

    from sregym_testing import FaultCase, InjectorContract, PluginContract

    class TestPlugin(PluginContract):
        distribution = "acme-sregym-dns"

    class TestDnsFault(InjectorContract):
        @pytest.fixture
        def case(self) -> FaultCase:
            return FaultCase(DnsFault(), Shop(), "cart")

Clusters come from the fixture `provision`; by default those of `sregym_testing.memory`.
"""

from __future__ import annotations

import gc

from sregym_testing.agents import AgentContract, ScriptedSession
from sregym_testing.applications import ApplicationContract, ApplicationTrafficContract
from sregym_testing.clusters import (
    ClusterContract,
    Provision,
    provision,
    provision_by_name,
    ready_worlds,
    ready_worlds_by_kind,
)
from sregym_testing.environment import FreshEnvironment, install_arguments
from sregym_testing.fork_server import ForkedCommand, ForkServer
from sregym_testing.hooks import HookRecorder, LocalPlugins, hook_recorder, register_plugin
from sregym_testing.injectors import FaultCase, InjectorContract
from sregym_testing.memory import (
    AddressedCluster,
    FullShop,
    MemoryApplication,
    MemoryClock,
    MemoryCluster,
    MemoryNodes,
    MemoryProvider,
    Program,
    Shop,
    ShopWithTraffic,
    worker_nodes,
)
from sregym_testing.modes import ModeContract
from sregym_testing.noise import NoiseCase, NoiseContract
from sregym_testing.oracles import OracleCase, OracleContract, shop_context
from sregym_testing.pages import Block, blocks_of, run_page
from sregym_testing.plugin import PluginContract
from sregym_testing.problems import ProblemContract
from sregym_testing.project import RunOutcome, SregymProject, fork_server, sregym_project
from sregym_testing.reporters import ReporterContract
from sregym_testing.rewards import RewardContract
from sregym_testing.routines import RoutineContract
from sregym_testing.runners import RunnerContract
from sregym_testing.targets import choose_target
from sregym_testing.tools import ScriptedServices, ToolContract
from sregym_testing.two_sided import JudgedSystem, prove_two_sided
from sregym_testing.watched import Killed, WatchedCluster
from sregym_testing.worlds import ReadyWorlds

__all__ = [
    "AddressedCluster",
    "AgentContract",
    "ApplicationContract",
    "ApplicationTrafficContract",
    "Block",
    "ClusterContract",
    "FaultCase",
    "ForkServer",
    "ForkedCommand",
    "FreshEnvironment",
    "FullShop",
    "HookRecorder",
    "InjectorContract",
    "JudgedSystem",
    "Killed",
    "LocalPlugins",
    "MemoryApplication",
    "MemoryClock",
    "MemoryCluster",
    "MemoryNodes",
    "MemoryProvider",
    "ModeContract",
    "NoiseCase",
    "NoiseContract",
    "OracleCase",
    "OracleContract",
    "PluginContract",
    "ProblemContract",
    "Program",
    "Provision",
    "ReadyWorlds",
    "ReporterContract",
    "RewardContract",
    "RoutineContract",
    "RunOutcome",
    "RunnerContract",
    "ScriptedServices",
    "ScriptedSession",
    "Shop",
    "ShopWithTraffic",
    "SregymProject",
    "ToolContract",
    "WatchedCluster",
    "blocks_of",
    "choose_target",
    "fork_server",
    "hook_recorder",
    "install_arguments",
    "prove_two_sided",
    "provision",
    "provision_by_name",
    "ready_worlds",
    "ready_worlds_by_kind",
    "register_plugin",
    "run_page",
    "shop_context",
    "sregym_project",
    "worker_nodes",
]


def pytest_configure() -> None:
    """Look for cycles of references rarely: worlds are hundreds of thousands of objects that live long.

    It takes a tenth of the time of tests that play, and worlds that are dropped leave no cycles.
    """
    gc.set_threshold(500_000, 20, 100)
