"""Social Network: users read time-lines and write posts; C++ services that speak Thrift."""

from sregym_app_deathstarbench.social_network.application import SocialNetwork

__all__ = ["SocialNetwork"]
