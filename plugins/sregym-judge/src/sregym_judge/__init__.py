"""`sregym judge`: diagnoses of files and runs, judged and compared with labels."""

from __future__ import annotations
