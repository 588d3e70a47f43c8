"""CronJobs on a real world, and their schedules."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.controllers.cron_schedule import last_between, next_after, parse
from sregym_cluster_embedded.store import Key, Object

CRON = Key("cronjobs.batch", "shop", "tick")
# The first full minute after a fresh shop has settled.
MINUTE = 29_916_668


def apply(
    shop: Any, command: str = '["true"]', fields: str = "", schedule: str = "* * * * *"
) -> None:
    shop.apply(
        f"""
apiVersion: batch/v1
kind: CronJob
metadata: {{name: tick}}
spec:
  schedule: "{schedule}"
  jobTemplate:
    metadata: {{labels: {{app: tick}}}}
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
          - {{name: m, image: "registry.example/library/busybox:1.36", command: {command}}}
{fields}
"""
    )


def cron(shop: Any) -> Object:
    found: Object = shop.world.store.get(CRON)
    return found


def jobs(shop: Any) -> list[str]:
    return [job["metadata"]["name"] for job in shop.world.store.list("jobs.batch", "shop")]


def names(*offsets: int) -> list[str]:
    return [f"tick-{MINUTE + offset}" for offset in offsets]


def at(minute: int, second: int = 0) -> str:
    moment = datetime.fromtimestamp((MINUTE + minute) * 60 + second, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def run_to(shop: Any, minute: int, second: float) -> None:
    """Run to a second of a minute, counted from the first one."""
    shop.world.run_until((MINUTE + minute) * 60 + second - shop.world.epoch)


def test_a_job_comes_at_each_minute_and_is_seen_to_end(shop: Any) -> None:
    apply(shop)
    run_to(shop, 0, 20)
    assert jobs(shop) == names(0)
    (job,) = shop.world.store.list("jobs.batch", "shop")
    assert job["metadata"]["labels"] == {"app": "tick"}
    assert job["metadata"]["annotations"] == {
        "batch.kubernetes.io/cronjob-scheduled-timestamp": at(0)
    }
    assert cron(shop)["status"] == {
        "lastScheduleTime": at(0),
        "lastSuccessfulTime": job["status"]["completionTime"],
    }
    (name,) = names(0)
    assert shop.events("SawCompletedJob") == [
        (f"Saw completed job: {name}, condition: Complete", 1)
    ]
    assert (f"Created job {name}", 1) in shop.events("SuccessfulCreate")


def test_a_job_that_runs_stands_in_the_status(shop: Any) -> None:
    apply(shop, "[sleep, '30']")
    run_to(shop, 0, 10)
    (job,) = shop.world.store.list("jobs.batch", "shop")
    (entry,) = cron(shop)["status"]["active"]
    assert (entry["kind"], entry["name"], entry["uid"]) == (
        "Job",
        job["metadata"]["name"],
        job["metadata"]["uid"],
    )


def test_nothing_is_planned_between_the_minutes(shop: Any) -> None:
    apply(shop, schedule="0 0 1 1 *")
    shop.run(1)
    planned = [e for e in shop.world.clock.pending() if e.handler.startswith("controllers.cron")]
    assert [shop.world.timestamp(event.at) for event in planned] == ["2027-01-01T00:00:00Z"]


def test_allow_lets_jobs_overlap(shop: Any) -> None:
    apply(shop, "[sleep, '1000']")
    run_to(shop, 2, 5)
    assert jobs(shop) == names(0, 1, 2)
    assert len(cron(shop)["status"]["active"]) == 3


def test_forbid_waits_and_then_runs_the_last_missed_minute(shop: Any) -> None:
    apply(shop, "[sleep, '90']", "  concurrencyPolicy: Forbid")
    run_to(shop, 1, 5)
    assert jobs(shop) == names(0)
    text = "Not starting job because prior execution is running and concurrency policy is Forbid"
    assert shop.events("JobAlreadyActive") == [(text, 1)]
    run_to(shop, 1, 50)
    assert jobs(shop) == names(0, 1)


def test_replace_ends_the_job_before(shop: Any) -> None:
    apply(shop, "[sleep, '1000']", "  concurrencyPolicy: Replace")
    run_to(shop, 1, 5)
    assert jobs(shop) == names(1)
    (name,) = names(0)
    assert (f"Deleted job {name}", 1) in shop.events("SuccessfulDelete")


def test_history_keeps_the_newest(shop: Any) -> None:
    apply(shop, fields="  successfulJobsHistoryLimit: 1")
    run_to(shop, 3, 30)
    assert jobs(shop) == names(3)


def test_a_suspended_one_starts_nothing(shop: Any) -> None:
    apply(shop, fields="  suspend: true")
    run_to(shop, 3, 0)
    assert jobs(shop) == []


def test_what_was_missed_for_too_long_is_not_started(shop: Any) -> None:
    apply(shop, fields="  suspend: true\n  startingDeadlineSeconds: 10")
    run_to(shop, 0, 40)
    spec = {**cron(shop)["spec"], "suspend": False}
    internal_client.update(shop.world, CRON.resource, {**cron(shop), "spec": spec})
    run_to(shop, 0, 50)
    assert jobs(shop) == []
    run_to(shop, 1, 5)
    assert jobs(shop) == names(1)


MISSED = (
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
)


@pytest.mark.parametrize(("minutes", "said"), [(99, []), (100, [(MISSED, 1)])])
def test_who_missed_more_than_a_hundred_moments_is_warned(
    shop: Any, minutes: int, said: list[Any]
) -> None:
    apply(shop, fields="  suspend: true")
    run_to(shop, minutes, 30)
    spec = {**cron(shop)["spec"], "suspend": False}
    internal_client.update(shop.world, CRON.resource, {**cron(shop), "spec": spec})
    shop.run(1)
    assert (jobs(shop), shop.events("TooManyMissedTimes")) == (names(minutes), said)


def test_a_schedule_that_cannot_be_read_is_said(shop: Any) -> None:
    apply(shop, schedule="@every soon")
    shop.run(1)
    assert shop.events("UnparseableSchedule") == [
        ('unparseable schedule: "@every soon" : failed to parse duration @every soon', 1)
    ]


def test_a_time_zone_that_does_not_exist_is_said(shop: Any) -> None:
    apply(shop, fields="  timeZone: Mars/Base")
    shop.run(1)
    assert shop.events("UnknownTimeZone") == [
        ('invalid timeZone: "Mars/Base": unknown time zone Mars/Base', 1)
    ]


def unix(text: str) -> int:
    return int(datetime.fromisoformat(text + "+00:00").timestamp())


@pytest.mark.parametrize(
    ("schedule", "zone", "after", "expected"),
    [
        ("* * * * *", None, "2026-11-21T21:53:10", "2026-11-21T21:54:00"),
        ("* * * * *", None, "2026-11-21T21:54:00", "2026-11-21T21:55:00"),
        ("*/15 * * * *", None, "2026-11-21T21:54:00", "2026-11-21T22:00:00"),
        ("5/20 9-17/4 * * *", None, "2026-11-21T09:46:00", "2026-11-21T13:05:00"),
        ("0 0 * * mon-fri", None, "2026-11-21T00:00:00", "2026-11-23T00:00:00"),
        ("30 6 1,15 feb *", None, "2026-11-21T00:00:00", "2027-02-01T06:30:00"),
        # Both days restricted: either suffices.
        ("0 0 13 * 5", None, "2026-11-21T00:00:00", "2026-11-27T00:00:00"),
        ("@hourly", None, "2026-11-21T21:53:10", "2026-11-21T22:00:00"),
        ("@weekly", None, "2026-11-21T21:53:10", "2026-11-22T00:00:00"),
        ("@yearly", None, "2026-11-21T21:53:10", "2027-01-01T00:00:00"),
        ("@every 1h30m", None, "2026-11-21T21:53:10", "2026-11-21T23:23:10"),
        ("0 0 29 2 *", None, "2026-11-21T00:00:00", "2028-02-29T00:00:00"),
        ("0 9 * * *", "Europe/Berlin", "2026-07-01T00:00:00", "2026-07-01T07:00:00"),
        # Clocks go forward: the hour does not come; back: it comes twice.
        ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00", "2026-03-30T00:30:00"),
        ("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00", "2026-10-25T01:30:00"),
    ],
)
def test_the_next_moment(schedule: str, zone: str | None, after: str, expected: str) -> None:
    parsed = parse(schedule, zone)
    found = next_after(parsed, unix(after))
    assert found == unix(expected)
    assert last_between(parsed, unix(after), unix(expected) + 1) == found
    assert last_between(parsed, unix(after), unix(expected) - 1) is None


def test_a_day_that_never_comes() -> None:
    assert next_after(parse("0 0 30 2 *"), unix("2026-11-21T00:00:00")) is None


def test_a_job_that_somebody_made_from_a_cron_job_is_unexpected(shop: Any) -> None:
    apply(shop, fields="  suspend: true")
    shop.run(1)
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": "tick",
        "uid": cron(shop)["metadata"]["uid"],
        "controller": True,
    }
    metadata = {"name": "by-hand", "namespace": "shop", "ownerReferences": [owner]}
    template = cron(shop)["spec"]["jobTemplate"]["spec"]["template"]
    internal_client.create(
        shop.world, "jobs.batch", {"metadata": metadata, "spec": {"template": template}}
    )
    shop.run(0.5)
    ((text, count),) = shop.events("UnexpectedJob")
    assert text == "Saw a job that the controller did not create or forgot: by-hand"
    assert count >= 1
    assert "active" not in cron(shop)["status"]
    shop.run(20)
    said = shop.events("UnexpectedJob")
    shop.run(20)
    assert shop.events("UnexpectedJob") == said


def test_a_schedule_that_never_comes_is_said(shop: Any) -> None:
    apply(shop, schedule="59 23 31 2 *")
    shop.run(3600)
    assert shop.events("InvalidSchedule") == [
        (
            "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than "
            "1 second",
            1,
        )
    ]
    assert (jobs(shop), cron(shop)["status"]) == ([], {})
