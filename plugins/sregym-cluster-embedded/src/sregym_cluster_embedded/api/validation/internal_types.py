"""Pod specs and claims as the server's own types show them in messages about immutable fields.

Those types have no JSON names: a field is called as in Go, every field is there, and what is not
set is null, empty or zero, as its type has it. One line per type: the fields in their order, each
with what stands for it when it is absent.
"""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object

# NAME: null when absent; NAME=: ""; NAME?: false; NAME#: 0; NAME:TYPE: null, or of that type;
# NAME!TYPE: always there. Names in JSON are those in Go with a small first letter, unless listed.
_TYPES: Mapping[str, str] = {
    "PodSpec": "Volumes:Volume InitContainers:Container Containers:Container "
    "EphemeralContainers:Container RestartPolicy= TerminationGracePeriodSeconds "
    "ActiveDeadlineSeconds DNSPolicy= NodeSelector ServiceAccountName= "
    "AutomountServiceAccountToken NodeName= SecurityContext!PodSecurity ImagePullSecrets:Named "
    "Hostname= Subdomain= SetHostnameAsFQDN Affinity:Any SchedulerName= Tolerations:Toleration "
    "HostAliases:HostAlias PriorityClassName= Priority PreemptionPolicy DNSConfig:DNSConfig "
    "ReadinessGates:Any RuntimeClassName Overhead EnableServiceLinks "
    "TopologySpreadConstraints:Spread OS:Named SchedulingGates:Named ResourceClaims:Any "
    "Resources:Resources HostnameOverride SchedulingGroup:Any",
    "PodSecurity": "HostNetwork? HostPID? HostIPC? ShareProcessNamespace HostUsers "
    "SELinuxOptions:SELinux WindowsOptions:Any RunAsUser RunAsGroup RunAsNonRoot "
    "SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls:Sysctl "
    "SeccompProfile:Profile AppArmorProfile:Profile SELinuxChangePolicy",
    "Container": "Name= Image= Command Args WorkingDir= Ports:Port EnvFrom:EnvFrom Env:EnvVar "
    "Resources!Resources ResizePolicy:Any RestartPolicy RestartPolicyRules:Any "
    "VolumeMounts:Mount VolumeDevices:Any LivenessProbe:Probe ReadinessProbe:Probe "
    "StartupProbe:Probe Lifecycle:Lifecycle TerminationMessagePath= TerminationMessagePolicy= "
    "ImagePullPolicy= SecurityContext:Security Stdin? StdinOnce? TTY?",
    "Port": "Name= HostPort# ContainerPort# Protocol= HostIP=",
    "EnvFrom": "Prefix= ConfigMapRef:Optional SecretRef:Optional",
    "Optional": "Name= Optional",
    "EnvVar": "Name= Value= ValueFrom:EnvVarSource",
    "EnvVarSource": "FieldRef:FieldRef ResourceFieldRef:ResourceRef ConfigMapKeyRef:KeyRef "
    "SecretKeyRef:KeyRef FileKeyRef:Any",
    "FieldRef": "APIVersion= FieldPath=",
    "ResourceRef": "ContainerName= Resource= Divisor=",
    "KeyRef": "Name= Key= Optional",
    "Resources": "Limits Requests Claims:Any",
    "Mount": "Name= ReadOnly? RecursiveReadOnly MountPath= SubPath= MountPropagation SubPathExpr=",
    "Probe": "Exec:Exec HTTPGet:HTTPGet TCPSocket:Socket GRPC:GRPC InitialDelaySeconds# "
    "TimeoutSeconds# PeriodSeconds# SuccessThreshold# FailureThreshold# "
    "TerminationGracePeriodSeconds",
    "Exec": "Command",
    "HTTPGet": "Path= Port Host= Scheme= HTTPHeaders:Pair",
    "Pair": "Name= Value=",
    "Sysctl": "Name= Value=",
    "Socket": "Port Host=",
    "GRPC": "Port# Service",
    "Lifecycle": "PostStart:Handler PreStop:Handler StopSignal",
    "Handler": "Exec:Exec HTTPGet:HTTPGet TCPSocket:Socket Sleep:Sleep",
    "Sleep": "Seconds#",
    "Security": "Capabilities:Capabilities Privileged SELinuxOptions:SELinux WindowsOptions:Any "
    "RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount "
    "SeccompProfile:Profile AppArmorProfile:Profile",
    "Capabilities": "Add Drop",
    "SELinux": "User= Role= Type= Level=",
    "Profile": "Type= LocalhostProfile",
    "Named": "Name=",
    "Toleration": "Key= Operator= Value= Effect= TolerationSeconds",
    "HostAlias": "IP= Hostnames",
    "DNSConfig": "Nameservers Searches Options:DNSOption",
    "DNSOption": "Name= Value",
    "Spread": "MaxSkew# TopologyKey= WhenUnsatisfiable= LabelSelector MinDomains "
    "NodeAffinityPolicy NodeTaintsPolicy MatchLabelKeys",
    "Volume": "Name= HostPath:HostPath EmptyDir:EmptyDir GCEPersistentDisk:Any "
    "AWSElasticBlockStore:Any GitRepo:Any Secret:SecretVolume NFS:NFS ISCSI:Any Glusterfs:Any "
    "PersistentVolumeClaim:ClaimVolume RBD:Any Quobyte:Any FlexVolume:Any Cinder:Any CephFS:Any "
    "Flocker:Any DownwardAPI:Downward FC:Any AzureFile:Any ConfigMap:ConfigMapVolume "
    "VsphereVolume:Any AzureDisk:Any PhotonPersistentDisk:Any Projected:Projected "
    "PortworxVolume:Any ScaleIO:Any StorageOS:Any CSI:Any Ephemeral:Any Image:Any",
    "HostPath": "Path= Type",
    "EmptyDir": "Medium= SizeLimit",
    "NFS": "Server= Path= ReadOnly?",
    "SecretVolume": "SecretName= Items:Item DefaultMode Optional",
    "ConfigMapVolume": "Name= Items:Item DefaultMode Optional",
    "ClaimVolume": "ClaimName= ReadOnly?",
    "Downward": "Items:DownwardItem DefaultMode",
    "Item": "Key= Path= Mode",
    "DownwardItem": "Path= FieldRef:FieldRef ResourceFieldRef:ResourceRef Mode",
    "Projected": "Sources:Source DefaultMode",
    "Source": "Secret:Projection DownwardAPI:DownwardProjection ConfigMap:Projection "
    "ServiceAccountToken:Token ClusterTrustBundle:Any PodCertificate:Any",
    "Projection": "Name= Items:Item Optional",
    "DownwardProjection": "Items:DownwardItem",
    "Token": "Audience= ExpirationSeconds# Path=",
    "VolumeSource": "GCEPersistentDisk:Any AWSElasticBlockStore:Any HostPath:HostPath Glusterfs:Any "
    "NFS:NFS RBD:Any Quobyte:Any ISCSI:Any FlexVolume:Any Cinder:Any CephFS:Any FC:Any Flocker:Any "
    "AzureFile:Any VsphereVolume:Any AzureDisk:Any PhotonPersistentDisk:Any PortworxVolume:Any "
    "ScaleIO:Any Local:Local StorageOS:Any CSI:CSI",
    "Local": "Path= FSType",
    "CSI": "Driver= VolumeHandle= ReadOnly? FSType= VolumeAttributes ControllerPublishSecretRef:Any "
    "NodeStageSecretRef:Any NodePublishSecretRef:Any ControllerExpandSecretRef:Any "
    "NodeExpandSecretRef:Any",
    "ClaimSpec": "AccessModes Selector Resources!ClaimResources VolumeName= StorageClassName "
    "VolumeMode DataSource:Reference DataSourceRef:NamespacedReference VolumeAttributesClassName",
    "ClaimResources": "Limits Requests",
    "Reference": "APIGroup Kind= Name=",
    "NamespacedReference": "APIGroup Kind= Name= Namespace",
}
_JSON_NAMES: Mapping[str, str] = {
    "APIGroup": "apiGroup",
    "APIVersion": "apiVersion",
    "AWSElasticBlockStore": "awsElasticBlockStore",
    "CephFS": "cephfs",
    "DNSConfig": "dnsConfig",
    "DNSPolicy": "dnsPolicy",
    "FC": "fc",
    "FSGroup": "fsGroup",
    "FSGroupChangePolicy": "fsGroupChangePolicy",
    "FSType": "fsType",
    "GCEPersistentDisk": "gcePersistentDisk",
    "GRPC": "grpc",
    "HTTPGet": "httpGet",
    "HTTPHeaders": "httpHeaders",
    "IP": "ip",
    "ISCSI": "iscsi",
    "NFS": "nfs",
    "OS": "os",
    "RBD": "rbd",
    "SELinuxChangePolicy": "seLinuxChangePolicy",
    "SELinuxOptions": "seLinuxOptions",
    "StorageOS": "storageos",
    "TCPSocket": "tcpSocket",
    "TTY": "tty",
    "CSI": "csi",
}
_ABSENT: Mapping[str, Any] = {"=": "", "?": False, "#": 0}
# Fields of a pod spec that the server keeps in its security context.
_MOVED = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")


def pod_spec(spec: Object) -> Object:
    """A pod spec as the server's type."""
    security = dict(spec.get("securityContext") or {})
    security |= {name: spec[name] for name in _MOVED if name in spec}
    shown: Object = _shown({**spec, "securityContext": security}, "PodSpec")
    return shown


def security_context(context: Object) -> Object:
    """A container's security context as the server's own type."""
    shown: Object = _shown(context, "Security")
    return shown


def profile(given: Object) -> Object:
    """A profile of seccomp or AppArmor as the server's own type."""
    shown: Object = _shown(given, "Profile")
    return shown


def volume_source(spec: Object) -> Object:
    """Where a PersistentVolume is, as the server's type."""
    shown: Object = _shown(spec, "VolumeSource")
    return shown


def any_value(value: Any) -> Any:
    """A value of a type without fields that could be absent."""
    return _shown(value, "Any")


def claim_spec(spec: Object) -> Object:
    """The spec of a PersistentVolumeClaim as the server's type."""
    shown: Object = _shown(spec, "ClaimSpec")
    return shown


def difference(before: Object, after: Object) -> str:
    """What differs, as lines of a unified diff without its head."""
    left, right = (json.dumps(value, indent=1).split("\n") for value in (before, after))
    lines = list(difflib.unified_diff(left, right, lineterm="", n=3))
    return "".join(f"{line}\n" for line in lines[2:])


def _shown(value: Any, type_: str) -> Any:
    if isinstance(value, list):
        return [_shown(item, type_) for item in value]
    if not isinstance(value, dict):
        return value
    fields = _TYPES.get(type_)
    if fields is None:
        return {name[:1].upper() + name[1:]: _shown(item, "Any") for name, item in value.items()}
    return dict(_field(value, text) for text in fields.split())


def _field(value: Object, text: str) -> tuple[str, Any]:
    for mark in ":!":
        name, found, type_ = text.partition(mark)
        if found:
            given = value.get(_json_name(name), {} if mark == "!" else None)
            return name, None if given is None else _shown(given, type_)
    mark = text[-1]
    if mark in _ABSENT:
        name = text[:-1]
        return name, value.get(_json_name(name), _ABSENT[mark])
    plain = value.get(_json_name(text))
    # Maps are written with their keys in order.
    return text, dict(sorted(plain.items())) if isinstance(plain, dict) else plain


def _json_name(name: str) -> str:
    return _JSON_NAMES.get(name) or name[:1].lower() + name[1:]
