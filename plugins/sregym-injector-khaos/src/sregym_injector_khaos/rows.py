"""The table of faults as rows: what is set for each, and what is told of it."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml
from sregym_core.model import Capability, FailureMode
from sregym_injectors.node_faults import Row

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREFIX = "khaos-"
# Calls of files and connections, which every access to system calls lets fail.
_USUAL = (
    *("open", "openat", "read", "pread64", "write", "pwrite64", "fsync"),
    *("connect", "socket", "bind", "sendmmsg"),
)
# Calls of the runtimes of programs.
_OF_RUNTIMES = ("mmap", "mprotect", "clone", "gettimeofday")
_SYSCALL, _TROUBLE, _LINK = "system-call", "process-trouble", "link"


def name_of(upstream: str) -> str:
    """The word in problems for a name of khaos: `khaos-read-error`."""
    return _PREFIX + upstream.replace("_", "-")


def _rows() -> tuple[Row, ...]:
    text = (files("sregym_injector_khaos") / "faults.yaml").read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    families = content["families"]
    single = {
        name: _row(name, entry, families[entry["family"]])
        for name, entry in content["faults"].items()
    }
    parts = (_part(name, entry, single) for name, entry in content["parts"].items())
    known: dict[str, str] = {}
    return tuple(_as_variant(row, known) for row in (*single.values(), *parts))


def _as_variant(row: Row, known: dict[str, str]) -> Row:
    """A row whose calls fail with another error, or in another share, than those of a row before."""
    told = {"error": "some error"}
    same = [
        {name: told.get(name, value) for name, value in setting.items() if name != "share"}
        for setting in row.settings
    ]
    first = known.setdefault(repr(same), row.name)
    return row if first == row.name else replace(row, variant_of=first)


def _part(name: str, entry: Mapping[str, Any], single: Mapping[str, Row]) -> Row:
    """A part of a machine that fails: all of its faults at once, as one."""
    first, *others = (single[of] for of in entry["of"])
    told = str(entry["told"])
    return replace(
        first,
        name=name_of(name),
        title=f"Hardware of a node fails: {told}",
        phrases=(told, *first.phrases, *(phrase for row in others for phrase in row.phrases)),
        actor="a part of the machine that wears out",
        also=tuple(row.setting for row in others),
        needs=tuple(dict.fromkeys(need for row in (first, *others) for need in row.needs)),
        # A pod that restarts elsewhere is not affected by the machine: stores stay with their volumes.
        runs="datastore" if entry.get("ends") else first.runs,
        modes=tuple(dict.fromkeys(mode for row in (first, *others) for mode in row.modes)),
    )


def _what(call: str) -> str:
    return f"answers of the kernel to {call}" if call else "answers of the kernel"


def _row(name: str, entry: Mapping[str, Any], family: Mapping[str, Any]) -> Row:
    setting, told = _setting(entry)
    call = str(entry.get("call", ""))
    traced = setting["what"] != _LINK
    return Row(
        name=name_of(name),
        title=f"Processes of a component meet on a node: {told}",
        layer=family["layer"],
        setting=setting,
        actor="a tracing program that overrides what the kernel answers",
        mechanism=family["mechanism"],
        phrases=(*family["phrases"], told),
        symptom=family["symptom"],
        what=_what(call) if traced else "packets of the pods",
        before="those of the kernel itself" if traced else "let through",
        after=told,
        # Which of them it is depends on what the node allows.
        repair=(("pkill", "-x", "bpftrace|strace"),)
        if traced
        else (("tc", "qdisc", "del", "dev", "eth0", "root"),),
        # A pod that restarts elsewhere is not affected by the machine: stores stay with their volumes.
        runs="datastore" if entry.get("ends") else family.get("runs", ""),
        pressure="Ready",
        of_component=traced,
        restarts=True,
        modes=_modes(setting),
        needs=_needs(call),
    )


def _needs(call: str) -> tuple[Capability, ...]:
    """What a call needs besides access to system calls at all."""
    if call in _OF_RUNTIMES:
        return (Capability.RUNTIME_SYSCALLS,)
    return (Capability.EVERY_SYSCALL,) if call and call not in _USUAL else ()


def _modes(setting: Mapping[str, Any]) -> tuple[FailureMode, ...]:
    """What fails for a part of the calls or packets is gray; what only takes longer is slow."""
    slow = (FailureMode.SLOW,) if "delay_ms" in setting or "loss" in setting else ()
    return (*((FailureMode.GRAY,) if {"share", "loss"} & set(setting) else ()), *slow)


def _setting(entry: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """What is set, and how that is told."""
    if "trouble" in entry:
        own = {"what": _TROUBLE, "node": "{node}", "trouble": entry["trouble"], "active": True}
        return own, str(entry["trouble"]).replace("-", " ")
    if "loss" in entry:
        end = "source" if entry["from"] else "target"
        way = "from" if entry["from"] else "to"
        own = {"what": _LINK, end: {"node": "{node}"}, "loss": entry["loss"]}
        return own, f"{entry['loss']:.0%} of the packets {way} the node are lost"
    own = {"what": _SYSCALL, "node": "{node}"}
    own |= {
        key: entry[key] for key in ("call", "error", "share", "path", "delay_ms") if key in entry
    }
    if "error" not in entry:
        return own, f"{entry['call']} takes {entry['delay_ms']} ms longer"
    part = (
        f"{entry['share']:.0%} of the calls of {entry['call']} fail"
        if "share" in entry
        else f"{entry['call']} fails"
    )
    return own, f"{part} with {entry['error']}"


def _ending() -> frozenset[str]:
    """Names of those that programs meet when they start anew, as they do then."""
    text = (files("sregym_injector_khaos") / "faults.yaml").read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    every = {**content["faults"], **content["parts"]}
    return frozenset(name_of(name) for name, entry in every.items() if entry.get("ends"))


ROWS, ENDING = _rows(), _ending()
