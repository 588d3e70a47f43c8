"""The back ends, best first. One that can do what is asked is taken; a new one is a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .copies import AlteredCopy
from .families import GroupModule, ModifyReturn, Override
from .links import Netem, Tbf
from .mapper import Delay, Dust, ErrorSegments, Flakey
from .prepared import PreparedDisk
from .pressure import Burner, StressNg
from .redirect import Redirected
from .refusal import Refusal
from .strace import Strace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .backend import Backend

BACKENDS: tuple[type[Backend], ...] = (
    *(ModifyReturn, GroupModule, Override, Strace),
    *(Dust, ErrorSegments, AlteredCopy, Flakey, Delay, PreparedDisk),
    *(StressNg, Burner),
    *(Netem, Tbf, Redirected),
)
AUTO = "auto"


def named(name: str) -> Backend:
    """The back end of a name.

    Raises:
        Refusal: There is none.
    """
    for kind in BACKENDS:
        if kind.name == name:
            return kind()
    known = ", ".join((AUTO, *(kind.name for kind in BACKENDS)))
    msg = f"there is no back end {name!r}; known: {known}"
    raise Refusal(msg)


def fitting(ask: Mapping[str, Any], backend: str = AUTO) -> list[Backend]:
    """Those that are about such things, best first.

    Raises:
        Refusal: There is none.
    """
    found = [kind() for kind in BACKENDS if ask["kind"] in kind.kinds and kind.can(ask)]
    if backend != AUTO:
        found = [one for one in found if one.name == named(backend).name]
    if not found:
        what = ask["kind"] if backend == AUTO else f"{ask['kind']} by {backend!r}"
        msg = f"no back end is for {what}"
        raise Refusal(msg)
    return found
