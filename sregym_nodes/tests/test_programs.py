"""Kernel programs as far as no kernel is needed: what they go by, where things are, what is refused."""

from __future__ import annotations

import base64
import json
import struct
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from sregym_nodes.agent import hooks, layout, places, programs, syscall_errors
from sregym_nodes.agent.families import GroupModule, ModifyReturn, Override
from sregym_nodes.agent.places import Places
from sregym_nodes.agent.refusal import Refusal

TABLE = json.loads((files("sregym_nodes.agent") / "programs.json").read_text())
NAMES = (
    "",
    "inode",
    "i_ino",
    "i_mode",
    "file",
    "f_flags",
    "f_inode",
    "f_path",
    "alias",
    "security_x",
)
AT = {name: len("\0".join(("", *NAMES[1:at]))) + (1 if at else 0) for at, name in enumerate(NAMES)}


def kind(name: str, kind: int, size: int, members: tuple[tuple[str, int, int], ...] = ()) -> bytes:
    """A type as the kernel describes it."""
    flag = 1 << 31 if any(bits >> 24 for _, _, bits in members) else 0
    head = struct.pack("=III", AT[name], flag | kind << 24 | len(members), size)
    return head + b"".join(struct.pack("=III", AT[one], of, bits) for one, of, bits in members)


def described(magic: int = 0xEB9F) -> bytes:
    """1: int, 2: inode, 3: pointer to it, 4: union without a name, 5: file, 6: alias, 7-8: a function."""
    types = b"".join(
        (
            kind("", 1, 4) + struct.pack("=I", 32),
            kind("inode", 4, 16, (("i_mode", 1, 0), ("i_ino", 1, 64))),
            kind("", 2, 2),
            kind("", 5, 8, (("f_inode", 3, 0), ("f_flags", 6, 0))),
            # With sizes of bit fields in the upper byte.
            kind("file", 4, 32, (("f_path", 1, 3 << 24 | 32), ("", 4, 128))),
            kind("alias", 8, 2),
            struct.pack("=III", 0, 13 << 24, 1),
            kind("security_x", 12, 7),
        )
    )
    strings = "\0".join(NAMES).encode() + b"\0"
    head = struct.pack("=HBBIIIII", magic, 1, 0, 24, 0, len(types), len(types), len(strings))
    return head + types + strings


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("inode", 0),
        ("inode.i_ino", 8),
        ("file.f_path", 4),
        ("file.f_inode", 16),
        ("file.f_flags.i_ino", 24),
        ("file.i_ino", -1),
        ("file.nothing", -1),
        ("path.mnt", -1),
    ],
)
def test_where_the_kernel_keeps_fields(path: str, place: int) -> None:
    assert layout.Layout(described()).place(path) == place


def test_numbers_of_functions() -> None:
    found = layout.Layout(described())
    assert (found.function("security_x"), found.function("inode"), found.function("x")) == (8, 0, 0)


def test_a_description_in_another_byte_order() -> None:
    with pytest.raises(Refusal) as caught:
        layout.Layout(described(magic=0x9FEB))
    assert str(caught.value) == (
        "/sys/kernel/btf/vmlinux is not in the byte order of this machine, so no place of a field is known"
    )


def test_what_is_known_is_kept_beside_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "vmlinux"
    source.write_bytes(described())
    monkeypatch.setattr(layout, "PATH", source)
    ask: tuple[list[str], list[str], Path] = (["security_x"], ["inode.i_ino"], tmp_path)
    wanted = layout.Known({"security_x": 8}, {"inode.i_ino": 8})
    assert layout.known(*ask) == wanted
    assert not (tmp_path / "layout").exists()
    (tmp_path / "held").mkdir()
    assert layout.known(*ask) == wanted
    source.unlink()
    assert layout.known(*ask) == wanted
    with pytest.raises(Refusal) as caught:
        layout.known(["other"], [], tmp_path)
    assert str(caught.value) == (
        f"the kernel does not describe its types ({source}: No such file or directory); take one that is "
        "built with CONFIG_DEBUG_INFO_BTF"
    )


def test_every_program_finds_its_maps_and_ends() -> None:
    assert sorted(TABLE["programs"]) == [
        *("group/any", "group/inode", "modify/any", "modify/inode", "modify/path", "override/any"),
    ]
    for one in TABLE["programs"].values():
        code = base64.b64decode(one["code"])
        assert 0x95 in code[::8]  # exit
        # Each names a map with the instruction of two words that takes one.
        assert {code[at * 8] for at, _, _ in one["uses"]} == {0x18}
        assert {name for _, name, _ in one["uses"]} <= set(TABLE["maps"])
    assert TABLE["license"] == "Dual MIT/GPL"


def test_a_program_is_linked_to_maps_and_to_this_kernel() -> None:
    class Made:
        fd = 7

    names = {name for _, name, _ in TABLE["programs"]["modify/inode"]["uses"]}
    looks = {path for _, path, _ in TABLE["programs"]["modify/inode"]["looks"]}
    kernel = layout.Known({}, {path: 40 if "arm" not in path else -1 for path in looks})
    maps: Any = dict.fromkeys(names, Made())
    own = TABLE["programs"]["modify/inode"]
    code = programs._linked(own, maps, kernel)
    for at, _, use in own["uses"]:
        source, fd = code[at * 8 + 1] >> 4, struct.unpack_from("=i", code, at * 8 + 4)[0]
        assert (source, fd) == (1 if use == "map" else 2, 7)
    for at, path, look in own["looks"]:
        place, number = struct.unpack_from("=hi", code, at * 8 + 2)
        assert (number if look == "exists" else place) == (1 if look == "exists" else 40), path


@pytest.mark.parametrize(
    ("ask", "rule"),
    [
        ({"call": "read", "error": "EIO"}, ([0, 19], -5, 0, 1, 0)),
        (
            {"call": "open", "error": "EPERM", "share": 0.25},
            ([2, 257, 437, 85], -1, 2**30, 1, 0),
        ),
        ({"call": "clone", "error": "EAGAIN", "share": 1e-12}, ([57, 58, 56, 435], -11, 1, 1, 0)),
    ],
)
def test_what_a_program_goes_by(
    ask: dict[str, Any], rule: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks.platform, "machine", lambda: "x86_64")
    numbers, *rest = rule
    padded = numbers + [0xFFFFFFFF] * (8 - len(numbers))
    made = syscall_errors._rule(ask, limited=False, pids=True)
    assert made == struct.pack("=8IiIII", *padded, *rest)
    assert len(made) == TABLE["maps"]["rule"]["value"]


def test_calls_of_other_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks.platform, "machine", lambda: "aarch64")
    assert (hooks.numbers_of("open"), hooks.entries_of("fsync")) == (
        [56, 437],
        ["__arm64_sys_fsync", "__arm64_sys_fdatasync"],
    )
    monkeypatch.setattr(hooks.platform, "machine", lambda: "riscv64")
    assert hooks.numbers_of("open") == []


def test_files_by_path_and_by_inode(tmp_path: Path) -> None:
    for name in ("a.log", "b.log", "c.txt"):
        (tmp_path / name).touch()
    ask = {"call": "read", "path": f"{tmp_path}/a.log"}
    whole = f"{tmp_path}/a.log\0".encode()
    assert Places(ask, []).paths() == {struct.pack("=I252s", 8 * len(whole), whole)}
    below = f"{tmp_path}/".encode()
    found = Places({**ask, "path": f"{tmp_path}/"}, [])
    assert found.paths() == {struct.pack("=I252s", 8 * len(below), below)}
    assert len(found.inodes()) == 3
    pattern = Places({**ask, "path": f"{tmp_path}/*.log"}, [])
    assert pattern.paths() == {places.path_of(f"{tmp_path}/{name}.log") for name in "ab"}
    assert pattern.inodes() == {places.inode_of(tmp_path / f"{name}.log") for name in "ab"}
    assert pattern.first() == f"{tmp_path}/a.log"
    everything = Places({"call": "read"}, [])
    assert (everything.are_limited, everything.first()) == (False, None)
    with pytest.raises(Refusal) as caught:
        Places({**ask, "path": "/x" * 126}, []).paths()
    assert str(caught.value) == (
        f"paths of more than 251 bytes cannot be looked at in the kernel: {'/x' * 126}"
    )


@pytest.mark.parametrize(
    ("ask", "can"),
    [
        ({"call": "read", "error": "EIO"}, [True, True, True]),
        ({"call": "fsync", "error": "EIO"}, [False, False, True]),
        ({"call": "gettimeofday", "error": "EFAULT"}, [False, False, False]),
        ({"call": "read", "error": "", "delay_ms": 300}, [False, False, False]),
        ({}, [False, False, False]),
    ],
)
def test_what_each_family_is_about(ask: dict[str, Any], can: list[bool]) -> None:
    assert [
        one.can({"kind": "calls", **ask}) for one in (ModifyReturn, GroupModule, Override)
    ] == can


def test_what_a_no_cannot_be() -> None:
    ask = {"call": "swapon", "error": "EINVAL"}
    assert ModifyReturn.unfit(ask) == (
        "a no to what the kernel asks on the way of swapon can be EPERM alone"
    )
    assert (Override.unfit(ask), ModifyReturn.unfit({**ask, "error": "EPERM"})) == ("", "")
    with pytest.raises(Refusal) as caught:
        Override().about({"call": "read"}, Places({"call": "read", "path": "/x"}, []))
    assert str(caught.value) == (
        "where calls enter the kernel nothing is known of files, and some are named"
    )
