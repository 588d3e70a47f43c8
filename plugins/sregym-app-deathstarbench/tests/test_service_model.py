from __future__ import annotations

import json
import shlex
from typing import Any, TypeAlias

from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_apps.model import (
    AnyProgram,
    Client,
    Image,
    LoadGeneratorProgram,
    RegisterStep,
    ServiceModel,
    ServiceProgram,
    parse_reference,
)

Objects: TypeAlias = dict[tuple[str, str], dict[str, Any]]


def image_of(model: ServiceModel, reference: str) -> Image:
    repository, tag = parse_reference(reference)
    (image,) = [
        image
        for image in model.images
        if parse_reference(image.repository)[0] == repository and tag in image.tags
    ]
    return image


def program_of(model: ServiceModel, container: dict[str, Any]) -> tuple[str, AnyProgram]:
    """Name and program that the container runs, by the rules of images."""
    image = image_of(model, container["image"])
    words = container.get("command") or (*image.entrypoint, *container.get("args", image.cmd))
    if words[0] == "/bin/sh":  # a loop around a program
        words = [
            word for word in shlex.split(words[2]) if f"/usr/local/bin/{word}" in image.binaries
        ]
    (name,) = {
        program
        for path, program in image.binaries.items()
        if path.rsplit("/", 1)[-1] == words[0].rsplit("/", 1)[-1]
    }
    return name, model.programs[name]


def programs(hotel: HotelReservation, model: ServiceModel) -> dict[str, tuple[str, AnyProgram]]:
    return {
        obj["metadata"]["name"]: program_of(model, obj["spec"]["template"]["spec"]["containers"][0])
        for obj in hotel.manifests()
        if obj["kind"] == "Deployment"
    }


def test_every_container_runs_a_program_of_the_model(
    hotel: HotelReservation, model: ServiceModel
) -> None:
    found = {workload: name for workload, (name, _) in programs(hotel, model).items()}

    assert found == {
        "consul": "consul",
        "jaeger": "jaeger",
        "hotel-load": "wrk2",
        **{f"memcached-{name}": "memcached" for name in ("profile", "rate", "reserve")},
        **{
            f"mongodb-{name}": "mongod"
            for name in ("geo", "profile", "rate", "recommendation", "reservation", "user")
        },
        **{
            name: name
            for name in (
                "frontend",
                "geo",
                "profile",
                "rate",
                "recommendation",
                "reservation",
                "search",
                "user",
            )
        },
    }


def test_every_key_of_a_configuration_is_read_by_its_program(
    hotel: HotelReservation, model: ServiceModel, objects: Objects
) -> None:
    unread = {}
    for name, program in model.programs.items():
        if ("ConfigMap", f"{name}-config") in objects:
            keys = json.loads(objects["ConfigMap", f"{name}-config"]["data"]["config.json"])
            unread[name] = set(keys) - {setting.key for setting in program.config.values()}

    # The real frontend and search read the domain name, and an empty one changes nothing.
    assert unread == {
        **{
            key: set()
            for key in ("geo", "profile", "rate", "recommendation", "reservation", "user")
        },
        "frontend": set(),
        "search": {"KnativeDomainName"},
    }


def test_the_port_a_program_listens_on_is_that_of_its_service(
    hotel: HotelReservation, model: ServiceModel, objects: Objects
) -> None:
    image = image_of(model, "yinfangchen/hotelreservation:latest")
    built_in = json.loads(image.files[f"{image.working_dir}/config.json"])
    for name, (_, program) in programs(hotel, model).items():
        if isinstance(program, ServiceProgram) and ("ConfigMap", f"{name}-config") in objects:
            config = json.loads(objects["ConfigMap", f"{name}-config"]["data"]["config.json"])
            key = program.config["port"].key
            assert key is not None
            port = hotel.component(name).ports[0].container_port  # type: ignore[union-attr]
            assert (config[key], built_in[key]) == (str(port), str(port))


def test_the_built_in_configuration_equals_that_of_the_config_maps(
    model: ServiceModel, objects: Objects
) -> None:
    image = image_of(model, "yinfangchen/hotelreservation:latest")
    mounted: dict[str, str] = {}
    for (kind, name), obj in objects.items():
        if kind == "ConfigMap" and name.endswith("-config") and "config.json" in obj["data"]:
            mounted |= json.loads(obj["data"]["config.json"])

    assert json.loads(image.files[f"{image.working_dir}/config.json"]) == mounted


def test_callers_are_those_of_the_clients(
    hotel: HotelReservation, model: ServiceModel, objects: Objects
) -> None:
    registered = {
        step.name: name
        for name, (_, program) in programs(hotel, model).items()
        if isinstance(program, ServiceProgram)
        for step in program.startup
        if isinstance(step, RegisterStep)
    }
    callers: dict[str, set[str]] = {part.name: set() for part in hotel.components()}
    for name, (_, program) in programs(hotel, model).items():
        if isinstance(program, LoadGeneratorProgram):
            callers["frontend"].add(name)
        if not isinstance(program, ServiceProgram) or not program.clients:
            continue
        config = json.loads(objects["ConfigMap", f"{name}-config"]["data"]["config.json"])
        for client in program.clients.values():
            callers[_target(client, program, config, registered)].add(name)
        callers["jaeger"].add(name)

    assert {part.name: set(part.callers) for part in hotel.components()} == callers


def _target(
    client: Client, program: ServiceProgram, config: dict[str, str], registered: dict[str, str]
) -> str:
    if client.registry is not None:
        return registered[client.name]
    setting = program.config[client.address.strip("${}")]
    assert setting.key is not None
    return config[setting.key].partition(":")[0]


def test_operations_of_the_load_are_those_of_the_site(model: ServiceModel) -> None:
    load, site = model.programs["wrk2"], model.programs["frontend"]
    assert isinstance(load, LoadGeneratorProgram)
    assert isinstance(site, ServiceProgram)

    assert list(load.mix) == list(site.operations) == list(model.entry_points)
    usual = {
        name: load.config[entry.weight.strip("${}")].default for name, entry in load.mix.items()
    }
    assert usual == {"hotels": "60", "recommendations": "39", "user": "0.5", "reservation": "0.5"}


def test_clients_of_stores_with_accounts_use_the_accounts(
    hotel: HotelReservation, model: ServiceModel
) -> None:
    for part in hotel.components():
        for account in part.accounts:
            for user in account.used_by:
                program = model.programs[user]
                assert isinstance(program, ServiceProgram)
                mongo = program.clients["mongo"]
                assert (mongo.user, mongo.password, mongo.auth_database, mongo.database) == (
                    account.user,
                    account.password,
                    account.auth_database,
                    account.database,
                )
