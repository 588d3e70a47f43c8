"""What extensions of the simulation are written against: the promised part of this distribution.

`servers` for kinds of servers, `commands` for commands of containers, `exporters` for metrics and
log lines worked out when they are read, `logs` for what the lines of a server follow from,
`controllers` for operators, `clusters` for kinds of clusters that are an embedded one with something
around it, `testing` for tests of all of them.
Extensions import these modules, `sregym_apps` and `sregym_core`; everything else here is free to
change. What an extension offers is described by `sregym_apps.simulation.Extension`.
"""

from __future__ import annotations
