"""Commands for containers: what runs when a name is typed in a shell or given to exec.

A command is a function `(session, words, stdin) -> Output`, offered as a
`sregym_apps.simulation.Command`. `session` is the place where it runs: its world, process, files
and environment; `words[0]` is the name. It changes nothing but through these.

`connect` opens a connection to a server as kube-proxy leads it, `ask` says what its server answers
to a text; `wait_for` lets time pass for one without an answer.
"""

from __future__ import annotations

from sregym_regex import globs, perl
from sregym_regex.budget import BudgetExceededError, OutOfMemoryError, allocate, spend
from sregym_regex.globs import quoted as pattern_quoted
from sregym_regex.linear import linear

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.userland.process import Process, process_of
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.signalling import send_to_main
from sregym_cluster_embedded.userland.shell.sockets import WORDS, connect, wait_for
from sregym_cluster_embedded.userland.shell.sockets import server_reply as ask
from sregym_cluster_embedded.userland.wiring import Target, parse_address, reach
from sregym_cluster_embedded.world import World

__all__ = [
    "WORDS",
    "BudgetExceededError",
    "Command",
    "OutOfMemoryError",
    "Output",
    "Process",
    "Session",
    "Target",
    "World",
    "allocate",
    "ask",
    "connect",
    "globs",
    "linear",
    "parse",
    "parse_address",
    "pattern_quoted",
    "perl",
    "process_of",
    "reach",
    "send_to_main",
    "spend",
    "wait_for",
]
