from __future__ import annotations

from importlib.resources import files

from sregym_app_train_ticket.application import TrainTicket
from sregym_core.problems import parse_problem

FOLDER = files("sregym_app_train_ticket") / "problems"


def test_problems_and_what_they_break() -> None:
    shop, broken = TrainTicket(), {}
    for file in sorted(FOLDER.iterdir(), key=lambda file: file.name):
        problem = parse_problem(file.read_text(encoding="utf-8"), file.name)
        assert file.name == f"{problem.id}.yaml"
        broken[problem.id] = [(fault.fault, fault.target) for fault in problem.faults]
        for name in (name for fault in problem.faults for name in fault.components):
            assert shop.component(name) is not None
    stores = {
        "contacts_store_locked": [("lock-held", "ts-contacts-mysql")],
        "contacts_store_read_only": [("server-mode", "ts-contacts-mysql")],
        "train_store_password_rotated": [("password-rotated", "ts-train-mongo")],
    }
    assert stores.items() <= broken.items()
