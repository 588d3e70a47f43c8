"""Social Network: users read time-lines and write posts; C++ services that speak Thrift."""

from __future__ import annotations

from sregym_app_deathstarbench.social_network.application import SocialNetwork

__all__ = ["SocialNetwork"]
