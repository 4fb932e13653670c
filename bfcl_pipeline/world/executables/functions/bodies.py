"""Functions of more than one expression: numbers, statistics, geometry, loans, calories, rooms."""

from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork, digits

MAX_RECURSION = 950
"""Rounds of Euclid's algorithm; in the release each one is a recursion, of which Python allows 1,000."""


def math_factorial(work: EvaluationWork, n: Any) -> Any:
    """The product of the numbers from 1 to n; 1 if there are none."""
    product: Any = 1
    for factor in range(1, n + 1):
        product = work.times(product, factor)
    return product


def math_gcd(work: EvaluationWork, a: Any, b: Any) -> Any:
    """The greatest common divisor by Euclid's algorithm. Raises RecursionError if that takes long."""
    for _ in range(MAX_RECURSION):
        if b == 0:
            return a
        a, b = b, work.remainder(a, b)
    raise RecursionError("maximum recursion depth exceeded")


def get_prime_factors(work: EvaluationWork, number: Any) -> Any:
    """The prime factors in ascending order, by trial division.

    For a number that is not whole the division never ends in the release; here it ends at the bound.
    """
    factors = []
    divisor = 2
    while number > 1:
        work.spend()
        while number % divisor == 0:
            work.spend()
            factors.append(divisor)
            number /= divisor
        divisor += 1
    return factors


def get_fibonacci_sequence(work: EvaluationWork, n: Any) -> Any:
    """The first n Fibonacci numbers; always at least 0 and 1."""
    sequence = [0, 1]
    for _ in range(2, n):
        following = work.plus(sequence[-1], sequence[-2])
        work.spend(digits(following))  # all of them are held at once
        sequence.append(following)
    return sequence


def get_fibonacci_number(work: EvaluationWork, n: Any) -> Any:
    """The n-th Fibonacci number, of which the first is 0; a text for n below 1."""
    if n <= 0:
        return "Input should be a positive integer."
    if n in (1, 2):
        return 0 if n == 1 else 1
    before, last = 0, 1
    for _ in range(2, n):
        before, last = last, work.plus(before, last)
    return last


def calculate_mean(work: EvaluationWork, numbers: Any) -> Any:
    """The arithmetic mean."""
    return work.total(numbers) / len(numbers)


def calculate_standard_deviation(work: EvaluationWork, numbers: Any) -> Any:
    """The standard deviation of the whole population."""
    mean = calculate_mean(work, numbers)
    variance = work.total((number - mean) ** 2 for number in numbers) / len(numbers)
    return variance**0.5


def linear_regression(work: EvaluationWork, x: Any, y: Any, point: Any) -> Any:
    """The value at `point` of the line of least squares through points with the coordinates x and y."""
    count = len(x)
    sum_x, sum_y = work.total(x), work.total(y)
    sum_squares = work.total(value**2 for value in x)
    sum_products = work.total(work.times(x[place], y[place]) for place in range(count))
    slope = (count * sum_products - sum_x * sum_y) / (count * sum_squares - sum_x**2)
    intercept = (sum_y - slope * sum_x) / count
    return slope * point + intercept


def calc_binomial_probability(work: EvaluationWork, n: Any, k: Any, p: Any) -> Any:
    """The probability of k successes in n trials; the order of the operations decides the last bit."""
    ways = math_factorial(work, n) / (math_factorial(work, k) * math_factorial(work, n - k))
    return ways * (work.power(p, k) * work.power(1 - p, n - k))


def polygon_area(work: EvaluationWork, vertices: Any) -> Any:
    """The area of a polygon by the shoelace formula. Raises ValueError for fewer than three vertices.

    AttributeError for what is not a list: the release appends to its argument.
    """
    if len(vertices) < 3:
        raise ValueError("a polygon has at least 3 vertices")
    if not isinstance(vertices, list):
        raise AttributeError(f"{type(vertices).__name__!r} object has no attribute 'append'")  # noqa: TRY004
    doubled = 0
    for one, following in zip(vertices, [*vertices[1:], vertices[0]], strict=True):
        doubled += work.times(one[0], following[1]) - work.times(following[0], one[1])
    return abs(doubled) / 2.0


def max_points(work: EvaluationWork, points: Any) -> Any:
    """The largest number of points on one line.

    As in the release, a vertical line and a point that is the same as another are counted alike, and lines
    are told apart by their slopes as floats.
    """
    most = 1
    count = len(points)
    if count < 2:
        return 1
    for place in range(count):
        by_slope: dict[Any, int] = {}
        for other in range(place + 1, count):
            work.spend()
            rise = points[other][1] - points[place][1]
            run = points[other][0] - points[place][0]
            slope = rise / run if run != 0 else "vertical"
            by_slope[slope] = by_slope.get(slope, 0) + 1
        most = max(most, *by_slope.values(), 0)
    return most + 1


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


def quadratic_roots(work: EvaluationWork, a: Any, b: Any, c: Any) -> Any:
    """Two floats, or two {real, imaginary}; the root with the plus sign is the first."""
    discriminant = b**2 - work.times(work.times(4, a), c)
    if discriminant >= 0:
        root = discriminant**0.5
        return [(-b + root) / (2 * a), (-b - root) / (2 * a)]
    real = -b / (2 * a)
    imaginary = (abs(discriminant) ** 0.5) / (2 * a)
    return [{"real": real, "imaginary": imaginary}, {"real": real, "imaginary": -imaginary}]


def mortgage_calculator(
    work: EvaluationWork, loan_amount: Any, interest_rate: Any, loan_period: Any
) -> Any:
    """The monthly payment for a loan over years at a yearly rate."""
    rate, months = interest_rate / 12, work.times(loan_period, 12)
    interest = loan_amount * rate
    growth = work.power(1 + rate, months)
    return interest * growth / (growth - 1)


def calculate_investment_value(
    work: EvaluationWork,
    initial_investment: Any,
    annual_contribution: Any,
    years: Any,
    annual_return: Any,
    inflation_rate: Any,
    adjust_for_inflation: Any = True,
) -> Any:
    """The value of an investment after years, with the inflation of each year taken off unless told not to.

    Raises IndexError if a year has no rate of inflation, as in the release.
    """
    value = real_value = initial_investment
    for year in range(years):
        value = work.plus(work.times(value, 1 + annual_return), annual_contribution)
        if adjust_for_inflation:
            contribution_left = 1 - inflation_rate[year if year < len(inflation_rate) else -1]
            real_value = work.plus(
                work.times(real_value, 1 + annual_return - inflation_rate[year]),
                work.times(annual_contribution, contribution_left),
            )
    return real_value if adjust_for_inflation else value


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


def book_room(
    room_type: Any,
    price: Any,
    check_in_date: Any,
    check_out_date: Any,
    customer_id: Any,
    discount_code: Any = None,
) -> Any:
    """The booking: its arguments, with the one known discount taken off the price."""
    return {
        "customer_id": customer_id,
        "room_number": room_type,
        "check_in_date": check_in_date,
        "check_out_date": check_out_date,
        "total_price": price * 0.9 if discount_code == "DISCOUNT10" else price,
    }
