"""The same application, two of whose databases are replicated."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_app_deathstarbench.replica_sets import Replicated
from sregym_app_deathstarbench.social_network.application import SocialNetwork

if TYPE_CHECKING:
    from collections.abc import Mapping


class SocialNetworkReplicated(Replicated, SocialNetwork):
    """Social Network whose posts and time-lines are kept by replica sets of three members each."""

    name: ClassVar[str] = "social-network-replicated"
    title: ClassVar[str] = "Social Network with replicated databases"
    description: ClassVar[str] = SocialNetwork.description.replace(
        "Data is kept in MongoDB (<name>-mongodb)",
        "post-storage-mongodb and user-timeline-mongodb\nare replica sets of MongoDB with three members each "
        "(StatefulSets; sets posts and timelines): a write\ncounts when a majority has it. Data is kept in "
        "MongoDB (<name>-mongodb)",
    )
    members: ClassVar[int] = 3
    set_names: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"post-storage-mongodb": "posts", "user-timeline-mongodb": "timelines"}
    )
