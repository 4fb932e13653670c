"""What the user says of the form of answers, where `results.found_form` does not find it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.records import Mode, NameStyle


@dataclass(frozen=True, slots=True, kw_only=True)
class FormChoice:
    """What the user says of the form of answers; by default nothing."""

    mode: Mode | None = None  # of all models; an error where the answers contradict it
    name_style: NameStyle | None = None  # the same
    modes: Mapping[str, Mode] = field(default_factory=dict)  # by model; not compared with its answers
    name_styles: Mapping[str, NameStyle] = field(default_factory=dict)  # the same

    def check_models(self, folders: Iterable[str]) -> None:
        """Raises ConfigError if a mode or style is given for a model that is not in `folders`."""
        known = sorted(folders)
        for model in (*self.modes, *self.name_styles):
            if model_folder(model) not in known:
                raise ConfigError(unknown_name("model", model, known))

    def mode_of(self, folder: str) -> Mode | None:
        """The mode that is given for this model."""
        return next((mode for model, mode in self.modes.items() if model_folder(model) == folder), None)

    def name_style_of(self, folder: str) -> NameStyle | None:
        """The style that is given for this model."""
        given = self.name_styles.items()
        return next((style for model, style in given if model_folder(model) == folder), None)


NO_CHOICE = FormChoice()
"""Everything is found in the answers."""
