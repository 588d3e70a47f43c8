"""`crictl` about images: images, rmi, pull."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.images import IMAGES, SHOW
from sregym_cluster_embedded.kubelet.state import RUNNING
from sregym_cluster_embedded.kubelet.usage import pods_on
from sregym_cluster_embedded.machines import MACHINE_CHANGED
from sregym_cluster_embedded.node.system_objects import PAUSE_IMAGE
from sregym_cluster_embedded.userland.host.cri import (
    SHORT,
    image_id,
    images_of,
    reference_of,
    table,
)
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.host.cri import ParsedCommandLine


def images(session: Session, asked: ParsedCommandLine) -> Output:
    """The images of the node."""
    rows = [("IMAGE", "TAG", "IMAGE ID", "SIZE")]
    quiet = ""
    for image, _, size in images_of(session.world, session.process.config.node):
        if asked.operands and asked.operands[0] not in image:
            continue
        name, tag = reference_of(image)
        number = image_id(session, image)
        quiet += f"sha256:{number}\n"
        shown = f"{size / 1e6:.3g}MB" if size < 1e9 else f"{size / 1e9:.3g}GB"
        rows.append((name, tag, number[:SHORT], shown))
    return Output(0, quiet if asked.on("-q", "--quiet") else table(rows))


def rmi(session: Session, asked: ParsedCommandLine) -> Output:
    """Remove images that no container uses; space is free again."""
    world, node = session.world, session.process.config.node
    used = {
        entry.image for pod in pods_on(world, node) for entry in pod.containers.values()
        if entry.phase == RUNNING
    }  # fmt: skip
    known = [image for image, _, _ in images_of(world, node) if image != PAUSE_IMAGE]
    wanted = [
        image for image in known if any(_means(session, one, image) for one in asked.operands)
    ]
    if asked.on("--prune", "-a", "--all"):
        wanted = [image for image in known if image not in used or asked.on("-a", "--all")]
    if not wanted and asked.operands:
        return Output(
            1,
            "",
            f'E0101 "no such image {asked.operands[0]}"\nFATA[0000] unable to remove the image(s)\n',
        )
    out = ""
    for image in wanted:
        del world.table(IMAGES)[(node, image)]
        out += f"Deleted: {':'.join(reference_of(image))}\n"
    if wanted:
        enqueue(world, SHOW, node, 1.0)
        notice = world.service_or_none(MACHINE_CHANGED)
        if notice is not None:
            notice(world, node)
    return Output(0, out)


def _means(session: Session, word: str, image: str) -> bool:
    name, tag = reference_of(image)
    number = word.removeprefix("sha256:")
    same = word in (image, name, f"{name}:{tag}")
    return same or (len(number) >= 4 and image_id(session, image).startswith(number))


def pull(session: Session, asked: ParsedCommandLine) -> Output:
    """Fetch an image."""
    image = asked.operands[-1] if asked.operands else ""
    world, node = session.world, session.process.config.node
    pulled = session.runtime.pull(world, node, image)
    if not pulled.found:
        session.slept_s += pulled.took_s
        why = pulled.error.replace('"', '\\"')
        return Output(
            1,
            "",
            f'E0101 log.go] "PullImage from image service failed" err="{why}" image="{image}"\nFATA[0000] pulling image: {pulled.error}\n',
        )
    world.table(IMAGES)[(node, image)] = (pulled.image_id, pulled.size_bytes)
    enqueue(world, SHOW, node, 1.0)
    return Output(0, f"Image is up to date for sha256:{image_id(session, image)}\n")
