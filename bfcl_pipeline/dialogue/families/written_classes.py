"""Classes in Python for a JSON schema, by datamodel-code-generator, which is the extra `minicpm`."""

from datamodel_code_generator import DataModelType
from datamodel_code_generator.format import PythonVersion
from datamodel_code_generator.model import get_data_model_types
from datamodel_code_generator.parser.jsonschema import JsonSchemaParser


def written_classes(schema: str) -> str | None:
    """The classes as text, by the settings of the official tool; None if the package cannot write them."""
    types = get_data_model_types(
        DataModelType.PydanticBaseModel, target_python_version=PythonVersion.PY_310
    )
    try:
        parser = JsonSchemaParser(
            schema,
            data_model_type=types.data_model,
            data_model_root_type=types.root_model,
            data_model_field_type=types.field_model,
            data_type_manager_type=types.data_type_manager,
            dump_resolve_reference_action=types.dump_resolve_reference_action,
            target_python_version=PythonVersion.PY_311,
            field_constraints=True,
        )
        code = parser.parse()
    except Exception:  # noqa: BLE001  # whatever the package raises for a schema
        return None
    return code if isinstance(code, str) else None
