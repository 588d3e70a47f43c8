"""A server on loopback, on a port that was free."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import uvicorn
from sregym_openenv.app import application
from sregym_openenv.settings import Settings

PROBLEM = "wrong_service_selector_hotel_reservation"
SETTINGS = Settings(problems=(PROBLEM,), seeds=(1, 1), max_steps=6, sessions=3)


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    server = uvicorn.Server(
        uvicorn.Config(application(SETTINGS), host="127.0.0.1", port=0, log_level="warning")
    )
    ready = threading.Event()
    begin = server.startup

    async def startup(sockets: object = None) -> None:
        await begin(sockets)
        ready.set()

    server.startup = startup
    thread = threading.Thread(target=server.run)
    thread.start()
    assert ready.wait(120)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
