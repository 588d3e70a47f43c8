"""Every hook specification of SREGym, and nothing else.

A plugin contributes components by registration hooks and watches episodes by event hooks. Hooks
are called with keyword arguments; an implementation may leave out the arguments it does not need.
Implementations have no default arguments.

What hooks named `sregym_register_...` have in common, where they say nothing else:

Errors:
    An exception marks this plugin as broken, with the reason in `sregym plugins`; others stay usable.

Called:
    Once per process, when a component of this kind is first looked up: in the user's process and
    in each worker, before any episode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

    from importlib_metadata import EntryPoint

    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Application, EpisodeNoise, NoiseRequest
    from sregym_core.model import Grounding, StageRecord, ToolCall
    from sregym_core.registration import PluginStatus, Registration
    from sregym_core.settings import Settings

PROJECT = "sregym"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def sregym_register_clusters() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute providers of clusters, subclasses of `sregym_core.interfaces.ClusterProvider`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-cluster-embedded/src/sregym_cluster_embedded/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_applications() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute applications, subclasses of `sregym_core.interfaces.Application`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-app-deathstarbench/src/sregym_app_deathstarbench/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_injectors() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute fault primitives, subclasses of `sregym_core.interfaces.Fault`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-injector-kubernetes/src/sregym_injector_kubernetes/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_noise_sources() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute sources of noise, subclasses of `sregym_core.interfaces.Noise`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-noise-kubernetes/src/sregym_noise_kubernetes/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_oracles() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute oracles, subclasses of `sregym_core.interfaces.Oracle`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-oracle-state/src/sregym_oracle_state/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_agents() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute agent adapters, subclasses of `sregym_core.interfaces.Agent`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-agent-baselines/src/sregym_agent_baselines/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_reporters() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute run reporters, subclasses of `sregym_core.interfaces.Reporter`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-reporter-html/src/sregym_reporter_html/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_rewards() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute rewards of episodes, subclasses of `sregym_core.interfaces.Reward`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-reward-standard/src/sregym_reward_standard/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_modes() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute ways to put episodes to agents, subclasses of `sregym_core.interfaces.Mode`.

    Returns:
        One `Registration` for each class, by the word behind `--mode`; the lists of all plugins are
        concatenated. Empty: none.

    Example:
        `plugins/sregym-mode-on-call/src/sregym_mode_on_call/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_routines() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute routine activity of simulated clusters, subclasses of `sregym_core.interfaces.Routine`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated, and every simulated
        cluster plays all of them, sorted by name. Empty: none.

    Example:
        `plugins/sregym-routine-kubernetes/src/sregym_routine_kubernetes/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_runners() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute runners of campaigns, subclasses of `sregym_core.interfaces.Runner`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-campaign/src/sregym_campaign/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_tools() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute read-only tools for agents, subclasses of `sregym_core.interfaces.SessionTool`.

    Returns:
        One `Registration` for each class, in the order in which the tools are listed to language models; the
        lists of all plugins are concatenated. Every session offers all of them. Empty: none.

    Example:
        `plugins/sregym-tools-observability/src/sregym_tools_observability/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_commands() -> Sequence[Registration]:  # type: ignore[empty-body]
    """Contribute subcommands of `sregym`, subclasses of `sregym_core.cli.Subcommand`.

    Returns:
        One `Registration` for each class; the lists of all plugins are concatenated. Empty: none.

    Example:
        `plugins/sregym-dev/src/sregym_dev/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_problems() -> Sequence[Traversable]:  # type: ignore[empty-body]
    """Contribute problems: folders of YAML files, one problem a file.

    Returns:
        Folders, usually `importlib.resources.files(package) / "problems"`. All are read; two
        problems with one id are a clash that names both distributions.

    Errors:
        An exception marks this plugin as broken. A file that is not a valid problem raises a
        `UsageError` with file, line and field when problems are first read.

    Called:
        Once per process, when problems are first looked up.

    Example:
        `plugins/sregym-app-deathstarbench/src/sregym_app_deathstarbench/plugin.py`

    Added in 0.1.
    """


@hookspec(firstresult=True)
def sregym_join_applications(parts: Sequence[Application]) -> Application | None:
    """Give one application that is several, side by side in one cluster: `NAME+NAME`.

    Args:
        parts: The applications, in the order of their names; at least two.

    Returns:
        An application with all that they have, named `NAME+NAME`; None leaves it to another plugin.

    Errors:
        An exception goes on to the caller that asked for the application.

    Called:
        When an application is looked up by such a name, in any process.

    Example:
        `sregym_apps/src/sregym_apps/plugin.py`

    Added in 0.1.
    """


@hookspec(firstresult=True)
def sregym_drive_noise(request: NoiseRequest) -> EpisodeNoise | None:
    """Give what drives all noise of an episode: which sources disturb it, and when.

    Args:
        request: What the problem wants, what is installed, and where it is to disturb.

    Returns:
        An `EpisodeNoise` for this episode alone; None leaves it to another plugin.

    Errors:
        An exception is attributed to the plugin whose code raised it, and the episode ends as an error.

    Called:
        In the process that plays an episode with noise, after the fault and before the agent starts.

    Example:
        `sregym_injectors/src/sregym_injectors/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_list_extensions(  # type: ignore[empty-body]
    settings: Settings, found: Sequence[EntryPoint] | None
) -> Sequence[PluginStatus]:
    """List plugins of another group of entry points than `sregym`, for `sregym plugins` and runs that need them.

    Args:
        settings: Which plugins are allowed and disabled.
        found: Entry points to look through instead of the installed ones; None for those.

    Returns:
        One `PluginStatus` each, blocked and broken ones included, as `sregym_core.plugins.load_group`
        gives them; the lists of all plugins are concatenated.

    Errors:
        An exception goes on to the caller that asked for the plugins.

    Called:
        At most once per process, when plugins are listed or a run requires one.

    Example:
        `sregym_apps/src/sregym_apps/plugin.py`

    Added in 0.1.
    """


@hookspec(firstresult=True)
def sregym_ground_diagnosis(
    diagnosis: StageRecord, transcript: Sequence[ToolCall], components: Sequence[str]
) -> Grounding | None:
    """Say which observations of an episode show what its diagnosis says, for the record.

    Args:
        diagnosis: As it was handed in.
        transcript: All calls of the episode, in order.
        components: Names of the application's components.

    Returns:
        A `Grounding`; None leaves it to another plugin. Where none gives one the record has none.

    Errors:
        An exception is attributed to the plugin whose code raised it, and the episode ends as an error.

    Called:
        In the process that plays an episode, at its end; verdicts do not depend on it.

    Example:
        `sregym_oracles/src/sregym_oracles/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_episode_event(episode: str, at_s: float, event: EpisodeEvent) -> None:
    """Observe an episode: called for each event when it is appended to the timeline.

    Args:
        episode: Id of the episode in its run. Keep state under this key: one plugin object serves
            all episodes of a process, several of them at the same time.
        at_s: Seconds since the start of the episode, on the clock of its cluster.
        event: An instance of a frozen dataclass of `sregym_core.events`; it may be stored.

    Returns:
        Nothing; all plugins are called.

    Errors:
        An exception becomes a warning in the episode's record, with the name of the plugin; the
        episode continues.

    Called:
        Synchronously, in the process that runs the episode and in the order of the timeline; the
        episode waits until the call returns.

    Example:
        `plugins/sregym-observer-log/src/sregym_observer_log/plugin.py`

    Added in 0.1.
    """
