"""The sentence encoder of the vector memory, as it was staged."""

from bfcl_pipeline.encoding.sentence_encoder import SentenceEncoder

__all__ = ["SentenceEncoder"]
