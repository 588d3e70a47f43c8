"""The families of kernel programs that answer calls: where each acts, and what it needs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from . import facts, groups, hooks
from .probes import events_at
from .programs import Program
from .refusal import Refusal
from .syscall_errors import SyscallErrors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import ExitStack

    from .places import Places


class ModifyReturn(SyscallErrors):
    """In place of the hooks at which the kernel calls its security modules, whether it has any or not."""

    name: ClassVar[str] = "fmod_ret"
    family: ClassVar[str] = "modify"
    remedy: ClassVar[str] = (
        "they need CAP_BPF and CAP_PERFMON, CONFIG_DEBUG_INFO_BTF and direct calls of ftrace"
    )

    def loaded(self, ask: Mapping[str, Any], about: str, rule: bytes) -> Program:
        """For the question of the call."""
        return Program(f"modify/{about}", rule, f"security_{hooks.HOOKS[ask['call']].name}")

    def attach(self, ask: Mapping[str, Any], program: Program) -> None:
        """Everywhere; it looks itself whom it is about."""
        program.attach()


class GroupModule(SyscallErrors):
    """Security modules of a control group and of all groups inside."""

    name: ClassVar[str] = "lsm_cgroup"
    family: ClassVar[str] = "group"
    remedy: ClassVar[str] = (
        "they need a kernel of 6.0 or newer with CONFIG_BPF_LSM, and bpf in its list of modules (lsm=)"
    )

    @classmethod
    def unfit(cls, ask: Mapping[str, Any]) -> str:
        """They are about control groups of the newer kind."""
        if (ask.get("scope") or {}).get("pids"):
            return "such programs are about control groups, and processes are named"
        if facts.cgroup_version() != 2:
            return "such programs need control groups of version 2; mount those, and no others"
        return super().unfit(ask)

    def about(self, ask: Mapping[str, Any], found: Places) -> str:
        """The path of a file is passed to few modules; the file itself to all."""
        return "any" if super().about(ask, found) == "any" else "inode"

    def loaded(self, ask: Mapping[str, Any], about: str, rule: bytes) -> Program:
        """For the question of the call."""
        hook = hooks.HOOKS[ask["call"]]
        return Program(f"group/{about}", rule, f"bpf_lsm_{hook.module or hook.name}")

    def attach(self, ask: Mapping[str, Any], program: Program) -> None:
        """As its scope defines."""

    def enter(self, program: Program, number: int, folder: int) -> None:
        """It acts there, too."""
        program.attach_to_group(folder)

    def try_on(self, ending: ExitStack, program: Program, pid: int) -> None:
        """Put it in a group made for that."""
        folders = groups.made(f"batch-{pid}")
        ending.callback(groups.emptied, folders)
        (folders[0] / "cgroup.procs").write_text(str(pid), encoding="ascii")
        fd = os.open(folders[0], os.O_RDONLY | os.O_DIRECTORY)
        try:
            program.attach_to_group(fd)
        finally:
            os.close(fd)


class Override(SyscallErrors):
    """Functions at which calls enter the kernel, which do not run then."""

    name: ClassVar[str] = "kprobe"
    family: ClassVar[str] = "override"
    remedy: ClassVar[str] = "they need CONFIG_BPF_KPROBE_OVERRIDE, which few kernels have"
    any_error: ClassVar[bool] = True

    @classmethod
    def reaches(cls, call: str) -> bool:
        """All calls that enter the kernel."""
        return call not in hooks.IN_USER_SPACE

    def about(self, ask: Mapping[str, Any], found: Places) -> str:
        """Nothing is known of files there."""
        if found.are_limited:
            msg = "where calls enter the kernel nothing is known of files, and some are named"
            raise Refusal(msg)
        return "any"

    def loaded(self, ask: Mapping[str, Any], about: str, rule: bytes) -> Program:
        """One for all variants of the call."""
        return Program("override/any", rule, "")

    def attach(self, ask: Mapping[str, Any], program: Program) -> None:
        """To all of them that are there."""
        for event in events_at(hooks.entries_of(str(ask["call"]))):
            program.attach_to_event(event)
