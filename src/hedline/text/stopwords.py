"""English function words: what overlap, repeat blocking and support do not count as content."""

from __future__ import annotations

_LISTING = """
a an the and or but nor of to in on at by for from with without into onto over under after before as is are
was were be been being has have had do does did will would can could may might shall should must not no it
its he she they them his her their this that these those who whom which what when where why how than then so
if up down out off about against between during while s t re ve ll d m i you we our your my me us
"""

FUNCTION_WORDS: frozenset[str] = frozenset(_LISTING.split())
