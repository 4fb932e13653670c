"""The official handlers of APIs, each with our adapter and its row that send the same requests.

Options and URLs were read from the handlers; `test_wire_seam` tests that nothing else differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.ask.generation.backends import Adapter
from bfcl_pipeline.ask.models.adapters.anthropic import Anthropic
from bfcl_pipeline.ask.models.adapters.gemini import Gemini
from bfcl_pipeline.ask.models.adapters.openai_chat import OpenAIChat
from bfcl_pipeline.ask.models.adapters.openai_responses import OpenAIResponses
from bfcl_pipeline.benchmark.config import KINDS, ModelRow
from bfcl_pipeline.benchmark.records import Json, Mode
from tests.peer.wire_scripts import SILENT_KEYS

REASONING: Mapping[str, Json] = {
    "temperature": None,
    "reasoning": {"summary": "auto"},
    "include": ["reasoning.encrypted_content"],
}
STREAM: Mapping[str, Json] = {
    "temperature": None,
    "enable_thinking": True,
    "stream": True,
    "stream_options": {"include_usage": True},
}
STORE: Mapping[str, Json] = {"store": False}
NO_TEMPERATURE: Mapping[str, Json] = {"temperature": None}

CHAT_ARGUED = ("says something",)
UNTHOUGHT = (*CHAT_ARGUED, "thoughts")


ADAPTERS = {
    "openai_chat": OpenAIChat,
    "openai_responses": OpenAIResponses,
    "anthropic": Anthropic,
    "gemini": Gemini,
}


@dataclass(frozen=True)
class Handler:
    """An official handler, and our row that sends the same requests."""

    name: str
    endpoint: str
    options: Mapping[str, Json] = field(default_factory=dict)
    modes: Sequence[Mode] = tuple(Mode)
    model: str = "model"
    asked_model: str = ""  # what the API is asked for; default: the model
    argued: Sequence[str] = CHAT_ARGUED
    thinks: float = 0.3  # in which part of the answers there is reasoning
    silent: Sequence[Mapping[str, Json]] = SILENT_KEYS  # null or empty keys in the API's answers
    wordy: bool = True  # the API sends refusals, and text beside calls
    every: int = 40  # which part of the entries of several turns
    every_single: int = 40  # which part of the others
    first: int = 0  # at which entry a part begins
    several_turns: bool = True
    kind: str = "openai_chat"  # of our row
    path: str = "chat/completions"  # of requests, after the endpoint

    @property
    def label(self) -> str:
        return f"{self.name} {self.asked_model or self.model}"

    def adapter(self, mode: Mode) -> Adapter:
        """Our adapter, which sends nothing."""
        row = ModelRow(
            name="m",
            kind=self.kind,
            mode=mode,
            display_name="m",
            model=self.asked_model or self.model,
            endpoint=self.endpoint,
            options=self.options,
        )
        return ADAPTERS[self.kind](row)


def responses(model: str, options: Mapping[str, Json] = {}, **parts: int) -> Handler:
    """OpenAI's handler of Responses."""
    return Handler(
        "OpenAIResponsesHandler",
        OPENAI,
        options,
        model=model,
        argued=(),
        kind="openai_responses",
        path="responses",
        thinks=0.3 if options else 0,
        **parts,
    )


def vendors(name: str, kind: str, path: str, argued: Sequence[str], models: Sequence[str]) -> list[Handler]:
    """The handler of a vendor's own format, for models that share the entries."""
    return [
        Handler(
            name,
            KINDS[kind].endpoint,
            kind=kind,
            path=path.format(model),
            model=model,
            argued=argued,
            first=first,
            every_single=len(models),
            every=10 * len(models),
        )
        for first, model in enumerate(models)
    ]


OPENAI = "https://api.openai.com/v1"
FC, PROMPT = (Mode.FC,), (Mode.PROMPT,)

HANDLERS = (
    Handler("OpenAICompletionsHandler", OPENAI, argued=UNTHOUGHT, every=4, every_single=1),
    responses("gpt-4.1", every=4, every_single=1),
    responses("gpt-5-mini", REASONING, every=8, every_single=8),
    responses("o4-mini-2025", REASONING),
    Handler("DeepSeekAPIHandler", "https://api.deepseek.com", modes=FC),
    Handler("DeepSeekAPIHandler", "https://api.deepseek.com", NO_TEMPERATURE, modes=PROMPT),
    Handler("FunctionaryHandler", "http://localhost:8000/v1", STORE, modes=FC, argued=UNTHOUGHT),
    Handler("GLMAPIHandler", "https://open.bigmodel.cn/api/paas/v4", STORE, modes=FC, argued=UNTHOUGHT),
    Handler(
        "GLMAPIHandler",
        "https://open.bigmodel.cn/api/paas/v4",
        {**STORE, **NO_TEMPERATURE, "thinking": {"type": "enabled"}},
        modes=FC,
        model="glm-4.6",
        argued=UNTHOUGHT,
    ),
    Handler("GoGoAgentHandler", "https://api.gogoagent.ai", STORE, modes=PROMPT, argued=UNTHOUGHT),
    Handler("GrokHandler", "https://api.x.ai/v1", STORE),
    Handler("KimiHandler", "https://api.moonshot.ai/v1", STORE, argued=UNTHOUGHT),
    Handler(
        "LingAPIHandler",
        "https://bailingchat.alipay.com",
        NO_TEMPERATURE,
        modes=PROMPT,
        model="Ling/ling-lite-v1.5",
        asked_model="Ling-lite-1.5-250604",
    ),
    Handler(
        "MistralHandler",
        "https://api.mistral.ai/v1",
        modes=FC,
        argued=("client", *UNTHOUGHT),
        silent=({"tool_calls": None, "prefix": False},),
        several_turns=False,
    ),
    Handler("MistralHandler", "https://api.mistral.ai/v1", modes=PROMPT, argued=("client", *UNTHOUGHT)),
    Handler(
        "NanbeigeAPIHandler",
        "https://nanbeige.zhipin.com/api/gpt/open/chat/openai/v1",
        NO_TEMPERATURE,
        modes=FC,
        argued=UNTHOUGHT,
        thinks=1,
        silent=({},),
        wordy=False,
    ),
    Handler("NovitaHandler", "https://api.novita.ai/v3/openai", argued=UNTHOUGHT, several_turns=False),
    Handler("NvidiaHandler", "https://integrate.api.nvidia.com/v1", STORE, modes=PROMPT, argued=UNTHOUGHT),
    Handler(
        "QwenAPIHandler",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        {**STREAM, "parallel_tool_calls": True},
        modes=FC,
        argued=UNTHOUGHT,
        silent=({},),
        wordy=False,
    ),
    Handler(
        "QwenAPIHandler",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        STREAM,
        modes=PROMPT,
        argued=UNTHOUGHT,
        silent=({},),
        wordy=False,
    ),
    *vendors(
        "ClaudeHandler",
        "anthropic",
        "v1/messages",
        ("text blocks", "silence"),
        ("claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"),
    ),
    *vendors(
        "GeminiHandler",
        "gemini",
        "v1/models/{}:generateContent",  # Google's client requests v1; in the handler's time it was v1beta
        ("spelling",),
        ("gemini-2.5-flash-lite", "gemini-3-pro-preview"),
    ),
)
