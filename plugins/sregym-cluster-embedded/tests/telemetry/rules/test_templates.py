"""Templates of labels and annotations."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.telemetry.rules.templates import expanded

LABELS = {"pod": "web-0", "namespace": "shop"}


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("plain", 1.0, "plain"),
        ("{{ $labels.pod }}/{{.Labels.namespace}}", 1.0, "web-0/shop"),
        ("{{ $labels.nothing }}", 1.0, ""),
        ("{{ $labels }}", 1.0, "map[namespace:shop pod:web-0]"),
        ("{{ $value }}", 0.25, "0.25"),
        ("{{ .Value }}", 3.0, "3"),
        ("{{ $value }}", 1e25, "1e+25"),
        ("{{ $value | humanize }}", 1234567.0, "1.235M"),
        ("{{ humanize $value }}", 0.0123, "12.3m"),
        ("{{ $value | humanize }}", 0.0, "0"),
        ("{{ $value | humanize1024 }}", 1048576.0, "1Mi"),
        ("{{ $value | humanizePercentage }}", 0.12345, "12.35%"),
        ("{{ $value | humanizeDuration }}", 3725.0, "1h 2m 5s"),
        ("{{ $value | humanizeDuration }}", 90061.0, "1d 1h 1m 1s"),
        ("{{ $value | humanizeDuration }}", 0.25, "250ms"),
        ('{{ printf "%.1f of %s" $value $labels.pod }}', 2.0, "2.0 of web-0"),
        ("{{ $labels.pod | toUpper }}", 2.0, "WEB-0"),
        ("{{ $value }}", 1234567.0, "1.234567e+06"),
        ("{{ if gt $value 1.0 }}{{ $labels.pod }} high{{ else }}fine{{ end }}", 2.0, "web-0 high"),
        (
            "{{ range $name, $text := $labels }}{{ $name }}={{ $text }} {{ end }}",
            2.0,
            "namespace=shop pod=web-0 ",
        ),
        (
            '{{ reReplaceAll "(.*)-0" "$1" $labels.pod }} {{ match "^web" $labels.pod }}',
            2.0,
            "web true",
        ),
        ('{{- "a\\"b" -}}', 2.0, 'a"b'),
    ],
)
def test_expansion(template: str, value: float, text: str) -> None:
    assert expanded(template, LABELS, value) == text


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (
            "{{ humanize $labels.pod }}",
            '1:115: executing "__alert_Slow" at <humanize $labels.pod>: error calling humanize: '
            'strconv.ParseFloat: parsing "web-0": invalid syntax',
        ),
        (
            "{{ $value.x }}",
            '1:121: executing "__alert_Slow" at <$value.x>: can\'t evaluate field x in type '
            "float64",
        ),
    ],
)
def test_what_cannot_be_expanded_says_so(template: str, said: str) -> None:
    head = (
        "<error expanding template: error executing template __alert_Slow: template: __alert_Slow:"
    )
    assert expanded(template, LABELS, 2.0, "Slow") == f"{head}{said}>"
