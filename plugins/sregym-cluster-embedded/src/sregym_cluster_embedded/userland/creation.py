"""A process before its first act: command line, environment, executable; or why there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, ExitState
from sregym_cluster_embedded.machines import machine
from sregym_cluster_embedded.userland.executables import (
    NotExecutableError,
    command_line,
    find_executable,
    start_error,
)
from sregym_cluster_embedded.userland.files.container import Container
from sregym_cluster_embedded.userland.files.credentials import home_of
from sregym_cluster_embedded.userland.filesystem import Files
from sregym_cluster_embedded.userland.mounting import mismatch
from sregym_cluster_embedded.userland.process import Process

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.catalogue import Known
    from sregym_cluster_embedded.world import World


def make_process(
    world: World, config: ContainerConfig, known: Known
) -> tuple[Process, str] | ExitState:
    """The main process and the path of its executable, or how its creation failed."""
    argv = command_line(config, known.image)
    container = Container(world, config, known)
    home = home_of(container.credentials.uid, known.files["/etc/passwd"])
    environment = {
        **known.environment, "HOSTNAME": config.hostname, "HOME": home, **config.env,
    }  # fmt: skip
    working_dir = config.working_dir or known.image.working_dir
    process = Process(config, argv, environment, working_dir, "", {}, world.now)
    if (place := machine(world, config.node)) is not None:
        process = replace(process, open_files=place.open_files)
    files = Files(container)
    if not argv:
        container_id = world.seed.hexadecimal(64)
        text = f'failed to generate container "{container_id}" spec: failed to generate spec: '
        return ExitState(128, "CreateContainerError", f"{text}no command specified")
    if misplaced := mismatch(config, known):
        return ExitState(128, "StartError", start_error(misplaced))
    if working_dir != "/" and files.read(working_dir) is not None:
        reason = f"error during container init: mkdir {working_dir}: not a directory"
        return ExitState(128, "StartError", start_error(reason))
    try:
        path = find_executable(argv[0], known.image, files, environment, working_dir)
    except NotExecutableError as error:
        return ExitState(128, "StartError", start_error(str(error)))
    return process, path
