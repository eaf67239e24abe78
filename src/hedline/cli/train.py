"""Commands that make models and measure them alone.

`train`, `distill`, `perplexity`, `export`; `tune` (feature weights, by minimum error rate training) and
`tune-decoding`; `ngram`, the n-gram model of Table 2.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.cli.main import Changes, Form, Options, print_json
from hedline.decoding.options import DecodeOptions, Workers
from hedline.errors import UserError, require
from hedline.ngram.estimate import NgramSettings, measure_ngram
from hedline.runtime.export import ExportSettings, export_folder, folder_size, rounding_error, shortlist_from_data
from hedline.runtime.folder import ModelFolder
from hedline.runtime.shortlist import ShortlistOptions
from hedline.settings import setting
from hedline.training.options import DistillRequest, LabelSettings, PerplexitySettings, TrainConfig, TrainRequest
from hedline.tuning.grid import DecodingSettings
from hedline.tuning.tune import Places, Settings


@dataclass(frozen=True)
class Others:
    """Settings that have no option of their own."""

    named: tuple[str, ...] = setting((), "name=value, any setting of training or architecture.", names=("--set",))


def train(
    data: Annotated[Path, typer.Argument(help="A data folder made by `hedline prepare`.")],
    config: Annotated[Changes, Options(TrainConfig, optional=True)],
    asked: Annotated[Changes, Options(TrainRequest)],
    others: Others,
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

    if "base" in asked:
        asked["base"] = find_model(asked["base"])
    request = TrainRequest(data, settings={**config, **pairs_of(others.named)}, **asked)
    with torch_for("training"):
        from hedline.training.run import train as run
    run(request)


@contextmanager
def torch_for(purpose: str) -> Iterator[None]:
    """Around the import of what needs torch: says so where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise require("torch", "train", purpose) from None


def pairs_of(settings: Sequence[str]) -> dict[str, Any]:
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
    asked: Annotated[Changes, Options(DistillRequest)],
    settings: LabelSettings,
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
    teachers = [find_model(name) for name in names[:-1]]
    request = DistillRequest(teachers, Path(names[-1]), settings=settings, **asked)
    with torch_for("distillation"):
        from hedline.training.distill import distill as run
        from hedline.training.distill import report_text
    print(report_text(run(request)))


def perplexity(
    model: Annotated[str, typer.Argument(help="A model folder, or a shipped model's name.")],
    data: Annotated[Path, typer.Argument(help="A data folder with the model's vocabularies.")],
    settings: PerplexitySettings,
    form: Form,
) -> None:
    """Perplexity of a trained model on prepared data, with and without unknown words.

    \b
    Examples:
      hedline perplexity model data
      hedline perplexity model data --split test --json
    """
    from hedline.api import find_model

    with torch_for("measuring perplexity"):
        from hedline.training.perplexity import perplexity_of_folder
    found = perplexity_of_folder(find_model(model), data, settings)
    if form.json:
        print_json({"model": model, "data": str(data), "split": settings.split, **asdict(found)})
    else:
        print(f"{model} on {settings.split} of {data}: perplexity {found}, {found.words:,} words")


def export(
    model: Annotated[Path, typer.Argument(help="The trained model folder.")],
    settings: ExportSettings,
    options: ShortlistOptions,
) -> None:
    """Quantise a trained model for shipping and give it a shortlist.

    \b
    Examples:
      hedline export runs/abs --out abs --data data
      hedline export runs/abs --out abs-exact --float
    """
    source = ModelFolder.open(model)
    shortlist = shortlist_from_data(source, settings.data, options) if settings.data is not None else None
    exported = export_folder(source, settings, shortlist)
    print(f"{settings.out}: {folder_size(exported) / 1e6:.1f} MB (was {folder_size(source) / 1e6:.1f} MB)", end="")
    print(
        f", rounding error at most {rounding_error(source, exported):.2%} of a layer's weights" if settings.int8 else ""
    )
    if exported.shortlist is None:
        print("no shortlist: give --data to learn one; until then every word of the vocabulary is scored")


def ngram(
    data: Annotated[Path, typer.Argument(help="Data folder made by `hedline prepare`.")],
    settings: NgramSettings,
    form: Form,
) -> None:
    """Estimate an interpolated modified Kneser-Ney model on the training headlines and print its perplexity.

    \b
    Examples:
      hedline ngram data --order 5
      hedline ngram data --order 3 --split test --arpa headlines.arpa
      hedline ngram data --from-arpa other.arpa
    """
    report = measure_ngram(data, settings)
    print_json(report.as_json()) if form.json else print(report.text())


Model = Annotated[Path, typer.Argument(help="Model folder; tuning.json is written into it.")]
Set = Annotated[Path, typer.Argument(help="Evaluation set or pairs file to tune on (never the test set).")]
# What tuning decides, or what has no meaning for it.
DECIDED = ("beam", "nbest", "fill", "rerank", "length_penalty", "abstractiveness", "tuned", "diversity")
Search = Annotated[Changes, Options(DecodeOptions, but=(*DECIDED, "guard_names", "guard_meaning"))]


def tune(
    model: Model, set: Set, settings: Settings, decode: Search, workers: Workers, places: Places, form: Form
) -> None:
    """Tune a model for ROUGE: ABS to ABS+. Feature weights, length, filling of a limit, beam and reranking.

    Decodes, collects the n-best lists, finds the best weights on all of them, and repeats until nothing changes. Then
    PREFIX, the untuned model and what was found are judged on further inputs; nothing is written that is not above the
    untuned model there. An interrupted run continues where it was when the same command is given again. With
    `--preset duc` the result is kept beside the other one, and used for limits of at most 75 bytes.

    \b
    Examples:
      hedline tune model valid.jsonl
      hedline tune model duc2003.jsonl --preset duc --limit 424 --check 200
      hedline tune model valid.jsonl --objective "R-1 + 2*R-2" --bounds "reorder=-5:0,length=0"
      hedline tune model valid.jsonl --features log_prob,unigram,bigram,trigram,reorder,length,unsupported
    """
    from hedline.tuning import grid
    from hedline.tuning import rounds as report
    from hedline.tuning.tune import tune as run

    settings = replace(settings, decode=decode)
    heading = iter([report.header(settings.names)])

    def tell(this: Any) -> None:
        for each in heading:  # above the first line, so that a mistake is one sentence alone
            print(each, file=sys.stderr)
        print(report.line(this), file=sys.stderr, flush=True)

    def tell_trial(trial: Any) -> None:
        if trial.name == "PREFIX":
            print(grid.heading([set]), file=sys.stderr)
        print(grid.line(trial), file=sys.stderr, flush=True)

    result, tuning = run(model, set, settings, places.work, workers.count, tell, tell_trial)
    if places.zmert is not None:
        from hedline.tuning.zmert import export_zmert

        export_zmert(places.zmert, tuning, settings, set)
    where = f"Written to {model / 'tuning.json'}"
    if not result["written"]:
        where = "Nothing was written: nothing found is above the untuned model on the judging inputs"
    print_json(result) if form.json else print(f"{report.closing(result)}\n{where}")


def tune_decoding(
    model: Annotated[Path, typer.Argument(help="Model folder; the settings are written into its tuning.json.")],
    sets: Annotated[
        list[Path], typer.Argument(metavar="SET…", help="Evaluation sets or pairs files (never the test set).")
    ],
    settings: DecodingSettings,
    workers: Workers,
    form: Form,
) -> None:
    """Choose how a model decodes: length penalty, control tokens, reranking; feature weights stay as they are.

    Tries settings one after the other and keeps what scores best over all sets, which count the same. `hedline tune`
    writes the file anew, so run it first.

    \b
    Examples:
      hedline tune-decoding model valid.jsonl
      hedline tune-decoding model valid.jsonl newswire.jsonl --limit 1000
    """
    from hedline.tuning.grid import choose_decoding, heading, line

    told = sys.stderr if form.json else sys.stdout

    def tell(trial: Any) -> None:
        print(line(trial), file=told, flush=True)

    print(heading(sets), file=told)
    result, best = choose_decoding(model, sets, settings, workers.count, tell)
    print_json(result) if form.json else print(f"Kept, and written to {model / 'tuning.json'}:\n{line(best)}")
