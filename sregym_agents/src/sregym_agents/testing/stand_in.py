"""Programs that stand in for a vendor's: they use the session's MCP server, and report what they do.

A stand-in is a script for Python's standard library. Its body finds two functions: `tool(url,
headers, name, **arguments)` calls a tool of an MCP server and gives its text; `tell(**event)`
writes an event as a line of JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

_HEAD = """\
#!{python} -IS
import json, os, sys, time, tomllib, urllib.request

def tool(url, headers, name, **arguments):
    asked = {{
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {{"name": name, "arguments": arguments}},
    }}
    accepted = {{
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }}
    request = urllib.request.Request(url, json.dumps(asked).encode(), {{**accepted, **headers}})
    with urllib.request.urlopen(request) as answer:
        said = json.load(answer)
    return said["result"]["content"][0]["text"] if "result" in said else said["error"]["message"]

def tell(**event):
    print(json.dumps(event), flush=True)

"""


def write_stand_in(file: Path, body: str) -> Path:
    """Write a stand-in that can be run."""
    python = Path(sys.executable).resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_HEAD.format(python=python) + body, encoding="utf-8")
    file.chmod(0o755)
    return file
