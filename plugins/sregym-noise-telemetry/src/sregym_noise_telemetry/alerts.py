"""Alerts that mean nothing: of in-house services whose thresholds nobody tuned, in all severities.

They are posted to Alertmanager by others than the cluster's Prometheus, as in most companies.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar

from sregym_injectors.noise import Disturbance, Schedule
from sregym_injectors.noise.targets import disturbable_components, workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_injectors.noise import Occurrence

NO_ALERTMANAGER = "there is no Alertmanager that takes alerts"


@dataclass(frozen=True)
class Row:
    """One kind of alert.

    Attributes:
        name: Label `alertname`.
        severity: Its severity.
        about: `component`, `node` or `outside`.
        summary: With `{}` for whom it is about.
        source: Who posts it.
    """

    name: str
    severity: str
    about: str
    summary: str
    source: str


GRAFANA = "https://grafana.example.com/alerting/grafana"
PINGDOM = "https://checks.example.com"
CI = "https://ci.example.com/pipelines"
ROWS = (
    Row("ErrorBudgetBurnSlow", "info", "component", "{} burns its budget of 30 days by 1.1", GRAFANA),
    Row("LatencyAnomaly", "warning", "component", "Latency of {} is 3 sigma off its week", GRAFANA),
    Row("LogVolumeAnomaly", "info", "component", "{} logs more than it did last week", GRAFANA),
    Row("SyntheticCheckFailed", "critical", "component", "1 of 12 regions could not reach {}", PINGDOM),
    Row("ImageScanFindings", "warning", "component", "Image of {} has 3 findings, 1 high", CI),
    Row("DeploymentFrequencyLow", "info", "component", "{} was not deployed for 30 days", CI),
    Row("NodeFilesystemPrediction", "warning", "node", "Disk of {} may be full in 24 days", GRAFANA),
    Row("NodeClockSkewDetected", "warning", "node", "Clock of {} is off by 0.06 s", GRAFANA),
    Row("NodeCPUStealHigh", "critical", "node", "Steal on {} is above 2 percent", GRAFANA),
    Row("CertificateExpirySoon", "warning", "outside", "Certificate of {} ends in 29 days", PINGDOM),
    Row("VendorStatusDegraded", "critical", "outside", "Status page of {} reports an incident", PINGDOM),
    Row("CostAnomaly", "info", "outside", "Spend on {} is 12 percent above forecast", CI),
    Row("BackupTooOld", "warning", "outside", "Last backup of {} is older than 26 hours", CI),
)  # fmt: skip
OUTSIDE = ("billing-export", "mail-relay", "cdn", "status-page", "data-warehouse", "vpn-gateway")


class AlertNoise(Disturbance):
    """What sources of false alerts have in common."""

    family: ClassVar[str] = "alerts"
    severities: ClassVar[Sequence[Sequence[str]]] = (
        ("info", "warning"),
        ("info", "warning", "critical"),
        ("info", "warning", "critical"),
    )

    def post(self, occurrence: Occurrence, chance: Random) -> str:
        """One alert of the table."""
        known = [row for row in ROWS if row.severity in occurrence.by_level(*self.severities)]
        row = chance.choice(known)
        subjects = _subjects(occurrence, row.about)
        if not subjects:
            return ""
        subject = chance.choice(subjects)
        labels = {"alertname": row.name, "severity": row.severity, _LABEL[row.about]: subject}
        annotations = {"summary": row.summary.format(subject)}
        if not occurrence.alert(labels, annotations, row.source):
            return NO_ALERTMANAGER
        occurrence.note(subject)
        return f"{row.severity} alert {row.name} about {subject}"


class FalseAlerts(AlertNoise):
    """Several different alerts at once, more with each level."""

    name: ClassVar[str] = "false-alerts"
    title: ClassVar[str] = "alerts that mean nothing, of all severities"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(90.0, 240.0), lasts_s=(180.0, 600.0))

    def begin(self, occurrence: Occurrence) -> str:
        """1, 2 or 4."""
        said = [
            self.post(occurrence, occurrence.chance) for _ in range(occurrence.by_level(1, 2, 4))
        ]
        return "; ".join(dict.fromkeys(filter(None, said)))


class AlertFlapping(AlertNoise):
    """The same alert fires and is over, again and again."""

    name: ClassVar[str] = "alert-flapping"
    title: ClassVar[str] = "one alert fires and is over, again and again"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(40.0, 90.0), lasts_s=(30.0, 90.0))

    def begin(self, occurrence: Occurrence) -> str:
        """The seed alone says which."""
        return self.post(occurrence, Random(f"what flaps, seed {occurrence.context.seed}"))  # noqa: S311


_LABEL = {"component": "service", "node": "node", "outside": "target"}


def _subjects(occurrence: Occurrence, about: str) -> list[str]:
    if about == "component":
        return [part.name for part in disturbable_components(occurrence.context)]
    if about == "node":
        return workers(occurrence.context)
    return list(OUTSIDE)
