"""What `hedline train` and `hedline distill` may be told: records that need no torch, from which the commands are made.

A field with help is an option of its command. `TrainConfig` is what decides a trained model; config.py has its presets
and what the size of the data suggests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hedline.errors import UserError
from hedline.settings import REQUIRED, again, setting

BLOCK = 16_384  # pairs in one file of `distill`'s results
METHODS = ("greedy", "beam", "mbr")
CONTROL_CHOICES = ("own", "usual")
CHOICES: dict[str, Sequence[str]] = {
    "optimizer": ("adamw", "sgd", "muon"),
    "schedule": ("cosine", "linear", "halve"),
    "batch_of": ("headlines", "triples", "tokens"),
    "precision": ("auto", "float32", "bf16"),
    "keep": ("best", "last"),
    "objective": ("likelihood", "risk"),
}


@dataclass(frozen=True)
class TrainConfig:
    """Everything that decides the result of a training, saved in the model folder."""

    preset: str = "fast"
    seed: int = setting(1, "Fixes everything on a CPU.")
    epochs: int = setting(15, "Passes over the data at most.")
    # tokens count inputs and outputs together
    batch: int = setting(1024, "Headlines (or --batch-of triples, tokens) in a step.")
    batch_of: str = setting("headlines", "headlines, triples or tokens.")
    # adamw, sgd, or muon: adamw but for the matrices of a transformer's layers
    optimizer: str = "adamw"
    # cosine and linear fall to zero at the end after a warm-up; halve: half the rate when validation does not improve
    schedule: str = "cosine"
    lr: float = setting(2e-3, "Highest learning rate.")
    warmup: float = 0.03  # share of the training
    beta2: float = 0.99
    weight_decay: float = 0.05
    clip: float = 1.0  # largest gradient norm, 0 for none
    ema: float = 0.999  # decay of the weight average that is validated and kept, 0 for none
    matrix_rate: float = 1.0  # times the learning rate, for the matrices that muon trains
    # Times the learning rate, for the filters of a convolution (not with sgd): each sums over thousands of inputs, so
    # that steps fit for a table would wreck it.
    filter_rate: float = 0.03
    dropout: float = setting(0.2, "Share of units dropped in training.")
    label_smoothing: float = setting(0.0, "Share of probability spread over all words.")
    renormalize: bool = False  # scale embedding rows longer than 1 back to 1 after each epoch
    patience: int = 3  # epochs without improvement before stopping, 0 for never
    least_gain: float = 0.001  # share of the perplexity an epoch must gain to count for patience
    keep: str = "best"  # or the `last` epoch
    time_limit: float = setting(0.0, "Seconds; the schedule ends with them.")
    threads: int = 0  # of the CPU, 0 chooses them by measuring
    precision: str = setting("auto", "auto, float32 or bf16.")  # auto: bf16 on a GPU
    pool: int = 50  # batches that are sorted by length together
    frequencies: bool = True  # the output bias starts at the words' log frequencies, so no step is spent on them
    # Length of the vectors with which an encoder's model begins as one that copies (`nnlm.start_copying`); 0: random
    copying: float = 0.0
    # risk: expected ROUGE of what the model itself writes, for a finished transformer (training/risk.py)
    objective: str = setting("likelihood", "likelihood, or risk: ROUGE of what the model --from itself writes.")
    risk_samples: int = 8  # headlines drawn for each input
    risk_ce: float = 0.3  # share of the likelihood's gradient that is mixed in
    risk_temperature: float = 0.7  # of the drawing
    risk_pieces: int = 40  # the longest headline drawn
    risk_weights: str = "0.4,0.4,0.2"  # of ROUGE-1, -2 and -L
    risk_penalty: float = 0.1  # for each fault
    risk_meaning: float = 0.0  # penalty for a headline that the meaning guard refuses; 0 does not ask it
    risk_judge: str = ""  # folders of judges (training/judge.py), separated by commas; they read what is drawn
    risk_turns: bool = False  # a step asks one judge, the next one another: half the work of two
    risk_truth: float = 0.3  # what a headline loses that the judges are sure is untrue or broken
    risk_echo: float = 0.0  # weight of learning to tell what the judges say; 0 does not
    risk_verdicts: str = ""  # files of verdicts (training/verdicts.py) to learn beside, separated by commas
    risk_tutor: float = 0.1  # weight of what is learnt from them
    risk_dialed: float = 0.5  # share of the inputs that are read with the control tokens of use, not the pair's own
    risk_limited: float = 0.0  # share read as under a limit of risk_bytes and judged by the recall within it
    risk_bytes: int = 75

    def __post_init__(self) -> None:
        """Refuse what cannot work, saying what can."""
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UserError(f"{name} is {getattr(self, name)!r}; choose one of {', '.join(choices)}")
        for name in ("epochs", "batch", "lr", "pool"):
            if getattr(self, name) <= 0:
                raise UserError(f"{name} must be above 0, not {getattr(self, name)}")
        if not (0 <= self.dropout < 1 and 0 <= self.label_smoothing < 1 and 0 <= self.ema < 1):
            raise UserError("dropout, label_smoothing and ema must lie between 0 and 1")
        if self.objective == "risk" and not (self.risk_samples > 1 and self.risk_temperature > 0):
            raise UserError("the risk objective needs risk_samples of at least 2 and a risk_temperature above 0")
        shares = (self.risk_dialed, self.risk_limited)
        if min(shares) < 0 or sum(shares) > 1:
            raise UserError("risk_dialed and risk_limited are shares of the inputs: from 0 on, together at most 1")
        for name in ("risk_meaning", "risk_truth"):
            if not 0 <= getattr(self, name) <= 1:
                raise UserError(f"{name} is taken off a reward of at most 1: give 0 to 1, not {getattr(self, name)}")
        if self.risk_bytes < 1:
            raise UserError(f"risk_bytes must be at least 1, not {self.risk_bytes}")

    def table(self) -> dict[str, Any]:
        """What config.json records."""
        return asdict(self)


@dataclass(frozen=True)
class TrainRequest:
    """What the user asked of `hedline train`; settings: named values for TrainConfig and for the architecture."""

    data: Path
    out: Path = setting(REQUIRED, "Where the model folder goes.", names=("--out", "-o"))
    encoder: str = setting("attention", "none, bow, conv or attention.")
    decoder: str = setting("nnlm", "nnlm (the paper's), rnn, lstm or transformer.", names=("--decoder-model",))
    preset: str = setting("best", "best; fast (the paper's model, quickly); paper (plain SGD as published).")
    settings: Mapping[str, Any] = field(default_factory=dict)
    resume: bool = setting(False, "Go on from the checkpoint in --out.")
    device: str = setting("auto", "auto, cpu, cuda or cuda:N.")
    data_on_device: bool = setting(True, "Keep the whole data in GPU memory.")
    checkpoint_minutes: float = setting(10.0, "Between checkpoints; 0 writes none.")
    samples: int = setting(3, "Headlines shown after each epoch.")
    tensorboard: bool = setting(False, "Write scalars for TensorBoard into the model folder.")
    base: Path | None = setting(
        None, "Train this model further (name or folder); its architecture is kept.", names=("--from",)
    )


@dataclass(frozen=True)
class LabelSettings:
    """How teachers write; all of it decides the result.

    mbr (minimum Bayes risk): the draw with the best mean ROUGE against the other draws, less penalties for numbers and
    names without support. controls: the teachers read the pairs' `own` control tokens, or those they are used with
    (`usual`).
    """

    method: str = setting("greedy", "greedy, beam or mbr (the draw nearest to all others).")
    beam: int = setting(4, "Width of the beam.")
    samples: int = setting(8, "Draws for mbr.")
    temperature: float = setting(0.7, "Of the draws.")
    pieces: int = setting(40, "Longest headline.")
    length_penalty: float = 0.8  # of the beam
    controls: str = setting("own", "Teachers read the pairs' own control tokens, or the usual.")
    seed: int = setting(1, "Of the draws.")

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        if self.method not in METHODS:
            raise UserError(f"--method cannot be {self.method!r}; choose from {', '.join(METHODS)}")
        if self.controls not in CONTROL_CHOICES:
            raise UserError(f"--controls cannot be {self.controls!r}; choose from {', '.join(CONTROL_CHOICES)}")
        if self.method == "mbr" and not (self.samples > 1 and self.temperature > 0):
            raise UserError("minimum Bayes risk needs --samples of at least 2 and a --temperature above 0")
        if min(self.beam, self.pieces, self.samples) < 1 or not self.temperature >= 0:
            raise UserError("--beam, --pieces and --samples must be 1 or more, --temperature 0 or more")

    def table(self) -> dict[str, Any]:
        """What the report records."""
        return asdict(self)


@dataclass(frozen=True)
class PerplexitySettings:
    """What `hedline perplexity` measures on, and where."""

    split: str = setting("valid", "train, valid or test.")
    device: str = setting("auto", "auto, cpu or cuda.")


@dataclass(frozen=True)
class DistillRequest:
    """What the user asked of `hedline distill`."""

    teachers: Sequence[Path]
    data: Path
    out: Path = setting(REQUIRED, "The new data folder.", names=("--out", "-o"))
    settings: LabelSettings = field(default_factory=LabelSettings)
    limit: int = setting(0, "Ask only for N pairs, best supported first; 0 for all.")
    batch: int = setting(0, "Inputs at a time; 0 fits the device.")
    device: str = again(TrainRequest, "device")
    engine: str = setting("local", "local or ray.")
    workers: int = setting(1, "Processes.")
    block: int = BLOCK

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        if min(self.limit, self.batch) < 0 or self.workers < 1:
            raise UserError("--limit and --batch must be 0 or more, --workers 1 or more")
