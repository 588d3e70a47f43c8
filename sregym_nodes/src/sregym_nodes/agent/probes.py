"""Events at the entry of the kernel's functions (kprobes), to which programs are attached."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from . import facts
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

_KIND = Path("/sys/bus/event_source/devices/kprobe/type")
_NUMBER = {"x86_64": 298, "aarch64": 241}
_CLOSED_ON_EXEC = 8
_SIZE = 112


def events_at(functions: Sequence[str]) -> list[int]:
    """Descriptors of an event at each of these functions that the kernel has.

    Raises:
        Refusal: It has none of them, or no such events.
    """
    kind = facts.read(_KIND).strip()
    if not kind:
        msg = f"kernel {facts.kernel()} has no probes of functions (CONFIG_KPROBE_EVENTS)"
        raise Refusal(msg)
    found, said = [], ""
    for name in functions:
        fd = _opened(int(kind), name)
        if fd >= 0:
            found.append(fd)
        else:
            said = os.strerror(ctypes.get_errno())
    if not found:
        msg = f"kernel {facts.kernel()} refuses a probe at {', '.join(functions)}: {said}"
        raise Refusal(msg)
    return found


def _opened(kind: int, name: str) -> int:
    text = ctypes.create_string_buffer(name.encode())
    head = struct.pack("=II48xQQ", kind, _SIZE, ctypes.addressof(text), 0)
    attributes = ctypes.create_string_buffer(head, _SIZE)
    call = ctypes.CDLL(None, use_errno=True).syscall
    number = _NUMBER.get(platform.machine(), -1)
    return int(call(number, attributes, -1, 0, -1, ctypes.c_ulong(_CLOSED_ON_EXEC)))
