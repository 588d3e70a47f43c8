"""Images of containers, made of this machine's files as archives of the Open Container Initiative: no registry."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .archive import linked

# Writes and reads one value of the store every so often, and tells in rounds how that went.
LOAD = r"""#!/bin/sh
store=$1
while true; do
  asked=0; good=0
  end=$(( $(date +%s) + 5 ))
  while [ "$(date +%s)" -lt "$end" ]; do
    asked=$((asked + 1))
    case "$(printf 'SET note %s\r\nQUIT\r\n' $asked | timeout 2.5 nc $store 6379 2>&1)" in
      +OK*) good=$((good + 1));;
    esac
    sleep 0.5
  done
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) op=note requests=$asked ok=$good failed=$((asked - good)) p50_ms=5 p99_ms=9"
done
"""
_SHELL = (
    "sh",
    "date",
    "sleep",
    "timeout",
    "cat",
    "ls",
    "echo",
    "env",
    "id",
    "ps",
    "true",
    "nc",
    "printf",
    "head",
)


@dataclass(frozen=True)
class Image:
    """One.

    Attributes:
        name: By which the runtime knows it.
        programs: Of this machine, with their libraries.
        scripts: By name.
    """

    name: str
    programs: tuple[str, ...] = ()
    scripts: tuple[tuple[str, str], ...] = ()


IMAGES = {
    # Debian's busybox prefers what is in itself to programs of the host that it changes to.
    "busybox": Image("busybox:1.36", ("/usr/sbin/chroot", "/usr/bin/nsenter")),
    "redis": Image("redis:7.0", ("/usr/bin/redis-server", "/usr/bin/redis-cli")),
    "load": Image("notes/load:1.0", scripts=(("load", LOAD),)),
}


def packed(image: Image) -> bytes:
    """As one file that `ctr images import` reads."""
    layer = _layer(image)
    config = _json(
        {
            **{"architecture": "amd64", "os": "linux"},
            "config": {
                "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
                "Cmd": ["sh"],
            },
            "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
        }
    )
    kind = "application/vnd.oci.image"
    manifest = _json(
        {
            **{"schemaVersion": 2, "mediaType": f"{kind}.manifest.v1+json"},
            "config": _told(f"{kind}.config.v1+json", config),
            "layers": [_told(f"{kind}.layer.v1.tar", layer)],
        }
    )
    named = {"annotations": {"io.containerd.image.name": image.name}}
    index = {
        "schemaVersion": 2,
        "manifests": [{**_told(f"{kind}.manifest.v1+json", manifest), **named}],
    }
    blobs = {f"blobs/{_digest(blob).replace(':', '/')}": blob for blob in (layer, config, manifest)}
    return _archived(
        {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}', "index.json": _json(index), **blobs}
    )


def _layer(image: Image) -> bytes:
    files = {"usr/bin/busybox": Path("/bin/busybox").read_bytes()}
    for program in map(Path, image.programs):
        files[f"usr/bin/{program.name}"] = program.read_bytes()
        for library in linked(program):
            files[str(library).lstrip("/")] = library.read_bytes()
    files |= {f"usr/bin/{name}": text.encode() for name, text in image.scripts}
    links = {f"usr/bin/{name}": "busybox" for name in _SHELL}
    links["bin"] = "usr/bin"
    return _archived(files, links, folders=("proc", "sys", "dev", "tmp", "etc", "data", "host"))


def _archived(
    files: dict[str, bytes], links: dict[str, str] | None = None, folders: tuple[str, ...] = ()
) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        for entry, data in _entries(files, links or {}, folders):
            archive.addfile(entry, io.BytesIO(data))
    return into.getvalue()


def _entries(
    files: dict[str, bytes], links: dict[str, str], folders: tuple[str, ...]
) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    for name in folders:
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
        yield entry, b""
    for name, data in files.items():
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(data), 0o755
        yield entry, data
    for name, to in links.items():
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = tarfile.SYMTYPE, to
        yield entry, b""


def _json(content: object) -> bytes:
    return json.dumps(content).encode()


def _digest(blob: bytes) -> str:
    return "sha256:" + hashlib.sha256(blob).hexdigest()


def _told(kind: str, blob: bytes) -> dict[str, object]:
    return {"mediaType": kind, "digest": _digest(blob), "size": len(blob)}
