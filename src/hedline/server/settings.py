"""What a server may be told: one frozen record, each field a flag of `hedline serve` and an environment variable."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path

from hedline.errors import UserError
from hedline.files import is_file
from hedline.settings import setting

PREFIX = "HEDLINE_"
LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True)
class ServeSettings:
    """How to serve. Every field `x_y` is the flag `--x-y` and the environment variable `HEDLINE_X_Y`."""

    host: str = setting("127.0.0.1", "Address to listen on; 0.0.0.0 for all of this machine's.")
    port: int = setting(8000, "Port to listen on; 0 takes a free one and prints it.", least=0, most=65535)
    model: str = setting("", "Name or folder of a model, several separated by commas; the first is the default.")
    workers: int = setting(0, "Processes that search; 0 for one per core.", least=0)
    api_key: str = setting("", "Key that clients must send, several separated by commas; better set by its variable.")
    api_key_file: str = setting("", "File of keys, one per line.")
    max_body: int = setting(2_000_000, "Largest request body in bytes; a larger one is answered 413.", least=1_000)
    max_texts: int = setting(1_000, "Most texts in one request; more are answered 413.", least=1)
    max_queue: int = setting(4_000, "Most texts waiting at once; beyond it requests are answered 429.", least=1)
    max_width: int = setting(
        200, "Most hypotheses a request may ask for (beam, or n-best times ten with diversity).", least=1
    )
    rate: float = setting(0.0, "Texts per second for each client (its key, else its address); 0 for no limit.", least=0)
    batch: int = setting(32, "Most texts searched together.", least=1)
    max_wait: float = setting(
        0.003, "Seconds a text may wait for others to be searched with when a worker is free.", least=0
    )
    timeout: float = setting(
        60.0, "Seconds after which a request is given up, and a worker that hangs is replaced.", least=0.1
    )
    grace: float = setting(30.0, "Seconds that requests in flight have to finish after SIGTERM.", least=0)
    cors_origin: str = setting(
        "", "Web origins that may call this server, separated by commas; * for all, empty for none."
    )
    trusted_proxy: str = setting("", "Addresses whose X-Forwarded-For is believed, separated by commas.")
    page: bool = setting(True, "Serve the web page at /.")
    log: str = setting(
        "info", "How much to log: debug, info, warning or error. Texts and keys never are.", choices=LOG_LEVELS
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            value, rules, option = getattr(self, each.name), each.metadata, f"--{each.name.replace('_', '-')}"
            if "least" in rules and not value >= rules["least"]:
                raise UserError(f"{option} must be at least {rules['least']}, not {value}")
            if "most" in rules and value > rules["most"]:
                raise UserError(f"{option} must be at most {rules['most']}, not {value}")
            if "choices" in rules and value not in rules["choices"]:
                raise UserError(f"{option} must be one of {', '.join(rules['choices'])}, not {value!r}")
        if self.max_queue < self.max_texts:
            raise UserError(f"--max-queue ({self.max_queue}) must hold one request of --max-texts ({self.max_texts})")

    @property
    def processes(self) -> int:
        """Worker processes to start."""
        return self.workers or os.cpu_count() or 1

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are accepted; none means that everyone is."""
        given = split_list(self.api_key)
        if not self.api_key_file:
            return given
        path = Path(self.api_key_file)
        if not is_file(path):
            raise UserError(f"there is no key file {self.api_key_file}; write one key per line into it")
        from_file = tuple(
            line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()
        )
        if not from_file:
            raise UserError(f"the key file {self.api_key_file} is empty; write one key per line into it")
        return (*given, *from_file)

    def __repr__(self) -> str:
        """All fields but the keys, so that no log can hold them."""
        shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.name != "api_key")
        return f"ServeSettings({', '.join(shown)})"


def split_list(text: str) -> tuple[str, ...]:
    """The parts of a list that commas separate, without the empty ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def variable(name: str) -> str:
    """The environment variable of a field."""
    return PREFIX + name.upper()
