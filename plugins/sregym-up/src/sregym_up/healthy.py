"""`sregym up --application NAME`: a healthy application, until Ctrl-C."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse

    from sregym_core.api import Workspace
    from sregym_core.cli import Console
    from sregym_core.interfaces import Access, Application

WARM_UP_S = 60.0
# What belongs to an episode; nothing is told, handed in or judged here.
_OF_EPISODES = {
    "problem": "PROBLEM",
    "start_before": "--start-before",
    "record": "--record",
    "reveal": "--reveal",
}


def check_alone(arguments: argparse.Namespace) -> None:
    """Refuse what goes with problems only.

    Raises:
        UsageError: It was given.
    """
    given = [shown for name, shown in _OF_EPISODES.items() if getattr(arguments, name)]
    if given:
        msg = f"up: {', '.join(given)} cannot go with --application, which puts up a healthy system"
        raise UsageError(msg)


def run_healthy(console: Console, workspace: Workspace, arguments: argparse.Namespace) -> ExitCode:
    """Deploy, warm up, open, and stay until the user ends it."""
    from sregym_agents.session_folder import claim_folder
    from sregym_core.api import random_seed

    application = workspace.factory.application(arguments.application)
    folder = arguments.folder.absolute()
    claim_folder(folder)
    more = {"port": str(arguments.port)} if arguments.port else {}
    with workspace:
        worlds = workspace.worlds(arguments.cluster, more)
        seed = random_seed() if arguments.seed is None else arguments.seed
        world = worlds.make(application, WARM_UP_S, seed, True, folder)
        try:
            access = world.cluster.open_access()
            if arguments.json:
                console.json(_content(application, access), one_line=True)
            else:
                _say(console, application, access)
            threading.Event().wait()
        except KeyboardInterrupt:
            if not arguments.json:
                console.say("\nended by Ctrl-C")
                console.say(f"the same world again: --seed {seed}")
        finally:
            world.cluster.close()
    return ExitCode.DONE


def _content(application: Application, access: Access) -> dict[str, Any]:
    return {
        "kubeconfig": str(access.kubeconfig),
        "endpoints": dict(access.endpoints),
        "application": application.name,
        "namespaces": list(application.namespaces),
        "folder": str(access.folder),
    }


def _say(console: Console, application: Application, access: Access) -> None:
    console.say(f"{application.title} is up and serves its users. In another terminal:\n")
    console.say(f"  export KUBECONFIG={access.kubeconfig}")
    console.say(f"  kubectl get pods -n {application.namespaces[0]}")
    console.say("\nEverything else listens on this machine only:\n")
    width = max(map(len, access.endpoints), default=0)
    for name, url in sorted(access.endpoints.items()):
        console.say(f"  {name:<{width}}  {url}")
    console.say("\nCtrl-C ends it.")
