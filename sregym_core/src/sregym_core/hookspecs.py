"""Every hook specification of SREGym, and nothing else.

A plugin contributes components by registration hooks and watches episodes by event hooks. Hooks
are called with keyword arguments; an implementation may leave out the arguments it does not need.
Implementations have no default arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

    from sregym_core.events import EpisodeEvent
    from sregym_core.offer import Offer

PROJECT = "sregym"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


# --------------------------------------------------------------------------- registration


@hookspec
def sregym_register_clusters() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute providers of clusters, subclasses of `sregym_core.interfaces.ClusterProvider`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-cluster-embedded/src/sregym_cluster_embedded/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_applications() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute applications, subclasses of `sregym_core.interfaces.Application`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-app-deathstarbench/src/sregym_app_deathstarbench/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_injectors() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute fault primitives, subclasses of `sregym_core.interfaces.Fault`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-injector-kubernetes/src/sregym_injector_kubernetes/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_noise_sources() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute sources of noise, subclasses of `sregym_core.interfaces.Noise`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-noise-kubernetes/src/sregym_noise_kubernetes/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_oracles() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute oracles, subclasses of `sregym_core.interfaces.Oracle`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-oracle-state/src/sregym_oracle_state/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_agents() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute agent adapters, subclasses of `sregym_core.interfaces.Agent`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-agent-baselines/src/sregym_agent_baselines/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_reporters() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute run reporters, subclasses of `sregym_core.interfaces.Reporter`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-reporter-html/src/sregym_reporter_html/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_rewards() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute rewards of episodes, subclasses of `sregym_core.interfaces.Reward`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-reward-standard/src/sregym_reward_standard/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_routines() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute everyday life of simulated worlds, subclasses of `sregym_core.interfaces.Routine`.

    Returns:
        Offers; the answers of all plugins are joined, and every simulated world has all of them. An
        empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-routine-kubernetes/src/sregym_routine_kubernetes/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_runners() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute runners of campaigns, subclasses of `sregym_core.interfaces.Runner`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-campaign/src/sregym_campaign/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_tools() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute tools that agents observe with, subclasses of `sregym_core.interfaces.SessionTool`.

    Returns:
        Offers, in the order in which language models are told of them; the answers of all plugins
        are joined. Every session has all of them. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

    Example:
        `plugins/sregym-tools-observability/src/sregym_tools_observability/plugin.py`

    Added in 0.1.
    """


@hookspec
def sregym_register_commands() -> Sequence[Offer]:  # type: ignore[empty-body]
    """Contribute subcommands of `sregym`, subclasses of `sregym_core.cli.Subcommand`.

    Returns:
        Offers; the answers of all plugins are joined. An empty sequence contributes nothing.

    Errors:
        What an implementation raises marks the plugin as broken; other plugins stay usable.

    Called:
        Once per process, when components are first asked for; in the user's process and in each
        worker. Before any episode.

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
        What an implementation raises marks the plugin as broken. A file that is not a problem is
        an error with file, line and field as soon as somebody asks for problems.

    Called:
        Once per process, when problems are first asked for.

    Example:
        `plugins/sregym-app-deathstarbench/src/sregym_app_deathstarbench/plugin.py`

    Added in 0.1.
    """


# --------------------------------------------------------------------------- events


@hookspec
def sregym_episode_event(episode: str, at_s: float, event: EpisodeEvent) -> None:
    """Watch an episode: called for each event as it is put on the timeline.

    Args:
        episode: Id of the episode in its run. Key your state by it: one plugin object serves all
            episodes of a process.
        at_s: Seconds on the episode's clock since the episode began.
        event: A frozen dataclass of `sregym_core.events`; read it, keep it, do not change it.

    Returns:
        Nothing; all plugins are told.

    Errors:
        What an implementation raises becomes a warning in the episode's record, with the
        plugin's name; the episode goes on.

    Called:
        In the process that plays the episode, while nothing else of the episode runs, in the
        order of the timeline.

    Example:
        `plugins/sregym-observer-log/src/sregym_observer_log/plugin.py`

    Added in 0.1.
    """
