"""Every exception of the core, and the exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit status of the process."""

    DONE = 0  # all went well; every verdict asked for is a pass, or none was asked for
    FAILED = 1  # a run finished with a failing verdict, or a problem is not proved
    INTERRUPTED = 2  # Ctrl-C; everything was recovered and recorded
    INTERNAL = 3  # a defect of SREGym itself
    USAGE = 4  # the command line, a file or a name was wrong
    PLUGIN = 5  # a plugin that is needed is missing, broken or blocked


class SregymError(Exception):
    """Base of all errors that are shown to users without a traceback."""

    exit_code = ExitCode.INTERNAL


class UsageError(SregymError):
    """A request of the user that cannot be met: the message says what, where, and what to do."""

    exit_code = ExitCode.USAGE


class PluginError(SregymError):
    """Base of everything that is wrong with a plugin; names distribution and version."""

    exit_code = ExitCode.PLUGIN


class PluginLoadError(PluginError):
    """A plugin could not be loaded, or offers a component of another type than declared."""


class PluginClashError(PluginError):
    """Two distributions offer the same name."""


class PluginCallError(PluginError):
    """A plugin raised where it may not.

    Attributes:
        plugin: Name of the plugin.
        distribution: Distribution and version.
        hook: Which hook or method was called.
    """

    def __init__(self, message: str, plugin: str, distribution: str, hook: str) -> None:
        super().__init__(message)
        self.plugin = plugin
        self.distribution = distribution
        self.hook = hook


class PluginMissingError(PluginError):
    """A plugin that is needed is not installed, blocked or broken."""


class WorldError(SregymError):
    """The world was not right: the cluster, the application, the baseline or the injection.

    Ends an episode with the outcome `error`, never `fail`.
    """


class NodeError(WorldError):
    """A machine behind a node could not be read or changed: says which one, what, and why."""


class TargetError(SregymError):
    """A fault requested another kind of target than it was given: a defect of the fault."""


class MissingCapabilityError(SregymError):
    """The cluster cannot do what a problem needs: it is skipped, with this as the reason."""


class BudgetExceededError(SregymError):
    """The agent used up its budget; the episode is graded as it stands."""
