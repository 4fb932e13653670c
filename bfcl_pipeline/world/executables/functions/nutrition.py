"""Calories and nutrients by weight, height, age and goal."""

from typing import Any

_ACTIVITY = (1.2, 1.375, 1.55, 1.725, 1.9)
"""Daily energy by that at rest, for each level of activity from 1."""

_CHANGES = {"lose": -500, "gain": 500}
"""Calories that are added for a goal."""

_NUTRIENTS = {"proteins_g": (0.30, 4), "fats_g": (0.25, 9), "carbohydrates_g": (0.45, 4)}
"""The share of each nutrient in the calories, and its calories per gram."""


def calculate_nutritional_needs(
    weight: Any, height: Any, age: Any, gender: Any, activity_level: Any, goal: Any
) -> Any:
    """Daily calories and grams of nutrients; as in the release, any gender but "male" counts as female."""
    if gender == "male":
        at_rest = 88.362 + (13.397 * weight) + (4.799 * height) - (5.677 * age)
    else:
        at_rest = 447.593 + (9.247 * weight) + (3.098 * height) - (4.330 * age)
    calories = at_rest * _ACTIVITY[activity_level - 1]
    if isinstance(goal, str) and goal in _CHANGES:
        calories += _CHANGES[goal]
    return {
        "calories": calories,
        **{name: (calories * share) / per_gram for name, (share, per_gram) in _NUTRIENTS.items()},
    }
