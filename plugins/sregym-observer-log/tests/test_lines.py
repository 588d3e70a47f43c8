"""What an event looks like on standard error."""

from __future__ import annotations

import pytest
from sregym_core.errors import UsageError
from sregym_core.events import FaultInjected, Submitted
from sregym_observer_log import plugin


def test_text_names_clock_episode_and_event_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SREGYM_LOG", "text")
    event = FaultInjected(fault="service-target-port", component="geo")
    plugin.sregym_episode_event(episode="0001", at_s=61.50004, event=event)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (
        "",
        "at_s=61.5 episode='0001' event='FaultInjected' fault='service-target-port' component='geo' level='info'\n",
    )


def test_json_is_one_object_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SREGYM_LOG", "json")
    for stage in ("diagnosis", "mitigation"):
        plugin.sregym_episode_event(episode="0002", at_s=3.0, event=Submitted(stage=stage))
    start = '{"at_s": 3.0, "episode": "0002", "event": "Submitted", "level": "info", "stage": '
    assert capsys.readouterr().err == f'{start}"diagnosis"}}\n{start}"mitigation"}}\n'


def test_nothing_is_written_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SREGYM_LOG", raising=False)
    plugin.sregym_episode_event(episode="0003", at_s=0.0, event=Submitted(stage="diagnosis"))
    assert capsys.readouterr() == ("", "")


def test_unknown_form_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SREGYM_LOG", "xml")
    with pytest.raises(UsageError) as caught:
        plugin.sregym_episode_event(episode="0004", at_s=0.0, event=Submitted(stage="diagnosis"))
    assert str(caught.value) == (
        "SREGYM_LOG is 'xml', which sregym-observer-log does not know; set it to text or json, or unset it"
    )
