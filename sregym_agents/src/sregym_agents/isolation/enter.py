"""Runs inside: opens the session's addresses, then the agent's command, and ends with it.

Started as a script by an interpreter that sees nothing but its standard library.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

CHUNK = 65_536


async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on to their end."""
    try:
        while content := await reader.read(CHUNK):
            writer.write(content)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.close()


async def main(listens: list[tuple[str, int]], sockets: str, command: list[str]) -> int:
    """Serve until the command ends; its exit code, as a shell reports it."""

    async def lead(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            out = await asyncio.open_unix_connection(os.path.join(sockets, str(number)))  # noqa: PTH118 - a script without a library
        except OSError:
            writer.close()
            return
        try:
            await asyncio.gather(pour(reader, out[1]), pour(out[0], writer))
        except asyncio.CancelledError:
            pass  # the command has ended: no process listens any more
        finally:
            writer.close()
            out[1].close()

    for number, (host, port) in enumerate(listens):
        await asyncio.start_server(lambda r, w, n=number: lead(n, r, w), host, port)  # type: ignore[misc]  # the default binds the loop's number
    process = await asyncio.create_subprocess_exec(*command)
    code = await process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    addresses = [(host, port) for host, port in json.loads(sys.argv[1])]
    sys.exit(asyncio.run(main(addresses, sys.argv[2], sys.argv[3:])))
