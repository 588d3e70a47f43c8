"""Media Microservices: users write reviews of movies; C++ services that speak Thrift."""

from __future__ import annotations

from sregym_app_deathstarbench.media_microservices.application import MediaMicroservices

__all__ = ["MediaMicroservices"]
