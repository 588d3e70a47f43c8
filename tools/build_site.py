"""Build the documentation as a web site that needs no network, and follow its links.

python tools/build_site.py              into build/site
python tools/build_site.py FOLDER       elsewhere
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from docs_site import links, sources
from workspace import ROOT

# One wrong template makes hundreds of broken links.
MOST_TOLD = 30


def main(words: list[str]) -> int:
    """Write sources, have Sphinx build them with warnings as errors, and look at what came out."""
    folder = (Path(words[0]) if words else ROOT / "build" / "site").resolve()
    source, site = folder / "source", folder / "html"
    try:
        pages = sources.written(ROOT, source)
    except ValueError as error:
        print(error)
        return 1
    sphinx = (
        *("-m", "sphinx", "--builder", "html", "--jobs", "auto"),
        *("--quiet", "--fail-on-warning", "--keep-going"),
    )
    done = subprocess.call([sys.executable, *sphinx, str(source), str(site)])
    if done:
        # Else pages that are already read would be taken over without their warnings.
        shutil.rmtree(site / ".doctrees", ignore_errors=True)
        return done
    found = links.check(site)
    for line in [*found.broken, *found.fetched][:MOST_TOLD]:
        print(line)
    outside = folder / "external-links.txt"
    outside.write_text("".join(f"{link}\n" for link in found.external), encoding="utf-8")
    print(
        f"{len(pages)} pages and {found.pages - len(pages)} made by Sphinx and the catalogue; ",
        end="",
    )
    print(f"{found.links} links inside followed, {len(found.broken)} lead nowhere; ", end="")
    print(f"{len(found.external)} addresses outside, not asked: {outside}")
    print(f"open {site / 'index.html'}")
    return 1 if found.broken or found.fetched else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
