"""Agents for detection, diagnosis, mitigation and undo, and the machine that runs them."""
