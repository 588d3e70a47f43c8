"""Names of the commands that a node has beside those of every Debian image."""

from __future__ import annotations

# Commands for administrators stand in another folder.
SYSTEM_TOOLS = (
    *(
        "badblocks",
        "blkid",
        "chronyd",
        "conntrack",
        "dmsetup",
        "e2fsck",
        "fsck",
        "fsck.ext4",
        "fstrim",
        "hdparm",
        "hwclock",
    ),
    *(
        "ipmitool",
        "iptables",
        "iptables-save",
        "nft",
        "poweroff",
        "reboot",
        "runc",
        "shutdown",
        "smartctl",
        "sshd",
    ),
    *("swapoff", "swapon", "sysctl", "tc", "chroot"),
)
USER_TOOLS = (
    *("chronyc", "containerd", "crictl", "ctr", "curl", "dig", "findmnt", "free", "host"),
    *(
        "hostnamectl",
        "iostat",
        "ip",
        "journalctl",
        "kube-proxy",
        "kubeadm",
        "kubelet",
        "less",
        "lsblk",
        "lsof",
    ),
    *("nc", "nslookup", "nsenter", "openssl", "pgrep", "pidof", "ping", "pkill", "ps", "ss", "ssh"),
    *("systemctl", "timedatectl", "top", "uptime", "vi", "vmstat", "watch", "wget"),
)
HOST_TOOLS = (*SYSTEM_TOOLS, *USER_TOOLS)
