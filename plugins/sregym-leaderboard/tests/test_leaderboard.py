"""From a campaign to the site; and what a submitter could try instead of playing well."""

from __future__ import annotations

import gzip
import json
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import ValidationError
from sregym_core.errors import ExitCode, UsageError
from sregym_leaderboard.keys import key_of
from sregym_leaderboard.submission import Content, Statement, collected, opened, written
from sregym_testing import RunOutcome, SregymProject
from sregym_testing.browser import browse, needs_browser

Sign = Callable[..., Path]
Run = Callable[..., RunOutcome]
PROBLEM = "wrong_service_selector_hotel_reservation"


def _changed(file: Path, key: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Sign other content with the submitter's own key."""
    content = json.loads(opened(file)[0].model_dump_json())
    change(content)
    written(Content.model_validate(content), key_of(key), file.parent)


def _build(leaderboard: Run, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = leaderboard("build", "board", "--json", *words).json()
    return found


def test_from_a_campaign_to_the_site(project: SregymProject) -> None:
    mine = ("--name", "mine", "--agent", "restart-loop", "--key", "key.pem", "--out", "board")
    about = ("--contamination", "none: <b>a script</b>")
    sign = project.run("leaderboard", "sign", "campaigns/small", *mine, *about)
    assert sign.assert_success().out == "submission: board/mine.submission.gz (6 episodes)\n"
    file = project.folder / "board" / "mine.submission.gz"
    assert stat.S_IMODE((project.folder / "key.pem").stat().st_mode) == 0o600
    key = opened(file)[1].key
    (project.folder / "board" / "signers.json").write_text(json.dumps({key: "Acme Labs"}))
    done = project.run("leaderboard", "build", "board", "--sample", "0").assert_success()
    assert done.out == (
        "mine: 6 of 6 episodes agree when played again\nsite: board/site/index.html\n"
    )
    site = project.folder / "board" / "site"
    index = (site / "index.html").read_text()
    assert '<a href="entries/mine.html">mine</a>' in index
    assert "Acme Labs" in index
    assert "expert: 100%" in index
    assert "noop: 0%" in index
    entry = (site / "entries" / "mine.html").read_text()
    assert "none: &lt;b&gt;a script&lt;/b&gt;" in entry
    assert "1 of 1 problems are published with their answers" in entry
    assert re.search(r"(?m)^sregym-core==0\.1\.0$", entry)
    assert re.search(r"(?m)^pydantic==\d", entry)
    assert re.findall(r'(?:src)="|url\(|@import|https?://', index + entry) == []


def test_another_verdict_is_found_by_playing_again(
    project: SregymProject, leaderboard: Run, signed: Sign
) -> None:
    def praise(content: dict[str, Any]) -> None:
        for one in content["episodes"]:
            if one["agent"] == "restart-loop":
                one["record"]["outcome"] = "pass"
                for stage in ("diagnosis", "mitigation"):
                    one["record"][stage]["verdict"]["outcome"] = "pass"

    _changed(signed(), project.folder / "key.pem", praise)
    done = leaderboard("verify", "board/mine.submission.gz", "--sample", "0")
    assert done.exit_code == ExitCode.FAILED
    lines = done.out.splitlines()
    assert lines[0] == "mine: 4 of 6 episodes agree when played again"
    assert lines[1].endswith(": diagnosis was pass, and is fail when played again")


def test_a_made_up_answer_is_found_by_playing_again(
    project: SregymProject, leaderboard: Run, signed: Sign
) -> None:
    def edit(content: dict[str, Any]) -> None:
        for one in content["episodes"]:
            one["record"]["transcript"][0]["digest"] = "0" * 32

    _changed(signed(), project.folder / "key.pem", edit)
    told = _build(leaderboard, "--sample", "1")
    assert (told["entries"][0]["played_again"], told["entries"][0]["agreed"]) == (1, 0)
    assert "was answered in another way" in told["entries"][0]["objections"][0]
    index = (project.folder / "board" / "site" / "index.html").read_text()
    assert 'data-name="mine"' not in index
    assert "was answered in another way" in index


def test_episodes_that_are_there_twice_or_knew_the_answers(
    project: SregymProject, leaderboard: Run, signed: Sign
) -> None:
    file = signed()
    _changed(
        file,
        project.folder / "key.pem",
        lambda content: content["episodes"].append(content["episodes"][0]),
    )
    signed("cheat", "expert")
    told = {
        one["name"]: one["objections"] for one in _build(leaderboard, "--sample", "1")["entries"]
    }
    assert told == {
        "mine": ["an episode is there twice"],
        "cheat": ["agent expert was given the answers"],
    }


def test_what_a_submission_names_is_there(project: SregymProject, signed: Sign) -> None:
    content = json.loads(opened(signed())[0].model_dump_json())
    found = []
    for change in (
        {"noise": {"none": []}},
        {"problems": {}},
        {"planned": {}},
    ):
        with pytest.raises(ValidationError) as refused:
            Content.model_validate({**content, **change})
        found.append(refused.value.errors()[0]["msg"])
    assert found == [
        "Value error, noise 'pods' of an episode is not there",
        f"Value error, problem '{PROBLEM}' of an episode is not there",
        "Value error, agent 'restart-loop' is not planned",
    ]


def test_files_that_are_no_submissions_are_named(project: SregymProject, signed: Sign) -> None:
    file = signed()
    whole = json.loads(gzip.decompress(file.read_bytes()))
    forged = {**whole, "content": whole["content"].replace('"small"', '"large"')}
    (file.parent / "forged.submission.gz").write_bytes(gzip.compress(json.dumps(forged).encode()))
    (file.parent / "torn.submission.gz").write_bytes(file.read_bytes()[:500])
    (file.parent / "other.submission.gz").write_bytes(gzip.compress(b"{}"))
    done = project.run("leaderboard", "build", "board", "--sample", "1", "--json")
    assert done.exit_code == ExitCode.FAILED
    refused = done.json()["refused"]
    torn = "Compressed file ended before the end-of-stream marker was reached"
    assert refused == {
        "forged.submission.gz": (
            "submission 'forged.submission.gz': the signature is not that of its content"
        ),
        "torn.submission.gz": f"submission 'torn.submission.gz' cannot be read: {torn}",
        "other.submission.gz": "submission 'other.submission.gz': field 'key': missing; field 'signature': missing; field 'content': missing",
    }
    assert done.err == "".join(f"warning: left out: {refused[name]}\n" for name in sorted(refused))
    assert [one["name"] for one in done.json()["entries"]] == ["mine"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("build", "nothing"),
            "'nothing' holds no submission (*.submission.gz); make one with: sregym leaderboard sign",
        ),
        (("build", "x", "--sample", "-1"), "--sample -1: give a number from 0 on"),
        (
            ("sign", "x", "--name", "a/b", "--agent", "noop", "--key", "k", "--contamination", "c"),
            "--name: must match the pattern ^[A-Za-z0-9][A-Za-z0-9_.-]*$, not 'a/b'",
        ),
    ],
)
def test_bad_words(
    sregym_project: Callable[..., SregymProject], words: tuple[str, ...], told: str
) -> None:
    done = sregym_project().run("leaderboard", *words)
    assert (done.exit_code, done.out, done.err) == (4, "", f"sregym: {told}\n")


def test_campaigns_that_cannot_be_submitted(project: SregymProject) -> None:
    folder = project.folder / "campaigns" / "small"
    head = folder / "campaign.json"
    plan = json.loads(head.read_text())

    def refused(agent: str, text: str | None) -> str:
        if text is not None:
            head.write_text(text)
        else:
            head.unlink()
        with pytest.raises(UsageError) as found:
            collected(folder, Statement(name="a", agent=agent, contamination="c"))
        return str(found.value).replace(str(folder), "small")

    assert refused("nobody", json.dumps(plan)) == (
        "campaign 'small' has no agent 'nobody'; it has: restart-loop, expert, noop"
    )
    assert refused("noop", json.dumps({**plan, "finished": False})) == (
        "campaign 'small' is not finished: go on with `sregym campaign run` first"
    )
    assert refused("noop", json.dumps({**plan, "noise": 3})) == (
        "campaign 'small' is damaged: field 'noise': must be a mapping, not 3"
    )
    damaged = "'small/campaign.json' is damaged, or its campaign is not finished"
    assert [refused("noop", text) for text in ("sealed", "[]")] == [damaged, damaged]
    assert refused("noop", None) == (
        "'small/campaign.json' cannot be read: No such file or directory; "
        "give the folder of a campaign"
    )


def test_keys_that_are_none(tmp_path: Path) -> None:
    text = tmp_path / "text.pem"
    text.write_text("no key")
    curve = generate_private_key(SECP256R1()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    (tmp_path / "curve.pem").write_bytes(curve)
    found = []
    for name in ("text.pem", "curve.pem", "."):
        with pytest.raises(UsageError) as refused:
            key_of(tmp_path / name)
        found.append(str(refused.value).replace(str(tmp_path), "there"))
    assert found == [
        "key 'there/text.pem' is no Ed25519 key in PEM without a password",
        "key 'there/curve.pem' is no Ed25519 key in PEM without a password",
        "key 'there': Is a directory; name a file that can be read, or made",
    ]


def test_names_of_signers_that_are_none(project: SregymProject, signed: Sign) -> None:
    signed()
    (project.folder / "board" / "signers.json").write_text("[]")
    done = project.run("leaderboard", "build", "board")
    assert done.err == ("sregym: 'board/signers.json' is no JSON object of names by public key\n")


@needs_browser
def test_the_ranking_in_a_browser(
    project: SregymProject, leaderboard: Run, signed: Sign, tmp_path: Path
) -> None:
    signed("zeta")
    signed("alpha", "noop")
    _build(leaderboard, "--sample", "1")
    index = project.folder / "board" / "site" / "index.html"
    act = (
        "<script>document.querySelectorAll('#ranking th button')[1].click();"
        "document.querySelectorAll('#ranking th button')[1].click();"
        "const f=document.getElementById('filter');f.value='zeta';f.dispatchEvent(new Event('input'));"
        "</script></body>"
    )
    acting = index.with_name("acting.html")
    acting.write_text(index.read_text().replace("</body>", act))
    seen = browse(tmp_path / "profile", acting.as_uri())
    rows = re.findall(r'<tr data-name="(\w+)"( hidden="")?', seen)
    assert rows == [("zeta", ""), ("alpha", ' hidden=""')]
