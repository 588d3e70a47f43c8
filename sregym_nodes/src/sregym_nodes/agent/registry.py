"""The back ends, best first. The first that can do what is requested is taken; a new one is a line here.

Most of what a start of this program costs is the loading of modules, and most of them are about other
things than what is requested: each is loaded when it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .backend import Backend

# By kind of what is asked: the name of the back end, its module and its class there.
BACKENDS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "calls": (
        ("fmod_ret", "families", "ModifyReturn"),
        ("lsm_cgroup", "families", "GroupModule"),
        ("kprobe", "families", "Override"),
        ("strace", "strace", "Strace"),
    ),
    "disk": (
        ("dm-dust", "mapper", "Dust"),
        ("dm-error", "mapper", "ErrorSegments"),
        ("dm-copy", "copies", "AlteredCopy"),
        ("dm-flakey", "mapper", "Flakey"),
        ("dm-delay", "mapper", "Delay"),
        ("fuse-disk", "prepared", "PreparedDisk"),
    ),
    "load": (
        ("stress-ng", "pressure", "StressNg"),
        ("processes", "pressure", "Burner"),
    ),
    "link": (
        ("netem", "links", "Netem"),
        ("tbf", "links", "Tbf"),
        ("relay", "redirect", "Redirected"),
    ),
}
AUTO = "auto"


def named(name: str) -> Backend:
    """The back end of a name.

    Raises:
        Refusal: There is none.
    """
    lines = [line for kind in BACKENDS.values() for line in kind]
    for known, module, of in lines:
        if known == name:
            return _kind(module, of)()
    known = ", ".join((AUTO, *(line[0] for line in lines)))
    msg = f"there is no back end {name!r}; known: {known}"
    raise Refusal(msg)


def fitting(ask: Mapping[str, Any], backend: str = AUTO) -> list[Backend]:
    """Those that are about such things, best first.

    Raises:
        Refusal: There is none.
    """
    kinds = (_kind(module, of) for _, module, of in BACKENDS.get(ask["kind"], ()))
    found = [kind() for kind in kinds if kind.can(ask)]
    if backend != AUTO:
        found = [one for one in found if one.name == named(backend).name]
    if not found:
        what = ask["kind"] if backend == AUTO else f"{ask['kind']} by {backend!r}"
        msg = f"no back end is for {what}"
        raise Refusal(msg)
    return found


def _kind(module: str, name: str) -> type[Backend]:
    found: type[Backend] = getattr(import_module(f".{module}", __package__), name)
    return found
