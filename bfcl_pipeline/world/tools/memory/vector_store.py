"""One part of the vector memory: texts under numbers, searched by the similarity of their embeddings.

Covers the stored texts, the search index with its order, and searching (cosine, by FAISS as in the
release). A text is embedded when a search first needs it. The results are the same, because an embedding
depends only on its text, and because a text that the release's encoder (sentence-transformers) rejects is
rejected when it is added, with the same message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import BoundExceeded, refuse_call
from bfcl_pipeline.world.tools.memory.encoder import DIMENSIONS, Encoder
from bfcl_pipeline.world.tools.memory.parts import PartLimits
from bfcl_pipeline.world.tools.state import StatePart, copy_value

if TYPE_CHECKING:
    import faiss
    import numpy as np
    from numpy.typing import NDArray

Answer = dict[str, Any]

MAX_EMBEDDED = 20_000
"""Characters of an embedded text to which the memory's own limit does not apply (queries, lists)."""

_NOT_A_MATRIX = "not enough values to unpack (expected 2, got 1)"  # for an empty list of texts
_MODALITIES = ["audio", "image", "text", "video"]
_HALF = re.compile("[\ud800-\udfff]")  # lone surrogates, which UTF-8 cannot encode


@dataclass(slots=True)
class VectorStore(StatePart):
    """Texts by number. After a failed update a text may be stored but not found by a search."""

    limits: PartLimits
    encoder: Encoder | None = field(repr=False, compare=False)
    next_id: int = 0  # number for the next text
    texts: dict[int, Any] = field(default_factory=dict)  # as passed: a text, or a list with one text
    indexed: dict[int, str] = field(default_factory=dict)  # texts in the search index, in its order
    _embedded: dict[int, NDArray[np.float32]] = field(default_factory=dict, repr=False, compare=False)

    def fill(self, next_id: int, texts: dict[int, Any]) -> None:
        """Fills the empty store from a snapshot. Raises ValueError if a text cannot be embedded."""
        self.next_id = next_id
        self.texts = copy_value(texts)
        self.indexed = {number: _single(texts[number]) for number in sorted(texts)}

    def plain(self) -> Json:
        """The content in the form of a snapshot."""
        texts = {str(number): text for number, text in self.texts.items()}
        return {"next_id": self.next_id, "store": copy_value(texts)}

    def copied(self) -> Self:
        """A copy that no later call changes."""
        texts, indexed = copy_value(self.texts), dict(self.indexed)
        return type(self)(self.limits, self.encoder, self.next_id, texts, indexed, dict(self._embedded))

    def add(self, text: Any) -> Answer:
        """Stores a text under the next number, which is used even if the text cannot be embedded."""
        if len(text) > self.limits.characters:
            return self._too_long()
        if len(self.texts) >= self.limits.entries:
            return refuse_call(f"Memory size exceeds maximum size of {self.limits.entries} entries.")
        number = self.next_id
        self.next_id += 1
        self.indexed[number] = _single(text)
        self.texts[number] = text
        return {"id": number}

    def remove(self, number: Any) -> Answer:
        """Removes a text."""
        if number not in self.texts:
            return _missing(number)
        self._forget(number)
        del self.texts[number]
        return {"status": f"ID {number} removed from store."}

    def update(self, number: Any, text: Any) -> Answer:
        """Replaces the text under a number; if the new one cannot be embedded, no search finds it."""
        if number not in self.texts:
            return _missing(number)
        if len(text) > self.limits.characters:
            return self._too_long()
        self._forget(number)
        self.indexed[int(number)] = _single(text)  # at the end: FAISS ranks equals by position
        self.texts[number] = text
        return {"status": f"ID {number} updated."}

    def clear(self) -> Answer:
        """Removes all texts; numbers start from 0 again."""
        for content in (self.texts, self.indexed, self._embedded):
            content.clear()
        self.next_id = 0
        return {"status": "Memory cleared."}

    def retrieve(self, query: Any, top_k: Any) -> list[Answer]:
        """The `top_k` texts that are most similar to the query, best first, each with its cosine."""
        if not self.texts:
            return []
        queries = _texts(query)
        count = min(top_k, len(self.texts))
        if not queries:
            raise ValueError(_NOT_A_MATRIX)
        scores, numbers = self._index().search(self._embed(queries[0])[None], count)
        return [
            {"id": number, "similarity_score": score, "text": self.texts[number]}
            for score, number in zip(scores[0].tolist(), numbers[0].tolist(), strict=True)
            if number != -1  # FAISS pads with -1 if fewer texts are indexed than requested
        ]

    def retrieve_all(self) -> list[Answer]:
        """Every text, in the order of adding."""
        return [{"id": number, "text": text} for number, text in self.texts.items()]

    def _forget(self, number: Any) -> None:
        self.indexed.pop(number, None)
        self._embedded.pop(number, None)

    def _index(self) -> faiss.IndexIDMap:
        """The index of all texts; embeds those that have no embedding yet."""
        for number, text in self.indexed.items():
            if number not in self._embedded:
                self._embedded[number] = self._embed(text)
        try:
            import faiss  # here, since torch, which an encoder may use, must load first
        except ImportError as error:
            raise ModelError(
                "searching a vector memory: FAISS is not installed. pip install faiss-cpu"
            ) from error
        import numpy as np

        faiss.omp_set_num_threads(1)  # for few texts, several threads double the processor time
        index = faiss.IndexIDMap(faiss.IndexFlatIP(DIMENSIONS))
        if self.indexed:
            rows = np.stack([self._embedded[number] for number in self.indexed])
            index.add_with_ids(rows, np.array(list(self.indexed), dtype=np.int64))
        return index

    def _embed(self, text: str) -> NDArray[np.float32]:
        if self.encoder is None:
            raise ModelError(  # stored as a status_detail, so the words must not change
                "searching a vector memory: expected an encoder of texts, got none. Name one in the run's "
                "config, or leave memory_vector out."
            )
        row: NDArray[np.float32] = self.encoder.encode([text])[0]
        return row

    def _too_long(self) -> Answer:
        return refuse_call(f"Entry length exceeds maximum length of {self.limits.characters} characters.")


def _single(value: Any) -> str:
    """The only text in a value to store. Otherwise raises the same error as the release's index."""
    texts = _texts(value)
    if not texts:
        raise ValueError(_NOT_A_MATRIX)
    if len(texts) > 1:
        raise AssertionError("not same nb of vectors as ids")
    return texts[0]


def _texts(value: Any) -> list[str]:
    """The texts in a value to embed: a text, or a list. Otherwise raises as the release's encoder."""
    items: list[Any] = value if isinstance(value, list) else [value]
    for item in items:
        if isinstance(item, dict):
            raise ValueError(_no_modality(item))  # noqa: TRY004  # the release's type
        if not isinstance(item, str):
            kinds = "str, dict, PIL.Image.Image, np.ndarray, torch.Tensor"
            raise ValueError(  # noqa: TRY004
                f"Unsupported input type: {type(item).__name__}. Expected one of: {kinds}"
            )
        if len(item) > MAX_EMBEDDED:
            raise BoundExceeded(f"a text to be embedded has at most {MAX_EMBEDDED:,} characters")
    if any(map(_HALF.search, items)):
        raise TypeError(
            "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]"
        )
    return items


def _no_modality(item: dict[Any, Any]) -> str:
    unknown = sorted(set(item) - set(_MODALITIES), key=str)
    if not item:
        return "Empty dict input is not a valid input sample."
    if not unknown:
        return "a text to be embedded has to be a string"  # ours: a model of texts and more would take it
    expected = f"Expected keys from: {_MODALITIES}."
    return f"Multimodal dict input contains unrecognized modality keys: {unknown}. {expected}"


def _missing(number: Any) -> Answer:
    return refuse_call(f"ID {number} not present in store.")
