"""What the entry point of the official image does when the data directory is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import RUNTIME, LogLine, append, end

from sregym_server_mongodb.data import Account, load, store

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

_INIT_FOLDER = "/docker-entrypoint-initdb.d"


def initialise(world: World, process: Process, storage: str) -> bool:
    """What the image's entry point does with an empty data directory; whether it succeeded."""
    environment = process.environment
    files = world.service(RUNTIME).files(world, process)
    user = environment.get("MONGO_INITDB_ROOT_USERNAME", "")
    password = environment.get("MONGO_INITDB_ROOT_PASSWORD", "")
    scripts = [
        name
        for name in files.listing(_INIT_FOLDER) or ()
        if name.endswith((".js", ".sh")) and not name.startswith(".")
    ]
    if not user and not scripts:
        return True
    text = "about to fork child process, waiting until server is ready for connections."
    plain(world, process, text)
    plain(world, process, "forked process: 29")
    plain(world, process, "child process started successfully, parent exiting")
    if user and password:
        account = Account(user, "admin", password, (("root", "admin"),), world.seed.uid())
        store(world, storage, load(world, storage).with_account(account))
        shown = f'{{\n\t"user" : "{user}",\n\t"roles" : [\n\t\t{{\n\t\t\t"role" : "root",\n\t\t\t"db" : "admin"\n\t\t}}\n\t]\n}}'
        plain(world, process, f"Successfully added user: {shown}")
    database = process.environment.get("MONGO_INITDB_DATABASE", "test")
    console = ("mongo", "--quiet", database)
    for name in scripts:
        path = f"{_INIT_FOLDER}/{name}"
        plain(world, process, f"/usr/local/bin/docker-entrypoint.sh: running {path}")
        result = world.service(RUNTIME).initialise_with(world, process, path, console)
        for text in (*result.stdout.splitlines(), *result.stderr.splitlines()):
            plain(world, process, text)
        if result.exit_code != 0:
            end(world, process.ref, result.exit_code)
            return False
    plain(world, process, "")
    plain(world, process, "MongoDB init process complete; ready for start up.")
    plain(world, process, "")
    return True


def plain(world: World, process: Process, text: str) -> None:
    """Write lines as they are, without mongod's own form."""
    lines = [LogLine(world.now, "stdout", part) for part in text.split("\n")]
    append(world, process.ref, lines)
