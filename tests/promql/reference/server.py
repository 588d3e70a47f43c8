"""A Prometheus of one's own: started empty on the loopback, filled by remote write, ended."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from typing import Any

from sregym_promql import parse_openmetrics

from reference.samples import STALE, Row

PROGRAM = "prometheus"
PACKAGE_VERSION = "2.42"
_STALE_BITS = 0x7FF0000000000002
_NAN_BITS = 0x7FF8000000000001
_PATIENCE_S = 20.0
# Samples must arrive in the order of time, more or less: in slices of so many seconds.
_SLICE_S = 600


class Reference:
    """The HTTP API of a running Prometheus."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, path: str, **parameters: object) -> dict[str, Any]:
        """The answer to a GET below /api/v1/, whether it is a success or not."""
        query = urllib.parse.urlencode({key: str(value) for key, value in parameters.items()})
        try:
            with urllib.request.urlopen(f"{self._url}/api/v1/{path}?{query}") as answer:
                body = answer.read()
        except urllib.error.HTTPError as error:
            body = error.read()
        # Errors quote what is no text, too.
        found: dict[str, Any] = json.loads(body.decode(errors="replace"))
        return found

    def write(self, series: list[Row]) -> None:
        """Store samples."""
        parsed = []
        for row in series:
            lines = "\n".join(f"{row.metric} 0 {at}" for at, _ in row.samples)
            moments = [sample.at_ms for sample in parse_openmetrics(lines)]
            labels = parse_openmetrics(lines)[0].labels
            values = [value for _, value in row.samples]
            parsed.append((labels, list(zip(moments, values, strict=True))))
        first = min(at for _, samples in parsed for at, _ in samples)
        last = max(at for _, samples in parsed for at, _ in samples)
        for begin in range(first, last + 1, _SLICE_S * 1000):
            wanted = range(begin, begin + _SLICE_S * 1000)
            body = b"".join(
                _field(1, _series(labels, chosen))
                for labels, samples in parsed
                if (chosen := [sample for sample in samples if sample[0] in wanted])
            )
            request = urllib.request.Request(f"{self._url}/api/v1/write", _snappy(body))
            request.add_header("Content-Encoding", "snappy")
            request.add_header("Content-Type", "application/x-protobuf")
            with urllib.request.urlopen(request) as answer:
                answer.read()


@contextmanager
def running(
    series: list[Row], program_name: str = PROGRAM, features: str = ""
) -> Iterator[Reference]:
    """A Prometheus that holds the samples, until the end of the block.

    Args:
        series: The samples.
        program_name: Which program is started.
        features: What is to be enabled besides, separated by commas.

    Raises:
        FileNotFoundError: The program is not installed.
    """
    program = shutil.which(program_name)
    if program is None:
        message = f"{program_name} is not installed (apt package prometheus, {PACKAGE_VERSION})"
        raise FileNotFoundError(message)
    with tempfile.TemporaryDirectory() as folder, socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        free.close()
        (Path(folder) / "prometheus.yml").write_text("global: {scrape_interval: 1m}\n")
        command = [
            program,
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
            "--storage.tsdb.retention.time=100y",
            "--web.enable-remote-write-receiver",
            f"--web.listen-address={address}",
            "--log.level=error",
            *([f"--enable-feature={features}"] if features else []),
        ]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            url = f"http://{address}"
            _wait(url)
            reference = Reference(url)
            reference.write(series)
            yield reference
        finally:
            process.terminate()
            process.wait(_PATIENCE_S)


def _wait(url: str) -> None:
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(f"{url}/-/ready"):
                return
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > until:
                raise


def _series(labels: tuple[tuple[str, str], ...], samples: list[tuple[int, str]]) -> bytes:
    body = b"".join(
        _field(1, _field(1, name.encode()) + _field(2, value.encode())) for name, value in labels
    )
    return body + b"".join(
        _field(2, b"\x09" + _bits(value) + b"\x10" + _varint(at)) for at, value in samples
    )


def _bits(value: str) -> bytes:
    if value == STALE:
        return struct.pack("<Q", _STALE_BITS)
    if value == "NaN":
        return struct.pack("<Q", _NAN_BITS)
    return struct.pack("<d", float(value))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def _snappy(content: bytes) -> bytes:
    """The block format of Snappy, all of it literal."""
    found = bytearray(_varint(len(content)))
    for start in range(0, len(content), 65536):
        piece = content[start : start + 65536]
        found += bytes([61 << 2]) + struct.pack("<H", len(piece) - 1) + piece
    return bytes(found)
