"""The same application with replicated databases; its own YAML files say only what differs."""

from __future__ import annotations

from typing import ClassVar

from sregym_apps.variant import Variant

from sregym_app_deathstarbench.social_network.application import SocialNetwork


class SocialNetworkReplicated(Variant, SocialNetwork):
    """Social Network whose posts and time-lines are kept by replica sets of three members each."""

    name: ClassVar[str] = "social-network-replicated"
    title: ClassVar[str] = "Social Network with replicated databases"
    description: ClassVar[str] = SocialNetwork.description.replace(
        "Data is kept in MongoDB (<name>-mongodb)",
        "post-storage-mongodb and user-timeline-mongodb\nare replica sets of MongoDB with three members each "
        "(StatefulSets; sets posts and timelines): a write\ncounts when a majority has it. Data is kept in "
        "MongoDB (<name>-mongodb)",
    )
    differing: ClassVar[str] = "replicated"
