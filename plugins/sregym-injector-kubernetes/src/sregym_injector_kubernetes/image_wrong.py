"""A workload asks for an image tag that no registry has."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import Change, Check, Component, ComponentPart, GroundTruth
from sregym_injectors.component_fault import not_custom, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.restarts import TemplateParameters, clients_of
from sregym_injectors.rollouts import chosen_rollout
from sregym_injectors.templates import TemplateFault, change_container, repair_commands
from sregym_injectors.workloads import (
    examined_container,
    restart_rollout,
    rolled_out,
)
from typing_extensions import override

from sregym_injector_kubernetes.image_reference import ImageReference, mistyped
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext


class ImageWrong(TemplateFault):
    """Changes the tag of a container's image and restarts the pods."""

    name: ClassVar[str] = "image-wrong"
    title: ClassVar[str] = "Image tag does not exist"
    layer: ClassVar[str] = "kubernetes"
    parts: ClassVar[tuple[ComponentPart, ...]] = (ComponentPart.CONTAINER,)

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            tag: A tag that the registry does not have; empty: the right one mistyped.
        """

        tag: str = Field(default="", pattern=r"^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$")

    @override
    def mismatch_reason(self, component: Component) -> str:
        return not_load(component) or not_custom(component)

    @override
    def inject(self, context: FaultContext) -> None:
        edits, component = Edits(context), context.component
        change_container(
            edits, component, {"image": _wrong_image(context)}, chosen_rollout(context)
        )
        restart_rollout(edits, clients_of(context))

    @override
    def present(self, context: FaultContext) -> Check:
        expected = f"image {context.component.image}"
        return defect_check(expected, _defects(context))

    @override
    def broken_template(self, context: FaultContext) -> GroundTruth:
        component, after = context.component, _wrong_image(context)
        return truth_of(
            context,
            component.workload,
            "image-tag-not-found",
            (
                "wrong image tag",
                "incorrect image tag",
                "image tag does not exist",
                "image does not exist",
                "non-existent image",
                "non-existent image tag",
                "image not found",
                "tag not found in the registry",
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
        repair = commands.set_image(component.workload, component.container, component.image)
        return (
            *repair_commands(context.application, component, repair, chosen_rollout(context)),
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
