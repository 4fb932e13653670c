"""The type names of the release's function docs and what they mean in each language, as data.

Source: the release's type mappings (constants) and checkers.
"""

_OF_OPENAPI = {
    "integer": ("integer", "byte", "short", "long", "Bigint"),
    "number": ("number", "float", "double"),
    "string": ("string", "any", "char", "Any", "String"),
    "boolean": ("boolean", "bool"),
    "array": ("array", "list", "tuple", "ArrayList", "Array", "Queue", "Stack"),
    "object": ("dict", "object", "HashMap", "Hashtable"),
}

OPENAPI_TYPES: dict[str, str] = {name: kind for kind, names in _OF_OPENAPI.items() for name in names}
"""The name in a tool schema for each type name of the release; any other name becomes `string`."""

PYTHON_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}

_OF_JAVA: dict[type, tuple[str, ...]] = {
    int: ("byte", "short", "integer", "long"),
    float: ("float", "double"),
    bool: ("boolean",),
    str: ("char", "String", "any"),
    list: ("Array", "ArrayList", "Queue", "Stack"),
    set: ("Set",),
    dict: ("HashMap", "Hashtable"),
}

JAVA_TYPES: dict[str, type] = {name: kind for kind, names in _OF_JAVA.items() for name in names}

JAVASCRIPT_TYPES: dict[str, type] = {
    "String": str,
    "integer": int,
    "float": float,
    "Bigint": int,
    "Boolean": bool,
    "dict": dict,
    "array": list,
    "any": str,
}
