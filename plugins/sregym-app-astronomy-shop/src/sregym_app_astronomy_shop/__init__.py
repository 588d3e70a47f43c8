"""Astronomy Shop, the demo of OpenTelemetry, and its problems."""
