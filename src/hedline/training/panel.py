"""Judges that are asked together, and judges that read with a model of others (models/reader.py, models/encoder.py).

Such a model has read far more English than our pairs hold, so that it knows better what is a sentence and what follows
from one. It has tokens of its own: the pieces of our models are turned into text and read again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from hedline.errors import UserError
from hedline.files import read_json, write_json
from hedline.models import encoder
from hedline.models.batch import END
from hedline.models.encoder import Encoder, EncoderConfig, joined, rows_of_texts
from hedline.models.reader import TOKENS, Reader, ReaderConfig, Rows, Tokens, grouped, rows_of
from hedline.text.subword import ANY, Subwords
from hedline.training.judge import CONFIG, WEIGHTS, AnyJudge, Judge, worth_taken
from hedline.training.verdicts import FAULTS

BANDS = 6  # parts of a batch whose rows are about as long


class ReaderJudge(nn.Module):
    """Logits of the faults of a headline, from the states of a reader at its end and on the way to it."""

    def __init__(self, body: Reader, tokens: Tokens, subwords: Subwords) -> None:
        """subwords: of the model whose headlines are judged."""
        super().__init__()
        self.body, self.tokens, self.subwords = body, tokens, subwords
        self.head = nn.Linear(2 * body.config.width, len(FAULTS))

    @property
    def device(self) -> torch.device:
        """Where the judge is."""
        return self.head.weight.device

    @property
    def first(self) -> int:
        """The first id of the judged model that is a piece of text."""
        return self.subwords.specials

    def forward(self, inputs: Tensor, headlines: Tensor) -> Tensor:
        """inputs (B, M) and headlines (B, S, L), pieces of the judged model, as in Judge: (B, S, faults)."""
        return self.of_rows(self.rows(inputs.tolist(), headlines.tolist()).to(self.device), headlines.shape[1])

    def of_rows(self, rows: Rows, count: int) -> Tensor:
        """(B, count, faults): the same for rows of leads with `count` headlines each, in the reader's tokens."""
        states = self.body.read(rows)
        mine = rows.owners[:, None, :] == torch.arange(1, count + 1, device=self.device)[:, None]
        share = mine.to(states.dtype) / mine.sum(2, keepdim=True)
        last = (mine * torch.arange(mine.shape[2], device=self.device)).argmax(2)
        ends = states.gather(1, last[..., None].expand(-1, -1, states.shape[2]))
        found: Tensor = self.head(torch.cat([ends, share @ states.to(share.dtype)], dim=2))
        return found

    def rows(self, inputs: Sequence[Sequence[int]], headlines: Sequence[Sequence[Sequence[int]]]) -> Rows:
        """The reader's rows of leads with their headlines, no control token among them."""
        size = self.body.config.vocabulary
        prefix = [control_token(self.subwords.ids[name], size) for name in ANY if name in self.subwords.ids]
        leads = self.tokens.encode([self.subwords.decode(row) for row in inputs])
        texts = [self.subwords.decode(until_end(row)) for group in headlines for row in group]
        counts = [len(group) for group in headlines]
        return rows_of([prefix + lead for lead in leads], grouped(self.tokens.encode(texts), counts), self.body.config)

    @torch.no_grad()
    def unsound(self, headlines: Tensor, inputs: Tensor) -> Tensor:
        """(B, S) in 0..1: how much of each headline's worth its likely faults take."""
        return worth_taken(self(inputs, headlines))

    def save(self, folder: Path, tokens: Path) -> None:
        """Write the judge; tokens: the file of the reader's tokens."""
        write_judge(self, folder, tokens, {"reader": vars(self.body.config)})

    @classmethod
    def open(cls, folder: Path, device: torch.device | str, subwords: Subwords) -> ReaderJudge:
        """A saved judge, ready to be asked."""
        record = kind_of(folder)
        if "reader" not in record:
            raise UserError(f"{folder} holds no judge that reads with a language model; train one with --reader")
        judge = cls(Reader(ReaderConfig(**record["reader"])), Tokens(folder), subwords)
        judge.load_state_dict({name: value.float() for name, value in load_file(folder / WEIGHTS).items()})
        return judge.to(device).eval()


class PairJudge(nn.Module):
    """Logits of the faults of a headline, from the states of an encoder that reads lead and headline as one text.

    The text's first state and the mean of the headline's states are read. A lead is read again for each headline.
    """

    def __init__(self, body: Encoder, tokens: Tokens, subwords: Subwords) -> None:
        """subwords: of the model whose headlines are judged."""
        super().__init__()
        self.body, self.tokens, self.subwords = body, tokens, subwords
        self.head = nn.Linear(2 * body.config.width, len(FAULTS))

    @property
    def device(self) -> torch.device:
        """Where the judge is."""
        return self.head.weight.device

    @property
    def first(self) -> int:
        """The first id that is a piece of text."""
        return self.subwords.specials

    def forward(self, inputs: Tensor, headlines: Tensor) -> Tensor:
        """inputs (B, M) and headlines (B, S, L), pieces of the judged model, as in Judge: (B, S, faults)."""
        texts, sizes = self.texts(inputs.tolist(), headlines.tolist())
        found = self.head.weight.new_zeros(len(texts), len(FAULTS))
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for part in torch.tensor(order).chunk(BANDS):
            chosen = part.tolist()
            ids = rows_of_texts([texts[place] for place in chosen], self.body.config.pad).to(self.device)
            logits = self.of_texts(ids, torch.tensor([sizes[place] for place in chosen], device=self.device))
            found = found.index_copy(0, part.to(self.device), logits.to(found.dtype))
        return found.view(*headlines.shape[:2], -1)

    def of_texts(self, ids: Tensor, sizes: Tensor) -> Tensor:
        """(R, faults) of texts (R, T), the last `sizes` (R,) tokens of which are the headline and what ends it."""
        states, places = self.body(ids), torch.arange(ids.shape[1], device=ids.device)
        ends = (ids != self.body.config.pad).sum(1)
        mine = (places < ends[:, None]) & (places >= (ends - sizes)[:, None])
        mean = (states * mine[..., None]).sum(1) / mine.sum(1, keepdim=True)
        found: Tensor = self.head(torch.cat([states[:, 0], mean], dim=1))
        return found

    def texts(
        self, inputs: Sequence[Sequence[int]], headlines: Sequence[Sequence[Sequence[int]]]
    ) -> tuple[list[list[int]], list[int]]:
        """The encoder's tokens of each lead with each of its headlines, and how many are the headline's."""
        leads = self.tokens.encode([self.subwords.decode(row) for row in inputs])
        rows = [self.subwords.decode(until_end(row)) for group in headlines for row in group]
        titles, count = self.tokens.encode(rows), len(headlines[0])
        config = self.body.config
        texts = [joined(leads[place // count], title, config) for place, title in enumerate(titles)]
        return texts, [min(len(title) + 1, len(text)) for title, text in zip(titles, texts, strict=True)]

    @torch.no_grad()
    def unsound(self, headlines: Tensor, inputs: Tensor) -> Tensor:
        """(B, S) in 0..1: how much of each headline's worth its likely faults take."""
        return worth_taken(self(inputs, headlines))

    def save(self, folder: Path, tokens: Path) -> None:
        """Write the judge; tokens: the file of the encoder's tokens."""
        write_judge(self, folder, tokens, {"encoder": vars(self.body.config)})

    @classmethod
    def open(cls, folder: Path, device: torch.device | str, subwords: Subwords) -> PairJudge:
        """A saved judge, ready to be asked."""
        config = EncoderConfig(**kind_of(folder)["encoder"])
        judge = cls(Encoder(config), Tokens(folder, before=""), subwords)
        judge.load_state_dict({name: value.float() for name, value in load_file(folder / WEIGHTS).items()})
        return judge.to(device).eval()


def write_judge(judge: nn.Module, folder: Path, tokens: Path, record: dict[str, Any]) -> None:
    """Write a judge's weights (bfloat16), what it is, and the file of its tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: value.detach().bfloat16().cpu().contiguous() for name, value in judge.state_dict().items()}
    save_file(tensors, folder / WEIGHTS)
    write_json(folder / CONFIG, record)
    (folder / TOKENS).write_bytes(tokens.read_bytes())


def kind_of(folder: Path) -> dict[str, Any]:
    """What a saved judge says of itself; nothing where there is none."""
    return dict(read_json(folder / CONFIG)) if (folder / CONFIG).is_file() else {}


def begin_judge(folder: Path, subwords: Subwords) -> ReaderJudge | PairJudge:
    """A judge that has learnt nothing yet, with the model of others in a folder."""
    if (folder / encoder.CONFIG).is_file():
        return PairJudge(Encoder.open(folder), Tokens(folder, before=""), subwords)
    return ReaderJudge(Reader.open(folder), Tokens(folder), subwords)


def control_token(control: int, size: int) -> int:
    """The reader's token, one of its last and rarest, that stands for a control token of ours."""
    return size - 1 - control


def until_end(ids: Sequence[int]) -> Sequence[int]:
    """The pieces before `</s>`, all where there is none."""
    return ids[: ids.index(END)] if END in ids else ids


def open_judge(folder: Path, device: torch.device | str, subwords: Subwords) -> AnyJudge:
    """A saved judge of either kind."""
    kind = kind_of(folder)
    if "reader" in kind:
        return ReaderJudge.open(folder, device, subwords)
    if "encoder" in kind:
        return PairJudge.open(folder, device, subwords)
    judge = Judge.open(folder, device)
    if judge.body.config.vocabulary != len(subwords):
        raise UserError(f"the judge {folder} reads other pieces than the model; train one from this model")
    return judge


class Panel:
    """Several judges; what they say is averaged, over all of them or over their turns."""

    def __init__(self, folders: Sequence[Path], device: torch.device, subwords: Subwords) -> None:
        self.judges = [open_judge(folder, device, subwords) for folder in folders]
        self.turns = itertools.cycle(self.judges)
        readers = [judge for judge in self.judges if isinstance(judge, ReaderJudge)]
        if len({judge.tokens.tokenizer.to_str() for judge in readers}) > 1:
            raise UserError("the judges read with different language models; name judges that began as the same reader")

    @torch.no_grad()
    def unsound(self, headlines: Tensor, inputs: Tensor, in_turn: bool = False) -> Tensor:
        """(B, S): the mean of what the judges say; in_turn: what one says, the next time another.

        Readers share the work of turning pieces into their tokens.
        """
        asked = [next(self.turns)] if in_turn else self.judges
        readers = [judge for judge in asked if isinstance(judge, ReaderJudge)]
        said = [judge.unsound(headlines, inputs) for judge in asked if not isinstance(judge, ReaderJudge)]
        return torch.stack([*said, *_read(readers, headlines, inputs)]).mean(0)


def _read(readers: Sequence[ReaderJudge], headlines: Tensor, inputs: Tensor) -> list[Tensor]:
    """What each reader says, (B, S), of rows of about one length at a time."""
    said = [torch.zeros(headlines.shape[:2], device=headlines.device) for _ in readers]
    if readers:
        for chosen, band in readers[0].rows(inputs.tolist(), headlines.tolist()).bands(BANDS):
            asked, places = band.to(headlines.device), chosen.to(headlines.device)
            for worths, judge in zip(said, readers, strict=True):
                worths[places] = worth_taken(judge.of_rows(asked, headlines.shape[1]))
    return said
