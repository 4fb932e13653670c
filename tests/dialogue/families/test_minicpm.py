"""The prompts of MiniCPM3: the example of docs/families.md."""

from tests.support.family_talk import Talk, asked


def test_a_conversation_of_minicpm():
    """Every message keeps its role, also results of calls; the answer's place is open at the end."""
    talk = Talk("minicpm", asked("Go.", system="Be brief."))
    talk.answer("[m.f(a=1)]")
    assert talk.prompt() == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nGo.<|im_end|>\n"
        "<|im_start|>assistant\n[m.f(a=1)]<|im_end|>\n<|im_start|>tool\n r0<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
