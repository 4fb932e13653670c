"""Writes and reads calls with vLLM's own chat template and parsers, without weights.

Run as a file by the Python that has vLLM, which has none of this package. Each line of its input is a
request in JSON, and is answered by one line; the first is a setup, which holds until the next one:

    {"setup": {"tokenizer": FOLDER, "template": TEXT or null, "tool_parser": NAME,
               "reasoning_parser": NAME or null}}
        -> {"version": TEXT}
    {"offer": [...]}  # tools; later requests name them by their place among all offers
        -> {}
    {"prompt": [...], "tools": PLACE}  # messages
        -> {"text": TEXT}  # what the template makes of them, with the beginning of an answer
    {"write": [...], "tools": PLACE}  # messages, of which the last is the assistant's
        -> {"tokens": [...], "text": TEXT}  # what the model writes for it, up to its last token
    {"read": [tokens] or TEXT, "tools": PLACE, "piece": N}  # tokens in one delta; 0: the whole text at once
        -> {"calls": [[NAME, ARGUMENTS as text], ...], "content": TEXT or null}

An exception of vLLM is the answer {"error": TEXT}.
"""

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from tokenizers.decoders import DecodeStream


class ServerParts:
    """The chat template, the tokenizer and the parsers of one server."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.requests: list[Any] = []  # with the tools of each offer
        self.tokenizer = import_module("vllm.tokenizers").get_tokenizer(setup["tokenizer"])
        self.template = setup["template"]
        path = Path(setup["tokenizer"], "generation_config.json")
        ends = json.loads(path.read_text("utf-8")).get("eos_token_id") if path.is_file() else None
        self.ends = {self.tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])}
        self.parser = import_module("vllm.parser").ParserManager.get_parser(
            tool_parser_name=setup["tool_parser"],
            reasoning_parser_name=setup["reasoning_parser"],
            enable_auto_tools=True,
            tokenizer=self.tokenizer,
        )

    def offer(self, tools: list[Any]) -> dict[str, Any]:
        """Reads tools as the server does."""
        protocol = import_module("vllm.entrypoints.openai.chat_completion.protocol")
        messages = [{"role": "user", "content": "."}]
        offered = {"tools": tools, "tool_choice": "auto"} if tools else {}
        self.requests.append(protocol.ChatCompletionRequest(model="model", messages=messages, **offered))
        return {}

    def prompt(self, messages: list[Any], tools: int, answer: bool = True) -> str:
        """What the template makes of messages. answer: with the beginning of the answer to them."""
        offered = self.requests[tools].tools
        given = [tool.model_dump() for tool in offered] if offered else None
        options = {"tools": given, "chat_template": self.template, "add_generation_prompt": answer}
        shown = [with_objects(message) for message in messages]
        return str(self.tokenizer.apply_chat_template(shown, tokenize=False, **options))

    def write(self, messages: list[Any], tools: int) -> dict[str, Any]:
        """The tokens of the last message, without those of the prompt before it and of the turn's end."""
        before, whole = self.prompt(messages[:-1], tools), self.prompt(messages, tools, answer=False)
        if not whole.startswith(before):
            raise ValueError("the template writes an answer that does not begin with its prompt")
        tokens = self._encoded(whole[len(before) :])
        if self.tokenizer.eos_token_id in tokens:
            tokens = tokens[: tokens.index(self.tokenizer.eos_token_id)]
        return {"tokens": tokens, "text": "".join(self._pieces(tokens))}

    def read(self, written: list[int] | str, tools: int, piece: int) -> dict[str, Any]:
        """What the server makes of an answer, given at once or in pieces of so many tokens."""
        tokens: list[int] = written if isinstance(written, list) else self._encoded(written)
        if tokens and tokens[-1] in self.ends:  # the server's engine leaves it out, too
            tokens = tokens[:-1]
        request, texts = self.requests[tools].model_copy(), self._pieces(tokens)
        parser = self.parser(self.tokenizer, request.tools)
        if not piece:
            _, content, calls = parser.parse(
                "".join(texts), request, enable_auto_tools=True, model_output_token_ids=tokens
            )
            return {"calls": [[call.name, call.arguments] for call in calls or ()], "content": content}
        found: dict[int, list[str]] = {}
        content = ""
        for start in range(0, max(1, len(tokens)), piece):
            end = start + piece
            delta = parser.parse_delta(
                "".join(texts[start:end]),
                tokens[start:end],
                request,
                prompt_token_ids=[],
                finished=end >= len(tokens),
            )
            content += (delta and delta.content) or ""
            for call in (delta and delta.tool_calls) or ():
                name_and_arguments = found.setdefault(call.index, ["", ""])
                if call.function is not None:
                    name_and_arguments[0] += call.function.name or ""
                    name_and_arguments[1] += call.function.arguments or ""
        return {"calls": [found[index] for index in sorted(found)], "content": content or None}

    def _encoded(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False))

    def _pieces(self, tokens: list[int]) -> list[str]:
        """The text that each token adds, as the server's engine decodes it."""
        stream = DecodeStream(skip_special_tokens=False)
        return [stream.step(self.tokenizer._tokenizer, token) or "" for token in tokens]


def with_objects(message: dict[str, Any]) -> dict[str, Any]:
    """A message whose calls have arguments as objects, as the server gives it to a template."""
    if not message.get("tool_calls"):
        return {"content": "", **{key: value for key, value in message.items() if key != "tool_calls"}}
    calls = [
        {**call, "function": {**call["function"], "arguments": _object(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _object(arguments: str) -> dict[str, Any]:
    """The arguments of a call; an empty object for text that is not a JSON object, as the server has it."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def main() -> None:
    """Answers each line of standard input on what was standard output; logs go to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    parts = None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if "setup" in asked:
                parts = ServerParts(asked["setup"])
                answer: dict[str, Any] = {"version": import_module("vllm").__version__}
            elif parts is None:
                raise ValueError("there was no setup")
            elif "offer" in asked:
                answer = parts.offer(asked["offer"])
            elif "prompt" in asked:
                answer = {"text": parts.prompt(asked["prompt"], asked["tools"])}
            elif "write" in asked:
                answer = parts.write(asked["write"], asked["tools"])
            else:
                answer = parts.read(asked["read"], asked["tools"], asked["piece"])
        except Exception as error:  # noqa: BLE001  # whatever a parser raises is its answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
