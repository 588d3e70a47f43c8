"""Kernel programs (eBPF): made from the table that is compiled ahead, loaded and attached by bpf(2) alone.

Nothing is pinned: maps, programs and links are descriptors of this process, and the kernel takes them away
with it.
"""

from __future__ import annotations

import base64
import ctypes
import errno
import json
import os
import pkgutil
import platform
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import hooks
from .layout import known
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .layout import Known

_NUMBER = {"x86_64": 321, "aarch64": 280}
(_MAP_CREATE, _LOOK_UP, _UPDATE, _DELETE, _NEXT_KEY, _LOAD) = range(6)
_OPEN_TRACEPOINT, _FREEZE, _LINK = 17, 22, 28
_NEXT_PROGRAM, _NEXT_LINK, _LINK_BY_ID, _INFO = 11, 31, 30, 15
_TRACING, _SECURITY, _PROBE = 26, 29, 2
_MODIFY_RETURN, _OF_GROUP, _PERF_EVENT = 26, 43, 41
_READ_ONLY = 1 << 7  # BPF_F_RDONLY_PROG
_NAME = b"calls"
_LOG = 1 << 16
# What a place is replaced by that the kernel does not have; the instruction is never reached then.
_NOWHERE = 0x7FFF
# How a program of each family is loaded: its type, and as what it expects to be attached.
_FAMILIES = {
    "modify": (_TRACING, _MODIFY_RETURN),
    "group": (_SECURITY, _OF_GROUP),
    "override": (_PROBE, 0),
}


class KernelError(OSError):
    """The kernel refused a command of bpf(2).

    Attributes:
        log: Output of its verifier, if it came to that.
    """

    def __init__(self, number: int, log: str = "") -> None:
        super().__init__(number, os.strerror(number))
        self.log = log

    @property
    def told(self) -> str:
        """In words: name of the error, and the last thing that the verifier complained of."""
        lines = [
            line for line in self.log.splitlines() if line and not line.startswith("processed")
        ]
        name = errno.errorcode.get(self.errno or 0, str(self.errno))
        return f"{name}: {lines[-1]}" if lines else name


def command(number: int, attributes: bytes) -> int:
    """One command of bpf(2).

    Raises:
        KernelError: It was refused.
        Refusal: This machine's processor has another number for it, unknown here.
    """
    call = _NUMBER.get(platform.machine())
    if call is None:
        msg = f"kernel programs are not for {platform.machine()}; known: {', '.join(_NUMBER)}"
        raise Refusal(msg)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    done = int(ctypes.CDLL(None, use_errno=True).syscall(call, number, buffer, len(attributes)))
    if done < 0:
        raise KernelError(ctypes.get_errno())
    return done


class Map:
    """A map of the kernel.

    Args:
        definition: Of the table.
        flags: Further ones.
    """

    def __init__(self, definition: Mapping[str, int], flags: int = 0) -> None:
        sizes = (definition["type"], definition["key"], definition["value"])
        flags |= definition.get("map_flags", 0)
        head = struct.pack("=5I8x16s", *sizes, definition["max_entries"], flags, _NAME)
        self.fd = command(_MAP_CREATE, head)
        self._value = definition["value"]

    def set(self, key: bytes, value: bytes) -> None:
        """Put a value."""
        self._do(_UPDATE, key, ctypes.create_string_buffer(value, len(value)))

    def get(self, key: bytes) -> bytes:
        """The value of a key that there is."""
        value = ctypes.create_string_buffer(self._value)
        self._do(_LOOK_UP, key, value)
        return value.raw

    def drop(self, key: bytes) -> None:
        """Take a key out; nothing happens when it is not there."""
        with suppress(KernelError):
            self._do(_DELETE, key, ctypes.create_string_buffer(0))

    def freeze(self) -> None:
        """No value changes any more."""
        command(_FREEZE, struct.pack("=I", self.fd))

    def _do(self, number: int, key: bytes, value: ctypes.Array[ctypes.c_char]) -> None:
        name = ctypes.create_string_buffer(key, len(key))
        places = (ctypes.addressof(name), ctypes.addressof(value), 0)
        command(number, struct.pack("=I4xQQQ", self.fd, *places))


class Program:
    """A program that is loaded, with maps of its own; leaving the context takes everything away.

    Args:
        name: In the table: `modify/any` ...
        rule: What it goes by, as the sources say.
        target: Function of the kernel that it is about; empty where it is attached by name.

    Raises:
        KernelError: The kernel refused it.
        Refusal: It has no such function.
    """

    def __init__(self, name: str, rule: bytes, target: str) -> None:
        table = _table()
        self.maps: dict[str, Map] = {}
        self._fds: list[int] = []
        self._links: list[int] = []
        kernel = _kernel(table)
        number = _number_of_function(kernel, target)
        own = table["programs"][name]
        try:
            for used in sorted({used for _, used, _ in own["uses"]}):
                self.maps[used] = self._made(used, table["maps"][used], rule)
            code = _linked(own, self.maps, kernel)
            kind, expected = _FAMILIES[name.partition("/")[0]]
            self.fd = _loaded(code, table["license"], kind, expected, number)
            self._fds.append(self.fd)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Detach it and give everything back."""
        for fd in (*self._links, *self._fds):
            os.close(fd)
        self._links, self._fds = [], []

    def links(self) -> list[int]:
        """Numbers of what attaches it."""
        return [_number_of(link) for link in self._links]

    def attach(self) -> None:
        """To the function that it was loaded for."""
        self._links.append(command(_OPEN_TRACEPOINT, struct.pack("=QI4x", 0, self.fd)))

    def attach_to_group(self, folder: int) -> None:
        """To a control group, by a descriptor of its folder."""
        self._links.append(command(_LINK, struct.pack("=IIII", self.fd, folder, _OF_GROUP, 0)))

    def attach_to_event(self, event: int) -> None:
        """To an event of the kernel's tracing; the event belongs to the program then."""
        self._fds.append(event)
        self._links.append(command(_LINK, struct.pack("=IIII", self.fd, event, _PERF_EVENT, 0)))

    def _made(self, name: str, definition: Mapping[str, int], rule: bytes) -> Map:
        if name != "rule":
            made = Map(definition)
        else:
            made = Map(definition, _READ_ONLY)
            made.set(bytes(4), rule.ljust(definition["value"], b"\0"))
            made.freeze()
        self._fds.append(made.fd)
        return made


def links() -> Iterator[int]:
    """Numbers of all links of the machine."""
    return _numbers(_NEXT_LINK)


def loaded() -> Iterator[int]:
    """Numbers of all programs of the machine."""
    return _numbers(_NEXT_PROGRAM)


def why_not(kind: str) -> str:
    """Why no program of a family can be loaded at all here; empty when nothing is known against it.

    One without a target is tried: where programs are allowed it is found wanting, not forbidden.
    """
    end = struct.pack("=BBhi", 0xB7, 0, 0, 0) + struct.pack("=BBhi", 0x95, 0, 0, 0)
    family, expected = _FAMILIES[kind]
    try:
        os.close(_loaded(end, "GPL", family, expected, 0))
    except KernelError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
            return f"{os.strerror(error.errno)} ({error.told})"
    return ""


def _number_of(link: int) -> int:
    info = ctypes.create_string_buffer(64)
    command(_INFO, struct.pack("=IIQ", link, len(info), ctypes.addressof(info)))
    number: int = struct.unpack_from("=I", info.raw, 4)[0]
    return number


def _numbers(verb: int) -> Iterator[int]:
    last = 0
    while True:
        attributes = ctypes.create_string_buffer(struct.pack("=III", last, 0, 0), 12)
        done = ctypes.CDLL(None).syscall(_NUMBER[platform.machine()], verb, attributes, 12)
        if done < 0:
            return
        last = struct.unpack_from("=I", attributes.raw, 4)[0]
        yield last


def _table() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(pkgutil.get_data(__package__, "programs.json") or b"{}")
    return found


def _kernel(table: Mapping[str, Any]) -> Known:
    """All that any program of the table needs to know of this kernel."""
    looks = {path for one in table["programs"].values() for _, path, _ in one["looks"]}
    return known(hooks.functions(), sorted(looks), Path(sys.argv[0]).resolve().parent)


def _number_of_function(kernel: Known, name: str) -> int:
    if name and not kernel.functions.get(name):
        msg = f"the kernel has no function {name} that programs can be attached to"
        raise Refusal(msg)
    return kernel.functions.get(name, 0)


def _linked(own: Mapping[str, Any], maps: Mapping[str, Map], kernel: Known) -> bytes:
    """Instructions with descriptors of maps and places of fields in them."""
    code = bytearray(base64.b64decode(own["code"]))
    for at, name, use in own["uses"]:
        (inside,) = struct.unpack_from("=i", code, at * 8 + 4)
        source = 1 if use == "map" else 2  # BPF_PSEUDO_MAP_FD, BPF_PSEUDO_MAP_VALUE
        code[at * 8 + 1] = code[at * 8 + 1] & 0x0F | source << 4
        struct.pack_into("=i", code, at * 8 + 4, maps[name].fd)
        struct.pack_into("=i", code, at * 8 + 12, inside if use != "map" else 0)
    for at, path, look in own["looks"]:
        place = kernel.places[path]
        if look == "exists":
            struct.pack_into("=i", code, at * 8 + 4, int(place >= 0))
            continue
        place = _NOWHERE if place < 0 else place
        # Loads and stores have a place of their own; others add it as a number.
        if code[at * 8] & 7 in (1, 2, 3):
            struct.pack_into("=h", code, at * 8 + 2, place)
        else:
            struct.pack_into("=i", code, at * 8 + 4, place)
    return bytes(code)


def _loaded(code: bytes, terms: str, kind: int, expected: int, target: int) -> int:
    text = ctypes.create_string_buffer(code, len(code))
    license_ = ctypes.create_string_buffer(terms.encode())

    def attributes(level: int, size: int, log: int) -> bytes:
        return struct.pack(
            "=IIQQIIQII16sIIIIQIIQIII4x",
            *(kind, len(code) // 8, ctypes.addressof(text), ctypes.addressof(license_)),
            *(level, size, log, 0, 0, _NAME, 0, expected, 0, 0, 0, 0, 0, 0, 0, target, 0),
        )

    try:
        return command(_LOAD, attributes(0, 0, 0))
    except KernelError as error:
        if error.errno in (errno.EPERM, errno.ENOSYS):
            raise
    # Once more, to be told why.
    log = ctypes.create_string_buffer(_LOG)
    try:
        return command(_LOAD, attributes(1, _LOG, ctypes.addressof(log)))
    except KernelError as error:
        raise KernelError(error.errno or 0, log.value.decode(errors="replace")) from None
