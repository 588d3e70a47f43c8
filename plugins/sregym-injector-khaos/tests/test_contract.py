from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_core.model import Capability, Component, Node, VolumeUse
from sregym_injector_khaos.faults import FAULTS
from sregym_injector_khaos.plugin import NAMES, PARTS, sregym_register_injectors
from sregym_injector_khaos.rows import ROWS, name_of
from sregym_testing import (
    FaultCase,
    FullShop,
    InjectorContract,
    MemoryProvider,
    PluginContract,
    Provision,
    worker_nodes,
)
from sregym_testing.clusters import open_clusters
from sregym_testing.memory.repairing import repairable

from sregym_core import Registration


class PinnedShop(FullShop):
    """The shop, with a database whose claim keeps it on its node."""

    def components(self) -> tuple[Component, ...]:
        claim = VolumeUse(claim="catalog", path="/data/db")
        return tuple(
            part.model_copy(update={"volumes": (claim,)}) if part.name == "catalog-db" else part
            for part in super().components()
        )


# One of each kind of setting; all others are the same with other values.
KINDS = (
    *("latent_sector_error", "memleak_munmap", "packet_loss_sendto", "nic_packet_corruption"),
    "network_interface_link_down",
)
OF_STORES = ("latent_sector_error", "network_interface_link_down")
CASES = [
    FaultCase(
        FAULTS[name_of(name)](),
        PinnedShop(),
        {"node": {"runs": "catalog-db" if name in OF_STORES else "catalog"}},
    )
    for name in KINDS
]
REPAIRS = {command for row in ROWS for command in row.repair}


class TestPlugin(PluginContract):
    distribution = "sregym-injector-khaos"


class TestFaults(InjectorContract):
    """A fault of each kind on a node of a cluster in memory."""

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        with open_clusters(MemoryProvider(worker_nodes(3))) as give:
            yield lambda spec: repairable(give(spec), REPAIRS)

    @pytest.fixture(params=CASES, ids=KINDS)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return request.param


def test_the_plugin_offers_every_name_of_khaos():
    assert tuple(row.name for row in ROWS) == tuple(map(name_of, (*NAMES, *PARTS)))
    assert [registration.name for registration in sregym_register_injectors()] == [
        row.name for row in ROWS
    ]
    assert len(FAULTS) == 47 + 7
    with pytest.raises(AttributeError) as caught:
        Registration("x", "sregym_injector_khaos.faults:khaos-nothing").load()
    assert str(caught.value) == (
        "module 'sregym_injector_khaos.faults' has no attribute 'khaos-nothing'"
    )


def test_what_cannot_act_everywhere_says_what_it_needs():
    needed = {name: set(fault.needs) for name, fault in FAULTS.items()}
    assert needed["khaos-pread-error"] == {Capability.SYSCALLS}
    of_runtimes = {Capability.SYSCALLS, Capability.RUNTIME_SYSCALLS}
    assert needed["khaos-mmap-oom"] == of_runtimes
    assert needed["khaos-mlock-fail"] == {Capability.SYSCALLS, Capability.EVERY_SYSCALL}
    assert needed["khaos-clock-drift"] == {Capability.PROCESS_TROUBLES}
    assert needed["khaos-dram-module-failure"] == of_runtimes
    assert needed["khaos-packet-loss-recvfrom"] == {Capability.LINKS}
    usual = [
        name for name, needs in needed.items() if needs <= {Capability.SYSCALLS, Capability.LINKS}
    ]
    assert usual == [
        *("khaos-read-error", "khaos-pread-error", "khaos-write-error", "khaos-pwrite-error"),
        *("khaos-fsync-error", "khaos-open-error", "khaos-latent-sector-error"),
        *("khaos-getaddrinfo-fail", "khaos-socket-block", "khaos-bind-enetdown"),
        *("khaos-force-open-ret-eperm", "khaos-packet-loss-sendto", "khaos-packet-loss-recvfrom"),
        *("khaos-storage-controller-read-failure", "khaos-storage-write-failure"),
        *("khaos-nic-packet-corruption", "khaos-network-interface-link-down"),
    ]


def test_a_part_that_fails_takes_all_of_its_calls_with_it():
    rows = {row.name: row for row in ROWS}
    part = rows["khaos-storage-write-failure"]
    single = [rows[f"khaos-{name}"] for name in ("write-error", "pwrite-error", "fsync-error")]
    assert list(part.settings) == [row.setting for row in single]
    assert (part.title, part.layer, part.runs, part.repair) == (
        "Hardware of a node fails: disk takes no more writes",
        "hardware",
        "datastore",
        (("pkill", "-x", "bpftrace|strace"),),
    )


def test_what_starts_anew_elsewhere_feels_nothing_of_an_interface():
    down = FAULTS["khaos-network-interface-link-down"]()
    fits = [
        [part.name for part in shop.components() if down.fits(Node(name="a", component=part))]
        for shop in (FullShop(), PinnedShop())
    ]
    assert fits == [[], ["catalog-db"]]
