"""Parameters of papermill as Go.

papermill loads all engines that packages announce when it is imported, and has no entry point for translators. So the
engine announced here is papermill's own, and loading it registers the translator for notebooks in Go.
"""

import json
import re

from papermill.engines import NBClientEngine
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators


class GoTranslator(Translator):
    """Writes parameters as assignments to the variables of the cell that is tagged parameters.

    The variables keep their types: the value 1 of a float64 is assigned as a float64.
    """

    comment = classmethod(lambda cls, text: f"// {text}".rstrip())
    translate_none = classmethod(lambda cls, value: "nil")
    translate_escaped_str = classmethod(lambda cls, text: json.dumps(text, ensure_ascii=False))

    @classmethod
    def translate_float(cls, value):
        """Write a number; infinite ones and NaN have no literals in Go."""
        text = repr(value)
        return {"inf": "math.Inf(1)", "-inf": "math.Inf(-1)", "nan": "math.NaN()"}.get(text, text)

    @classmethod
    def translate_list(cls, values):
        """Write a slice of the type that holds all values."""
        return f"[]{cls.kind(values)}{{{', '.join(map(cls.translate, values))}}}"

    @classmethod
    def translate_dict(cls, values):
        """Write a map from strings."""
        items = ", ".join(f"{cls.translate(str(key))}: {cls.translate(value)}" for key, value in values.items())
        return f"map[string]{cls.kind(values.values())}{{{items}}}"

    @classmethod
    def kind(cls, values):
        """Return the Go type of all values; numbers with a fraction among them are float64."""
        kinds = {type(value) for value in values}
        if not kinds:
            return "string"
        names = {str: "string", float: "float64", int: "int", bool: "bool"}
        if kinds == {int, float}:
            return "float64"
        return names.get(kinds.pop(), "any") if len(kinds) == 1 else "any"

    declaration = re.compile(r"^\s*(?:var\s+)?([\w, ]+?)(?:\s+([\w.\[\]]+))?\s*:?=\s*(.+?)\s*(?://\s*(.*))?$")

    @classmethod
    def inspect(cls, parameters_cell):
        """Return the parameters that a cell declares, for papermill --help-notebook."""
        found = []
        for line in parameters_cell["source"].splitlines():
            match = cls.declaration.match(line)
            if not match:
                continue
            names = [name.strip() for name in match[1].split(",")]
            values = [match[3]] if len(names) == 1 else split(match[3])
            if len(values) == len(names):
                found += [Parameter(name, match[2] or "None", value, match[4] or "") for name, value in zip(names, values)]
        return found


def split(text):
    """Split a list of Go expressions at the commas outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for at, char in enumerate(text):
        if quote:
            if char == quote and text[at - 1] != "\\":
                quote = ""
        elif char in "\"'`":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return parts + [text[start:].strip()]


class Engine(NBClientEngine):
    """papermill's own engine."""


papermill_translators.register("go", GoTranslator)
