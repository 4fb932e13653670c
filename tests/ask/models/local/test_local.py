"""Greedy answers of a model in this process, kind transformers: its engine, and runs with it.

In one file, as processes of tests share files: the libraries take seconds to import.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_pipeline.ask.models.local.adapter import LocalAnswer, Prompt
from bfcl_pipeline.ask.models.weights import identify_weights
from bfcl_pipeline.base.errors import ContextOverflow, ModelError
from bfcl_pipeline.benchmark.config import load_models, recorded_models
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main
from tests.support.offline import offline
from tests.support.small_model_runs import CHOICE, MODEL, answers, generate, journaled

if TYPE_CHECKING:
    from bfcl_pipeline.ask.models.local.engine import LocalEngine

TEXTS = (
    "def f(x):\n",
    "import os\nclass A:\n    def",
    '{"type": "object", "properties"',
    "x",
    "raise ValueError(",
)


@pytest.fixture(scope="module")
def engine(tiny: Path) -> LocalEngine:
    """The tiny model, loaded."""
    return loaded(tiny)


def loaded(weights: Path) -> LocalEngine:
    """An engine; its import takes seconds, which no collection of tests is to pay."""
    from bfcl_pipeline.ask.models.local.engine import LocalEngine

    return LocalEngine.load(str(weights), None, "float32")


def answered(engine: LocalEngine, *prompts: Prompt) -> list[LocalAnswer]:
    found = engine.answers(prompts)
    assert all(isinstance(one, LocalAnswer) for one in found), found
    return [one for one in found if isinstance(one, LocalAnswer)]


def test_an_answer_has_the_most_likely_token_at_each_step(engine: LocalEngine, tiny: Path) -> None:
    """The same tokens as a loop that computes the whole text anew for each of them."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny)
    model = AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32)
    ids = tokenizer(TEXTS[0], return_tensors="pt")["input_ids"]
    start = ids.shape[1]
    for _ in range(40):
        with torch.inference_mode():
            following = model(input_ids=ids).logits[0, -1].argmax()
        if following == tokenizer.eos_token_id:
            break
        ids = torch.cat([ids, following.reshape(1, 1)], dim=1)
    expected = tokenizer.decode(ids[0])[len(tokenizer.decode(ids[0, :start])) :]
    (answer,) = answered(engine, Prompt(TEXTS[0], max_tokens=40))
    assert expected
    assert answer.text == expected
    assert answer.input_tokens == start


def test_prompts_of_one_batch_do_not_see_each_other(engine: LocalEngine) -> None:
    """Each has the answer that it has alone, in the order of the prompts, whatever their lengths."""
    prompts = [Prompt(text, max_tokens=24) for text in TEXTS]
    alone = [answered(engine, prompt)[0] for prompt in prompts]
    assert answered(engine, *prompts) == alone
    assert len({answer.text for answer in alone}) > 1


def test_each_prompt_of_a_batch_has_its_own_limit_and_stop_tokens(engine: LocalEngine) -> None:
    """An answer ends at its limit, or before a stop token, which is counted and not part of the text."""
    answers = answered(engine, *(Prompt(text, max_tokens=24) for text in TEXTS))
    text, whole = next(pair for pair in zip(TEXTS, answers, strict=True) if pair[1].output_tokens > 3)
    second = engine._tokenizer(whole.text)["input_ids"][1]  # of the tokens that are written
    cut, stopped, same = answered(
        engine,
        Prompt(text, max_tokens=3),
        Prompt(text, stop_token_ids=[second], max_tokens=24),
        Prompt(text, max_tokens=24),
    )
    assert same == whole
    assert (cut.finish_reason, cut.output_tokens, cut.max_tokens) == ("length", 3, 3)
    assert whole.text.startswith(cut.text)
    assert stopped.finish_reason == "stop"
    assert whole.text.startswith(stopped.text)
    assert stopped.output_tokens == 2


def test_the_limit_is_what_the_context_leaves(tiny: Path, tmp_path: Path) -> None:
    """The official limit, and a prompt that leaves no room is an overflow while others are answered."""
    short = tmp_path / "short"
    short.mkdir()
    for file in tiny.iterdir():
        if file.name != "config.json":
            (short / file.name).symlink_to(file)
    config = json.loads((tiny / "config.json").read_text())
    (short / "config.json").write_text(
        json.dumps({**config, "max_position_embeddings": 64, "n_positions": 64})
    )
    engine = loaded(short)
    answer, overflow = engine.answers([Prompt("x y z"), Prompt("x y z " * 64)])
    assert isinstance(answer, LocalAnswer)
    assert answer.max_tokens == 64 - answer.input_tokens - 2
    assert isinstance(overflow, ContextOverflow)
    assert "context is 64" in str(overflow)


def test_an_unwanted_answer_ends_at_the_next_token(engine: LocalEngine) -> None:
    """So that an interrupted job does not wait for thousands of tokens."""
    (answer,) = engine.answers([Prompt(TEXTS[0], max_tokens=4000)], lambda: True)
    assert isinstance(answer, LocalAnswer)
    assert answer.output_tokens == 1


class _Command:
    """Runs when it is read from a pickle."""

    def __init__(self, ran: Path) -> None:
        self.ran = ran

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.ran,)


def test_code_in_the_folder_of_a_model_does_not_run(tiny: Path, tmp_path: Path) -> None:
    """Neither a class that its config names, nor pickled weights, nor a function that generates."""
    folder, ran = tmp_path / "model", tmp_path / "ran"
    shutil.copytree(tiny, folder)
    (folder / "custom_generate").mkdir()
    for name in ("own.py", "custom_generate/generate.py"):
        (folder / name).write_text(f"open({str(ran)!r}, 'w')\nclass Own: pass\ndef generate(): pass\n")
    answered(loaded(folder), Prompt("x", max_tokens=1))
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(_Command(ran)))
    with pytest.raises(ModelError, match="Weights only load failed"):
        loaded(folder)
    config = {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Own"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="contains custom code"):
        loaded(folder)
    assert not ran.exists()


@pytest.mark.parametrize(
    ("file", "values"),
    [("config.json", {"model_type": "\x1b[31m\u202e"}), ("generation_config.json", {"eos_token_id": {}})],
)
def test_hostile_values_in_a_models_files_are_one_printable_line(
    tiny: Path, tmp_path: Path, file: str, values: Json, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing else is printed: messages of the libraries repeat such texts as they are."""
    shutil.copytree(tiny, tmp_path, dirs_exist_ok=True)
    written = json.loads((tmp_path / file).read_text())
    (tmp_path / file).write_text(json.dumps({**written, **values}))
    with pytest.raises(ModelError, match="not loadable as a causal language model") as raised:
        loaded(tmp_path)
    assert str(raised.value).isprintable()
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_loaded_is_one_clear_line(tiny: Path, tmp_path: Path) -> None:
    """No such directory; no model in it; a model that is not a causal one."""
    with pytest.raises(ModelError, match="no such directory"):
        loaded(tmp_path / "absent")
    with pytest.raises(ModelError, match="not loadable as a causal language model"):
        loaded(tmp_path)
    vision = tmp_path / "vision"
    vision.mkdir()
    for file in tiny.glob("tokenizer*"):
        (vision / file.name).symlink_to(file)
    (vision / "config.json").write_text(json.dumps({"model_type": "vit"}))
    with pytest.raises(ModelError, match="not loadable as a causal language model") as raised:
        loaded(vision)
    assert "\n" not in str(raised.value)


def test_answers_are_journaled_replayed_and_scored(staged: Path, folder: Path, weights: Path) -> None:
    """A second run sends nothing, and a replay needs neither the weights nor the libraries."""
    staged = staged.resolve()
    generate(staged, "asked")
    asked, sent = answers(folder / "asked"), journaled(folder)
    assert len(asked) == sent == 3
    generate(staged, "again")
    assert (answers(folder / "again"), journaled(folder)) == (asked, sent)

    row = identify_weights(load_models(["models.yaml"])[MODEL])
    (folder / "recorded.yaml").write_text(recorded_models([row]))
    shutil.rmtree(weights)
    command = [
        sys.executable,
        "-m",
        "bfcl_pipeline.cli",
        "generate",
        "--model",
        MODEL,
        "--run",
        "r",
        *CHOICE,
    ]
    command += [
        "--models",
        "recorded.yaml",
        "--data",
        str(staged),
        "--cache",
        "exchanges",
        "--out",
        "replayed",
    ]
    env = offline(folder / "offline", blocked=("torch", "transformers"), unset=())
    done = subprocess.run([*command, "--replay"], env={**os.environ, **env}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for table in sorted((folder / "asked").glob("*.parquet")):
        assert (folder / "replayed" / table.name).read_bytes() == table.read_bytes()

    table = folder / "asked/simple_python.parquet"
    assert (
        main(["score", str(table), "--out", "verdicts", "--data", str(staged), "--rules", "official"]) == 0
    )
    assert read_table(folder / "verdicts").num_rows == 3


def test_changed_weights_at_the_same_path_are_asked_again(
    staged: Path, folder: Path, weights: Path
) -> None:
    """The keys of the journal have the digest of the files; a recorded digest finds the earlier answers."""
    staged = staged.resolve()
    generate(staged, "asked")
    sent = journaled(folder)
    before = identify_weights(load_models(["models.yaml"])[MODEL])
    config = json.loads((weights / "config.json").read_text())
    (weights / "config.json").write_text(json.dumps({**config, "comment": "other weights"}))
    after = identify_weights(load_models(["models.yaml"])[MODEL])
    assert before.asked != after.asked
    generate(staged, "changed")
    assert journaled(folder) == 2 * sent
    generate(staged, "recorded", "--weights", str(before.weights), "--replay")
    assert answers(folder / "recorded") == answers(folder / "asked")
