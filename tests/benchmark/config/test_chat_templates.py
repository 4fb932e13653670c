"""config/chat_templates: what vLLM makes of a conversation before a model reads it."""

import json
from pathlib import Path

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.benchmark.records import Mode

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "config" / "chat_templates"
TEMPLATES = sorted(path.name for path in FOLDER.glob("*.jinja"))

NAMED = {
    mode: {
        row.vllm.chat_template.rpartition("/")[2]
        for row in load_models(ROOT / "config" / "models.yaml").values()
        if row.mode is mode and row.vllm.chat_template is not None
    }
    for mode in Mode
}
"""Templates that rows of each mode name."""

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "its name", "enum": ["Oslo", "Rome"]},
                "days": {"type": "array", "description": "which", "items": {"type": "integer"}},
                "how": {
                    "type": "object",
                    "description": "units",
                    "properties": {"degree": {"type": "string", "description": "C or F"}},
                    "required": ["degree"],
                },
            },
            "required": ["city"],
        },
    },
}


def _call(call_id, **arguments):
    # As vLLM gives them to a template: the arguments are read, and no text is an empty one.
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": "get_weather", "arguments": arguments},
    }


ASKED = {"role": "user", "content": "Will it rain in either city?"}
CALLED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        _call("a", city="Oslo", days=[1, 2], how={"degree": "C"}),
        _call("b", city="Rome", wet=None),
    ],
}
TOLD = [
    {"role": "tool", "tool_call_id": "a", "content": "snow"},
    {"role": "tool", "tool_call_id": "b", "content": "sun"},
]


def _renderer(name):
    """A template, rendered as the transformers library does it."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(
        value, ensure_ascii=False, indent=indent
    )
    template = environment.from_string((FOLDER / name).read_text())
    return lambda messages, tools=None: template.render(
        messages=messages, tools=tools, add_generation_prompt=True
    )


@pytest.fixture(scope="module", params=TEMPLATES)
def render(request):
    """Each template."""
    return _renderer(request.param)


@pytest.fixture(scope="module", params=sorted(NAMED[Mode.FC]))
def render_with_tools(request):
    """Each template for models that are offered functions."""
    return _renderer(request.param)


def test_each_template_is_used():
    """Every template has a row, and rows name no other template."""
    assert NAMED[Mode.FC] | NAMED[Mode.PROMPT] == set(TEMPLATES)


def test_functions_are_in_the_prompt(render_with_tools):
    """Name, description and every parameter of an offered function are in the prompt."""
    prompt = render_with_tools([ASKED], [WEATHER])
    for said in (
        "get_weather",
        "The weather of a city.",
        "city",
        "days",
        "how",
        "degree",
        "C or F",
        "Oslo",
        "Rome",
    ):
        assert said in prompt


def test_calls_and_results_stay_in_the_history(render_with_tools):
    """Two calls of one answer, with their arguments, and then both results are in the prompt."""
    prompt = render_with_tools(
        [ASKED, CALLED, *TOLD, {"role": "assistant", "content": "Yes."}, ASKED], [WEATHER]
    )
    history = prompt[prompt.index(ASKED["content"]) :]
    places = [history.index(said) for said in ("get_weather", "Oslo", "degree", "snow", "sun", "Yes.")]
    assert places == sorted(places)
    assert history.count("get_weather") >= 2
    assert history.count(ASKED["content"]) == 2


def test_a_longer_conversation_starts_the_same(render_with_tools):
    """Each prompt begins with the previous prompt of the conversation, so a server can cache it."""
    first, second = (
        render_with_tools([ASKED], [WEATHER]),
        render_with_tools([ASKED, CALLED, *TOLD], [WEATHER]),
    )
    assert second.startswith(first)


def test_the_system_prompt_comes_first(render):
    """A system prompt is before the question, also if no function is offered."""
    prompt = render([{"role": "system", "content": "Answer in verse."}, ASKED])
    assert prompt.index("Answer in verse.") < prompt.index(ASKED["content"])
    assert "function" not in prompt.replace("<|function_call_library|>", "")


def test_the_prompt_ends_before_the_answer(render):
    """A prompt ends where the model's turn begins."""
    assert not render([ASKED]).rstrip().endswith(ASKED["content"])


def test_a_user_may_send_two_messages(render):
    """Two consecutive messages of a user, which some entries have, are both in the prompt."""
    prompt = render([ASKED, {"role": "user", "content": "And tomorrow?"}])
    assert prompt.index(ASKED["content"]) < prompt.index("And tomorrow?")
