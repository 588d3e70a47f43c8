"""Commands in containers: shells, files, the network; and scripts as main processes."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState, Mount


@pytest.fixture
def box(shop: Any) -> Any:
    files = Mount("files", "cfg", {"level": "high\n"}, ("configmaps", "cfg"))
    scratch = Mount("volume", "pod/scratch")
    mounts = {"/etc/cfg": files, "/scratch": scratch}
    shop.start_box("sleep", "3600", env={"COLOUR": "dark blue"}, mounts=mounts)
    shop.run(1)
    return shop


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo a; false; echo $?", (0, "a\n1\n", "")),
        ("echo one && false || echo two", (0, "one\ntwo\n", "")),
        ("exit 17", (17, "", "")),
        ("for i in 1 2 3; do [ $i = 2 ] && continue; echo n$i; done", (0, "n1\nn3\n", "")),
        ("i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done; echo $i", (0, "3\n", "")),
        ('echo "$COLOUR" | tr a-z A-Z', (0, "DARK BLUE\n", "")),
        ("echo ${NOTHING:-default} ${#COLOUR} ${COLOUR%% *}", (0, "default 9 dark\n", "")),
        ('x=$(cat /etc/cfg/level); if [ "$x" = high ]; then echo yes; fi', (0, "yes\n", "")),
        ("cat <<EOF\n$COLOUR\nEOF", (0, "dark blue\n", "")),
        ("printf 'b\\na\\nb\\n' | sort | uniq -c", (0, "      1 a\n      2 b\n", "")),
        (
            "echo x > /scratch/f && echo y >> /scratch/f; cat /scratch/f; ls /scratch",
            (0, "x\ny\nf\n", ""),
        ),
        (
            "echo x > /etc/cfg/level",
            (1, "", "sh: can't create /etc/cfg/level: Read-only file system\n"),
        ),
        (
            'mkdir /tmp/g; cd /tmp/g; touch a.x b.y "c*"; d=/tmp/g; s=.x; echo "$d"/*; echo "$d"/*"$s"; '
            'echo "$d/*" "c*" c"*"*; echo "$d"/[ab].?; echo no*; x="*.y"; echo $x "$x"',
            (
                0,
                "/tmp/g/a.x /tmp/g/b.y /tmp/g/c*\n/tmp/g/a.x\n/tmp/g/* c* c*\n/tmp/g/a.x /tmp/g/b.y\nno*\nb.y *.y\n",
                "",
            ),
        ),
        ("cat /no/file", (1, "", "cat: can't open '/no/file': No such file or directory\n")),
        ("nothing here", (127, "", "sh: nothing: not found\n")),
        (
            "hostname; pwd; whoami; id",
            (0, "box\n/\nroot\nuid=0(root) gid=0(root) groups=0(root)\n", ""),
        ),
        ("ps", (0, "PID   USER     COMMAND\n    1 root     sleep 3600\n    8 root     ps\n", "")),
        ("date -u +%Y-%m-%dT%H:%M:%SZ", (0, "2025-11-21T21:20:01Z\n", "")),
        ("ls /nowhere 2>&1 | wc -l", (0, "1\n", "")),
        ("sed 's/h/l/' /etc/cfg/level | cut -c1-3", (0, "lig\n", "")),
        ("grep -c gh /etc/cfg/level; grep -q zz /etc/cfg/level || echo none", (0, "1\nnone\n", "")),
        ("cp /etc/cfg/level /tmp/a; mv /tmp/a /tmp/b; ls /tmp; cat /tmp/b", (0, "b\nhigh\n", "")),
        ("cp /none /tmp", (1, "", "cp: can't stat '/none': No such file or directory\n")),
        ("find /etc/cfg -type l -name 'lev*'", (0, "/etc/cfg/level\n", "")),
        ("find /etc -fresh x 2>&1 | head -1", (0, "find: unrecognized: -fresh\n", "")),
        (
            "mkdir /tmp/d; cp /etc/cfg/level /tmp/d; cd /tmp; tar cf t d; rm -r d; tar xf t; "
            "tar tf t; cat d/level",
            (0, "d/\nd/level\nhigh\n", ""),
        ),
        ("tar xf /none", (1, "", "tar: can't open '/none': No such file or directory\n")),
        ("echo a | md5sum", (0, "60b725f10c9c85c70d97880dfe8191b3  -\n", "")),
        ("printenv HOME", (127, "", "sh: printenv: not found\n")),
        ("if", (2, "", 'sh: syntax error: unexpected end of file (expecting "then")\n')),
        ("while true; do :; done", (137, "", "")),
    ],
)
def test_scripts(box: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert box.shell("box", script) == expected


def test_exec_without_a_shell_says_what_the_runtime_says(box: Any) -> None:
    result = box.runtime.exec(box.world, box.ref("box"), ("nosuchcommand",), "")
    assert result.error == (
        "OCI runtime exec failed: exec failed: unable to start container process: "
        'exec: "nosuchcommand": executable file not found in $PATH: unknown'
    )


def test_sleep_takes_its_time(box: Any) -> None:
    assert box.runtime.exec(box.world, box.ref("box"), ("sleep", "5"), "").duration_s == 5


def test_the_network_fails_in_the_words_of_each_command(open_shop: Any) -> None:
    shop = open_shop
    shop.name("idle")
    shop.name("web.shop", "4")
    answers = [
        shop.shell("web", script)
        for script in (
            "wget -q -O - http://web:8080/buy",
            "curl -s http://web:8080/healthz",
            "curl -s -o /dev/null -w '%{http_code}' http://web:8080/none",
            "curl -sS http://nothing:8080/",
            "curl -sS http://idle:8080/",
            "wget -O - http://idle:80/",
            "wget -q -O - http://nothing/",
            "nc -z -v stock 8081",
            "nslookup web.shop",
            "nslookup nothing",
        )
    ]
    assert answers == [
        (0, "sold\n", ""),
        (0, "ok", ""),
        (0, "404", ""),
        (6, "", "curl: (6) Could not resolve host: nothing\n"),
        (
            7,
            "",
            "curl: (7) Failed to connect to idle port 8080 after 1 ms: Couldn't connect to server\n",
        ),
        (
            1,
            "",
            "Connecting to idle:80 (10.96.1.4:80)\n"
            "wget: can't connect to remote host (10.96.1.4): Connection refused\n",
        ),
        (1, "", "wget: bad address 'nothing'\n"),
        (0, "", "stock (10.96.1.5:8081) open\n"),
        (
            0,
            "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\nName:\tweb.shop\nAddress: 10.96.1.8\n\n\n",
            "",
        ),
        (
            1,
            "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n"
            + "** server can't find nothing.shop.svc.cluster.local: NXDOMAIN\n\n"
            "** server can't find nothing.svc.cluster.local: NXDOMAIN\n\n"
            "** server can't find nothing.cluster.local: NXDOMAIN\n\n" * 2,
            "",
        ),
    ]


def test_a_script_as_main_process_runs_in_time(shop: Any) -> None:
    shop.start_box(
        "sh", "-c", "for i in 1 2; do echo tick $i; sleep 5; done; echo done | tr d D; exit 3"
    )
    shop.run(4)
    assert shop.texts("box") == ["tick 1"]
    shop.run(4)
    assert shop.texts("box") == ["tick 1", "tick 2"]
    twin = shop.fork()
    for world in (shop, twin):
        world.run(4)
        assert world.texts("box") == ["tick 1", "tick 2", "Done"]
        assert world.ended("box") == ExitState(3, "Error")


def test_a_script_that_waits_for_a_name_goes_on_when_it_is_there(shop: Any) -> None:
    script = "until nslookup web.shop > /dev/null; do echo waiting; sleep 2; done; echo there"
    shop.start_box("sh", "-c", script)
    shop.run(3)
    shop.name("web.shop", "4")
    shop.run(3)
    assert shop.texts("box") == ["waiting", "waiting", "there"]
    assert shop.ended("box") == ExitState(0, "Completed")


def test_a_script_that_runs_a_program_becomes_it(shop: Any) -> None:
    command = ("/bin/sh", "-c", "echo first; while true; do web; done")
    shop.start(
        "web", "ghcr.io/acme/shop:1.0", "4", command=command, env={"STOCK_ADDR": "stock:8081"}
    )
    shop.run(1)
    assert [text.rpartition(" ")[2] for text in shop.texts("web")] == ["first", "listening"]
    assert shop.runtime.listening(shop.world, "4", 8080)
