"""Settings classes: frozen dataclasses whose fields say, once, what may be asked for.

    @dataclass(frozen=True)
    class Kettle:
        cups: int = setting(2, "How many cups.", least=1)

`hedline.cli.main.expanded` makes the options of a command from them, the server its flags and the fields of a request;
`decoding.options.check_settings` holds values to the limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, field, fields
from typing import Any

REQUIRED: Any = MISSING  # the default of a field that must be given


def setting(
    default: Any,
    help: str,
    *,
    choices: tuple[str, ...] = (),
    least: float | None = None,
    most: float | None = None,
    names: tuple[str, ...] = (),
    read: Callable[[str], Any] | None = None,
) -> Any:
    """A field of a settings class, with the help of its command-line option; a default of REQUIRED: it must be given.

    choices, least, most: the values it may have; names: how the option is written, where that does not follow from the
    field's name; read: makes the value from the option's text, where the value is not a plain one.
    """
    rules = {"help": help, "choices": choices, "names": names, "least": least, "most": most, "read": read}
    given = {name: value for name, value in rules.items() if value is not None and value != ()}
    return field(default=default, metadata=given)


def again(kind: type, name: str, help: str = "") -> Any:
    """A field that another settings class has stated: its default and limits, and its help where no other is given."""
    (stated,) = [each for each in fields(kind) if each.name == name]
    rules = {**stated.metadata, "help": help or stated.metadata["help"]}
    return field(default=stated.default, metadata=rules)
