"""Consul in development mode: its HTTP API and its command line."""
