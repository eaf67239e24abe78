"""`hedline train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.errors import UserError, require


def train(
    data: Annotated[Path, typer.Argument(help="A data folder made by `hedline prepare`.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the model folder goes.")],
    encoder: Annotated[str, typer.Option(help="none, bow, conv or attention.")] = "attention",
    decoder_model: Annotated[str, typer.Option(help="nnlm (the paper's), rnn, lstm or transformer.")] = "nnlm",
    preset: Annotated[
        str, typer.Option(help="best; fast (the paper's model, quickly); paper (plain SGD as published).")
    ] = "best",
    base: Annotated[
        str | None, typer.Option("--from", help="Train this model further (name or folder); its architecture is kept.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on from the checkpoint in --out.")] = False,
    epochs: Annotated[int | None, typer.Option(help="Passes over the data at most.")] = None,
    batch: Annotated[int | None, typer.Option(help="Headlines (or --batch-of triples, tokens) in a step.")] = None,
    batch_of: Annotated[str | None, typer.Option(help="headlines, triples or tokens.")] = None,
    lr: Annotated[float | None, typer.Option(help="Highest learning rate.")] = None,
    dropout: Annotated[float | None, typer.Option(help="Share of units dropped in training.")] = None,
    label_smoothing: Annotated[float | None, typer.Option(help="Share of probability spread over all words.")] = None,
    seed: Annotated[int | None, typer.Option(help="Fixes everything on a CPU.")] = None,
    precision: Annotated[str | None, typer.Option(help="auto, float32 or bf16.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds; the schedule ends with them.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="name=value, any setting of training or architecture.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    data_on_device: Annotated[bool, typer.Option(help="Keep the whole data in GPU memory.")] = True,
    checkpoint_minutes: Annotated[float, typer.Option(help="Between checkpoints; 0 writes none.")] = 10.0,
    samples: Annotated[int, typer.Option(help="Headlines shown after each epoch.")] = 3,
    tensorboard: Annotated[bool, typer.Option(help="Write scalars for TensorBoard into the model folder.")] = False,
) -> None:
    """Train a model on prepared data; sizes follow the data unless you give them.

    On a CPU so do the epochs, so that two cores need no more than about 13 minutes for up to 250,000 pairs with 10,000
    output words (`prepare --output-words 10000`); --time-limit sets another end.

    \b
    Examples:
      hedline train data --out model
      hedline train data --out abs --encoder attention --preset paper
      hedline train data --out bow --encoder bow --preset fast --time-limit 600
      hedline train data --out lstm --decoder-model lstm --epochs 8 --set D=128 --set H=256
      hedline train data --out abs --resume
      hedline prepare mine.csv --out mine --vocabulary-from abs && hedline train mine --out own --from abs
      torchrun --nproc-per-node 4 -m hedline train data --out abs
    """
    from hedline.api import find_model

    named = {"epochs": epochs, "batch": batch, "batch_of": batch_of, "lr": lr, "dropout": dropout, "seed": seed}
    named |= {"label_smoothing": label_smoothing, "precision": precision, "time_limit": time_limit}
    settings = {name: value for name, value in named.items() if value is not None} | pairs_of(setting or [])
    where = {"device": device, "data_on_device": data_on_device, "checkpoint_minutes": checkpoint_minutes}
    shown = {"samples": samples, "tensorboard": tensorboard, "base": find_model(base) if base else None}
    start(data, out, encoder, decoder_model, preset, settings, resume, **where, **shown)


def start(*request: Any, **more: Any) -> None:
    """Import torch, or say that it is missing, and train."""
    try:
        from hedline.training.run import TrainRequest, train
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise require("torch", "train", "training") from None
    train(TrainRequest(*request, **more))


def pairs_of(settings: list[str]) -> dict[str, Any]:
    """`name=value` texts as a dictionary."""
    found = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UserError(f"--set needs name=value, not {text!r}")
        found[name.strip()] = value.strip()
    return found
