"""Products of matrices and the angle between vectors."""

from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork


def mat_mul(work: EvaluationWork, matA: Any, matB: Any) -> Any:
    """The product of two matrices; without rows in matA it is empty, whatever matB is."""
    rows = len(matA)
    terms, columns = (len(matB), len(matB[0])) if rows else (0, 0)
    work.spend(rows * columns)
    return [
        [
            work.total(work.times(matA[row][term], matB[term][column]) for term in range(terms))
            for column in range(columns)
        ]
        for row in range(rows)
    ]


def calculate_cosine_similarity(work: EvaluationWork, vectorA: Any, vectorB: Any) -> Any:
    """The cosine of the angle between two vectors; more components of vectorB add to its length only."""
    product = work.total(work.times(vectorA[place], vectorB[place]) for place in range(len(vectorA)))
    return product / (_length(work, vectorA) * _length(work, vectorB))


def _length(work: EvaluationWork, vector: Any) -> Any:
    return work.total(vector[place] ** 2 for place in range(len(vector))) ** 0.5
