"""Which entries share a scenario and are therefore not independent, and which clusters are alike, as data.

Covers the key of each entry's cluster. Verdicts on entries with equal keys are correlated: variants of one
multi-turn scenario, one memory question over three backends, one web question with and without snippets,
several requests about one function doc of a live category. The arithmetic is `scoring.statistics`. Clusters
are alike if a benchmark with other APIs, function docs and scenarios had others in their place.
Source: ids and entries of the release (bfcl-eval 2026.3.23), from which tests derive the data anew.
"""

import re
from enum import StrEnum

from bfcl_pipeline.benchmark.definition.categories import CATEGORIES, Category, Check


class ClusterBy(StrEnum):
    """What the entries of one cluster have in common."""

    ENTRY = "entry"  # nothing: each entry is a cluster
    FUNCTION_DOC = "function doc"  # the middle number of the id, within one category
    SCENARIO = "scenario"  # multi-turn: the number, over the four variants
    MEMORY_QUESTION = "memory question"  # the question, over the three backends
    WEB_QUESTION = "web question"  # the question, with and without snippets
    BASE_ENTRY = "base entry"  # format sensitivity: the entry that is restated


_OF_CHECK = {
    Check.MULTI_TURN: ClusterBy.SCENARIO,
    Check.MEMORY: ClusterBy.MEMORY_QUESTION,
    Check.WEB_SEARCH: ClusterBy.WEB_QUESTION,
    Check.FORMAT_SENSITIVITY: ClusterBy.BASE_ENTRY,
}


def _rule(category: Category) -> ClusterBy:
    by_group = ClusterBy.FUNCTION_DOC if category.group == "live" else ClusterBy.ENTRY
    return _OF_CHECK.get(category.check, by_group)


CLUSTERS: dict[str, ClusterBy] = {name: _rule(category) for name, category in CATEGORIES.items()}
"""What a cluster of each category is.

The live categories number their function docs each for itself: number 0 of live_simple and of live_multiple
are different docs, so their clusters are never shared. Memory has only five scenarios, which are too few to
cluster on (variances over five clusters are not reliable): its cluster is the question. Restatements are
not put together with the entry that they restate, because no score contains both.
"""

_MEMORY = re.compile(r"memory_(?:kv|vector|rec_sum)_(?P<key>\d{1,9}-[a-z]{1,40}-\d{1,9})")

_SHARED = {
    ClusterBy.FUNCTION_DOC: re.compile(r"[a-z_]+_\d{1,9}-(?P<key>\d{1,9})-\d{1,9}"),
    ClusterBy.SCENARIO: re.compile(r"multi_turn_[a-z_]+_(?P<key>\d{1,9})"),
    ClusterBy.MEMORY_QUESTION: _MEMORY,
    ClusterBy.WEB_QUESTION: re.compile(r"web_search_(?:base|no_snippet)_(?P<key>\d{1,9})"),
}
"""What of an id the entries of one cluster share."""

_OVER_CATEGORIES = {
    ClusterBy.SCENARIO: "multi_turn",
    ClusterBy.MEMORY_QUESTION: "memory",
    ClusterBy.WEB_QUESTION: "web_search",
}
"""The begin of the keys of clusters over several categories."""


def cluster_of(category: str, entry_id: str, base_entry_id: str | None = None) -> str:
    """The key of the cluster of an entry; equal keys, also of different categories, are one cluster.

    An id of another form than the release's is a cluster of its own.

    Args:
        category: one of CATEGORIES.
        entry_id: the id as in the release.
        base_entry_id: format sensitivity: the entry that it restates; None: the one that its id names.

    Raises:
        KeyError: `category` is not a category.
    """
    by = CLUSTERS[category]
    if by is ClusterBy.BASE_ENTRY:
        return f"format_sensitivity:{base_entry_id or entry_id.rpartition(':')[2]}"
    found = _SHARED[by].fullmatch(entry_id) if by in _SHARED else None
    return f"{_OVER_CATEGORIES.get(by, category)}:{found['key']}" if found else entry_id


def memory_scenario(entry_id: str) -> str | None:
    """The scenario of a memory question, such as `customer`; None if the id is not one of memory."""
    found = _MEMORY.fullmatch(entry_id)
    return found["key"].split("-")[1] if found else None


_API_SETS = (
    "ABCBAABAABBABADEBDADAAACCBBCEBAEEDEEEBBBDDEDEEDECEFGHHHIFJHJIGGGFHFGHHFFGFJHHHHFJJFFFFHFHFHGFFFGFGJF"
    "KLMLKKMKLNMLOLLKKKKMKKKKOMKKKMKLKMOKOLLNMLKLOLKNMLPQRPSPRTPPRTRPPRSPSSQSSRQQRRRPRRPQSSQRQQRPPRPQRSQS"
)
"""A letter for the set of APIs of each multi-turn scenario, by number."""

_FUNCTIONS = {
    "live_simple": (
        "0 1 2 3 4 5 2 6 7 8 8 8 8 9 9 3 10 11 11 11 12 13 14 11 15 16 17 18 18 16 19 20 21 22 23 24 25 "
        "26 27 28 29 30 30 30 30 31 32 33 34 35 36 37 38 39 39 40 41 3 42 43 44 45 46 47 47 47 47 47 47 "
        "48 49 50 51 52 53 54 55 56 41 57 58 59 60 61 61 61 61 61 61 61 62 62 61 63 64 64 65 66 67 64 68 "
        "68 68 68 68 68 68 69 70 70 69 69 69 70 67 71 72 73 74 74 61 40 75 76 77 77 78 76 76 79 80 81 6 "
        "82 82 6 83 84"
    ),
    "live_multiple": (
        "85 86 87 88 89 90 91 12 92 93 94 95 96 97 98 99 100 101 102 103 104 105 105 106 107 108 109 110 "
        "110 110 111 110 112 112 112 113 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 "
        "129 128 128 130 131 132 133 134 135 135 136 137 138 139 140 141 142 142 142 143 143 91 144 145 "
        "146 147 148 149 150 151 152 153 154 155 156 157 158 158 159 160 161 162 163 164 165 166 167 168 "
        "169 170 171 172 172 172 173 174 175 176 177 178 179 180 181 180 182 183 184 185 186 187 188 189 "
        "181 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 "
        "213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 "
        "237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 255 256 257 258 259 "
        "259 260 261 262 263 264 264 265 266 267 268 269 270 271 108 272 255 255 255 255 273 274 275 276 "
        "277 278 279 280 281 282 283 284 285 286 287 288 289 290 291 292 293 294 295 296 297 298 298 299 "
        "300 301 302 303 304 280 305 306 307 308 288 289 309 310 311 312 313 314 315 289 316 160 160 160 "
        "163 192 192 192 194 195 195 195 212 228 256 259"
    ),
    "live_parallel": "3 3 3 317 16 318 319 35 35 3 3 64",
    "live_parallel_multiple": (
        "85 88 89 320 320 98 321 322 127 91 323 147 147 157 324 190 220 227 231 252 265"
    ),
    "live_irrelevance": (
        "61 2 3 325 5 85 2 6 7 326 8 88 327 89 11 11 11 90 328 12 317 93 320 13 16 97 98 102 104 16 105 "
        "105 329 19 330 331 332 110 110 110 111 110 110 112 333 113 113 115 116 334 117 118 119 120 335 "
        "336 122 123 126 337 25 26 128 130 131 132 30 30 338 139 140 143 339 143 340 341 61 33 144 35 342 "
        "61 329 50 343 39 39 39 344 3 329 43 61 61 345 44 146 46 46 47 47 346 346 346 346 346 346 346 346 "
        "346 347 348 349 350 351 352 49 353 354 48 355 61 55 356 357 61 45 61 358 359 360 361 362 155 363 "
        "357 329 157 45 364 365 159 160 59 366 366 60 61 61 61 61 61 61 61 61 165 166 167 61 367 368 369 "
        "370 3 371 372 172 373 64 174 65 181 64 190 374 68 375 68 376 191 70 71 70 192 193 194 195 197 "
        "198 200 202 204 205 206 207 208 210 211 212 213 214 215 216 217 219 220 221 223 224 225 226 227 "
        "228 229 231 232 233 234 235 237 239 242 243 245 246 247 248 69 377 249 250 251 378 252 71 40 255 "
        "255 76 77 258 259 262 379 6 380 381 83 83 265 266 267 382 268 383 108 255 255 273 384 385 386 "
        "387 388 386 389 390 391 392 393 394 395 396 397 398 399 3 400 401 402 403 402 404 405 50 406 406 "
        "407 408 409 410 411 289 412 413 414 415 416 417 417 418 419 420 421 422 423 61 424 425 426 427 "
        "428 429 430 61 431 431 432 329 45 433 45 434 435 61 329 436 437 438 439 440 436 441 442 362 443 "
        "61 61 329 360 444 350 445 446 447 55 45 448 61 45 449 450 451 442 452 453 454 455 456 151 212 "
        "212 212 237 244 245 246 - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - "
        "246 251"
    ),
}
"""A number for the functions of each function doc, by live category and number of the doc."""

_NUMBERS = {name: numbers.split() for name, numbers in _FUNCTIONS.items()}


def wider_cluster_of(category: str, entry_id: str) -> str:
    """The key of what an entry shares with entries of other clusters; that of its cluster if nothing.

    Args and errors as of `cluster_of`.
    """
    cluster = cluster_of(category, entry_id)
    group, _, number = cluster.partition(":")
    if (scenario := memory_scenario(entry_id)) is not None:
        return f"memory scenario:{scenario}"
    known = _API_SETS if group == "multi_turn" else _NUMBERS.get(group, ())
    if not number.isdecimal() or int(number) >= len(known):
        return cluster
    return f"{'APIs' if group == 'multi_turn' else 'functions'}:{known[int(number)]}"
