"""Motion, charges and densities."""

from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork


def calculate_final_velocity(
    work: EvaluationWork, initial_velocity: Any, acceleration: Any, time: Any
) -> Any:
    """The velocity after a time of constant acceleration."""
    return initial_velocity + work.times(acceleration, time)


def calculate_displacement(
    work: EvaluationWork, initial_velocity: Any, acceleration: Any, time: Any
) -> Any:
    """The way covered in a time of constant acceleration."""
    return work.times(initial_velocity, time) + 0.5 * acceleration * time**2


def calculate_electrostatic_potential_energy(work: EvaluationWork, charge: Any, voltage: Any) -> Any:
    """Charge times voltage."""
    return work.times(charge, voltage)


def calculate_density(mass: Any, volume: Any) -> Any:
    """Mass by volume."""
    return mass / volume
