"""The server: an application of FastAPI, and the program `server` that serves it."""

from __future__ import annotations

import argparse
import os
from functools import partial
from typing import TYPE_CHECKING

from openenv.core.env_server import create_app
from openenv.core.env_server.types import ConcurrencyConfig

from sregym_openenv.environment import SregymEnvironment
from sregym_openenv.models import SregymAction, SregymObservation, SregymState
from sregym_openenv.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI


def application(settings: Settings | None = None) -> FastAPI:
    """An application whose sessions share plugins and checkpoints.

    Args:
        settings: What it offers; None for what the variables `SREGYM_OPENENV_...` say.

    Raises:
        UsageError: A setting is wrong, or there is no such problem or suite.
    """
    chosen = settings or Settings.of(os.environ)
    rollouts = chosen.rollouts()
    made: FastAPI = create_app(
        partial(SregymEnvironment, rollouts, chosen.splits(rollouts)),
        SregymAction,
        SregymObservation,
        env_name="sregym",
        concurrency_config=ConcurrencyConfig(
            max_concurrent_envs=chosen.sessions, session_timeout=chosen.idle_s
        ),
        state_cls=SregymState,
    )
    return made


def main() -> None:
    """Serve on an address."""
    import uvicorn

    parser = argparse.ArgumentParser(prog="server", description="Serve SREGym over OpenEnv.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    uvicorn.run(application(), host=options.host, port=options.port)


if __name__ == "__main__":
    main()
