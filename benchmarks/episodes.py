"""Episodes per second of one core, with a scripted policy: python -m benchmarks.episodes [--entries N]

Each entry is played once to load what episodes share, then again, timed in seconds of the processor.
The policy gives the oracle's answers, which were noted before: its own work is not counted. Prints for
each kind of entry the episodes and answers per second, verdict included.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.environments import Episode, PolicyAnswer, oracle_answers
from bfcl_pipeline.environments.setting import entry_ids, open_setting

KINDS = {
    "single-turn": ("simple_python", "fc"),
    "single-turn, prompt": ("simple_python", "prompt"),
    "multi-turn": ("multi_turn_base", "fc"),
    "multi-turn, prompt": ("multi_turn_base", "prompt"),
    "multi-turn, long context": ("multi_turn_long_context", "fc"),
    "memory": ("memory_kv", "fc"),
    "web": ("web_search_base", "fc"),
}


def scripted(entry_id: str, mode: str, data: Path) -> list[PolicyAnswer]:
    """The oracle's answers to one episode."""
    episode = Episode(entry_id, mode=mode, data=data)
    answers = []
    for answer in oracle_answers(episode):
        answers.append(answer)
        episode.answer(answer)
    assert episode.reward is not None
    return answers


def main() -> None:
    """Prints a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--entries", type=int, default=150, help="of each kind (default: 150)")
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged data (default: data)")
    options = parser.parse_args()
    setting = open_setting(options.data, Path("cache"), "simulated")
    print(f"{'kind':<26}{'episodes':>9}{'turns':>7}{'answers':>9}{'episodes/s':>12}{'answers/s':>11}")
    for kind, (category, mode) in KINDS.items():
        ids = entry_ids(setting, [category], Rules.VERIFIED)[: options.entries]
        scripts = {entry_id: scripted(entry_id, mode, options.data) for entry_id in ids}
        turns = sum(len(setting.entry(entry_id).turns) for entry_id in ids) / len(ids)
        count, answers = 0, 0
        started = time.process_time()
        while (seconds := time.process_time() - started) < 2.0:
            for entry_id, script in scripts.items():
                episode = Episode(entry_id, mode=mode, data=options.data)
                for answer in script:
                    episode.answer(answer)
                assert episode.reward is not None
                answers += len(script)
                count += 1
        print(
            f"{kind:<26}{count:>9,}{turns:>7.1f}{answers / count:>9.1f}"
            f"{count / seconds:>12,.0f}{answers / seconds:>11,.0f}"
        )


if __name__ == "__main__":
    main()
