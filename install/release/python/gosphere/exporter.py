"""Notebooks in Go as programs, for jupyter nbconvert --to script.

nbconvert joins the cells of a language that it has no exporter for, which is not a Go program. This exporter lets the program
gosphere write one, as gosphere export --to go does.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

import nbformat
from nbconvert.exporters import Exporter

from gosphere import find_program


def program():
    """Return the path of gosphere: that of this environment, or else the one on the search path."""
    try:
        return find_program()
    except FileNotFoundError:
        found = shutil.which("gosphere")
        if not found:
            raise
        return found


class GoExporter(Exporter):
    """Writes NAME.go, which gosphere runs. A program that needs modules is also written to the folder NAME with its go.mod, where it builds."""

    file_extension = ".go"
    output_mimetype = "text/x-go"
    export_from_notebook = None  # the menu of Jupyter has it as script

    def from_notebook_node(self, nb, resources=None, **kw):
        """Return the program and the resources, which hold the files of a module."""
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        with tempfile.TemporaryDirectory() as folder:
            notebook, written = pathlib.Path(folder) / "notebook.ipynb", pathlib.Path(folder) / "program"
            nbformat.write(nb, notebook)
            done = subprocess.run([program(), "export", "--to", "go", str(notebook), "-o", str(written)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")
            if done.returncode:
                raise RuntimeError(f"gosphere export --to go: {done.stdout.strip()}")
            text = (written / "main.go").read_text(encoding="utf-8")
            name = resources.get("unique_key", "notebook")
            if not (written / "go.mod").exists():  # the source of gosphere is not here
                building = done.stdout.strip().splitlines()[-1]
                return f"// Run this program with: gosphere run {name}.go\n// It was not made to be built; {building}\n\n{text}", resources
            if "require" not in (written / "go.mod").read_text(encoding="utf-8"):
                return text, resources
            outputs = resources.setdefault("outputs", {})
            for path in sorted(written.rglob("*")):
                if path.is_file():
                    outputs[os.path.join(name, str(path.relative_to(written)))] = path.read_bytes()
            return f"// This program needs modules: build it by go -C {name} build\n\n{text}", resources
