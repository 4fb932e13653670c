"""Training on episodes with TRL's GRPO trainer, on a processor: python -m benchmarks.training

    python -m venv trl-venv && trl-venv/bin/pip install . trl==1.16.0   # PyTorch for processors is enough
    trl-venv/bin/python -m benchmarks.training --picture docs/training.svg

The policy is a transformer of two layers without trained weights, too small to read or to write text: it
reads and writes the sketches of `training_sketch.py`. A warm-up teaches it the form of an answer with
values drawn at random, without any truth, so that the curve begins near the score of chance. All else it
learns from `Episode.reward` of the train side of the frozen split. Its rewards on both sides are printed as
it learns, each the mean of answers drawn as in training, then what a simple rule earns and the best that
sketches allow.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.training_sketch import (
    END,
    MOST,
    OTHER,
    PAD,
    VOCABULARY,
    Sketch,
    best,
    earned,
    in_order,
    sketch,
)
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.environments import Episode
from bfcl_pipeline.environments.setting import entry_ids, open_setting
from bfcl_pipeline.environments.splits import SIDES, frozen_split

CATEGORY, SPLIT = "simple_python", "clusters-v1"
WARM_UP_STEPS, EVERY, TIMES = 150, 20, 4
SEED = 1
LINES = {"train": "train side, which it learns from", "test": "test side"}
LEVELS = {"the next value that fits each type": in_order, "the best that sketches allow": best}


@dataclass(frozen=True)
class Policy:
    """The model that is trained, and its tokenizer with a token for each word of sketches."""

    model: Any
    tokenizer: Any

    @classmethod
    def untrained(cls) -> Policy:
        """Random weights, the same each time."""
        import torch
        from tokenizers import Tokenizer, models, pre_tokenizers
        from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

        torch.manual_seed(SEED)
        words = Tokenizer(models.WordLevel({word: n for n, word in enumerate(VOCABULARY)}, unk_token=OTHER))
        words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=words, pad_token=PAD, eos_token=END, padding_side="left"
        )
        config = LlamaConfig(
            vocab_size=len(VOCABULARY),
            hidden_size=48,
            intermediate_size=96,
            num_hidden_layers=2,
            num_attention_heads=4,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
        )
        return cls(LlamaForCausalLM(config), tokenizer)

    def warm_up(self, sketches: Sequence[Sketch]) -> None:
        """Teaches the form of answers: a value for each parameter, drawn at random."""
        import torch

        drawn = random.Random(SEED)
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-3)
        for _ in range(WARM_UP_STEPS):
            chosen = drawn.choices(sketches, k=64)
            answers = [drawn.choices(list(one.values), k=len(one.parameters)) for one in chosen]
            texts = [" ".join([*one.tokens, *own, END]) for one, own in zip(chosen, answers, strict=True)]
            batch = self.tokenizer(texts, return_tensors="pt", padding=True, padding_side="right")
            labels = batch.input_ids.masked_fill(batch.attention_mask == 0, -100)
            for row, one in zip(labels, chosen, strict=True):
                row[: len(one.tokens)] = -100  # only answers are learned
            inputs = {"input_ids": batch.input_ids, "attention_mask": batch.attention_mask}
            self.model(**inputs, labels=labels).loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    def reward(self, sketches: Mapping[str, Sketch], data: Path) -> float:
        """The mean reward of TIMES answers to each entry, drawn as in training."""
        import torch

        ids = [entry_id for entry_id in sketches for _ in range(TIMES)]
        prompts = [" ".join(sketches[entry_id].tokens) for entry_id in ids]
        batch = self.tokenizer(prompts, return_tensors="pt", padding=True)
        inputs = {"input_ids": batch.input_ids, "attention_mask": batch.attention_mask}
        with torch.no_grad():
            written = self.model.generate(**inputs, do_sample=True, max_new_tokens=MOST + 1)
        own = written[:, batch.input_ids.shape[1] :]
        answers = self.tokenizer.batch_decode(own, skip_special_tokens=True)
        return mean(earned(one, text.split(), data) for one, text in zip(ids, answers, strict=True))


def mean(values: Iterator[float]) -> float:
    """The mean of some values."""
    every = list(values)
    return sum(every) / len(every)


def sketches_by_side(data: Path) -> dict[str, dict[str, Sketch]]:
    """By side of the split and entry id: the sketches of the entries of the category."""
    setting = open_setting(data, Path("cache"), "simulated")
    sides = frozen_split(SPLIT, setting).sides
    sketches: dict[str, dict[str, Sketch]] = {side: {} for side in SIDES}
    for entry_id in entry_ids(setting, [CATEGORY], Rules.VERIFIED):
        request = Episode(entry_id, data=data).request
        assert request is not None
        sketches[sides[entry_id]][entry_id] = sketch(request)
    return sketches


def train(
    policy: Policy, sketches: Mapping[str, Sketch], steps: int, data: Path, note: Callable[[int], None]
) -> None:
    """Trains for some steps; calls `note` with the number of each EVERYth one, and of the last."""
    from datasets import Dataset
    from transformers import PrinterCallback, TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    class Noting(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step % EVERY == 0 or state.global_step == steps:
                note(state.global_step)

    def reward(completions: list[str], entry_id: list[str], **_: Any) -> list[float]:
        return [earned(one, text.split(), data) for one, text in zip(entry_id, completions, strict=True)]

    prompts = [{"prompt": " ".join(one.tokens), "entry_id": name} for name, one in sketches.items()]
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            max_steps=steps,
            per_device_train_batch_size=256,
            num_generations=32,
            max_completion_length=MOST + 1,
            learning_rate=1e-3,
            lr_scheduler_type="constant",
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            seed=SEED,
        )
        trainer = GRPOTrainer(
            model=policy.model,
            reward_funcs=reward,
            args=config,
            train_dataset=Dataset.from_list(prompts),
            processing_class=policy.tokenizer,
            callbacks=[Noting()],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()


def picture(curve: Sequence[Mapping[str, Any]], levels: Mapping[str, float]) -> str:
    """The curve as SVG. curve: rows with `step`, `model` (the name of the line) and `reward`."""
    import altair as alt

    from bfcl_pipeline.show.report.figures.figure import Series
    from bfcl_pipeline.show.report.figures.renderer import svg
    from bfcl_pipeline.show.report.figures.style import SOFT

    series = Series(list(LINES.values()))
    reward = alt.Y("reward:Q", title="mean reward", scale=alt.Scale(domain=[0, 0.45]))
    lines = (
        alt.Chart(alt.InlineData(values=[dict(row) for row in curve]))
        .mark_line(point=False)
        .encode(alt.X("step:Q", title="steps of GRPO"), reward, series.colour(), series.dash())
    )
    marks = alt.Chart(
        alt.InlineData(values=[{"reward": level, "name": name} for name, level in levels.items()])
    )
    rules = marks.mark_rule(color=SOFT, strokeDash=[2, 3]).encode(reward)
    names = marks.mark_text(color=SOFT, align="left", baseline="bottom", dx=4).encode(
        reward, alt.Text("name:N"), x=alt.value(0)
    )
    chart = alt.layer(rules, names, lines).properties(
        width=520, height=280, title=f"A tiny policy learns {CATEGORY} from the rewards of its episodes"
    )
    return svg(chart.to_dict())


def main() -> None:
    """Prints the rewards as they grow, and writes the picture if a file is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=400, help="of GRPO (default: 400)")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="write the curve")
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged data (default: data)")
    options = parser.parse_args()
    started = time.monotonic()
    sketches = sketches_by_side(options.data)
    policy = Policy.untrained()
    policy.warm_up(list(sketches["train"].values()))
    curve: list[dict[str, Any]] = []

    def note(step: int) -> None:
        rewards = [policy.reward(sketches[side], options.data) for side in SIDES]
        pairs = zip(LINES.values(), rewards, strict=True)
        curve.extend({"step": step, "model": name, "reward": reward} for name, reward in pairs)
        print(f"{step:>6}" + "".join(f"{reward:>8.3f}" for reward in rewards), flush=True)

    print(f"{CATEGORY}: {', '.join(f'{len(sketches[side])} entries of {side}' for side in SIDES)}")
    print(f"{'step':>6}" + "".join(f"{side:>8}" for side in SIDES))
    note(0)
    train(policy, sketches["train"], options.steps, options.data, note)
    levels = {}
    for name, rule in LEVELS.items():
        rewards = [mean(rule(*pair, options.data) for pair in sketches[side].items()) for side in SIDES]
        print(f"{'':>6}" + "".join(f"{reward:>8.3f}" for reward in rewards), f" {name}")
        levels[f"{name} (test side)"] = rewards[-1]
    print(f"{time.monotonic() - started:.0f} seconds")
    if options.picture is not None:
        write_text(options.picture, picture(curve, levels))


if __name__ == "__main__":
    main()
