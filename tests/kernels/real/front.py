"""Stands before the API of a cluster in memory: all goes through, but for what is asked of containers on real machines."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
import ssl
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib import error, request

import yaml
from aiohttp import ClientSession, ClientTimeout, TCPConnector, web

from .execs import serve

_LOG = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/log")
_EXEC = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/exec")
_HOPS = (
    "host",
    "connection",
    "transfer-encoding",
    "content-encoding",
    "content-length",
    "keep-alive",
    "accept-encoding",
)
# Gives the log of a container, or None for pods that do not run there.
Log = Callable[[str, str, str, bool], "str | None"]
# Gives the words of a program of this machine that runs a command in a container, or None likewise.
Enter = Callable[[str, str, str, Sequence[str]], "Sequence[str] | None"]


class Api:
    """Requests with the rights of the administrator.

    Args:
        kubeconfig: Of the cluster.
    """

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        self.server = str(config["clusters"][0]["cluster"]["server"])
        user, cluster = config["users"][0]["user"], config["clusters"][0]["cluster"]
        self.tls = ssl.create_default_context(
            cadata=_decoded(cluster["certificate-authority-data"])
        )
        pair = kubeconfig.with_name("pair.pem")
        pair.write_text(
            _decoded(user["client-certificate-data"]) + _decoded(user["client-key-data"])
        )
        self.tls.load_cert_chain(pair)

    def get(self, path: str) -> Any:
        """What the API answers."""
        return self.ask("GET", path, None)

    def ask(self, method: str, path: str, body: Any) -> Any:
        """Any request; what is not there, or was changed meanwhile, is no error."""
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        data = None if body is None else json.dumps(body).encode()
        asked = request.Request(
            self.server + path,
            data,
            {"Content-Type": kind, "User-Agent": "kubelet/v1.33"},
            method=method,
        )
        try:
            with request.urlopen(asked, context=self.tls, timeout=30) as answer:
                return json.load(answer)
        except error.HTTPError as refused:
            if refused.code in (404, 409):
                return None
            raise RuntimeError(
                f"{method} {path}: {refused.code} {refused.read()[:500]!r}"
            ) from refused


class Front:
    """A server on the loopback; leaving the context ends it.

    Args:
        api: Behind it.
        log: Of pods that run on a real machine.
        enter: Such a pod.
    """

    def __init__(self, api: Api, log: Log, enter: Enter) -> None:
        self._api, self._log, self._enter = api, log, enter
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Front:
        self._thread.start()
        self.url = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(30)
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def kubeconfig(self, into: Path) -> Path:
        """One that leads here."""
        parts = {
            "clusters": [{"name": "lab", "cluster": {"server": self.url}}],
            "users": [{"name": "admin", "user": {}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "admin"}}],
        }
        into.write_text(
            yaml.safe_dump(
                {"apiVersion": "v1", "kind": "Config", "current-context": "lab", **parts}
            )
        )
        return into

    async def _start(self) -> str:
        self._session = ClientSession(
            connector=TCPConnector(ssl=self._api.tls, limit=0),
            timeout=ClientTimeout(total=None),
            auto_decompress=False,
        )
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def _end(self) -> None:
        await self._runner.cleanup()
        await self._session.close()

    async def _answer(self, asked: web.Request) -> web.StreamResponse:
        found = _LOG.fullmatch(asked.path)
        if found:
            words = (
                found[1],
                found[2],
                asked.query.get("container", ""),
                asked.query.get("previous") == "true",
            )
            text = await asyncio.to_thread(self._log, *words)
            if text is not None:
                return web.Response(text=text)
        found = _EXEC.fullmatch(asked.path)
        if found:
            place = (found[1], found[2], asked.query.get("container", ""))
            argv = asked.query.getall("command")
            entered = await asyncio.to_thread(self._enter, *place, argv)
            if entered is not None:
                return await serve(asked, entered)
        heads = {name: value for name, value in asked.headers.items() if name.lower() not in _HOPS}
        body = await asked.read()
        async with self._session.request(
            asked.method, self._api.server + asked.raw_path, data=body or None, headers=heads
        ) as answer:
            kept = {
                name: value
                for name, value in answer.headers.items()
                if name.lower() not in (*_HOPS, "date")
            }
            told = web.StreamResponse(
                status=answer.status, headers={**kept, "Date": answer.headers.get("Date", "")}
            )
            told.enable_chunked_encoding()
            await told.prepare(asked)
            with contextlib.suppress(ConnectionError):  # who watched has gone
                async for part in answer.content.iter_any():
                    await told.write(part)
                await told.write_eof()
            return told


def _decoded(text: str) -> str:
    return base64.b64decode(text).decode()
