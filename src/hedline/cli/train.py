"""Commands about models: `train`, `distill`, `perplexity`, `export`, and the n-gram model of Table 2, `ngram`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.cli.main import Json, print_json, takes
from hedline.errors import UserError, require
from hedline.runtime.shortlist import ShortlistOptions


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
    objective: Annotated[
        str | None, typer.Option(help="likelihood, or risk: ROUGE of what the model --from itself writes.")
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
      hedline train subwords --out better --from transformer --objective risk --time-limit 300
      torchrun --nproc-per-node 4 -m hedline train data --out abs
    """
    from hedline.api import find_model

    named = {"epochs": epochs, "batch": batch, "batch_of": batch_of, "lr": lr, "dropout": dropout, "seed": seed}
    named |= {"label_smoothing": label_smoothing, "precision": precision, "time_limit": time_limit}
    named["objective"] = objective
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


def distill(
    names: Annotated[list[str], typer.Argument(metavar="TEACHER... DATA", help="Model folders, then a data folder.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The new data folder.")],
    method: Annotated[str, typer.Option(help="greedy, beam or mbr (the draw nearest to all others).")] = "greedy",
    beam: Annotated[int, typer.Option(min=1, help="Width of the beam.")] = 4,
    samples: Annotated[int, typer.Option(min=1, help="Draws for mbr.")] = 8,
    temperature: Annotated[float, typer.Option(min=0, help="Of the draws.")] = 0.7,
    pieces: Annotated[int, typer.Option(min=1, help="Longest headline.")] = 40,
    controls: Annotated[str, typer.Option(help="Teachers read the pairs' own control tokens, or the usual.")] = "own",
    limit: Annotated[int, typer.Option(min=0, help="Ask only for N pairs, best supported first; 0 for all.")] = 0,
    batch: Annotated[int, typer.Option(min=0, help="Inputs at a time; 0 fits the device.")] = 0,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    engine: Annotated[str, typer.Option(help="local or ray.")] = "local",
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 1,
) -> None:
    """Let teachers write the training headlines of a data folder; several teachers' probabilities are averaged.

    A pair keeps its own headline where the lead supports the teachers' less. The same command resumes an interrupted
    run. Train a student on the result as on any data folder.

    \b
    Examples:
      hedline distill teacher data --out taught
      hedline distill one two data --out taught --method mbr --limit 1000000
      hedline distill teacher data --out taught --method beam --engine ray --workers 8
      hedline train taught --out student --decoder-model transformer --set width=256 --set decoder_layers=1
    """
    from hedline.api import find_model

    if len(names) < 2:
        raise UserError("distill needs at least one teacher and then a data folder")
    try:
        from hedline.training.distill import DistillRequest, report_text
        from hedline.training.distill import distill as run
        from hedline.training.labelling import LabelSettings
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise require("torch", "train", "distillation") from None
    settings = LabelSettings(method, beam, samples, temperature, pieces, controls=controls, seed=seed)
    teachers = [find_model(name) for name in names[:-1]]
    print(
        report_text(
            run(DistillRequest(teachers, Path(names[-1]), out, settings, limit, batch, device, engine, workers))
        )
    )


def perplexity(
    model: Annotated[str, typer.Argument(help="A model folder, or a shipped model's name.")],
    data: Annotated[Path, typer.Argument(help="A data folder with the model's vocabularies.")],
    split: Annotated[str, typer.Option(help="train, valid or test.")] = "valid",
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    json: Json = False,
) -> None:
    """Perplexity of a trained model on prepared data, with and without unknown words.

    \b
    Examples:
      hedline perplexity model data
      hedline perplexity model data --split test --json
    """
    from hedline.api import find_model

    try:
        from hedline.training.perplexity import perplexity_of_folder
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise require("torch", "train", "measuring perplexity") from None
    found = perplexity_of_folder(find_model(model), data, split, device)
    if json:
        print_json({"model": model, "data": str(data), "split": split, **asdict(found)})
    else:
        print(f"{model} on {split} of {data}: perplexity {found}, {found.words:,} words")


@takes(ShortlistOptions, after="data")
def export(
    model: Annotated[Path, typer.Argument(help="The trained model folder.")],
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    int8: Annotated[bool, typer.Option("--int8/--float", help="Round weights to 8 bits, or keep float32.")] = True,
    data: Annotated[
        Path | None, typer.Option(help="The data folder it was trained on: learns the shortlist from it.")
    ] = None,
    **given: Any,
) -> None:
    """Quantise a trained model for shipping and give it a shortlist.

    \b
    Examples:
      hedline export runs/abs --out abs --data data
      hedline export runs/abs --out abs-exact --float
    """
    from hedline.runtime.export import export_folder, folder_size, rounding_error, shortlist_from_data
    from hedline.runtime.folder import ModelFolder

    source = ModelFolder.open(model)
    shortlist = shortlist_from_data(source, data, ShortlistOptions(**given)) if data is not None else None
    exported = export_folder(source, out, int8, shortlist)
    print(f"{out}: {folder_size(exported) / 1e6:.1f} MB (was {folder_size(source) / 1e6:.1f} MB)", end="")
    print(f", rounding error at most {rounding_error(source, exported):.2%} of a layer's weights" if int8 else "")
    if exported.shortlist is None:
        print("no shortlist: give --data to learn one; until then every word of the vocabulary is scored")


def ngram(
    data: Annotated[Path, typer.Argument(help="Data folder made by `hedline prepare`.")],
    order: Annotated[int, typer.Option(help="Longest n-gram.")] = 5,
    split: Annotated[str, typer.Option(help="Split to measure: valid, test or train.")] = "valid",
    arpa: Annotated[Path | None, typer.Option(help="Also write the model as an ARPA file.")] = None,
    from_arpa: Annotated[Path | None, typer.Option(help="Read this ARPA file instead of estimating.")] = None,
    json: Json = False,
) -> None:
    """Estimate an interpolated modified Kneser-Ney model on the training headlines and print its perplexity.

    \b
    Examples:
      hedline ngram data --order 5
      hedline ngram data --order 3 --split test --arpa headlines.arpa
      hedline ngram data --from-arpa other.arpa
    """
    from hedline.ngram.estimate import measure_ngram

    report = measure_ngram(data, order, split, arpa, from_arpa)
    print_json(report.as_json()) if json else print(report.text())
