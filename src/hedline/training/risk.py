"""Training a transformer for what its headlines are judged by: the expected ROUGE of headlines that it draws itself.

REINFORCE with a leave-one-out baseline (Kool et al. 2019; Ahmadian et al. 2024): of several headlines drawn for an
input, each is made likelier by how much better it is than the mean of the others. A share of the usual
cross-entropy keeps the model near the language of the pairs. There is no dropout, so that the model that is changed is
the model that wrote.

Headlines are drawn below temperature 1, since label smoothing leaves probability on pieces that make no sense. The mean
reward of eight draws for each of 64 validation pairs (the shipped default, the pairs' own controls) was 0.067 at
temperature 1, 0.172 at 0.7 and 0.201 at 0.5; greedy headlines had 0.212. The gradient is that of the tempered model.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hedline.errors import UserError
from hedline.models.batch import END, PAD, START, Batch
from hedline.models.softmax import linear_cross_entropy
from hedline.models.transformer import Transformer
from hedline.text.subword import Subwords, limit_control
from hedline.training.batches import DeviceSplit, gather
from hedline.training.estimator import bands, leave_one_out, sample_states, shifted, weighted_surprise
from hedline.training.judge import Echo, Tutor
from hedline.training.loop import Hooks, Place, Trainer
from hedline.training.options import TrainConfig
from hedline.training.panel import Panel
from hedline.training.perplexity import Perplexity
from hedline.training.reward import Judged, Refusals, Reward
from hedline.training.sampling import Generated, generate
from hedline.training.verdicts import read_verdicts

BANDS = 4  # parts of a batch with samples of about the same length; padding is cut from each
PROBES, PROBE_SECONDS = 512, 30.0
SHOWN = 2  # headlines printed with each probe
MEMORY = 0.05  # weight of a step in the running scale of the advantages
SENTENCE = "<case:sentence>"


class Dial:
    """Which control tokens the model reads: the pair's own with some hidden, or those it is used with.

    used: names of the control tokens it is used with; all groups without one there are `any`. share: of the inputs
    that are read with them. limited: of the inputs that are read with them and the length token `length`.
    """

    def __init__(
        self,
        model: Transformer,
        names: Sequence[str],
        used: Iterable[str],
        share: float,
        limited: float = 0.0,
        length: str = "",
    ) -> None:
        self.hidden, self.share, self.limited = model.config.hidden_controls, share, limited
        anything = list(model.config.control_any)
        groups = [names[index].partition(":")[0] for index in anything]
        usual = list(anything)
        for name in used:
            group = name.partition(":")[0]
            if group in groups and name in names:
                usual[groups.index(group)] = names.index(name)
        self.anything = torch.tensor(anything, device=model.bias.device, dtype=torch.long)
        self.usual = torch.tensor(usual, device=model.bias.device, dtype=torch.long)
        self.within = self.usual.clone()
        if limited:
            if length not in names:
                raise UserError(f"risk_limited needs a model with the control token {length}; this one has none")
            self.within[groups.index(length.partition(":")[0])] = names.index(length)

    def as_used(self, inputs: Tensor) -> Tensor:
        """Inputs (B, M) with the control tokens of use."""
        count = len(self.usual)
        return torch.cat([self.usual.expand(len(inputs), count), inputs[:, count:]], dim=1)

    def turn(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Inputs as the model is to read them this time, which (B,) have their own tokens, and which the limit's."""
        count = len(self.usual)
        if not count:
            own = torch.ones(len(inputs), dtype=torch.bool, device=inputs.device)
            return inputs, own, ~own
        drawn = torch.rand(len(inputs), device=inputs.device)
        limited, own = drawn < self.limited, drawn >= self.limited + self.share
        hidden = torch.rand(len(inputs), count, device=inputs.device) < self.hidden
        tokens = torch.where(own[:, None], torch.where(hidden, self.anything, inputs[:, :count]), self.usual)
        tokens = torch.where(limited[:, None], self.within, tokens)
        return torch.cat([tokens, inputs[:, count:]], dim=1), own, limited


class RiskTrainer(Trainer):
    """The training loop with another step; validation tells the greedy headlines' reward besides the perplexity."""

    def __init__(
        self,
        model: Any,
        train: DeviceSplit,
        valid: DeviceSplit | None,
        config: TrainConfig,
        group: Any,
        subwords: Subwords,
        used: Iterable[str] = (),
    ) -> None:
        """used: names of the control tokens the model is used with."""
        if model.family != "transformer":
            raise UserError("the risk objective trains transformers; leave --objective out for other models")
        super().__init__(model, train, valid, config, group)
        self.subwords = subwords
        weights = ratios(config.risk_weights)
        sentence = subwords.ids.get(SENTENCE)
        self.reward = Reward(subwords, self.device, weights, config.risk_penalty, sentence, config.risk_bytes)
        length = limit_control(config.risk_bytes)
        self.dial = Dial(model, subwords.names, used, config.risk_dialed, config.risk_limited, length)
        self.scale = torch.zeros(2, device=self.device)  # running spread of the advantages and length of the samples
        self.refusals: Refusals | None = None  # while a run asks the meaning guard
        self.panel = panel(config.risk_judge, self.device, subwords)
        self.tutor: Tutor | None = None  # where verdicts are learnt too; see `learn_verdicts`
        self.echo = Echo(model.config.width, self.device) if self.panel and config.risk_echo else None
        self.heard = torch.zeros(2, device=self.device)  # the echo's surprise since the last report: sum and steps
        self.told = torch.zeros(7, device=self.device)  # sums since the last report: see `_count`
        self.hooks: Hooks | None = None
        self.probed, self.greedy_reward = time.monotonic(), float("nan")

    def run(self, hooks: Hooks) -> Place:
        """Train to the end of the config, with a look at the greedy headlines before."""
        self.hooks = hooks
        with Refusals(self.subwords) if self.config.risk_meaning else nullcontext() as self.refusals:
            self.probe("at the start")
            return super().run(hooks)

    def _step(self, batch: Batch, words: int, rate: float) -> None:
        """Draw, judge, and move towards what was better. words: scored words of the batch over all processes."""
        model, config = self.model.eval(), self.config
        inputs, own, limited = self.dial.turn(batch.inputs)
        with self._cast():
            memory, mask = model.encode(inputs)
        # A context of its own: autocast keeps its copies of the weights, and those made here know no gradients.
        with self._cast():
            source = (memory.detach(), mask)
            drawn = generate(
                model, inputs, config.risk_samples, config.risk_temperature, config.risk_pieces, sources=[source]
            )
        refused = None if self.refusals is None else self.refusals.begin(drawn.ids, batch.inputs)
        judged = self.reward.judge(drawn.ids, batch.outputs, batch.inputs, limited if self.dial.limited else None)
        held = memory.detach().requires_grad_()
        unsound = self.unsound(drawn, batch.inputs, config.risk_turns)
        self._likelihood(batch, own, held, mask, words)  # before the samples' part, whose judges are at work
        share = torch.zeros_like(judged.reward) if refused is None else refused.result().to(self.device)
        judged = judged.less(share, config.risk_meaning).less(unsound, config.risk_truth)
        self._risk(drawn, self.importance(judged.reward, drawn.lengths), unsound, held, mask)
        torch.autograd.backward(memory, held.grad)
        if self.tutor is not None:
            self.tutor.teach(config.risk_tutor)
        self.group.sum_gradients(model)
        self.optimizer.step(rate)
        self.average.update(self.place.total + 1)
        self._count(judged, drawn, share, unsound)

    def unsound(self, drawn: Generated, inputs: Tensor, in_turn: bool = False) -> Tensor:
        """(B, S): how much of each headline's worth its likely faults take, as the judges see them; 0 without any.

        in_turn: as one of them sees them.
        """
        if self.panel is None:
            return torch.zeros(drawn.ids.shape[:2], device=self.device)
        longest = int(drawn.lengths.max())
        with self._cast():
            return self.panel.unsound(drawn.ids[..., :longest], inputs, in_turn)

    def learn_verdicts(self, folder: Path, files: Sequence[Path]) -> None:
        """Learn verdicts in every step from now on; folder: of the data, with the pieces."""
        self.tutor = Tutor(self.model, [read_verdicts(folder, path) for path in files], seed=self.config.seed)

    def _risk(self, drawn: Generated, importance: Tensor, unsound: Tensor, memory: Tensor, mask: Tensor) -> None:
        """Gradients of the samples' part, band by band so that only one band's states are held."""
        model, config = self.model, self.config
        for chosen, longest in bands(drawn.lengths, BANDS):
            ids = drawn.ids[chosen, :, :longest]
            with self._cast():
                states = sample_states(model, shifted(ids), memory[chosen], mask[chosen])
                loss = weighted_surprise(model, states, ids, importance[chosen], config.risk_temperature)
                if self.echo is not None:
                    heard = self.echo.surprise(states, ids, unsound[chosen]) * (len(chosen) / len(drawn.ids))
                    self.heard += torch.stack([heard.detach(), torch.full_like(heard, 1 / BANDS)])
                    loss = loss + config.risk_echo * heard
            torch.autograd.backward(loss)
        if self.echo is not None:
            self.echo.step()

    def _likelihood(self, batch: Batch, own: Tensor, memory: Tensor, mask: Tensor, words: int) -> None:
        """Gradients of the pairs' own headlines, of the inputs that were read with their own control tokens."""
        config, model = self.config, self.model
        share = max(1 - self.dial.share - self.dial.limited, 1e-6) if len(self.dial.usual) else 1.0
        weight = own[batch.token_rows].float() / share
        start = torch.full_like(batch.outputs[:, :1], START)
        with self._cast():
            states = batch.pick(model.decode(torch.cat([start, batch.outputs[:, :-1]], dim=1), memory, mask))
            loss = linear_cross_entropy(
                states, model.embedding.weight, model.bias, batch.targets, config.label_smoothing, importance=weight
            )
        torch.autograd.backward(loss * (config.risk_ce / words))
        detached = loss.detach().float()
        self.loss_sum += torch.where(torch.isfinite(detached), detached, 0.0)

    def importance(self, rewards: Tensor, lengths: Tensor) -> Tensor:
        """(B, S): the samples' weights in the loss, scaled so that a piece weighs about what it does in cross-entropy.

        The scale is a running one: dividing by each batch's own would pull easy batches up.
        """
        advantages = leave_one_out(rewards)
        now = torch.stack([advantages.square().mean().sqrt(), lengths.float().mean()])
        self.scale = torch.where(self.scale > 0, self.scale.lerp(now, MEMORY), now)
        size = self.scale.prod().clamp(min=1e-4)
        return advantages / (size * rewards.numel() * self.group.world)

    def _cast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.half)

    def _count(self, judged: Judged, drawn: Generated, refused: Tensor, unsound: Tensor) -> None:
        unfinished = (drawn.ids[..., -1] != PAD) & (drawn.ids[..., -1] != END)
        parts = (judged.reward, judged.words, judged.faults, unfinished, refused, unsound)
        sums = [part.sum(dtype=torch.float32) for part in parts]
        self.told += torch.stack([*sums, torch.full_like(sums[0], judged.reward.numel())])

    def note(self, hooks: Hooks) -> str:
        """How good this process's samples since the last report were; now and then a probe of greedy headlines."""
        reward, words, faults, unfinished, refused, unsound, count = self.told.tolist()
        self.told.zero_()
        if time.monotonic() - self.probed > PROBE_SECONDS:
            self.probe(f"after {self.place.total:,} steps")
        heard, steps = self.heard.tolist()
        self.heard.zero_()
        if not count:
            return ""
        text = f"reward {reward / count:.4f}, {words / count:.1f} words, {faults / count:.3f} faults"
        text += f", {100 * refused / count:.1f} % refused" if self.refusals is not None else ""
        text += f", {100 * unsound / count:.1f} % unsound" if self.panel is not None else ""
        text += f", echo {heard / steps:.3f}" if self.echo is not None else ""
        text += f", {100 * unfinished / count:.1f} % without an end" if unfinished else ""
        return f"{text}, gradient {float(self.optimizer.norm):.2f}, {self.place.total:,} steps"

    def validate(self) -> Perplexity | None:
        """Perplexity, and in a run the reward of greedy headlines, of the weights as they are now."""
        if self.hooks is not None:
            self.probe("weight average")
        return super().validate()

    def probe(self, when: str) -> None:
        """Say how good greedy headlines of some validation pairs are, with the control tokens of use."""
        split = self.train_split if self.valid_split is None else self.valid_split
        chosen = torch.arange(min(PROBES, len(split)), device=split.device)
        width, height = (int(lengths[: len(chosen)].max()) for lengths in (split.input_lengths, split.output_lengths))
        inputs = gather(split.inputs, split.input_offsets, chosen, max(width, 1))[0].to(self.device)
        outputs = gather(split.outputs, split.output_offsets, chosen, height)[0].to(self.device)
        model = self.model.eval()
        with self._cast():
            found = generate(model, self.dial.as_used(inputs), most=self.config.risk_pieces)
        judged = self.reward.judge(found.ids, outputs, inputs)
        self.greedy_reward = float(judged.reward.mean())
        refused = "" if self.refusals is None else self._refused(found, inputs)
        if self.panel is not None:
            refused += f", {100 * float(self.unsound(found, inputs).mean()):.1f} % unsound"
        if self.hooks is not None and self.group.first:
            self.hooks.say(f"greedy, {when}: {describe(judged)}{refused}")
            for row in range(min(SHOWN, len(chosen))):
                self.hooks.say(f"  {self.subwords.decode(found.ids[row, 0].tolist())}")
        self.probed = time.monotonic()

    def _refused(self, drawn: Generated, inputs: Tensor) -> str:
        assert self.refusals is not None
        return f", {100 * float(self.refusals.begin(drawn.ids, inputs).result().mean()):.1f} % refused"

    def row_facts(self) -> dict[str, Any]:
        """The reward of greedy headlines, for the history."""
        return {"reward": round(self.greedy_reward, 5)}

    def state_tensors(self) -> dict[str, Tensor]:
        """All tensors of a checkpoint."""
        return {**super().state_tensors(), "risk_scale": self.scale}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Go back to where a checkpoint was taken."""
        super().restore(tensors, facts)
        self.scale = tensors["risk_scale"].to(self.device)


def panel(folders: str, device: torch.device, subwords: Subwords) -> Panel | None:
    """The judges in folders that commas separate; None where none is named."""
    paths = [Path(name) for name in folders.split(",") if name]
    return Panel(paths, device, subwords) if paths else None


def describe(judged: Judged) -> str:
    """Means in a line; ROUGE in per cent."""
    one, two, longest = (100 * float(part.mean()) for part in judged.rouge)
    words, faults = float(judged.words.float().mean()), float(judged.faults.float().mean())
    return (
        f"reward {float(judged.reward.mean()):.4f}, unstemmed ROUGE {one:.2f} / {two:.2f} / {longest:.2f}, "
        f"{words:.1f} words, {faults:.3f} faults"
    )


def ratios(text: str) -> tuple[float, float, float]:
    """`0.4,0.4,0.2` as three numbers."""
    try:
        one, two, longest = (float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"risk_weights is {text!r}; give three numbers, as in 0.4,0.4,0.2") from None
    return one, two, longest
