"""Builds that exist and can be pulled, but do not work where they are put."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.model import FailureMode
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange
from typing_extensions import override

from sregym_injector_kubernetes.image_reference import ImageReference
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import Component, ObjectRef


class BuildParameters(TemplateParameters):
    """Parameters.

    Attributes:
        image: The build; empty: the one that the application's notes on the component name.
    """

    image: str = ""


class _OtherBuild(PodTemplateFault):
    """Base: another build of a container's image."""

    lack: ClassVar[str]
    expected: ClassVar[str] = "a build that works"

    class Parameters(BuildParameters):
        """As for all."""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        known = self.lack in component.builds
        return "" if known else f"no {self.lack} build of its image is known"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, wrong = context.component, self._wrong(context)
        what = f"containers[name={component.container}].image"
        return TemplateChange(what, wrong, component.image, container={"image": wrong})

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        found = str(live.container.get("image", ""))
        wrong = ImageReference.parse(self._wrong(context))
        return [f"has image {found}"] if ImageReference.parse(found).same_image(wrong) else []

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"image {self._wrong(context)}",)

    def _wrong(self, context: FaultContext) -> str:
        component = context.component
        wrong = context.parameters.image or component.builds.get(self.lack, "")
        if not wrong:
            msg = (
                f"no {self.lack} build of component {component.name!r} is known; name one with the "
                "parameter image"
            )
            raise UsageError(msg)
        return str(wrong)


class PullRefused(_OtherBuild):
    """Takes an image from a registry that cannot be reached."""

    name: ClassVar[str] = "pull-refused"
    title: ClassVar[str] = "Image comes from a registry that is not there"
    layer: ClassVar[str] = "kubernetes"
    mechanism: ClassVar[str] = "registry-unreachable"
    phrases: ClassVar[tuple[str, ...]] = (
        "wrong image registry",
        "image registry cannot be reached",
        "registry does not exist",
        "registry host cannot be resolved",
        "image reference names a wrong registry",
        "mirror of the registry is gone",
    )
    symptoms: ClassVar[tuple[str, ...]] = (
        "pod does not start",
        "image cannot be pulled",
        "ImagePullBackOff",
        "ErrImagePull",
    )

    class Parameters(_OtherBuild.Parameters):
        """Parameters.

        Attributes:
            registry: Host that is put before the image's repository.
        """

        registry: str = Field(
            default="mirror.registry.internal", pattern=r"[a-z0-9.-]+\.[a-z]+(:[0-9]+)?"
        )

    @override
    def mismatch_reason(self, component: Component) -> str:
        return PodTemplateFault.mismatch_reason(self, component)

    @override
    def _wrong(self, context: FaultContext) -> str:
        if context.parameters.image:
            return str(context.parameters.image)
        host, slash, rest = context.component.image.partition("/")
        named = slash and ("." in host or ":" in host)
        repository = rest if named else context.component.image
        return f"{context.parameters.registry}/{repository}"


class ImageIncompatible(_OtherBuild):
    """Puts a build or version in place that cannot work with the component's data or peers."""

    name: ClassVar[str] = "image-incompatible"
    title: ClassVar[str] = "Build does not fit its data or its peers"
    layer: ClassVar[str] = "application"
    lack: ClassVar[str] = "incompatible"
    mechanism: ClassVar[str] = "image-incompatible"
    phrases: ClassVar[tuple[str, ...]] = (
        "incompatible image",
        "incompatible version",
        "wrong image version",
        "image version is too new for the data files",
        "image was upgraded to an incompatible version",
        "major version upgrade is not compatible",
        "image belongs to another application",
        "image does not have the program",
        "incompatible upgrade",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("container does not start", "CrashLoopBackOff")


class BuggyBuild(_OtherBuild):
    """Rolls a build with a defect out."""

    name: ClassVar[str] = "buggy-build"
    title: ClassVar[str] = "Build with a defect"
    layer: ClassVar[str] = "application"
    lack: ClassVar[str] = "buggy"
    mechanism: ClassVar[str] = "buggy-image"
    phrases: ClassVar[tuple[str, ...]] = (
        "buggy image",
        "buggy build",
        "image with a bug",
        "wrong image version",
        "bad build was rolled out",
        "faulty release",
        "image has a wrong default configuration",
        "new build is defective",
        "image was changed to a defective build",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("container ends after its start", "CrashLoopBackOff")


class Leak(_OtherBuild):
    """Rolls a build out whose memory grows for as long as it runs."""

    name: ClassVar[str] = "leak"
    title: ClassVar[str] = "Build that keeps what it should give back"
    layer: ClassVar[str] = "application"
    lack: ClassVar[str] = "leaking"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    mechanism: ClassVar[str] = "memory-leak-in-build"
    phrases: ClassVar[tuple[str, ...]] = (
        "memory leak",
        "leaking build",
        "build leaks memory",
        "release with a memory leak",
        "new image leaks memory",
        "memory leak in the new build",
        "memory leak introduced by the new image",
        "memory leak of the new version",
        "slow memory leak",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("OOMKilled", "memory grows", "restarts again and again")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        limited = bool(component.memory_limit)
        return "" if limited else "its container has no memory limit that it could meet"


class FanOut(_OtherBuild):
    """Rolls a build out that makes a call for each thing that it made one for all of before."""

    name: ClassVar[str] = "fan-out"
    title: ClassVar[str] = "Build that makes many calls instead of one"
    layer: ClassVar[str] = "application"
    lack: ClassVar[str] = "fanning-out"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW, FailureMode.CASCADING)
    mechanism: ClassVar[str] = "fan-out-in-build"
    phrases: ClassVar[tuple[str, ...]] = (
        "N+1 calls",
        "N+1 query problem",
        "fan-out of calls",
        "request fan-out",
        "call amplification",
        "one call per item instead of a batch",
        "release makes too many calls",
        "new build calls its dependency many times per request",
        "chatty calls",
        "no batching of calls",
        "new image multiplies calls",
    )
    symptoms: ClassVar[tuple[str, ...]] = (
        "latency rises",
        "requests time out",
        "callee is overloaded",
    )


class ProtocolSkew(_OtherBuild):
    """Rolls a build out that speaks another protocol than those who call it."""

    name: ClassVar[str] = "protocol-skew"
    title: ClassVar[str] = "Build that speaks another protocol than its callers"
    layer: ClassVar[str] = "application"
    lack: ClassVar[str] = "skewed"
    mechanism: ClassVar[str] = "protocol-skew"
    phrases: ClassVar[tuple[str, ...]] = (
        "protocol mismatch",
        "protocol version mismatch",
        "version skew between client and server",
        "incompatible protocol",
        "incompatible release",
        "server speaks another protocol",
        "build speaks a different protocol than its callers",
        "RPC framework mismatch",
        "wrong image",
        "wrong image version",
        "new build breaks its API",
        "breaking change of the wire protocol",
    )
    symptoms: ClassVar[tuple[str, ...]] = (
        "calls fail",
        "requests fail",
        "pods are ready all the same",
    )


class FallbackMissing(_OtherBuild):
    """Rolls a build out that cannot do without its cache, while the cache is away."""

    name: ClassVar[str] = "fallback-missing"
    title: ClassVar[str] = "Build that cannot do without what it did without before"
    layer: ClassVar[str] = "application"
    lack: ClassVar[str] = "hard-dependency"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.CASCADING,)
    mechanism: ClassVar[str] = "fallback-missing"
    phrases: ClassVar[tuple[str, ...]] = (
        "missing fallback",
        "no fallback when the cache is down",
        "soft dependency became a hard dependency",
        "cache became a hard dependency",
        "build does not start without its cache",
        "release fails when the cache is unavailable",
        "no graceful degradation",
        "service cannot degrade gracefully",
        "new build requires the cache",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("CrashLoopBackOff", "requests fail")

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        for ref in _caches(context):
            edits.patch(ref, {"spec": {"replicas": 0}}, "merge")
        super().inject(context)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        back = []
        for ref in _caches(context):
            replicas = manifest_of(context.application, ref)["spec"].get("replicas", 1)
            back += [commands.scale(ref, replicas), commands.rollout_status(ref)]
        return (*back, *super().reference_fix(context))


def _caches(context: FaultContext) -> list[ObjectRef]:
    """Workloads of the caches that only this component asks."""
    return [
        part.workload
        for part in context.application.components()
        if part.kind == "cache" and part.callers == (context.component.name,)
    ]
