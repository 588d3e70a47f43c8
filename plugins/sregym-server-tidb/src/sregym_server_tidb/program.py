"""How a service model describes the servers of a TiDB cluster."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import Log, Memory, StoreProgram, Text


class PdProgram(StoreProgram):
    """A placement driver: membership, time stamps, where regions are. Its command line counts.

    Attributes:
        kind: `pd`.
        version: As it reports it.
        data_dir: The data directory; `--data-dir` wins.
    """

    kind: Literal["pd"]
    port: Text = "2379"
    version: Text = "v8.1.0"
    data_dir: str = "/var/lib/pd"
    starts_in_s: float = Field(default=2.0, ge=0)
    log: Log = Log(format="tidb", stream="stderr")
    memory: Memory = Memory(base_mib="80", ramp_s=1.0)


class TikvProgram(StoreProgram):
    """A store of TiKV: registers with PD and keeps regions. Its command line counts.

    Attributes:
        kind: `tikv`.
        version: As it reports it.
        status_port: For health, configuration and metrics; `--status-addr` wins.
        data_dir: The data directory; `--data-dir` wins.
    """

    kind: Literal["tikv"]
    port: Text = "20160"
    status_port: Text = "20180"
    version: Text = "8.1.0"
    data_dir: str = "/var/lib/tikv"
    starts_in_s: float = Field(default=3.0, ge=0)
    log: Log = Log(format="tidb", stream="stderr")
    memory: Memory = Memory(base_mib="420", ramp_s=3.0)


class TidbProgram(StoreProgram):
    """A TiDB server: speaks MySQL's protocol, keeps everything in TiKV. Its command line counts.

    Attributes:
        kind: `tidb`.
        version: The release.
        status_port: For health and metrics; `--status` wins.
    """

    kind: Literal["tidb"]
    port: Text = "4000"
    status_port: Text = "10080"
    version: Text = "v8.1.0"
    starts_in_s: float = Field(default=2.5, ge=0)
    cpu_ms: float = Field(default=0.4, gt=0)
    latency_ms: float = Field(default=1.5, ge=0)
    log: Log = Log(format="tidb", stream="stdout")
    memory: Memory = Memory(base_mib="240", ramp_s=3.0)
