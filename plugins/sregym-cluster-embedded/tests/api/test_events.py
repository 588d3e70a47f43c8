from __future__ import annotations

from sregym_cluster_embedded.api import events, internal_client


def a_pod(world):
    spec = {"containers": [{"name": "c", "image": "x:1"}]}
    return internal_client.create(
        world, "pods", {"metadata": {"name": "p", "namespace": "shop"}, "spec": spec}
    )


def test_an_event_says_about_what_it_is(world):
    pod = a_pod(world)
    event = events.record(
        world, pod, "pods", "Normal", "Pulled", "done", "kubelet", "node1", "spec.containers{c}"
    )
    name = event["metadata"]["name"]
    assert name.startswith("p.")
    assert len(name) == len("p.") + 16
    assert {key: value for key, value in event.items() if key != "metadata"} == {
        "apiVersion": "v1",
        "kind": "Event",
        "involvedObject": {
            "kind": "Pod",
            "namespace": "shop",
            "name": "p",
            "uid": pod["metadata"]["uid"],
            "apiVersion": "v1",
            "resourceVersion": pod["metadata"]["resourceVersion"],
            "fieldPath": "spec.containers{c}",
        },
        "reason": "Pulled",
        "message": "done",
        "source": {"component": "kubelet", "host": "node1"},
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
        "count": 1,
        "type": "Normal",
        "eventTime": None,
        "reportingComponent": "kubelet",
        "reportingInstance": "node1",
    }


def test_an_identical_event_is_counted(world):
    pod = a_pod(world)
    for at in (0, 10, 20):
        world.clock.move_to(at)
        events.record(world, pod, "pods", "Warning", "BackOff", "again", "kubelet", "node1")
    (event,) = world.store.list("events")
    assert (event["count"], event["firstTimestamp"], event["lastTimestamp"]) == (
        3,
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:20Z",
    )


def test_many_similar_events_share_one_object(world):
    pod = a_pod(world)
    for number in range(12):
        message = f"attempt {number}"
        events.record(world, pod, "pods", "Warning", "Failed", message, "kubelet", "node1")
    recorded = [(event["message"], event["count"]) for event in world.store.list("events")]
    assert sorted(recorded) == sorted(
        [(f"attempt {number}", 1) for number in range(9)]
        + [("(combined from similar events): attempt 11", 3)]
    )


def test_similar_events_long_after_each_other_stay_apart(world):
    pod = a_pod(world)
    for number in range(12):
        world.clock.move_to(number * 601)
        message = f"attempt {number}"
        events.record(world, pod, "pods", "Warning", "Failed", message, "kubelet", "node1")
    assert len(world.store.list("events")) == 12


def test_an_event_is_named_after_its_moment_in_nanoseconds(shop):
    for event in shop.world.store.list("events", "kube-system"):
        about, _, moment = event["metadata"]["name"].rpartition(".")
        assert about == event["involvedObject"]["name"]
        at_s = int(moment, 16) / 1e9
        assert shop.world.epoch <= at_s <= shop.world.epoch + shop.world.now + 0.02


def test_the_newer_version_leaves_out_an_instance_that_nobody_named(client, world):
    body = {
        "metadata": {"name": "e", "namespace": "shop"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "shop"},
        "reportingComponent": "default-scheduler",
        "reportingInstance": "",
    }
    world.store.put("events", {"apiVersion": "v1", "kind": "Event", **body})
    newer = client("GET", "/apis/events.k8s.io/v1/namespaces/shop/events/e")
    older = client("GET", "/api/v1/namespaces/shop/events/e")
    assert "reportingInstance" not in newer
    assert older["reportingInstance"] == ""


def test_a_source_writes_twenty_five_events_of_a_type_about_an_object_then_one_in_five_minutes(
    world,
):
    pod = a_pod(world)
    seen = []
    for number in range(60):
        world.clock.move_to(number * 15)
        written = events.record(world, pod, "pods", "Warning", "Failed", "no", "kubelet", "node1")
        if written is not None:
            seen.append((number * 15, written["count"]))
    # What comes every fifteen seconds is written 26 times in the first 375 seconds.
    burst = [(number * 15, number + 1) for number in range(26)]
    assert seen == [*burst, (600, 41)]
    (event,) = world.store.list("events")
    assert event["firstTimestamp"] == "2026-01-01T00:00:00Z"
    assert event["lastTimestamp"] == "2026-01-01T00:10:00Z"


def test_what_a_source_may_write_is_counted_by_object_type_and_source(world):
    pod = a_pod(world)
    other = internal_client.create(
        world,
        "pods",
        {"metadata": {"name": "q", "namespace": "shop"}, "spec": pod["spec"]},
    )

    def say(about, type_, host):
        return events.record(world, about, "pods", type_, "Said", "so", "kubelet", host)

    for _ in range(25):
        assert say(pod, "Warning", "node1") is not None
    assert say(pod, "Warning", "node1") is None
    told = [say(other, "Warning", "node1"), say(pod, "Normal", "node1"), say(pod, "Warning", "n2")]
    assert [event["count"] for event in told] == [1, 1, 1]


def test_an_event_that_was_not_written_the_first_time_tells_when_that_was(world):
    pod = a_pod(world)
    for _ in range(25):
        events.record(world, pod, "pods", "Warning", "BackOff", "again", "kubelet", "node1")
    world.clock.move_to(10)
    events.record(world, pod, "pods", "Warning", "Failed", "late", "kubelet", "node1", times=3)
    world.clock.move_to(300)
    late = events.record(world, pod, "pods", "Warning", "Failed", "late", "kubelet", "node1")
    assert (late["count"], late["firstTimestamp"], late["lastTimestamp"]) == (
        4,
        "2026-01-01T00:00:10Z",
        "2026-01-01T00:05:00Z",
    )
