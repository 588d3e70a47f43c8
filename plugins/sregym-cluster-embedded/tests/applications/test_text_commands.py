"""Commands over texts, as BusyBox 1.35 and GNU coreutils 9.1 carried them out."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def box(shop: Any) -> Any:
    shop.start_box("sleep", "3600")
    shop.run(1)
    return shop


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("printf 'b 1\\na 2\\na 1\\n' | sort -k2,2 -k1r", (0, "b 1\na 1\na 2\n", "")),
        ("printf 'b 1\\na 2\\na 1\\n' | sort -s -k1,1", (0, "a 2\na 1\nb 1\n", "")),
        ("printf 'b 1\\na 2\\na 1\\n' | sort -nu", (0, "a 1\n", "")),
        ("printf 'b\\na\\n' | sort -c", (1, "", "Check line 1\n")),
        ("sort -t ab /etc/group", (2, "", "sort: bad -t parameter\n")),
        ("sort -k x /etc/group", (2, "", "sort: bad field specification\n")),
        ("sort /none", (2, "", "sort: /none: No such file or directory\n")),
        ("printf 'a\\na\\nb\\nA\\n' | uniq -d", (0, "a\n", "")),
        ("printf 'a\\na\\nb\\nA\\n' | uniq -u", (0, "b\nA\n", "")),
        ("printf 'a\\na\\nA\\n' | uniq -ci", (0, "      3 a\n", "")),
        ("echo a:b:c | cut -d: -f2- -O,", (0, "b,c\n", "")),
        ("echo a:b | cut -d: -s -f1; echo ab | cut -d: -s -f1", (0, "a\n", "")),
        ("cut -d:", (1, "", "cut: expected a list of bytes, characters, or fields\n")),
        ("cut -fx", (1, "", "cut: invalid number 'x'\n")),
        ("echo aXb1 | tr -cd 'a-z\\n'; echo aab | tr -s a-b; echo 'a b' | tr -d '[:space:]'",
         (0, "ab\nab\nab", "")),
        ("seq -s: 3; seq -w 9 10; seq 1 0.5 2; seq 5 -2 1",
         (0, "1:2:3\n09\n10\n1.0\n1.5\n2.0\n5\n3\n1\n", "")),
        ("wc -l /etc/group /etc/hostname; echo abc | wc -L",
         (0, "       13 /etc/group\n        1 /etc/hostname\n       14 total\n3\n", "")),
        ("printf 'a\\n\\n' | cat -ne; printf '\\ta\\n' | cat -A", (0, "     1  a$\n     2  $\n^Ia$\n", "")),
        ("head -n -12 /etc/group; head -n x", (1, "root:x:0:\n", "head: invalid number 'x'\n")),
        ("tail /none", (1, "", "tail: can't open '/none': No such file or directory\ntail: no files\n")),
        ("printf '%d|%x|%5.2f|%-3s|%c\\n' 0x1f 255 2.5 a bc", (0, "31|ff| 2.50|a  |b\n", "")),
        ("printf '%d\\n' \"'a\" 010", (0, "97\n8\n", "")),
        ("printf '%z'", (1, "", "sh: %: invalid format\n")),
        ("echo -e 'a\\cb'; echo -n", (0, "a", "")),
        ("expr 1 + 2 \\* 3; expr substr abcd 2 2; expr index abc c; expr abc : 'a\\(.\\)'",
         (0, "7\nbc\n3\nb\n", "")),
        ("expr 1 / 0", (2, "", "expr: division by zero\n")),
        ("expr a + 1", (2, "", "expr: non-numeric argument\n")),
        ("echo 'YW!j' | base64 -d", (1, "", "base64: truncated input\n")),
        ("readlink -f /etc/none; readlink -f /none/x; echo $?", (0, "/etc/none\n1\n", "")),
        ("realpath /none/x", (1, "", "realpath: /none/x: No such file or directory\n")),
        ("echo a | sed '};p'", (0, "a\na\n", "")),
        ("sed 's/a' /etc/group", (1, "", "sed: unmatched '/'\n")),
        ("sed k /etc/group", (1, "", "sed: unsupported command k\n")),
        ("grep '[' /etc/group", (2, "", "grep: bad regex '['\n")),
        ("chmod 999 /etc/group", (1, "", "chmod: invalid mode '999'\n")),
        ("ip -4 addr show lo; ip route; ip route get 1.2.3.4",
         (0, "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\n    inet 127.0.0.1/8 scope host lo\n"
          "       valid_lft forever preferred_lft forever\ndefault via 10.244.0.1 dev eth0 \n"
          "10.244.0.0/24 dev eth0 scope link  src 10.244.0.6 \n1.2.3.4 via 10.244.0.1 dev eth0  src 10.244.0.6 \n", "")),
        ("ip link show wlan0", (1, "", "ip: can't find device 'wlan0'\n")),
        ("ifconfig wlan0", (1, "", "ifconfig: wlan0: error fetching interface information: Device not found\n")),
        ("netstat -rn | tail -1", (0, "10.244.0.0      0.0.0.0         255.255.255.0   U         0 0          0 eth0\n", "")),
        ("ls -Q /etc/group; ls -dp /etc /etc/group", (0, '"/etc/group"\n/etc/\n/etc/group\n', "")),
    ],
)  # fmt: skip
def test_busybox(box: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert box.shell("box", script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("sort -k x /etc/group", (2, "", "sort: invalid number at field start: invalid count at start of 'x'\n")),
        ("printf 'b\\na\\n' | sort -c", (1, "", "sort: -:2: disorder: a\n")),
        ("printf 'a\\n' > /tmp/a; cat /tmp/a /tmp/a > /tmp/b; wc /tmp/a /tmp/b",
         (0, "1 1 2 /tmp/a\n2 2 4 /tmp/b\n3 3 6 total\n", "")),
        ("cut -d: /etc/group", (1, "", "cut: you must specify a list of bytes, characters, or fields\n"
         "Try 'cut --help' for more information.\n")),
        ("head -n x", (1, "", "head: invalid number of lines: 'x'\n")),
        ("printf '%d\\n' 1x", (1, "1\n", "sh: 1: printf: 1x: not completely converted\n")),
        ("echo 'a\\tb'", (0, "a\tb\n", "")),
        ("grep '\\(' /etc/group", (2, "", "grep: Unmatched ( or \\(\n")),
        ("expr 1 +", (2, "", "expr: syntax error: missing argument after '+'\n")),
        ("chmod 999 /etc/group", (1, "", "chmod: invalid mode: '999'\n")),
    ],
)  # fmt: skip
def test_debian(shop: Any, script: str, expected: tuple[int, str, str]) -> None:
    shop.start_mongo()
    shop.run(1)
    assert shop.shell("mongodb-stock", script) == expected


def test_the_web_server_of_busybox_answers_plain_bytes(open_shop: Any) -> None:
    shop = open_shop
    shop.start("site", "registry.example/shop/web:1.0", "7", command=("/bin/web",))
    shop.run(2)
    date = shop.shell("site", "date -u '+%a, %d %b %Y %H:%M:%S GMT'")[1].strip()
    head = f"Date: {date}\r\nConnection: close\r\n"
    answers = [
        shop.shell("site", f"printf '{line}\\r\\n\\r\\n' | nc 127.0.0.1 8080")
        for line in ("GET /healthz HTTP/1.0", "POST / HTTP/1.0", "GET /")
    ]
    page = (
        "<HTML><HEAD><TITLE>{0}</TITLE></HEAD>\n<BODY><H1>{0}</H1>\n{1}\n</BODY></HTML>\n"
    ).format
    html = "Content-type: text/html\r\n\r\n"
    unknown = page("501 Not Implemented", "The requested method is not recognized")
    assert answers == [
        (
            0,
            f"HTTP/1.1 200 OK\r\n{head}Accept-Ranges: bytes\r\n"
            "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
            'ETag: "6553f100-3"\r\nContent-Length: 3\r\n\r\nok\n',
            "",
        ),
        (0, f"HTTP/1.1 501 Not Implemented\r\n{head}{html}{unknown}", ""),
        (
            0,
            f"HTTP/1.1 400 Bad Request\r\n{head}{html}"
            + page("400 Bad Request", "Unsupported method"),
            "",
        ),
    ]
