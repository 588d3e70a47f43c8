"""Write anew what kubectl, a program of Go, makes of the templates in `recorded.json`.

python record.py path/to/kubectl: each template is carried out on `pod.json` without any cluster.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FILE = HERE / "recorded.json"


def answer(kubectl: str, template: str) -> dict[str, str]:
    command = [kubectl, "label", "--local", "-f", str(HERE / "pod.json"), "recorded=yes"]
    done = subprocess.run(
        [*command, "-o", f"go-template={template}"], capture_output=True, text=True, check=False
    )
    if not done.returncode:
        return {"template": template, "output": done.stdout}
    said = done.stderr[done.stderr.rindex("template: output:") :]
    return {"template": template, "error": said.rstrip("\n")}


def main() -> None:
    templates = [row["template"] for row in json.loads(FILE.read_text(encoding="utf-8"))]
    rows = [json.dumps(answer(sys.argv[1], text), ensure_ascii=False) for text in templates]
    FILE.write_text("[\n  " + ",\n  ".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
