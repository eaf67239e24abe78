"""Checkpoints: one safetensors file with every tensor of the training and, in its header, the rest as JSON.

One file is written whole or not at all, so an interruption leaves the old checkpoint or the new one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import hedline
from hedline.errors import UserError
from hedline.files import atomic_path

NAME = "checkpoint.safetensors"
FORMAT = 1


def save_checkpoint(folder: Path, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
    """Write the checkpoint of a model folder. facts: anything JSON can hold."""
    from safetensors.torch import save_file

    whole = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    facts = {"format": FORMAT, "version": hedline.__version__, **facts}
    with atomic_path(folder / NAME) as temporary:
        try:
            save_file(whole, os.fspath(temporary), {"facts": json.dumps(facts)})
        except OSError:
            raise
        except Exception as error:  # safetensors wraps a full disk in an error type of its own
            raise OSError(str(error)) from error


def load_checkpoint(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and facts of a model folder's checkpoint."""
    from safetensors import safe_open

    path = folder / NAME
    if not path.is_file():
        raise UserError(f"there is no checkpoint in {folder} to resume from; train without --resume")
    try:
        with safe_open(os.fspath(path), framework="pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # safetensors has an error type of its own for damaged files
        raise UserError(f"{path} is damaged ({error}); train again without --resume") from None
    if facts.get("format") != FORMAT:
        raise UserError(
            f"{path} was written by hedline {facts.get('version')}, which this version ({hedline.__version__}) "
            "cannot continue; use that version or train again"
        )
    return tensors, facts


def pick(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors under a prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def random_state(device: torch.device) -> dict[str, Tensor]:
    """The state of torch's random generators."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return states


def restore_random_state(states: dict[str, Tensor], device: torch.device) -> None:
    """Put the generators back."""
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)
