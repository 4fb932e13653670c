"""Writes and reads calls with vLLM's own chat template and parsers, without weights.

Run as a file by the Python that has vLLM, which has none of this package. Each line of its input is a
request in JSON, the name of a function of this file and its arguments, and is answered by a line with what
it returns. `set_up` is the first; it holds until the next one. An exception is the answer {"error": TEXT}.
"""

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from tokenizers.decoders import DecodeStream


class ServerParts:
    """The chat template, the tokenizer and the parsers of one server."""

    def __init__(self, tokenizer: str, template: str | None, parser: str, reasoning: str | None) -> None:
        """As `reading.parser_process`."""
        self.requests: dict[str, Any] = {}  # by the tools that they offer, as JSON
        self.tokenizer = import_module("vllm.tokenizers").get_tokenizer(tokenizer)
        self.template = template
        path = Path(tokenizer, "generation_config.json")
        ends = json.loads(path.read_text("utf-8")).get("eos_token_id") if path.is_file() else None
        self.ends = {self.tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])}
        self.parser = import_module("vllm.parser").ParserManager.get_parser(
            tool_parser_name=parser,
            reasoning_parser_name=reasoning,
            enable_auto_tools=True,
            tokenizer=self.tokenizer,
        )

    def request(self, tools: list[Any]) -> Any:
        """A request with tools, read as the server does."""
        key = json.dumps(tools)
        if key not in self.requests:
            protocol = import_module("vllm.entrypoints.openai.chat_completion.protocol")
            messages = [{"role": "user", "content": "."}]
            offered = {"tools": tools, "tool_choice": "auto"} if tools else {}
            self.requests[key] = protocol.ChatCompletionRequest(model="model", messages=messages, **offered)
        return self.requests[key]

    def prompt(self, messages: list[Any], tools: list[Any], answer: bool = True) -> str:
        """What the template makes of messages. answer: with the beginning of the answer to them."""
        offered = self.request(tools).tools
        given = [tool.model_dump() for tool in offered] if offered else None
        options = {"tools": given, "chat_template": self.template, "add_generation_prompt": answer}
        shown = [with_objects(message) for message in messages]
        return str(self.tokenizer.apply_chat_template(shown, tokenize=False, **options))

    def write(self, messages: list[Any], tools: list[Any]) -> tuple[list[int], str]:
        """Tokens and text of the last message, the assistant's, without the prompt and the turn's end."""
        before, whole = self.prompt(messages[:-1], tools), self.prompt(messages, tools, answer=False)
        if not whole.startswith(before):
            raise ValueError("the template writes an answer that does not begin with its prompt")
        tokens = self._encoded(whole[len(before) :])
        if self.tokenizer.eos_token_id in tokens:
            tokens = tokens[: tokens.index(self.tokenizer.eos_token_id)]
        return tokens, "".join(self._pieces(tokens))

    def read(
        self, written: list[int] | str, tools: list[Any], piece: int
    ) -> tuple[list[list[str]], str | None]:
        """Calls, names and arguments as text, and content of an answer of tokens or of a text.

        piece: tokens in one delta of a stream; 0: the whole text at once.
        """
        tokens: list[int] = written if isinstance(written, list) else self._encoded(written)
        if tokens and tokens[-1] in self.ends:  # the server's engine leaves it out, too
            tokens = tokens[:-1]
        request, texts = self.request(tools).model_copy(), self._pieces(tokens)
        parser = self.parser(self.tokenizer, request.tools)
        if not piece:
            _, content, calls = parser.parse(
                "".join(texts), request, enable_auto_tools=True, model_output_token_ids=tokens
            )
            return [[call.name, call.arguments] for call in calls or ()], content
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
        return [found[index] for index in sorted(found)], content or None

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
    functions: dict[str, Callable[..., Any]] = {}

    def set_up(*setup: Any) -> str:
        parts = ServerParts(*setup)
        functions.update(prompt=parts.prompt, write=parts.write, read=parts.read)
        return str(import_module("vllm").__version__)

    functions["set_up"] = set_up
    for line in sys.stdin:
        name, *given = json.loads(line)
        try:
            answer = functions[name](*given)
        except Exception as error:  # noqa: BLE001  # whatever a parser raises is its answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
