"""Starting and stopping the services of a node, with what that means for the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.documents import DocumentError, read_toml, read_yaml
from sregym_cluster_embedded.kubelet import thresholds, unresponsive
from sregym_cluster_embedded.network import proxies
from sregym_cluster_embedded.node import kubelets
from sregym_cluster_embedded.userland.host import journal
from sregym_cluster_embedded.userland.host.image import CONTAINERD_CONFIG, KUBELET_CONFIG
from sregym_cluster_embedded.userland.host.units import (
    ACTIVE,
    CHRONY,
    CONTAINERD,
    FAILED,
    INACTIVE,
    KUBELET,
    PROXY,
    RESTARTING,
    Unit,
    keep,
    main_pid,
    service_state,
    status,
    unit_of,
)
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.filesystem import Files
    from sregym_cluster_embedded.world import World

RETRY = "host.retry"
# An NTP client that has just started steps the clock when it knows the time; one that runs turns it
# slowly, at most so fast.
_FIRST_POLL_S, _SLEW = 7.0, 0.083
_POLL_S = 64.0
CORRECT = "host.correct_clock"
_KINDS = ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration")


def start(world: World, node: str, files: Files, unit: Unit) -> str:
    """Start a service; why that failed, or empty. One that runs stays as it is."""
    present = status(world, node, unit.name)
    if present.state == ACTIVE:
        return ""
    if present.masked:
        return "masked"
    _say(
        world,
        node,
        unit,
        "Starting" if unit.get("Type") in ("notify", "forking", "oneshot") else "",
    )
    return _started(world, node, files, unit)


def make_run(world: World, node: str, files: Files, unit: Unit) -> None:
    """Let a service run, a kubelet that was frozen by a signal among them."""
    if unit.name == KUBELET and unresponsive.absent(world, node) == unresponsive.FROZEN:
        kubelets.freeze_kubelet(world, node, frozen=False)
    start(world, node, files, unit)


def stop(world: World, node: str, unit: Unit) -> None:
    """Stop a service; nothing happens to one that does not run."""
    present = status(world, node, unit.name)
    if present.state in (INACTIVE, FAILED):
        keep(world, node, unit.name, state=present.state, since=present.since)
        return
    _say(world, node, unit, "Stopping")
    _end(world, node, unit.name)
    keep(
        world,
        node,
        unit.name,
        state=INACTIVE,
        since=world.now,
        result="success",
        code=0,
        restarts=0,
    )
    journal.write(world, node, unit.name, "systemd", 1, f"{unit.name}: Deactivated successfully.")
    _say(world, node, unit, "Stopped")


def kill(world: World, node: str, unit: Unit, number: int) -> None:
    """Let a signal reach the main process of a service."""
    if number == _STOP and unit.name == KUBELET:
        kubelets.freeze_kubelet(world, node, frozen=True)
    elif number == _CONT and unit.name == KUBELET:
        kubelets.freeze_kubelet(world, node, frozen=False)
    if number not in _ENDING or status(world, node, unit.name).state != ACTIVE:
        return
    _end(world, node, unit.name)
    clean = number in (_TERM, _INT) and unit.name != KUBELET
    again = unit.get("Restart") == "always" or (unit.get("Restart") == "on-failure" and not clean)
    name = "KILL" if number == _KILL else "TERM" if number == _TERM else "ABRT"
    told = f"{unit.name}: Main process exited, code=killed, status={number}/{name}"
    journal.write(world, node, unit.name, "systemd", 1, told)
    result = "success" if clean else "signal"
    _ended(world, node, unit, result, number, again=again)


_STOP, _CONT, _TERM, _KILL, _INT = 19, 18, 15, 9, 2
_ENDING = (1, 2, 3, 6, 9, 11, 15)


def retry(world: World, node: str, name: str, since: float) -> None:
    """Handler: a service that ended by itself is started again."""
    present = service_state(world, node, name)
    machine = machines.machine(world, node)
    if present.state != RESTARTING or present.since != since or machine is None:
        return
    if not machine.powered:
        return
    files: Files = world.service(RUNTIME).host_files(world, node)
    unit = unit_of(files, name)
    if unit is None:
        return
    count = present.restarts + 1
    keep(world, node, name, restarts=count)
    text = f"{name}: Scheduled restart job, restart counter is at {count}."
    journal.write(world, node, name, "systemd", 1, text)
    _started(world, node, files, unit)


def _started(world: World, node: str, files: Files, unit: Unit) -> str:
    runs = service_state(world, node, unit.name).runs + 1
    keep(world, node, unit.name, state=ACTIVE, since=world.now, runs=runs, result="success", code=0)
    why = _refusal(files, unit)
    if not unit.stays:
        _say(world, node, unit, "Finished")
        return ""
    _say(world, node, unit, "Started")
    if why:
        pid = main_pid(world, node, unit.name)
        name = unit.command[0].rpartition("/")[2] if unit.command else unit.name
        journal.write(world, node, unit.name, name, pid, why, journal.ERROR)
        told = f"{unit.name}: Main process exited, code=exited, status=1/FAILURE"
        journal.write(world, node, unit.name, "systemd", 1, told, journal.NOTICE)
        _ended(
            world,
            node,
            unit,
            "exit-code",
            1,
            again=unit.get("Restart") in ("always", "on-failure"),
        )
        return "" if unit.get("Type") not in ("notify", "forking") else "exit-code"
    _begin(world, node, unit.name)
    return ""


def _ended(world: World, node: str, unit: Unit, result: str, code: int, *, again: bool) -> None:
    state = RESTARTING if again else FAILED if result != "success" else INACTIVE
    keep(world, node, unit.name, state=state, since=world.now, result=result, code=code)
    if result != "success":
        text = f"{unit.name}: Failed with result '{result}'."
        journal.write(world, node, unit.name, "systemd", 1, text, journal.WARNING)
    if again:
        wait = unit.get("RestartSec", "0.1").removesuffix("s")
        delay_s = float(wait) if wait.replace(".", "", 1).isdecimal() else 0.1
        world.after(max(0.1, delay_s), RETRY, node, unit.name, world.now)


def _begin(world: World, node: str, name: str) -> None:
    """What it means for the cluster that a service runs again."""
    if name == KUBELET:
        _configure_kubelet(world, node)
        kubelets.start_kubelet(world, node)
        if service_state(world, node, CONTAINERD).state != ACTIVE:
            kubelets.set_container_runtime(world, node, running=False)
    elif name == CONTAINERD:
        _limit_containers(world, node)
        kubelets.set_container_runtime(world, node, running=True)
    elif name == PROXY:
        proxies.start(world, node)
    elif name == CHRONY:
        world.after(_FIRST_POLL_S, CORRECT, node, service_state(world, node, CHRONY).runs)


def _limit_containers(world: World, node: str) -> None:
    """Containers that start from now on inherit the runtime's limit of open files."""
    unit = unit_of(world.service(RUNTIME).host_files(world, node), CONTAINERD)
    made, machine = machines.initial_machine(world, node), machines.machine(world, node)
    if unit is None or made is None or machine is None:
        return
    said = unit.get("LimitNOFILE").partition(":")[0]
    limit = int(said) if said.isdecimal() else made.open_files
    if machine.open_files != limit:
        machines.change(world, node, open_files=limit)


def _configure_kubelet(world: World, node: str) -> None:
    """The kubelet goes by what its file says at this start."""
    files: Files = world.service(RUNTIME).host_files(world, node)
    wanted = thresholds.read_by_kubelet(read_yaml(files.read(KUBELET_CONFIG) or "{}"))
    machine = machines.machine(world, node)
    if machine is not None and machine.kubelet_configuration != wanted:
        machines.change(world, node, kubelet_configuration=wanted)


def _end(world: World, node: str, name: str) -> None:
    """What it means for the cluster that a service runs no more."""
    if name == KUBELET:
        if unresponsive.absent(world, node) == unresponsive.FROZEN:
            kubelets.freeze_kubelet(world, node, frozen=False)
        if unresponsive.absent(world, node) == unresponsive.NO_RUNTIME:
            kubelets.set_container_runtime(world, node, running=True)
            keep(world, node, CONTAINERD, state=INACTIVE)
        kubelets.stop_kubelet(world, node)
    elif name == CONTAINERD:
        kubelets.set_container_runtime(world, node, running=False)
    elif name == PROXY:
        proxies.stop(world, node)


def correct_clock(world: World, node: str, runs: int) -> None:
    """Handler: the NTP client of a node has found out the time, and sets the clock."""
    present = status(world, node, CHRONY)
    machine = machines.machine(world, node)
    if present.state == ACTIVE and present.runs == runs and machine is not None:
        set_clock(world, node, 0.0)


def set_clock(world: World, node: str, offset_s: float) -> None:
    """Let the clock of a node be ahead of the true time by so much."""
    machine = machines.machine(world, node)
    if machine is not None and machine.clock_offset_s != offset_s:
        machines.change(world, node, clock_offset_s=offset_s)


def clock_was_set(world: World, node: str) -> None:
    """The clock was set by hand: an NTP client that runs turns it back in its time."""
    machine = machines.machine(world, node)
    present = status(world, node, CHRONY)
    if machine is not None and present.state == ACTIVE and machine.clock_offset_s:
        seconds = max(_POLL_S, abs(machine.clock_offset_s) / _SLEW)
        world.after(seconds, CORRECT, node, present.runs)


def _refusal(files: Files, unit: Unit) -> str:
    """Why the program of a service ends at once; empty when it runs."""
    if unit.name == KUBELET:
        return _kubelet_refusal(files.read(KUBELET_CONFIG))
    if unit.name == CONTAINERD:
        return _containerd_refusal(files.read(CONTAINERD_CONFIG))
    return ""


def _kubelet_refusal(text: str | None) -> str:
    head = (
        f'"command failed" err="failed to load kubelet config file, path: {KUBELET_CONFIG}, error: '
    )
    if text is None:
        why = f"open {KUBELET_CONFIG}: no such file or directory"
        return f'{head}failed to load Kubelet config file {KUBELET_CONFIG}, error failed to read kubelet config file \\"{KUBELET_CONFIG}\\", error: {why}"'
    try:
        content = read_yaml(text)
    except DocumentError as error:
        line = f"line {error.line}: " if error.line else ""
        why = f"yaml: {line}{error}"
        return f'{head}error converting YAML to JSON: {why}"'
    if not isinstance(content, dict):
        return f"{head}couldn't get version/kind; json parse error: cannot unmarshal string into Go value\""
    for number, (field, wanted) in enumerate(zip(("apiVersion", "kind"), _KINDS, strict=True)):
        if content.get(field) != wanted:
            kind = content.get("kind", "")
            what = f'no kind \\"{kind}\\" is registered for version \\"{content.get("apiVersion", "")}\\"'
            missing = "Object 'Kind' is missing"
            return f'{head}{what if number or kind else missing}"'
    wrong = thresholds.invalid(content)
    return f'"command failed" err="failed to run Kubelet: {wrong}"' if wrong else ""


def _containerd_refusal(text: str | None) -> str:
    try:
        read_toml(text or "")
    except DocumentError as error:
        return f"containerd: failed to load TOML: {CONTAINERD_CONFIG}: {error}"
    return ""


def _say(world: World, node: str, unit: Unit, what: str) -> None:
    if what:
        dots = "..." if what.endswith("ing") else "."
        text = f"{what} {unit.name} - {unit.description}{dots}"
        journal.write(world, node, unit.name, "systemd", 1, text)
