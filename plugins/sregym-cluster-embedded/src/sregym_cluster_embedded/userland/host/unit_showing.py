"""`systemctl` where it shows services: status, list-units, cat, show."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_regex import globs

from sregym_cluster_embedded.userland.host import journal
from sregym_cluster_embedded.userland.host.journalctl import format_line
from sregym_cluster_embedded.userland.host.processes import tasks_of_node
from sregym_cluster_embedded.userland.host.units import (
    ACTIVE,
    FAILED,
    INACTIVE,
    RESTARTING,
    ServiceState,
    Unit,
    full_name,
    installed_enabled,
    main_pid,
    status,
    unit_of,
    units,
)
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.files.tasks import Task
    from sregym_cluster_embedded.userland.host.unit_options import ParsedCommandLine

_SUB = {ACTIVE: "running", INACTIVE: "dead", FAILED: "failed", RESTARTING: "auto-restart"}
_DOTS = {ACTIVE: "●", INACTIVE: "○", FAILED: "\u00d7", RESTARTING: "●"}
_LINES = 10
_NOT_FOUND = 4
_NOT_RUNNING = 3


def _found(session: Session, name: str) -> Unit | None:
    return unit_of(session.files, full_name(name))


def is_enabled(session: Session, unit: Unit) -> str:
    """`enabled`, `disabled`, `static` or `masked`."""
    known = status(session.world, session.process.config.node, unit.name)
    if known.masked:
        return "masked"
    if not unit.wanted:
        return "static"
    enabled = installed_enabled(unit.name) if known.enabled is None else known.enabled
    return "enabled" if enabled else "disabled"


def _is_enabled(session: Session, asked: ParsedCommandLine) -> Output:
    out, err, code = "", "", 1
    for name in asked.names:
        unit = _found(session, name)
        if unit is None:
            err += (
                f"Failed to get unit file state for {full_name(name)}: No such file or directory\n"
            )
            continue
        word = is_enabled(session, unit)
        code = 0 if word in ("enabled", "static") else code
        out += f"{word}\n"
    return Output(code, "" if asked.on("--quiet", "-q") else out, err)


def _is_active(session: Session, asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node
    out, good = "", False
    for name in asked.names:
        unit = _found(session, name)
        state = INACTIVE if unit is None else status(world, node, unit.name).state
        wanted = FAILED if asked.verb == "is-failed" else ACTIVE
        good = good or state == wanted
        out += f"{state}\n"
    bad = 1 if asked.verb == "is-failed" else _NOT_RUNNING
    return Output(0 if good else bad, "" if asked.on("--quiet", "-q") else out)


def _cat(session: Session, asked: ParsedCommandLine) -> Output:
    out, err = "", ""
    for name in asked.names:
        unit = _found(session, name)
        if unit is None:
            err += f"No files found for {full_name(name)}.\n"
            continue
        parts = [f"# {path}\n{session.files.read(path)}" for path in (unit.path, *unit.drop_ins)]
        out += ("\n" if out else "") + "\n".join(parts)
    return Output(1 if err else 0, out, err)


def _status(session: Session, asked: ParsedCommandLine) -> Output:
    if not asked.names:
        return _overview(session)
    code, parts, err = 0, [], ""
    for name in asked.names:
        unit = _found(session, name)
        if unit is None:
            code, err = _NOT_FOUND, f"{err}Unit {full_name(name)} could not be found.\n"
            continue
        known = status(session.world, session.process.config.node, unit.name)
        code = code or (0 if known.state == ACTIVE else _NOT_RUNNING)
        parts.append(_described(session, unit, known, asked))
    return Output(code, "\n".join(parts), err)


def _described(session: Session, unit: Unit, known: ServiceState, asked: ParsedCommandLine) -> str:
    world, node = session.world, session.process.config.node
    enabled = is_enabled(session, unit)
    out = f"{_DOTS[known.state]} {unit.name} - {unit.description}\n"
    preset = "" if enabled == "static" else "; preset: enabled"
    out += f"     Loaded: loaded ({unit.path}; {enabled}{preset})\n"
    if unit.drop_ins:
        folder, _, file = unit.drop_ins[0].rpartition("/")
        out += f"    Drop-In: {folder}\n             └─{file}\n"
    out += f"     Active: {active_line(session, unit, known)}\n"
    docs = unit.get("Documentation").split()
    if docs:
        out += f"       Docs: {docs[0]}\n" + "".join(f"             {one}\n" for one in docs[1:])
    pid = main_pid(world, node, unit.name)
    name = unit.command[0].rpartition("/")[2] if unit.command else ""
    own = [
        task
        for task in tasks_of_node(world, node)
        if task.control_group == f"/system.slice/{unit.name}"
    ]
    if known.state == ACTIVE and unit.stays:
        out += f"   Main PID: {pid} ({name})\n"
        out += _resources(session, own)
        out += f"     CGroup: /system.slice/{unit.name}\n{_tree(own)}"
    elif known.runs or known.code or not unit.stays:
        code = "killed" if known.result == "signal" else "exited"
        word = (
            known.code
            if known.result == "signal"
            else f"{known.code}/{'FAILURE' if known.code else 'SUCCESS'}"
        )
        out += (
            f"    Process: {pid} ExecStart={' '.join(unit.command)} (code={code}, status={word})\n"
        )
        out += f"   Main PID: {pid} (code={code}, status={word})\n"
    count = asked.get("-n", "--lines")
    wanted = int(count) if count.isdecimal() else _LINES
    lines = [one for one in journal.journal_lines(world, node) if one.unit == unit.name]
    said = "".join(f"{format_line(world, node, one)}\n" for one in lines[-wanted:] if wanted)
    return f"{out}\n{said}" if said else out


def _resources(session: Session, own: list[Task]) -> str:
    kib = sum(task.memory_kib for task in own)
    threads = sum(12 if task.memory_kib > 20_000 else 1 for task in own)
    age = max(0.0, session.world.now - min((task.started_at for task in own), default=0.0))
    cpu = age * 0.011 if kib > 20_000 else age * 0.00002
    whole = f"{int(cpu) // 60}min {cpu % 60:.3f}s" if cpu >= 60 else f"{cpu:.3f}s"
    return f"      Tasks: {threads} (limit: 38284)\n     Memory: {kib / 1024:.1f}M\n        CPU: {whole}\n"


def _tree(own: list[Task]) -> str:
    rows = []
    for number, task in enumerate(own, start=1):
        branch = "└" if number == len(own) else "├"
        rows.append(f"             {branch}─{task.pid} {' '.join(task.argv)}\n")
    return "".join(rows)


def active_line(session: Session, unit: Unit, known: ServiceState) -> str:
    """`active (running) since Thu 2026-01-01 08:59:20 UTC; 2h 3min ago`."""
    world = session.world
    began = session.files.container.began
    at = began if known.since is None else world.epoch + known.since
    when = datetime.fromtimestamp(at, UTC)
    word = _SUB[known.state]
    if known.state == ACTIVE and not unit.stays:
        word = "exited"
    since = f"since {when:%a %Y-%m-%d %H:%M:%S} UTC; {ago(world.epoch + world.now - at)} ago"
    if known.state in (FAILED, RESTARTING):
        return f"{known.state} ({word}) (Result: {known.result}) {since}"
    if known.state == INACTIVE and known.since is None:
        return "inactive (dead)"
    return f"{known.state} ({word}) {since}"


def ago(seconds: float) -> str:
    """A span as systemd shows it: its two largest parts."""
    whole = max(0, int(seconds))
    parts = (
        (whole // 86400, " days" if whole >= 2 * 86400 else " day"), (whole // 3600 % 24, "h"),
        (whole // 60 % 60, "min"), (whole % 60, "s"),
    )  # fmt: skip
    first = next((n for n, (count, _) in enumerate(parts) if count), 3)
    shown_parts = [f"{count}{unit}" for count, unit in parts[first : first + 2] if count]
    if first == 2 and whole >= 600:
        shown_parts = shown_parts[:1]
    return " ".join(shown_parts) or "0s"


def chosen(session: Session, asked: ParsedCommandLine) -> list[tuple[Unit, ServiceState]]:
    """The services that a command line names, and how they are."""
    world, node = session.world, session.process.config.node
    found = [(unit, status(world, node, unit.name)) for unit in units(session.files)]
    wanted = set(asked.get("--state").split(",")) - {""}
    if asked.on("--failed"):
        wanted.add(FAILED)
    names = [full_name(name) if "*" not in name else name for name in asked.names]
    return [
        (unit, known)
        for unit, known in found
        if (not names or any(globs.matches(unit.name, name) for name in names))
        and (known.state in wanted or _SUB[known.state] in wanted if wanted else True)
        and (wanted or asked.on("-a", "--all") or known.state != INACTIVE)
    ]


def _list_units(session: Session, asked: ParsedCommandLine) -> Output:
    if asked.get("-t", "--type") not in ("", "service"):
        return Output(0, "0 loaded units listed.\n")
    rows = [
        (
            "●" if known.state == FAILED else " ", unit.name, "loaded", known.state,
            "exited" if known.state == ACTIVE and not unit.stays else _SUB[known.state],
            unit.description,
        )
        for unit, known in chosen(session, asked)
    ]  # fmt: skip
    titles = (" ", "UNIT", "LOAD", "ACTIVE", "SUB", "DESCRIPTION")
    wide = [max(len(row[n]) for row in [titles, *rows]) for n in range(5)]
    plain = asked.on("--no-legend", "--plain") or asked.get("--legend") in ("no", "false")
    body = "".join(
        " ".join(f"{cell:<{wide[n]}}" for n, cell in enumerate(row[:5])) + f" {row[5]}\n"
        for row in rows
    )
    if asked.on("--no-legend") or asked.get("--legend") in ("no", "false"):
        return Output(0, body)
    head = " ".join(f"{cell:<{wide[n]}}" for n, cell in enumerate(titles[:5])) + " DESCRIPTION\n"
    tail = f"\n{len(rows)} loaded units listed.\n"
    if rows and not plain:
        tail = (
            "\nLOAD   = Reflects whether the unit definition was properly loaded.\n"
            "ACTIVE = The high-level unit activation state, i.e. generalization of SUB.\n"
            "SUB    = The low-level unit activation state, values depend on unit type.\n"
            f"{len(rows)} loaded units listed.\n"
        )
    return Output(0, head + body + tail)


def _list_files(session: Session, asked: ParsedCommandLine) -> Output:
    names = [full_name(name) if "*" not in name else name for name in asked.names]
    rows = [
        (unit.name, is_enabled(session, unit), "-" if not unit.wanted else "enabled")
        for unit in units(session.files)
        if not names or any(globs.matches(unit.name, name) for name in names)
    ]
    wide = max([len("UNIT FILE"), *(len(row[0]) for row in rows)])
    head = f"{'UNIT FILE':<{wide}} {'STATE':<8} PRESET\n"
    body = "".join(f"{name:<{wide}} {state:<8} {preset}\n" for name, state, preset in rows)
    return Output(0, f"{head}{body}\n{len(rows)} unit files listed.\n")


def _overview(session: Session) -> Output:
    world, node = session.world, session.process.config.node
    found = [status(world, node, unit.name).state for unit in units(session.files)]
    failed = found.count(FAILED)
    when = datetime.fromtimestamp(session.files.container.began, UTC)
    since = f"since: {when:%a %Y-%m-%d %H:%M:%S} UTC; {ago(world.epoch + world.now - when.timestamp())} ago"
    state = "degraded" if failed else "running"
    return Output(
        0,
        f"● {node}\n    State: {state}\n    Units: {len(found)} loaded (incl. loaded aliases)\n"
        f"     Jobs: 0 queued\n   Failed: {failed} units\n    Since: {since[7:]}\n  systemd: 252.38-1~deb12u1\n",
    )


def _is_running(session: Session, _asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node
    failed = any(status(world, node, unit.name).state == FAILED for unit in units(session.files))
    return Output(int(failed), "degraded\n" if failed else "running\n")


def _show(session: Session, asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node
    out = ""
    for name in asked.names:
        unit = _found(session, name)
        known = ServiceState(INACTIVE) if unit is None else status(world, node, unit.name)
        runs = unit is not None and known.state == ACTIVE and unit.stays
        values = {
            "Restart": "no" if unit is None else unit.get("Restart", "no"),
            "MainPID": str(main_pid(world, node, unit.name)) if unit is not None and runs else "0",
            "NRestarts": str(known.restarts), "Result": known.result,
            "ExecMainStatus": str(known.code), "Id": full_name(name), "Names": full_name(name),
            "Description": full_name(name) if unit is None else unit.description,
            "LoadState": "not-found" if unit is None else "masked" if known.masked else "loaded",
            "ActiveState": known.state, "SubState": _SUB[known.state],
            "FragmentPath": "" if unit is None else unit.path,
            "UnitFileState": "" if unit is None else is_enabled(session, unit),
        }  # fmt: skip
        wanted = [one for one in asked.get("-p", "--property").split(",") if one]
        for key in values:
            if key in wanted or not wanted:
                out += f"{values[key]}\n" if asked.on("--value") else f"{key}={values[key]}\n"
    return Output(0, out)


SHOWING: dict[str, Callable[[Session, ParsedCommandLine], Output]] = {
    "is-enabled": _is_enabled, "is-active": _is_active, "is-failed": _is_active, "cat": _cat,
    "status": _status, "list-units": _list_units, "list-unit-files": _list_files, "show": _show,
    "is-system-running": _is_running,
}  # fmt: skip
