"""Ask the incident for its verdict: writes the reward, its details and the trajectory (ATIF)."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path

logs = Path(sys.argv[1])
key = (Path(__file__).parent / "key").read_text(encoding="utf-8").strip()
url = os.environ.get("INCIDENT_URL", "http://incident:8321") + "/grade"
request = urllib.request.Request(
    url, json.dumps({"key": key}).encode(), {"Content-Type": "application/json"}
)
with urllib.request.urlopen(request, timeout=600) as answer:
    graded = json.load(answer)
trajectory = graded.pop("trajectory")
(logs / "trajectory.json").write_text(json.dumps(trajectory), encoding="utf-8")
(logs / "verdict.json").write_text(json.dumps(graded), encoding="utf-8")
if graded["reward"] is None:
    sys.exit(f"the world was not right, so there is no reward: {graded['reason']}")
rewards = {"reward": graded["reward"], **graded["metrics"]}
(logs / "reward.json").write_text(json.dumps(rewards), encoding="utf-8")
