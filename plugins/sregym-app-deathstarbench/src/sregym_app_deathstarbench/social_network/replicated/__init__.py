"""Social Network two of whose databases are replica sets of MongoDB."""

from __future__ import annotations

from sregym_app_deathstarbench.social_network.replicated.application import (
    SocialNetworkReplicated,
)

__all__ = ["SocialNetworkReplicated"]
