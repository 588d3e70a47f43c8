"""What in a diagnosis speaks for the defect itself, and not for the right place or field alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_oracle_checklist.concepts import JOINT, spaced
from sregym_oracle_checklist.layout import Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_oracle_checklist.passages import Clause
    from sregym_oracle_checklist.profile import Profile

# Names of settings as programs have them: `GRPC_CLIENT_TIMEOUT`, `adFailure`, `env[name=GOGC]`.
_SETTING = re.compile(
    r"(?:(?<![\w.$-])(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+)|(?<=\benv\[name=)\w+)\b"
)
# A switch of the application: the author writes `flag adFailure`, or `flags.adFailure.defaultVariant`.
_FLAG = re.compile(r"\bflags?[ .]([a-z][\w-]*)", re.IGNORECASE)
# So much of what the author says is wrong has to be there, and so much where the text says another thing, too.
_SAID, _SAID_CLEARLY = 0.25, 0.75
_SHORTEST = 3
# The share of the change's words up to which its new value is hardly told.
_LITTLE = 0.3


class Support:
    """Whether what is claimed holds the relation or the new value of one ground truth.

    Args:
        profile: The ground truth.
        claims: What the author holds to be so.
    """

    def __init__(self, profile: Profile, claims: Sequence[Clause]) -> None:
        self._profile = profile
        claims = [c for c in claims if c.section is not Section.EFFECT]
        self._text = JOINT.join(c.text for c in claims)
        told = [c.text for c in claims if c.role != "effect" and not c.repair]
        self._causes = JOINT.join(told)
        self._repairs = JOINT.join(c.text for c in claims if c.repair)

    def figures(self, known: Mapping[str, float]) -> Mapping[str, float]:
        """All of them, each 0 or 1.

        Args:
            known: Figures of the same text: `after`, `before`, `relation`, `relation_own`,
                `relation_other`, `own_words`.
        """
        other = self._other_setting_named() and not known["after"]
        return {
            "unsupported": float(not self._supported(known)),
            "other_name": float(other),
            "value_alone": float(self._value_alone(known)),
            "repair_setting": float(self._other_setting_repaired()),
        }

    @staticmethod
    def _value_alone(known: Mapping[str, float]) -> bool:
        """Whether something that the new value names is told, and another thing to be wrong with it."""
        told = known["after"] and not known["before"] and not known["own_words"]
        little = told and known["detail"] < _LITTLE
        return bool(little and known["relation_other"] and not known["relation"])

    def _other_setting_repaired(self) -> bool:
        """Whether fields are to be set, and none of them is the changed one."""
        set_to = {name.lower() for name in _SETTING.findall(self._repairs)}
        known = f"{self._profile.detail} {' '.join(self._profile.phrases)}".lower()
        spelt = {name: spaced(name).strip() for name in set_to}
        return bool(set_to) and not any(
            name in known or words in spaced(known) for name, words in spelt.items()
        )

    def _supported(self, known: Mapping[str, float]) -> bool:
        if known["after"] or known["own_words"] or known["relation_own"]:
            return True
        if self._profile.change_in(self._text):
            return True
        said = self._profile.says_what_is_wrong(self._causes)
        if known["relation_other"]:
            return said >= _SAID_CLEARLY
        return said >= _SAID or self._setting_named()

    def _settings(self) -> frozenset[str]:
        """Names of the changed setting, as far as programs and not the API give it one."""
        change = self._profile.truth.changed
        sides = f"{change.what} {change.before} {change.after}"
        return self._own_settings() | {name.lower() for name in _SETTING.findall(sides)}

    def _own_settings(self) -> frozenset[str]:
        """Those that stand for one thing; a field like `dnsPolicy` every pod has."""
        what = self._profile.truth.changed.what
        flags = frozenset(name.lower() for name in _FLAG.findall(what) if len(name) > _SHORTEST)
        return flags | {name for name in self._profile.own_names if "_" in name}

    def _setting_named(self) -> bool:
        """Whether the changed setting is named that stands for one thing: what is wrong with it goes without saying."""
        told = self._text.lower()
        return any(name in told for name in self._own_settings())

    def _other_setting_named(self) -> bool:
        """Whether settings are named, and none of them is the changed one."""
        own = self._settings()
        told = {name.lower() for name in _SETTING.findall(self._causes)}
        low = self._text.lower()
        return bool(own and told) and not any(name in low for name in own)
