"""What runs in the place of an agent's command: attempts, with nothing but the standard library.

The folder is copied there, so nothing here imports the project. The criteria stand beside their
attempts and are applied outside, where the answers are.
"""

from __future__ import annotations
