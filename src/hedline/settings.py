"""Settings classes: frozen dataclasses whose fields say, once, what may be asked for.

    @dataclass(frozen=True)
    class Kettle:
        cups: int = setting(2, "How many cups.", least=1)

`hedline.cli.main.takes` makes the options of a command from them, the server its flags and the fields of a request.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields
from numbers import Real
from typing import Any

from hedline.errors import UserError


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
    """A field of a settings class, with the help of its command-line option.

    choices, least, most: the values it may have; names: how the option is written, where that does not follow from the
    field's name; read: makes the value from the option's text, where the value is not a plain one.
    """
    rules = {"help": help, "choices": choices, "names": names, "least": least, "most": most, "read": read}
    given = {name: value for name, value in rules.items() if value is not None and value != ()}
    return field(default=default, metadata=given)


def check_settings(settings: Any) -> None:
    """Hold every field of a settings class to what its metadata says; None, where it is the default, leaves it open."""
    for each in fields(settings):
        value, rules = getattr(settings, each.name), each.metadata
        if value is None and each.default is None:
            continue
        if rules.get("choices") and value not in rules["choices"]:
            raise UserError(f"{each.name} must be one of {', '.join(rules['choices'])}, not {value!r}")
        if "most" in rules and not is_between(value, rules["least"], rules["most"]):
            raise UserError(
                f"{each.name} must be a number between {rules['least']:g} and {rules['most']:g}, not {value!r}"
            )
        if "least" in rules and "most" not in rules and not is_whole(value, rules["least"]):
            raise UserError(f"{each.name} must be a whole number of at least {rules['least']}, not {value!r}")


def is_whole(value: object, least: float) -> bool:
    """Whether a value is a whole number of at least `least`; true and false are not numbers."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_between(value: object, low: float, high: float) -> bool:
    """Whether a value is a number within bounds; not-a-number and other types are not."""
    return isinstance(value, Real) and not isinstance(value, bool) and low <= float(value) <= high
