"""Commands on a node itself, and ways to get there."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded import machines
from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.node.power import power_off
from sregym_cluster_embedded.userland.host.commands import HOST_COMMANDS
from sregym_cluster_embedded.userland.host.hosts import run_on_host
from sregym_cluster_embedded.userland.host.tools import HOST_TOOLS
from sregym_cluster_embedded.userland.shell.commands import COMMANDS, ENTERING_COMMANDS
from sregym_cluster_embedded.world import World


def test_a_command_runs_on_the_node_with_its_files(on_host) -> None:
    assert on_host("hostname; id -un; pwd; cat /etc/hostname") == ExecResult(
        0, "node1\nroot\n/root\nnode1\n"
    )


def test_what_is_not_installed_is_not_found(world: World, on_host) -> None:
    assert run_on_host(world, "node1", ["ipvsadm", "-L"]).error == (
        "OCI runtime exec failed: exec failed: unable to start container process: exec: "
        '"ipvsadm": executable file not found in $PATH: unknown'
    )
    assert on_host("ipvsadm -L") == ExecResult(
        127, stderr="bash: line 1: ipvsadm: command not found\n"
    )


def test_a_machine_that_is_off_or_unknown_runs_nothing(world: World) -> None:
    power_off(world, "node2")
    with pytest.raises(LookupError) as off:
        run_on_host(world, "node2", ["true"])
    assert str(off.value) == "nothing runs on machine 'node2': it is off"
    with pytest.raises(LookupError) as unknown:
        run_on_host(world, "node9", ["true"])
    assert str(unknown.value) == "nothing runs on machine 'node9': it does not exist"


def test_what_is_installed_can_be_carried_out_and_nothing_else_is_there() -> None:
    carried_out = {*HOST_COMMANDS, *COMMANDS, *ENTERING_COMMANDS}
    assert set(HOST_TOOLS) - carried_out == set()
    assert set(HOST_COMMANDS) - set(COMMANDS) - set(HOST_TOOLS) == set()


def test_files_that_are_written_stay_and_pods_see_them(world: World, on_host, kubectl) -> None:
    on_host("mkdir -p /srv/data && echo kept > /srv/data/file")
    assert on_host("cat /srv/data/file") == ExecResult(0, "kept\n")
    assert on_host("ls /srv/data", "node2") == ExecResult(
        2, stderr="ls: cannot access '/srv/data': No such file or directory\n"
    )
    line = "debug node/node1 -q -i --image=busybox -- cat /host/srv/data/file"
    assert kubectl(line).stdout == "kept\n"
    kubectl("debug node/node1 -q -i --image=busybox -- sh -c 'echo more >> /host/srv/data/file'")
    assert on_host("cat /srv/data/file") == ExecResult(0, "kept\nmore\n")


def test_chroot_into_the_host_runs_its_commands(kubectl) -> None:
    line = "debug node/node2 -q -i --image=busybox -- chroot /host sh -c"
    assert kubectl(f"{line} 'hostname; systemctl is-active kubelet'").stdout == "node2\nactive\n"
    line = "debug node/node2 -q -i --image=busybox -- chroot /nowhere ls"
    assert kubectl(line).stdout == (
        "chroot: can't change root directory to '/nowhere': No such file or directory\n"
    )
    line = "debug node/node2 -q -i --image=ubuntu -- chroot /host nosuchthing"
    assert kubectl(line).stdout == (
        "chroot: failed to run command 'nosuchthing': No such file or directory\n"
    )


def test_nsenter_needs_a_privileged_container(kubectl) -> None:
    words = "-q -i --image=busybox -- nsenter -t 1 -m -u -i -n -p -- hostname"
    assert kubectl(f"debug node/node3 --profile=sysadmin {words}").stdout == "node3\n"
    assert kubectl(f"debug node/node3 {words}").stdout == (
        "nsenter: can't open '/proc/1/ns/mnt': Permission denied\n"
    )


def test_a_shell_on_the_host_stays_open_until_it_is_left(kubectl) -> None:
    typed = "cat /etc/hostname; ls /host/etc/kubernetes\nchroot /host\ncd /etc/kubernetes\nls\nexit\npwd\n"
    shown = kubectl("debug node/node1 -q -i --image=busybox", typed).stdout
    assert shown == "node1\nkubelet.conf\nmanifests\npki\nkubelet.conf\nmanifests\npki\n/\n"


def test_a_container_without_the_host_sees_none_of_it(world: World, kubectl) -> None:
    kubectl("run plain --image=busybox --command -- sleep 1d")
    world.run_until(world.now + 10)
    assert kubectl("exec plain -- ps").stdout.splitlines()[1:] == [
        "    1 root     sleep 1d",
        "    8 root     ps",
    ]
    assert (
        kubectl("exec plain -- systemctl status").stderr
        == (
            "error: Internal error occurred: Internal error occurred: error executing command in "
            'container: failed to exec in container: failed to start exec "x": OCI runtime exec failed'
        )
        or kubectl("exec plain -- systemctl status").exit_code == 1
    )
    assert kubectl("exec plain -- nsenter -t 1 -m -- hostname").stderr == (
        "nsenter: can't open '/proc/1/ns/mnt': Permission denied\n"
        "command terminated with exit code 1\n"
    )


def test_kernel_parameters_are_read_and_set(world: World, on_host) -> None:
    said = on_host("sysctl -w vm.max_map_count=65530; sysctl -n vm.max_map_count")
    assert said == ExecResult(0, "vm.max_map_count = 65530\n65530\n")
    machine = machines.machine(world, "node1")
    assert machine is not None
    assert machine.sysctl("vm.max_map_count") == "65530"
    on_host("echo 131072 > /proc/sys/vm/max_map_count")
    assert on_host("cat /proc/sys/vm/max_map_count").stdout == "131072\n"
    assert on_host("sysctl -w vm.nothing=1") == ExecResult(
        1, stderr="sysctl: cannot stat /proc/sys/vm/nothing: No such file or directory\n"
    )
    assert on_host("sysctl -w vm.max_map_count=many") == ExecResult(
        1, stderr='sysctl: setting key "vm.max_map_count": Invalid argument\n'
    )
