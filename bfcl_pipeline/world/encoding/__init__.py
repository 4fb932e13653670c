"""The staged sentence encoder of the vector memory."""

from bfcl_pipeline.world.encoding.sentence_encoder import SentenceEncoder

__all__ = ["SentenceEncoder"]
