"""What each category tests, in words, and since which version of the benchmark, as data.

Covers one sentence, one example and the version of each category, what each version added, and the
composition of the questions of web search and memory. The words are ours; examples are ids of entries of
the release, whose texts are not here.
Source: the release (bfcl-eval 2026.3.23), and the posts of the Gorilla team on each version.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition.categories import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import category_weights

GENERATIONS: Mapping[str, str] = {
    "V1": "calls written for the benchmark: one or several, in Python, Java or JavaScript; no call if no "
    "function fits",
    "V2": "function docs and questions that users contributed, in several languages",
    "V3": "conversations of several turns and steps, over simulated APIs with a state",
    "V4": "agents: search on the web, memory over sessions; and sensitivity to the format of the prompt",
}
"""The versions of the benchmark, with what each added."""

NOT_COMPARABLE = (
    "V4 totals do not compare with V3's: V4 added web search and memory, which count 40 %, gave the other "
    "categories new weights, and removed the categories that executed calls (exec_*, rest)."
)
"""What a reader of scores of different versions has to know."""


RETIRED = (
    "Group executable: categories of V1 that the leaderboard dropped (sql and chatable in April 2024, the "
    "others in April 2025). Their scores are in a table of their own and in no score of V4."
)
"""What a reader of the scores of the retired categories has to know."""


@dataclass(frozen=True, slots=True)
class Description:
    """One category in words."""

    generation: str  # the version of the benchmark that added it, a key of GENERATIONS
    tests: str  # what it tests, in a few words
    about: str  # one or two sentences: what a model is given, and what is right
    example: str  # id of a typical entry


_TEXTS: Mapping[str, tuple[str, ...]] = {
    "simple_python": (
        "one call of the one Python function",
        "The model is given one Python function and a question. The right answer is one call of it, with "
        "acceptable values of all required parameters.",
    ),
    "simple_java": (
        "one call of the one Java method",
        "One Java method and a question. The right answer is one call, whose values are parsed and "
        "compared by the types of Java.",
    ),
    "simple_javascript": (
        "one call of the one JavaScript function",
        "One JavaScript function and a question. The right answer is one call, whose values are parsed "
        "and compared by the types of JavaScript.",
    ),
    "multiple": (
        "choice of one function among several",
        "Two to four functions and a question, which only one of them answers. The right answer is one "
        "call of that one.",
    ),
    "parallel": (
        "several calls of one function",
        "One function and a question that needs several calls of it. The right answer has all of them, in "
        "any order.",
    ),
    "parallel_multiple": (
        "several calls of several functions",
        "Several functions and a question that needs several calls. The right answer has all of them, in "
        "any order.",
        "parallel_multiple_1",
    ),
    "irrelevance": (
        "no call, as no function fits",
        "Functions of which none can answer the question. The right answer has no call.",
        "irrelevance_1",
    ),
    "live_simple": (
        "one call; contributed by users",
        "One function and one question that users contributed. The right answer is one call, as in "
        "simple_python.",
        "live_simple_2-2-0",
    ),
    "live_multiple": (
        "choice of one function; contributed",
        "Several functions and one question that users contributed. The right answer is one call of the "
        "function that fits.",
        "live_multiple_1-0-1",
    ),
    "live_parallel": (
        "several calls of one function; contributed",
        "One function and a question that users contributed and that needs several calls of it.",
        "live_parallel_1-0-1",
    ),
    "live_parallel_multiple": (
        "several calls of several functions; contributed",
        "Several functions and a question that users contributed and that needs several calls.",
        "live_parallel_multiple_0-0-0",
    ),
    "live_irrelevance": (
        "no call, as no function fits; contributed",
        "Functions and a question that users contributed and that do not belong together. The right "
        "answer has no call.",
        "live_irrelevance_2-0-2",
    ),
    "live_relevance": (
        "a call, as a function fits; contributed",
        "Functions of which at least one fits the question. The right answer is any call that can be "
        "decoded; its arguments are not compared. Its score is shown, and counts in no other.",
        "live_relevance_2-2-0",
    ),
    "multi_turn_base": (
        "tasks over several turns, with a state",
        "A user gives tasks in several turns, which simulated APIs carry out (files, posts, tickets, "
        "trips, trading, a car, mathematics). The right answer leaves the state of the truth after each "
        "turn, with the results that the turn asks for.",
        "multi_turn_base_12",
    ),
    "multi_turn_miss_func": (
        "tasks over turns; a function comes late",
        "As multi_turn_base, but a function that is needed is held back until a later turn. The right "
        "answer waits until that function is offered, and then calls it.",
        "multi_turn_miss_func_12",
    ),
    "multi_turn_miss_param": (
        "tasks over turns; a detail comes late",
        "As multi_turn_base, but the user leaves out a detail and adds it in the next turn. The right "
        "answer asks for the detail instead of guessing it.",
        "multi_turn_miss_param_12",
    ),
    "multi_turn_long_context": (
        "tasks over turns; long results",
        "As multi_turn_base, but the simulated APIs hold much more content, so that their results are "
        "long.",
        "multi_turn_long_context_12",
    ),
    "memory_kv": (
        "memory of keys and values",
        "An assistant talks with a user in several sessions, in which it can write to a memory of keys "
        "and values. It is right if it then answers a question with nothing but the memory.",
        "memory_kv_3-customer-3",
    ),
    "memory_vector": (
        "memory searched by meaning",
        "As memory_kv, with a memory of texts that is searched by the similarity of sentence embeddings.",
        "memory_vector_3-customer-3",
    ),
    "memory_rec_sum": (
        "memory of one text",
        "As memory_kv, with a memory of one text, which the model appends to, replaces or clears.",
        "memory_rec_sum_3-customer-3",
    ),
    "web_search_base": (
        "questions of several steps on the web",
        "A question whose answer needs several facts, each found with the help of the one before it, by "
        "web searches and fetches of pages. The right answer is short and matches the annotated one.",
        "web_search_base_5",
    ),
    "web_search_no_snippet": (
        "web questions; results without snippets",
        "The questions of web_search_base, but search results have titles and addresses only, so that "
        "pages have to be fetched.",
        "web_search_no_snippet_5",
    ),
    "format_sensitivity": (
        "single-turn questions in 26 prompt formats",
        "Two hundred questions of the single-turn categories, each in 26 formats of the prompt and of the "
        "calls, for models in prompt mode. The spread over the formats is shown; no score contains it.",
        "format_sensitivity_0:ret_fmt=python&tool_call_tag=True&func_doc_fmt=python&prompt_fmt=plaintext"
        "&style=classic:simple_python_19",
    ),
    "exec_simple": (
        "one call that is executed",
        "One Python function and a question. The call of the answer is executed, and its value compared "
        "with that of the expected call: exactly, within 20 %, or by type, keys and length.",
    ),
    "exec_multiple": (
        "choice of one function; executed",
        "Two to four functions and a question, which only one of them answers. The call is executed, and "
        "its value compared as in exec_simple.",
    ),
    "exec_parallel": (
        "several executed calls of one function",
        "One function and a question that needs several calls of it. They are executed, and their values "
        "compared as in exec_simple, in any order.",
    ),
    "exec_parallel_multiple": (
        "several executed calls of several functions",
        "Several functions and a question that needs several calls. They are executed, and their values "
        "compared as in exec_simple, in any order.",
    ),
    "rest": (
        "one HTTP request that is executed",
        "The function requests.get with the documentation of one web API, and a question. The right answer "
        "is one request whose response has the JSON type and the top-level keys of the recorded one; "
        "values are not compared.",
    ),
    "sql": (
        "one SQL statement as a call",
        "One function, which takes the parts of an SQL statement, and a question. The right answer is one "
        "call, compared as in simple_python; nothing is executed.",
    ),
    "chatable": (
        "no call, as no function is offered",
        "A question for a chat, and no function. The right answer has no call.",
    ),
}
"""By category: what it tests, about it, and the example if it is not the first entry."""

_GENERATION = {
    "non_live": "V1",
    "executable": "V1",
    "live": "V2",
    "multi_turn": "V3",
    "agentic": "V4",
    "format_sensitivity": "V4",
}
"""The version of the benchmark that added each group of categories."""


def _describe(name: str, tests: str, about: str, example: str | None = None) -> Description:
    return Description(_GENERATION[CATEGORIES[name].group], tests, about, example or f"{name}_0")


DESCRIPTIONS: Mapping[str, Description] = {name: _describe(name, *texts) for name, texts in _TEXTS.items()}
"""Every category by name, in the order of CATEGORIES."""

WEB_HOPS: Mapping[int, int] = {2: 27, 3: 33, 4: 39, 5: 1}
"""Questions of each web search category by hops, the annotated number of steps to the answer."""

MEMORY_SCENARIOS: Mapping[str, int] = {
    "customer": 30,
    "healthcare": 25,
    "finance": 25,
    "student": 50,
    "notetaker": 25,
}
"""Questions of each memory category by scenario, the kind of assistant that the model plays."""


def overall_weights() -> dict[str, float]:
    """The share of each category in the overall score; 0 for those that are not in it."""
    weights = category_weights("overall", {})
    return {name: weights.get(name, 0.0) for name in CATEGORIES}


def composition(category: str) -> str:
    """Of what the questions of a category consist, in one line; empty if nothing is annotated."""
    if CATEGORIES[category].group != "agentic":
        return ""
    if CATEGORIES[category].backend is None:
        return ", ".join(f"{entries} of {hops} hops" for hops, entries in WEB_HOPS.items())
    return ", ".join(f"{entries} {scenario}" for scenario, entries in MEMORY_SCENARIOS.items())
