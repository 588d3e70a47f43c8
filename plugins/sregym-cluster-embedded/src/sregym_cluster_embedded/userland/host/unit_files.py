"""The services of a node as systemd's files describe them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SHIPPED = "/lib/systemd/system"
LOCAL = "/etc/systemd/system"
_WANTED = "\n[Install]\nWantedBy=multi-user.target\n"


def _unit(
    description: str, service: str, *, after: str = "", docs: str = "", wanted: bool = True
) -> str:
    text = f"[Unit]\nDescription={description}\n"
    text += f"Documentation={docs}\n" if docs else ""
    text += f"After={after}\n" if after else ""
    return f"{text}\n[Service]\n{service}{_WANTED if wanted else ''}"


_ALWAYS = "Restart=always\n"
_SHIPPED = {
    "kubelet.service": (
        "[Unit]\nDescription=kubelet: The Kubernetes Node Agent\n"
        "Documentation=https://kubernetes.io/docs/\nWants=network-online.target\n"
        "After=network-online.target\n\n[Service]\nExecStart=/usr/bin/kubelet\nRestart=always\n"
        "StartLimitInterval=0\nRestartSec=10\n" + _WANTED
    ),
    "containerd.service": _unit(
        "containerd container runtime",
        "ExecStartPre=-/sbin/modprobe overlay\nExecStart=/usr/bin/containerd\nType=notify\n"
        "Delegate=yes\nKillMode=process\nRestart=always\nRestartSec=5\nLimitNPROC=infinity\n"
        "LimitCORE=infinity\nTasksMax=infinity\nOOMScoreAdjust=-999\n",
        after="network.target local-fs.target",
        docs="https://containerd.io",
    ),
    "chrony.service": _unit(
        "chrony, an NTP client/server",
        "Type=forking\nPIDFile=/run/chrony/chronyd.pid\nEnvironmentFile=-/etc/default/chrony\n"
        "ExecStart=/usr/sbin/chronyd $DAEMON_OPTS\n",
        after="network.target",
        docs="man:chronyd(8) man:chronyc(1) man:chrony.conf(5)",
    ),
    "ssh.service": _unit(
        "OpenBSD Secure Shell server",
        "EnvironmentFile=-/etc/default/ssh\nExecStartPre=/usr/sbin/sshd -t\n"
        "ExecStart=/usr/sbin/sshd -D $SSHD_OPTS\nExecReload=/bin/kill -HUP $MAINPID\n"
        "KillMode=process\nRestart=on-failure\nType=notify\nRuntimeDirectory=sshd\n",
        after="network.target auditd.service",
        docs="man:sshd(8) man:sshd_config(5)",
    ),
    "cron.service": _unit(
        "Regular background program processing daemon",
        "EnvironmentFile=-/etc/default/cron\nExecStart=/usr/sbin/cron -f $EXTRA_OPTS\n"
        "IgnoreSIGPIPE=false\nKillMode=process\nRestart=on-failure\n",
        after="remote-fs.target nss-user-lookup.target",
        docs="man:cron(8)",
    ),
    "dbus.service": _unit(
        "D-Bus System Message Bus",
        "Type=notify\nExecStart=/usr/bin/dbus-daemon --system --address=systemd: --nofork "
        "--nopidfile --systemd-activation --syslog-only\nOOMScoreAdjust=-900\n",
        docs="man:dbus-daemon(1)",
        wanted=False,
    ),
    "smartmontools.service": _unit(
        "Self Monitoring and Reporting Technology (SMART) Daemon",
        "Type=notify\nEnvironmentFile=-/etc/default/smartmontools\n"
        "ExecStart=/usr/sbin/smartd -n $smartd_opts\nExecReload=/bin/kill -HUP $MAINPID\n",
        docs="man:smartd(8) man:smartd.conf(5)",
    ),
    "systemd-journald.service": _unit(
        "Journal Service",
        f"ExecStart=/lib/systemd/systemd-journald\nType=notify\n{_ALWAYS}OOMScoreAdjust=-250\n",
        docs="man:systemd-journald.service(8) man:journald.conf(5)",
        wanted=False,
    ),
    "systemd-logind.service": _unit(
        "User Login Management",
        f"ExecStart=/lib/systemd/systemd-logind\nType=notify\n{_ALWAYS}",
        after="nss-user-lookup.target user.slice",
        docs="man:sd-login(3) man:systemd-logind.service(8) man:logind.conf(5)",
        wanted=False,
    ),
    "systemd-udevd.service": _unit(
        "Rule-based Manager for Device Events and Files",
        f"Type=notify\nExecStart=/lib/systemd/systemd-udevd\n{_ALWAYS}OOMScoreAdjust=-1000\n",
        after="systemd-sysusers.service systemd-hwdb-update.service",
        docs="man:systemd-udevd.service(8) man:udev(7)",
        wanted=False,
    ),
    "networking.service": _unit(
        "Raise network interfaces",
        "Type=oneshot\nExecStart=/sbin/ifup -a --read-environment\nRemainAfterExit=yes\n",
        after="local-fs.target network-pre.target apparmor.service",
        docs="man:interfaces(5)",
    ),
    "systemd-sysctl.service": _unit(
        "Apply Kernel Variables",
        "Type=oneshot\nRemainAfterExit=yes\nExecStart=/lib/systemd/systemd-sysctl\n",
        after="systemd-modules-load.service",
        docs="man:systemd-sysctl.service(8) man:sysctl.d(5)",
        wanted=False,
    ),
}  # fmt: skip
_LOCAL = {
    "kube-proxy.service": _unit(
        "Kubernetes Kube Proxy",
        "ExecStart=/usr/local/bin/kube-proxy --config=/var/lib/kube-proxy/config.conf\n"
        "Restart=on-failure\nRestartSec=5\nLimitNOFILE=65536\n",
        after="network.target",
        docs="https://kubernetes.io/docs/concepts/overview/components/#kube-proxy",
    ),
}
_KUBEADM = """# Note: This dropin only works with kubeadm and kubelet v1.11+
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
"""
# Services that no target wants are started by others.
STATIC = frozenset(name for name, text in _SHIPPED.items() if "WantedBy=" not in text)


def unit_files(*, local: bool = True) -> Mapping[str, str]:
    """Path -> text of the units that a node comes with; `local`: also those that are no package's."""
    files = {f"{SHIPPED}/{name}": text for name, text in _SHIPPED.items()}
    if local:
        files |= {f"{LOCAL}/{name}": text for name, text in _LOCAL.items()}
    files[f"{SHIPPED}/kubelet.service.d/10-kubeadm.conf"] = _KUBEADM
    return MappingProxyType(files)
