#!/usr/bin/env python3
"""Work on the incident: `kubectl ...`, `submit TEXT`, or `incident TOOL [ARGUMENT | JSON]`.

Needs nothing but Python. `incident` alone lists the tools.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import urllib.request
from pathlib import Path

URL = os.environ.get("INCIDENT_URL", "http://incident:8321")


def ask(path, body=None):
    """What the incident answers."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{URL}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)


def kubectl(words):
    """The arguments of a command: files become its standard input, since it runs elsewhere."""
    given, kept, after = "", [], ""
    for word in words:
        option, equals, path = word.partition("=")
        named = bool(equals) and option in ("-f", "--filename")
        if after in ("-f", "--filename"):
            named, path = True, word
        if named and path == "-":
            given = sys.stdin.read()
        elif named and Path(path).is_file():
            given = Path(path).read_text(encoding="utf-8")
            word = f"{option}=-" if equals else "-"
        kept.append(word)
        after = word
    return {"command": shlex.join(kept), "stdin": given}


def main(words):
    """Do it; the exit code is 1 for a call that failed."""
    name = Path(words[0]).name
    if name in ("kubectl", "submit"):
        tool, rest = name, words[1:]
    else:
        tool, rest = (words[1] if len(words) > 1 else ""), words[2:]
    tools = {one["name"]: one for one in ask("/tools")}
    if not tool:
        for one in tools.values():
            print(f"{one['name']}: {one['description']}")
            print(f"  {json.dumps(one['parameters'])}")
        return 0
    text = " ".join(rest)
    if tool == "kubectl":
        arguments = kubectl(rest)
    elif text.startswith("{"):
        arguments = json.loads(text)
    elif text:
        schema = tools.get(tool, {}).get("parameters", {})
        others = [one for one in schema.get("properties", {}) if one != "page"]
        arguments = {(schema.get("required") or others or ["text"])[0]: text}
    else:
        arguments = {}
    seen = ask("/call", {"tool": tool, "arguments": arguments})
    print(seen["text"], file=sys.stdout if seen["ok"] else sys.stderr)
    return 0 if seen["ok"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
