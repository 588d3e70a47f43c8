"""The machines behind the nodes of a real cluster: ways to them, and recipes of host commands."""
