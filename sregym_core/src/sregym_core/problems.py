"""Reading problems: YAML data, checked on load, with errors that name file, line and field."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from sregym_core import error_location
from sregym_core.errors import PluginLoadError, UsageError
from sregym_core.model import Problem
from sregym_core.model.suites import PortedProblems, derived_suites, suites_of
from sregym_core.model.validation import explain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

    from sregym_core.model.suites import Origin
    from sregym_core.plugins import PluginStatus
    from sregym_core.registry import Registry

# libyaml where it is there: ten times faster, same result.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_problem(text: str, source: str) -> Problem:
    """A problem from YAML text; `source` names the file in errors.

    Raises:
        UsageError: With file, line and field of everything that is wrong.
    """
    try:
        data = yaml.load(text, _LOADER)  # noqa: S506 - a safe loader, chosen above
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date that is none, too deep
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark is not None else ""
        what = getattr(error, "problem", None) or str(error)
        msg = f"{source}{place}: not YAML: {what}"
        raise UsageError(msg) from error
    if not isinstance(data, dict):
        msg = f"{source}, line 1: a problem is a mapping of fields; this is none"
        raise UsageError(msg)
    try:
        return Problem.model_validate(data)
    except ValidationError as error:
        told = explain(error, Problem, data, text=text)
        msg = f"{source}, {told}" if told.startswith("line ") else f"{source}: {told}"
        raise UsageError(msg) from error


class ProblemSet:
    """All problems of the loaded plugins.

    Args:
        registry: Where plugins registered their folders.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._problems: dict[str, Problem] = {}
        self._owners: dict[str, PluginStatus] = {}
        # By plugin, and by the id that a problem would have by its file's name or has.
        self._left_out: dict[str, dict[str, str]] = {}
        for folder, owner in registry.problem_folders():
            self._read(folder, owner)

    def left_out(self) -> dict[str, list[str]]:
        """By plugin, why files of it cannot be used, with file, line and field."""
        return {plugin: [*reasons.values()] for plugin, reasons in self._left_out.items()}

    def all(self) -> list[Problem]:
        """All problems, sorted by id."""
        return [self._problems[name] for name in sorted(self._problems)]

    def suites(self) -> list[str]:
        """Names of all suites, sorted; some may have no problem."""
        listed = {suite for problem in self._problems.values() for suite in problem.suites}
        return sorted(listed | {*derived_suites()})

    def suites_of(self, problem: Problem) -> tuple[str, ...]:
        """Names of all suites of a problem, of these or of another file; first those that it names."""
        return suites_of(problem, self.origin_of(problem))

    def origin_of(self, problem: Problem) -> Origin:
        """How near a problem, of these or of another file, is to those with an upstream id."""
        return self._ported.origin_of(problem)

    @cached_property
    def _ported(self) -> PortedProblems:
        return PortedProblems.among(self._problems.values())

    def owner(self, problem_id: str) -> PluginStatus:
        """The plugin that brought a problem."""
        return self._owners[problem_id]

    def get(self, problem_id: str) -> Problem:
        """One problem; an unknown id is an error with the nearest names, or with the suite that it names."""
        if problem_id not in self._problems:
            if problem_id in self.suites():
                msg = f"{problem_id!r} is a suite, not a problem: --suite {problem_id}"
                raise UsageError(msg)
            for reasons in self._left_out.values():
                if problem_id in reasons:
                    raise PluginLoadError(reasons[problem_id])
            known = sorted(self._problems)
            raise UsageError(self._registry.unknown("problem", problem_id, known))
        return self._problems[problem_id]

    def choose(self, ids: Sequence[str], suite: str = "") -> list[Problem]:
        """The problems with these ids, in that order, then those of a suite; without doubles.

        Raises:
            UsageError: No name was given, or a name that does not exist.
        """
        chosen = {problem_id: self.get(problem_id) for problem_id in ids}
        for problem in self.in_suite(suite) if suite else ():
            chosen.setdefault(problem.id, problem)
        if not chosen:
            msg = "no problem was named: give ids or --suite NAME (see: sregym problems)"
            if suite:
                msg = f"suite {suite!r} has no problem with the plugins that are installed"
            raise UsageError(msg)
        return list(chosen.values())

    def in_suite(self, suite: str) -> list[Problem]:
        """The problems of a suite, sorted by id.

        Raises:
            UsageError: There is no such suite.
            PluginLoadError: It may lack a problem: one of the same plugin cannot be read.
        """
        if suite not in self.suites():
            raise UsageError(self._registry.unknown("suite", suite, self.suites()))
        found = [problem for problem in self.all() if suite in self.suites_of(problem)]
        for problem in found:
            # A suite that lacks a problem unnoticed is worse than none.
            for reason in self._left_out.get(self.owner(problem.id).name, {}).values():
                raise PluginLoadError(f"suite {suite!r} may lack a problem: {reason}")
        return found

    def _read(self, folder: Traversable, owner: PluginStatus) -> None:
        try:
            files = sorted(folder.iterdir(), key=lambda entry: entry.name)
        except OSError as error:
            reason = f"its folder of problems cannot be read: {error_location.format_error(error)}"
            self._leave_out(owner, folder.name, reason)
            return
        for file in files:
            if file.name.endswith((".yaml", ".yml")):
                try:
                    self._add(file, owner)
                except UsageError as error:
                    self._leave_out(owner, file.name.rpartition(".")[0], str(error))
                except (OSError, UnicodeDecodeError) as error:
                    reason = f"{file} ({owner.owner}) cannot be read: {error_location.format_error(error)}"
                    self._leave_out(owner, file.name.rpartition(".")[0], reason)

    def _leave_out(self, owner: PluginStatus, problem_id: str, reason: str) -> None:
        self._left_out.setdefault(owner.name, {})[problem_id] = reason

    def _add(self, file: Traversable, owner: PluginStatus) -> None:
        problem = parse_problem(file.read_text(encoding="utf-8"), f"{file} ({owner.owner})")
        if problem.id in self._owners:
            first = self._owners[problem.id]
            msg = (
                f"problem {problem.id!r} is offered by {first.owner!r} and by {owner.owner!r} ({file}); "
                f"uninstall one or set SREGYM_DISABLE={owner.name}"
            )
            self._problems.pop(problem.id, None)  # nobody can say which of them is meant
            self._leave_out(owner, problem.id, msg)
            return
        self._problems[problem.id] = problem
        self._owners[problem.id] = owner
