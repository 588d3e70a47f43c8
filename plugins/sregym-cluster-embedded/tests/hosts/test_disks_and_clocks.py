"""Disks and clocks of nodes: what is seen of them is what they are, and what is mended is mended."""

from __future__ import annotations

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.kubelet.images import IMAGES
from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.userland.host.units import CHRONY, status
from sregym_cluster_embedded.world import World


def condition(kubectl, node: str, kind: str) -> str:
    path = f"{{.status.conditions[?(@.type=='{kind}')].status}}"
    return str(kubectl(f'get node {node} -o jsonpath="{path}"').stdout)


def used(on_host, node: str = "node1") -> str:
    return str(on_host("df -h / | tail -1", node).stdout.split()[4])


def offset(world: World, node: str = "node1") -> float:
    machine = machines.machine(world, node)
    assert machine is not None
    return machine.clock_offset_s


def test_a_big_file_fills_the_disk_and_its_removal_frees_it(world: World, on_host, kubectl) -> None:
    assert used(on_host) == "20%"
    on_host("fallocate -l 195G /var/tmp/core.dump")
    assert used(on_host) == "97%"
    world.run_until(world.now + 30)
    assert condition(kubectl, "node1", "DiskPressure") == "True"
    assert on_host("du -sh /var/tmp/core.dump").stdout == "195G\t/var/tmp/core.dump\n"
    on_host("rm /var/tmp/core.dump")
    assert used(on_host) == "20%"
    world.run_until(world.now + 400)
    assert condition(kubectl, "node1", "DiskPressure") == "False"
    assert used(on_host, "node2") == "20%"


def test_what_images_take_of_the_disk_stands_in_the_folder_of_the_runtime(
    world: World, on_host
) -> None:
    image = "registry.example/library/busybox:1.36"
    world.table(IMAGES)["node1", image] = (
        f"registry.example/library/busybox@sha256:{7:064x}",
        5 << 30,
    )
    blobs = "/var/lib/containerd/io.containerd.content.v1.content/blobs/sha256"
    assert on_host(f"ls {blobs} | grep -c {7:064x}").stdout == "1\n"
    assert on_host(f"du -m {blobs}/{7:064x}").stdout == f"5120\t{blobs}/{7:064x}\n"
    assert on_host("crictl images | grep -c busybox").stdout == "1\n"
    whole = int(on_host("du -sxm / | cut -f1").stdout)
    assert 5 << 10 < whole < 6 << 10


def test_a_full_disk_takes_no_more(on_host) -> None:
    on_host("fallocate -l 204G /big")
    said = on_host("fallocate -l 4G /more; echo x > /small && cat /small")
    assert said == ExecResult(0, "x\n", "fallocate: fallocate failed: No space left on device\n")


def test_a_disk_that_became_read_only_is_mounted_for_writing_again(world: World, on_host) -> None:
    machines.change_root(world, "node1", read_only=True)
    assert on_host(
        "touch /etc/x; mount | grep vda; dmesg | tail -1 | sed 's/.*] //'"
    ) == ExecResult(
        0,
        "/dev/vda1 on / type ext4 (ro,relatime,errors=remount-ro)\n"
        "EXT4-fs (vda1): Remounting filesystem read-only\n",
        "touch: cannot touch '/etc/x': Read-only file system\n",
    )
    assert on_host("mount -o remount,rw / && touch /etc/x && ls /etc/x") == ExecResult(
        0, "/etc/x\n"
    )
    assert on_host("mount -o remount,rw /data") == ExecResult(
        32, stderr="mount: /data: mount point not mounted or bad option.\n"
    )


def test_bad_blocks_are_told_by_the_kernel_and_by_smart(world: World, on_host) -> None:
    machines.change_root(world, "node1", bad_blocks=((1000, 1001),))
    assert on_host("badblocks /dev/vda").stdout == "4000\n4004\n"
    assert on_host("smartctl -A /dev/vda | grep Pending | awk '{print $NF}'").stdout == "2\n"
    assert on_host("journalctl -k -p err -o cat").stdout == (
        "critical medium error, dev vda, sector 8000 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2\n"
        "Buffer I/O error on dev vda1, logical block 1000, async page read\n"
    )
    assert on_host("journalctl -k -p err -o cat", "node2").stdout == "-- No entries --\n"


def test_a_clock_that_is_wrong_is_stepped(world: World, on_host) -> None:
    machines.change(world, "node1", clock_offset_s=300.0)
    assert on_host("chronyc tracking | grep '^System'").stdout == (
        "System time     : 300.000000000 seconds fast of NTP time\n"
    )
    assert on_host("timedatectl show | grep Synchronized").stdout == "NTPSynchronized=no\n"
    assert on_host("chronyc makestep") == ExecResult(0, "200 OK\n")
    assert offset(world) == 0.0


def test_a_time_service_that_was_stopped_is_started(world: World, on_host) -> None:
    on_host("systemctl stop chrony; date -s '+1 hour'")
    assert round(offset(world)) == 3600
    assert on_host("chronyc makestep") == ExecResult(1, "506 Cannot talk to daemon\n")
    world.run_until(world.now + 3600)
    assert round(offset(world)) == 3600
    on_host("systemctl start chrony")
    world.run_until(world.now + 10)
    assert (offset(world), status(world, "node1", CHRONY).state) == (0.0, "active")


def test_a_time_service_that_runs_turns_a_clock_back_that_was_set_by_hand(
    world: World, on_host
) -> None:
    on_host("date -s '-2 minutes'")
    assert round(offset(world)) == -120
    world.run_until(world.now + 120 / 0.083 + 1)
    assert offset(world) == 0.0


def test_who_may_not_set_the_clock_is_refused(world: World, kubectl) -> None:
    line = "debug node/node1 -q -i --image=busybox -- chroot /host date -s @0"
    assert kubectl(line).stdout == (
        "Thu Jan  1 00:00:00 UTC 1970\ndate: cannot set date: Operation not permitted\n"
    )
    assert offset(world) == 0.0
