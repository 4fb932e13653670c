"""The prompts of DeepSeek-R1, Gemma 3 and ThinkAgent, which have few roles."""

from __future__ import annotations

from tests.support.family_talk import DOC, Talk, asked


def test_a_conversation_of_deepseek_r1():
    """Results are a list in a message of the user, and reasoning of earlier answers is left out."""
    talk = Talk("deepseek-r1", asked("Go."))
    talk.answer("<think>\na</think>b\n</think>\n\n[m.f(a='x'), g(b={'c': 1})]")
    talk.answer("no reasoning")
    results = [
        {"role": "tool", "name": "m.f(a='x')", "content": " r0"},
        {"role": "tool", "name": "g(b={'c': 1})", "content": " r1"},
    ]
    assert talk.prompt() == (
        "<｜begin▁of▁sentence｜><｜User｜>Go."
        "<｜Assistant｜>\n\n[m.f(a='x'), g(b={'c': 1})]<｜end▁of▁sentence｜>"
        f"<｜User｜>{results}<｜Assistant｜>no reasoning<｜end▁of▁sentence｜><｜Assistant｜><think>\n"
    )


def test_later_messages_of_deepseek_r1_are_the_users():
    """System messages become the user's, and consecutive ones of the user are joined."""
    turn = [{"role": "system", "content": "S"}, *asked("U"), *asked("V")]
    assert Talk("deepseek-r1", []).asking.later(turn) == ({"role": "user", "content": "S\n\nU\n\nV"},)
    assert Talk("gemma-3", []).asking.later(turn)[1:] == ({"role": "user", "content": "U\n\nV"},)


def test_a_conversation_of_gemma_3():
    """The system's message begins the first one after it; results and answers keep their roles."""
    talk = Talk("gemma-3", asked(" Go.", system=" Be brief.\n"))
    talk.answer("[m.f(a=1)]\n")
    assert talk.prompt() == (
        "<bos><start_of_turn>user\nBe brief.\n\nGo.<end_of_turn>\n"
        "<start_of_turn>assistant\n[m.f(a=1)]<end_of_turn>\n"
        "<start_of_turn>tool\nr0<end_of_turn>\n<start_of_turn>model\n"
    )


def test_answers_in_a_question_of_gemma_3():
    """They have the model's own role."""
    question = [*asked("Go."), {"role": "assistant", "content": "Where?"}, *asked("On.")]
    assert Talk("gemma-3", question, goes_on=False).prompt() == (
        "<bos><start_of_turn>user\nGo.<end_of_turn>\n<start_of_turn>model\nWhere?<end_of_turn>\n"
        "<start_of_turn>user\nOn.<end_of_turn>\n<start_of_turn>model\n"
    )


def test_think_agent_is_always_sent_the_first_question():
    """The system's message, answers and later messages are never sent."""
    talk = Talk("think-agent", asked(" Go. ", system="Be brief."))
    functions = [{"name": "m.f", "description": "é", "parameters": DOC["parameters"]["properties"]}]
    prompt = (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>Cutting Knowledge Date: December 2023"
        "Today Date: 07 Dec 2024<|eot_id|><|start_header_id|>user<|end_header_id|>"
        "Given the following functions, call.Respond in the format {}.Do not use variables."
        f"Available tools:{functions}Go.<|eot_id|><|start_header_id|>assistant<|end_header_id|>"
    )
    assert talk.prompt() == prompt
    talk.answer('<think></think>[{"name": "m.f", "arguments": {"a": 1}}]')
    talk.messages += asked("More.")
    assert talk.prompt() == prompt


def test_think_agent_without_a_question():
    """The prompt has no functions."""
    talk = Talk("think-agent", [{"role": "system", "content": "Be brief."}])
    assert talk.prompt().endswith("2024<|eot_id|><|start_header_id|>assistant<|end_header_id|>")
