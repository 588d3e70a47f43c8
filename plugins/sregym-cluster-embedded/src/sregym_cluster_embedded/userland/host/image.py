"""What stands on the disk of a node that has joined a cluster with kubeadm: Debian 12 and its packages."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from sregym_apps.model import Image

from sregym_cluster_embedded.kubelet.static_pods import FOLDER as MANIFESTS
from sregym_cluster_embedded.node import kubeadm
from sregym_cluster_embedded.node.addresses import gateway_of
from sregym_cluster_embedded.userland.catalogue import Known
from sregym_cluster_embedded.userland.host.boards import BOARD_SECRET, BOARD_SUFFIX, board_of
from sregym_cluster_embedded.userland.host.unit_files import unit_files

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CNI_FOLDER = "/etc/cni/net.d"
KUBELET_CONFIG = "/var/lib/kubelet/config.yaml"
CONTAINERD_CONFIG = "/etc/containerd/config.toml"
_PASSWD = """root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
bin:x:2:2:bin:/bin:/usr/sbin/nologin
sys:x:3:3:sys:/dev:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
systemd-network:x:998:998:systemd Network Management:/:/usr/sbin/nologin
messagebus:x:100:107:messagebus:/nonexistent:/usr/sbin/nologin
sshd:x:101:65534:sshd:/run/sshd:/usr/sbin/nologin
_chrony:x:102:108:Chrony daemon,,,:/var/lib/chrony:/usr/sbin/nologin
"""
_GROUP = """root:x:0:
daemon:x:1:
adm:x:4:
tty:x:5:
disk:x:6:
nogroup:x:65534:
systemd-journal:x:999:
messagebus:x:107:
_chrony:x:108:
"""
_CONTAINERD = """version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
oom_score = 0

[grpc]
  address = "/run/containerd/containerd.sock"

[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "{pause}"

[plugins."io.containerd.cri.v1.images".registry]
  config_path = "/etc/containerd/certs.d"

[plugins."io.containerd.cri.v1.runtime".containerd]
  default_runtime_name = "runc"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
  SystemdCgroup = true

[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = ["/opt/cni/bin"]
  conf_dir = "/etc/cni/net.d"
"""
_CNI = """{{
  "cniVersion": "1.0.0",
  "name": "cluster",
  "plugins": [
    {{
      "type": "bridge",
      "bridge": "cni0",
      "isGateway": true,
      "ipMasq": true,
      "hairpinMode": true,
      "ipam": {{
        "type": "host-local",
        "ranges": [[{{"subnet": "{network}"}}]],
        "routes": [{{"dst": "0.0.0.0/0"}}]
      }}
    }},
    {{"type": "portmap", "capabilities": {{"portMappings": true}}}}
  ]
}}
"""
_PROXY = """apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
bindAddress: 0.0.0.0
clientConnection:
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf
clusterCIDR: 10.244.0.0/16
mode: iptables
"""
_CHRONY = """# Welcome to the chrony configuration file. See chrony.conf(5) for more
# information about usable directives.
confdir /etc/chrony/conf.d
pool 2.debian.pool.ntp.org iburst
sourcedir /run/chrony-dhcp
sourcedir /etc/chrony/sources.d
keyfile /etc/chrony/chrony.keys
driftfile /var/lib/chrony/chrony.drift
ntsdumpdir /var/lib/chrony
logdir /var/log/chrony
maxupdateskew 100.0
rtcsync
makestep 1 3
leapsectz right/UTC
"""
KUBELET_AS_INSTALLED: Mapping[str, Any] = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "authentication": {
        "anonymous": {"enabled": False},
        "webhook": {"cacheTTL": "0s", "enabled": True},
        "x509": {"clientCAFile": "/etc/kubernetes/pki/ca.crt"},
    },
    "authorization": {
        "mode": "Webhook",
        "webhook": {"cacheAuthorizedTTL": "0s", "cacheUnauthorizedTTL": "0s"},
    },
    "cgroupDriver": "systemd",
    "clusterDNS": ["10.96.0.10"],
    "clusterDomain": "cluster.local",
    "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
    "cpuManagerReconcilePeriod": "0s",
    "crashLoopBackOff": {},
    "evictionPressureTransitionPeriod": "0s",
    "fileCheckFrequency": "0s",
    "healthzBindAddress": "127.0.0.1",
    "healthzPort": 10248,
    "httpCheckFrequency": "0s",
    "imageMaximumGCAge": "0s",
    "imageMinimumGCAge": "0s",
    "kind": "KubeletConfiguration",
    "memorySwap": {},
    "nodeStatusReportFrequency": "0s",
    "nodeStatusUpdateFrequency": "0s",
    "rotateCertificates": True,
    "runtimeRequestTimeout": "0s",
    "shutdownGracePeriod": "0s",
    "shutdownGracePeriodCriticalPods": "0s",
    "staticPodPath": "/etc/kubernetes/manifests",
    "streamingConnectionIdleTimeout": "0s",
    "syncFrequency": "0s",
    "volumeStatsAggPeriod": "0s",
}
_KUBECONFIG = """apiVersion: v1
clusters:
- cluster:
    certificate-authority: /etc/kubernetes/pki/ca.crt
    server: https://{server}:6443
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: {user}
  name: {user}@kubernetes
current-context: {user}@kubernetes
kind: Config
users:
- name: {user}
  user:
    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem
"""


class Facts(NamedTuple):
    """What the files of a node say of it.

    Attributes:
        node: Its name.
        address: Its address.
        network: The range of its pods.
        peers: (address, name) of all nodes.
        machine_id: As in its status.
        os_image: As in its status.
        pause: The image of pods' sandboxes.
        authority: The certificate of the cluster's authority.
        kubeadm: Whether kube-proxy and the control plane are pods, as kubeadm has them.
        leads: Whether the control plane runs here.
    """

    node: str
    address: str
    network: str
    peers: tuple[tuple[str, str], ...]
    machine_id: str
    os_image: str
    pause: str
    authority: str
    kubeadm: bool = False
    leads: bool = False


@lru_cache(maxsize=256)
def node_image(facts: Facts) -> Known:
    """The root file system of a node as it was installed, and its commands."""
    image = Image(
        repository="node",
        tags=("installed",),
        size_mib=1800,
        cmd=("/sbin/init",),
        env={"PATH": PATH},
        files=_files(facts),
        tools=("host", "debian"),
    )
    return Known("", image, {})


def _static_pods(facts: Facts) -> dict[str, str]:
    """What the kubelet of the control plane's node runs."""
    if not facts.leads:
        return {}
    pods = kubeadm.manifests(facts.node, facts.address)
    return {f"{MANIFESTS}/{name}": text for name, text in pods.items()}


def _files(facts: Facts) -> dict[str, str]:
    release = facts.os_image
    boards = ((board_of(address), f"{name}{BOARD_SUFFIX}") for address, name in facts.peers)
    known = (*facts.peers, *boards)
    hosts = "".join(f"{address}\t{name}\n" for address, name in known)
    user = f"system:node:{facts.node}"
    server = facts.peers[0][0] if facts.peers else facts.address
    return {
        "/etc/passwd": _PASSWD,
        "/etc/group": _GROUP,
        "/etc/os-release": (
            f'PRETTY_NAME="{release}"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\n'
            'VERSION="12 (bookworm)"\nVERSION_CODENAME=bookworm\nID=debian\n'
            'HOME_URL="https://www.debian.org/"\nSUPPORT_URL="https://www.debian.org/support"\n'
            'BUG_REPORT_URL="https://bugs.debian.org/"\n'
        ),
        "/etc/debian_version": "12.11\n",
        "/etc/issue": "Debian GNU/Linux 12 \\n \\l\n\n",
        "/etc/hostname": f"{facts.node}\n",
        "/etc/hosts": (
            "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
            f"ff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n{hosts}"
        ),
        "/etc/resolv.conf": "nameserver 10.77.0.1\n",
        "/etc/machine-id": f"{facts.machine_id}\n",
        "/etc/timezone": "Etc/UTC\n",
        "/etc/fstab": (
            "# <file system> <mount point>   <type>  <options>       <dump>  <pass>\n"
            "/dev/vda1       /               ext4    errors=remount-ro 0       1\n"
        ),
        "/etc/network/interfaces": (
            "auto lo\niface lo inet loopback\n\nauto eth0\niface eth0 inet static\n"
            f"\taddress {facts.address}/16\n\tgateway {gateway_of(facts.address)}\n"
        ),
        "/etc/modules-load.d/k8s.conf": "overlay\nbr_netfilter\n",
        "/etc/sysctl.conf": "# See sysctl.conf(5) for information.\n",
        "/etc/sysctl.d/k8s.conf": (
            "net.bridge.bridge-nf-call-iptables  = 1\nnet.bridge.bridge-nf-call-ip6tables = 1\n"
            "net.ipv4.ip_forward                 = 1\n"
        ),
        "/etc/security/limits.conf": "# /etc/security/limits.conf\n#<domain>      <type>  <item>         <value>\n",
        "/etc/ssh/sshd_config": (
            "Include /etc/ssh/sshd_config.d/*.conf\nPermitRootLogin prohibit-password\n"
            "HostbasedAuthentication yes\nUsePAM yes\nSubsystem\tsftp\t/usr/lib/openssh/sftp-server\n"
        ),
        BOARD_SECRET: f"{blake2b(facts.authority.encode(), digest_size=8).hexdigest()}\n",
        "/etc/ssh/shosts.equiv": "".join(f"{name}\n" for _, name in facts.peers),
        "/etc/chrony/chrony.conf": _CHRONY,
        "/etc/crontab": (
            "SHELL=/bin/sh\nPATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin\n\n"
            "17 *\t* * *\troot\tcd / && run-parts --report /etc/cron.hourly\n"
        ),
        "/etc/crictl.yaml": "runtime-endpoint: unix:///run/containerd/containerd.sock\n",
        CONTAINERD_CONFIG: _CONTAINERD.format(pause=facts.pause),
        f"{CNI_FOLDER}/10-cluster.conflist": _CNI.format(network=facts.network),
        "/etc/default/kubelet": "KUBELET_EXTRA_ARGS=\n",
        "/etc/kubernetes/kubelet.conf": _KUBECONFIG.format(server=server, user=user),
        "/etc/kubernetes/pki/ca.crt": facts.authority,
        KUBELET_CONFIG: yaml.safe_dump(KUBELET_AS_INSTALLED, sort_keys=True),
        "/var/lib/kubelet/kubeadm-flags.env": (
            f'KUBELET_KUBEADM_ARGS="--node-ip={facts.address} '
            f'--pod-infra-container-image={facts.pause}"\n'
        ),
        **({} if facts.kubeadm else {"/var/lib/kube-proxy/config.conf": _PROXY}),
        **_static_pods(facts),
        "/root/.bashrc": "# ~/.bashrc: executed by bash(1) for non-login shells.\n",
        "/root/.profile": "# ~/.profile: executed by Bourne-compatible login shells.\n",
        **unit_files(local=not facts.kubeadm),
    }
