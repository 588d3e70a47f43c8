"""A workload asks for an image tag that no registry has."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import Change, Check, Component, GroundTruth
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.truths import truth_of
from sregym_injectors.workloads import examined_container, rolled_out, scaled_to_zero
from typing_extensions import override

from sregym_injector_kubernetes.image_reference import ImageReference, mistyped
from sregym_injector_kubernetes.restarts import ClientParameters, clients_of
from sregym_injectors import commands, scope


class ImageWrong(Fault):
    """Changes the tag of the main container's image and starts the pods anew."""

    name: ClassVar[str] = "image-wrong"
    title: ClassVar[str] = "Image tag does not exist"
    layer: ClassVar[str] = "kubernetes"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            tag: A tag that the registry does not have; empty: the right one mistyped.
        """

        tag: str = Field(default="", pattern=r"^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$")

    @override
    def fits(self, component: Component) -> bool:
        return component.kind != scope.LOAD and bool(component.image)

    @override
    def inject(self, context: FaultContext) -> None:
        edits, component = Edits(context), context.component
        container = {"name": component.container, "image": _wrong_image(context)}
        patch = {"spec": {"template": {"spec": {"containers": [container]}}}}
        with scaled_to_zero(edits, (component.workload, *clients_of(context))):
            edits.patch(component.workload, patch, "strategic")

    @override
    def present(self, context: FaultContext) -> Check:
        expected = f"image {context.component.image}"
        return defect_check(expected, _defects(context))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component, after = context.component, _wrong_image(context)
        return truth_of(
            context,
            component.workload,
            "image-tag-not-found",
            (
                "wrong image",
                "wrong image tag",
                "incorrect image",
                "incorrect image tag",
                "image tag does not exist",
                "image does not exist",
                "non-existent image",
                "non-existent image tag",
                "image not found",
                "tag not found in the registry",
                "image cannot be pulled",
                "image pull failure",
                "fails to pull its image",
                "ImagePullBackOff",
                "ErrImagePull",
                "mistyped image tag",
                "typo in the image tag",
                "invalid image reference",
                "bad image tag",
                f"image {after}",
            ),
            Change(
                what=f"containers[name={component.container}].image",
                before=component.image,
                after=after,
            ),
            "pod does not start",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component = context.component
        return (
            commands.set_image(component.workload, component.container, component.image),
            commands.rollout_status(component.workload),
            *commands.restart_and_wait(clients_of(context)),
        )


def _wrong_image(context: FaultContext) -> str:
    right = ImageReference.parse(context.component.image)
    tag = context.parameters.tag or mistyped(right.tag)
    return str(ImageReference(right.repository, tag))


def _defects(context: FaultContext) -> list[str]:
    component, ref = context.component, context.component.workload
    container, defects = examined_container(context.cluster, ref, component.container)
    if defects:
        return defects
    found = ImageReference.parse(container["image"])
    right = ImageReference.parse(component.image)
    if found.digest and not found.tag and found.same_repository(right):
        # Nothing to compare the digest with, but pods that are ready have found it.
        workload = context.cluster.get(ref)
        running = workload is not None and rolled_out(workload)
        return [] if running else [f"{ref} has not rolled out {container['image']}"]
    return [] if found.same_image(right) else [f"{ref} has image {container['image']}"]
