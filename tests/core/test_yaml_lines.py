from __future__ import annotations

import pytest
import yaml
from sregym_core.model.yaml_lines import line_of

TEXT = """\
# a comment
title: x
faults:
  - fault: a
    with:
      port: 1
  - fault: b
"""


@pytest.mark.parametrize(
    ("location", "line"),
    [
        ((), 2),
        (("title",), 2),
        (("faults", 0, "with", "port"), 6),
        (("faults", 1, "fault"), 7),
        (("faults", 1, "target"), 7),
        (("faults", 5), 3),
        (("title", 0), 2),
        (("absent", "title"), 2),
    ],
)
def test_the_innermost_part_that_is_there_has_a_line(location, line):
    assert line_of(yaml.compose(TEXT, yaml.SafeLoader), location) == line


def test_an_empty_text_has_a_first_line():
    assert line_of(yaml.compose("", yaml.SafeLoader), ("title",)) == 1
