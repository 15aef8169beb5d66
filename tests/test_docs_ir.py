"""docs/ir.md shows what the compiler makes of its programs."""

import re

from tests.golden import cases, document


def test_each_text_of_the_ir_is_what_the_compiler_makes_now():
    text = document.differences()
    assert not text, f"{text}\n\nIf this is what it should be, {cases.REFRESH}."


def test_every_stage_is_walked_through():
    text = document.PATH.read_text(encoding="utf-8")
    shown = {block["asked"].split()[-1] for block in document._BLOCK.finditer(text) if block["asked"]}
    assert shown >= {*cases.IR_STAGES, "parsed", "source"}


def test_a_text_that_is_out_of_date_is_found_and_mended():
    text = document.PATH.read_text(encoding="utf-8")
    stale = text.replace("turn()", "turned()")
    assert stale != text and document.regenerated(stale).count("turn()") >= text.count("  turn()\n")


def test_values_that_are_spoken_of_are_shown():
    """A name such as `%v.4` in a section's prose is in one of its texts."""
    for section in document.PATH.read_text(encoding="utf-8").split("\n## ")[3:]:
        for part in section.split("\n### "):
            shown = "".join(block["text"] or "" for block in document._BLOCK.finditer(part))
            prose = document._BLOCK.sub("", part)
            spoken = set() if prose.startswith("What only") else set(re.findall(r"`(%[\w.]+)`", prose))
            assert not {name for name in spoken if not re.search(re.escape(name) + r"\b", shown)}, part
