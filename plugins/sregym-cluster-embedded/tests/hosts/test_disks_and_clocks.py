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


def test_sectors_that_are_written_can_be_read_again(world: World, on_host) -> None:
    machines.change_root(world, "node1", bad_blocks=((1000, 1002),))
    read = "hdparm --read-sector 8008 /dev/vda"
    assert on_host(read).stderr == "FAILED: Input/output error\n"
    assert on_host("hdparm --repair-sector 8008 /dev/vda").exit_code == 1
    force = "hdparm --yes-i-know-what-i-am-doing --repair-sector"
    assert on_host(f"{force} 8008 /dev/vda").stdout == (
        "\n/dev/vda:\nre-writing sector 8008: succeeded\n"
    )
    assert on_host("badblocks /dev/vda").stdout == "4000\n4008\n"
    assert on_host(f"{read} | head -3").exit_code == 0
    on_host(f"for b in $(badblocks /dev/vda); do {force} $((b * 2)) /dev/vda; done")
    root = machines.machines(world)[0].root
    assert root.bad_blocks == ()
    assert on_host("hdparm /dev/vdz").stderr == "/dev/vdz: No such file or directory\n"


def test_a_table_that_alters_what_is_read_is_seen_and_removed(world: World, on_host) -> None:
    machines.change_root(world, "node1", altered_blocks=((1000, 1001), (0, 0)))
    rest = machines.machines(world)[0].root.size_bytes // 512 - 8016
    altering = "0 1 2 random_read_corrupt 1000000000"
    assert on_host("dmsetup table vda1-corrupt").stdout == (
        f"0 8 flakey 254:1 0 {altering}\n8 7992 linear 254:1 8\n"
        f"8000 16 flakey 254:1 8000 {altering}\n8016 {rest} linear 254:1 8016\n"
    )
    assert on_host("dmsetup status | tail -1").stdout == f"vda1-corrupt: 8016 {rest} linear\n"
    assert on_host("journalctl -k -p err -o cat").stdout == "-- No entries --\n"
    assert on_host("dmsetup remove vda1-corrupt && dmsetup table").stdout == "No devices found\n"
    assert machines.machines(world)[0].root.altered_blocks == ()


def test_tables_below_a_file_system_are_seen_and_removed(world: World, on_host) -> None:
    assert on_host("dmsetup table").stdout == "No devices found\n"
    size = machines.machines(world)[0].root.size_bytes // 512
    machines.change_root(world, "node1", latency_ms=40.0, failing=0.25)
    assert on_host("dmsetup table").stdout == (
        f"vda1-delay: 0 {size} delay 254:1 0 40\nvda1-flakey: 0 {size} flakey 254:1 0 45 15\n"
    )
    assert on_host("dmsetup status vda1-delay").stdout == f"0 {size} delay\n"
    assert on_host("dmsetup ls").stdout == "vda1-delay\t(253:0)\nvda1-flakey\t(253:1)\n"
    assert on_host("dmsetup remove vda1").stderr == "Device vda1 not found\nCommand failed.\n"
    on_host("dmsetup remove vda1-delay")
    assert on_host("dmsetup ls").stdout == "vda1-flakey\t(253:0)\n"
    on_host("dmsetup remove_all")
    root = machines.machines(world)[0].root
    assert (root.latency_ms, root.failing) == (0.0, 0.0)


def test_the_queue_of_a_disk_stands_in_iostat(world: World, on_host) -> None:
    def row() -> list[str]:
        return str(on_host("iostat -x | grep vda").stdout).split()[1:]

    assert (row()[2], row()[-2:]) == ("0.50", ["0.00", "0.20"])
    machines.change_root(world, "node1", queued=100)
    assert row() == [
        *("0.40", "9.10", "400.00", "22.80", "250.00", "256000.00", "400.00", "1024.00"),
        *("100.00", "100.00"),
    ]
    machines.change_root(world, "node1", displaced=1.0)
    assert (row()[1], row()[5]) == ("256000.00", "41.60")
    machines.change_root(world, "node1", queued=0, displaced=0.0, latency_ms=40.0)
    assert (row()[2], row()[6]) == ("40.50", "40.90")
