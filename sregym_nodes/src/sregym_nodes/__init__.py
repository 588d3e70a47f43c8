"""Toolkit for plugins that change what a machine's kernel does.

Modules: `remote` (the agent on a node, driven over any way to run commands there), `ways` (such
ways), `renewal` (of leases), `console` (a guest that is reached by its console), `bundle` (the agent as one file). What
runs on nodes is the package `agent`, which knows nothing of what stands above it.
"""
