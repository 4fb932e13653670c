"""Recognises answers that say, in any words, that the model does not know or cannot answer.

A negative word alone is no abstention ("I do not eat gluten", "not yet"): the negation is of knowing, of
what is recorded, or of answering. "No other details are stored" is none either.
"""

import re
from collections.abc import Sequence

from bfcl_pipeline.judge.scoring.answer_words import SEPARATORS, tokens

_ADVERB = (
    r"(?:(?:currently|really|actually|reliably|definitively|conclusively|yet|still|even|able|to|be|been"
    r"|being|have|has|had|seem|appear|specifically|explicitly|directly|ever|exactly|clearly|quite"
    r"|entirely|fully|completely|personally|honestly|simply|just|in|anywhere|previously|accurately"
    r"|properly|confidently|correctly|absolutely|100|certainly|immediately|precisely|successfully|get|got"
    r"|help) ){0,4}"
)
_LOOKED_FOR = (
    r"(?:recall|recalled|remember|remembered|determine|determined|ascertain|ascertained|verify|verified"
    r"|confirm|confirmed|answer|answered|locate|located|retrieve|retrieved|identify|identified|pinpoint"
    r"|sure|certain|aware|familiar|specified|specify|mentioned|mention|stated|state|recorded|stored|noted"
    r"|provided|found|listed|documented|disclosed|disclose|discussed|given|logged|saved|known|clear"
    r"|available|included|indicated|indicate|established|possible|enough|sufficient|reveal|revealed"
    r"|contain|contained|include|say|said|on (?:file|record)|(?:present|anything|something|information"
    r"|one) in|in (?:my|the|your|our|any|this) (?:\w+ )?(?:memory|memories|records?|notes?|history"
    r"|sessions?|conversations?)|shared with (?:me|us)|(?:told?|tell|informed?|shown?|showed|gave?"
    r"|give) (?:me|us|the assistant)|come up|came up|(?:talked|spoken|spoke) (?:about|of))\b"
)
_KNOWN_BY = (
    r"(?:know|find|see|tell|access|recognize|help|have (?:that|this|it|anything|one|your|his|her|their"
    r"|the user)|get|give|provide|figure|learn|hear|store|save|share|told|informed|answer|think i|say"
    r"|check|look)\b"
)
_NOTE = (
    r"(?:record|records|recording|information|info|memory|memories|data|details?|mention|mentions|note"
    r"|notes|entry|entries|indication|trace|knowledge|evidence|references?|idea|clue|answers?|results?"
    r"|match|matches|context|access|recollection|documentation|way of (?:knowing|telling)|way to (?:know"
    r"|tell|determine|answer)|means of|log|logs|certainty|confirmation|facts?|history|source|hint"
    r"|statement|discussion)\b"
)
_RECORDS = (
    r"(?:memory|memories|records?|notes?|sessions?|conversations?|history|archive|archives|summary"
    r"|transcripts?|files?|database|search|searches|entries|log|logs|context|data|information|text"
    r"|profile)"
)
_CUES = re.compile(
    "|".join(
        (
            rf"\b(?:not|never) {_ADVERB}{_LOOKED_FOR}",
            rf"\b(?:i|we|assistant|system|model|ai)(?: \w+){{0,3}} (?:not|never) {_ADVERB}{_KNOWN_BY}",
            rf"(?:^|\. |\b(?:but|so|and|because|since|sorry|honestly|unfortunately) )(?:do|did|can|could"
            rf"|would) not {_ADVERB}{_KNOWN_BY}",
            r"\bunable to |\b(?:failed|impossible|difficult|hard) to (?:\w+ ){0,2}?(?:answer|find|recall"
            r"|determine|tell|say|know|retrieve|locate|remember|identify|confirm)\b",
            r"\b(?:no|without|zero|missing|lacks?|lacked|lacking|insufficient|not (?:\w+ ){0,2}?(?:any|a"
            r"|the|enough|that|this|such|sufficient|have)|never (?:had|received|got)) (?!(?:other|further"
            r"|additional|more)\b)"
            rf"(?:(?!(?:about|on|for)\b)\w+ ){{0,3}}?{_NOTE}",
            rf"\b{_RECORDS} (?:\w+ ){{0,4}}?(?:does|do|did|has|have|had|can|could|is|are|was|were) (?:not"
            rf"|silent)\b",
            rf"\b{_RECORDS} (?:\w+ ){{0,3}}?(?:empty|blank|unavailable|inconclusive|missing)\b",
            r"\b(?:unknown|unsure|uncertain|unclear|unavailable|undetermined|unspecified|unrecorded"
            r"|undisclosed|indeterminate|unanswerable|unfamiliar|undefined|inconclusive|unstated"
            r"|unmentioned|unrecalled)\b",
            r"^n (?:\. )?a\b|\bnot applicable\b|\bno answer\b|\bas an ai\b",
            r"\b(?:only|just|purely|be|have to) guess(?:ing)?\b|\bonly a guess\b|\bwish (?:i|we) (?:knew"
            r"|could)\b",
            r"\bnothing (?!else|other|more|further)(?:\w+ ){0,4}?(?:found|mentioned|stored|recorded"
            r"|memory|records?|available|matching|relevant|known|noted|saved|said|on file|about (?:that"
            r"|this|it|the|your|a|any))\b",
            r"\b(?:found|finds?|knows?|recall|remember|contains?|holds?|returned|returns|yielded|shows?"
            r"|says?|i have|we have|got|see|turned up) nothing\b",
            r"\bnone (?:\w+ ){0,4}?(?:found|mentioned|recorded|stored|specified|provided|available"
            r"|on (?:file|record))\b",
            r"\bneither (?:\w+ ){0,6}?(?:mentions?|mentioned|recorded|stored|says?|said|specified"
            r"|contains?)\b",
            r"\b(?:could|can|would|will) you (?:please |kindly )?(?:tell|provide|share|clarify|specify"
            r"|remind|give|confirm)\b|\bplease (?:\w+ )?(?:provide|share|clarify|specify|remind|give me"
            r"|tell me)\b",
            r"\b(?:need|require|requires|needs) (?:more|additional|further) (?:\w+ )?(?:information|info"
            r"|context|details?|data)\b",
            r"\bi (?:have |had |must have |seem to have )?(?:forgot|forgotten|forget)\b|\bescapes me\b"
            r"|\b(?:draw|drew|drawing) a blank\b|\bslip(?:s|ped) my mind\b|\bbeats me\b|\bno clue\b",
            r"\b(?:outside|beyond) (?:of )?(?:my|the|what)\b",
            r"\b(?:decline|refuse|refusing|hesitate) to\b|\b(?:rather|prefer) not\b",
        )
    )
)
_NO_LIMIT = re.compile(r"\b(?:else|other|others|further|additional|beyond that|more than that)\b")


def abstains(text: str) -> bool:
    """Whether `text` says in any words that the model does not know or cannot answer."""
    return abstains_in(tokens(text))


def abstains_in(words: Sequence[str]) -> bool:
    """The same for words and separators, as `answer_words.tokens` returns them."""
    text = " ".join("." if word in SEPARATORS else word.lstrip("#") for word in words)
    return any(_NO_LIMIT.search(cue[0]) is None for cue in _CUES.finditer(text))
