"""Tries the wheel for this machine in fresh virtual environments, made by pip and by uv.

    python3 kernel/conformance/wheel.py dist

installs the wheel of the folder dist beside nbclient and papermill, in a folder with a space in its name and with no
environment active. Packages come from the index that pip is set up with. The wheels of other platforms are checked for
their layout and their tags.
"""

import argparse
import base64
import csv
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import venv
import zipfile

NEEDED = ["jupyter_client==8.10.0", "nbclient==0.11.0", "nbconvert", "nbformat", "papermill==2.7.0"]
TAGS = {"manylinux": ("bin/gosphere", b"\x7fELF"), "macosx": ("bin/gosphere", b"\xcf\xfa\xed\xfe"), "win": ("Scripts/gosphere.exe", b"MZ")}

# What runs inside of the environment: a notebook by nbclient, and one by papermill with parameters.
PLAY = r'''
import json, pathlib, sys
import nbclient, nbformat
from jupyter_client.kernelspec import KernelSpecManager

v4 = nbformat.v4
spec = {"kernelspec": {"name": "gosphere", "display_name": "Go (gosphere)", "language": "go"},
        "language_info": {"name": "go", "file_extension": ".go"}}
assert "gosphere" in KernelSpecManager().find_kernel_specs(), KernelSpecManager().find_kernel_specs()
notebook = v4.new_notebook(metadata=spec, cells=[v4.new_code_cell("figure.Lines(\"x\", \"y\", figure.Series{Name: \"x\", Values: []float64{1, 4, 9}})"),
                                                 v4.new_code_cell("stat.Mean([]float64{1, 2, 4, 8}, nil)")])
nbclient.NotebookClient(notebook, timeout=120, kernel_name="gosphere").execute()
assert "image/png" in notebook.cells[0].outputs[0].data, notebook.cells[0].outputs
assert notebook.cells[1].outputs[0].data["text/plain"] == "3.75", notebook.cells[1].outputs

values = v4.new_notebook(metadata=spec, cells=[
    v4.new_code_cell("epochs := 1 // trainings\nrate, name := 0.5, \"a\"\nvar limit float64 = 1\nseeds := []int{0}",
                     metadata={"tags": ["parameters"]}),
    v4.new_code_cell("fmt.Println(epochs, rate/2, name, limit, seeds)")])
nbformat.write(values, "values.ipynb")
'''


def run(*command, **kw):
    """Run a command and return its output; fail with it."""
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kw)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def files(folder):
    """Return the files below a folder, without what Python compiles by itself. pip leaves empty folders of data files."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def environment(home):
    """Return variables with no environment active and nothing of the user's."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("JUPYTER", "VIRTUAL_ENV", "CONDA", "PYTHON", "GOSPHERE"))}
    return clean | {"HOME": str(home), "PATH": "/usr/bin:/bin"}


def check_layout(wheel):
    """The wheel's name, tags, hashes, program and kernelspec fit each other."""
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None, wheel
        names = archive.namelist()
        assert len(names) == len(set(names)), "a name occurs twice"
        name, version, python, abi, platforms = wheel.stem.split("-")
        dist, data = f"{name}-{version}.dist-info", f"{name}-{version}.data"
        about = archive.read(f"{dist}/WHEEL").decode().splitlines()
        assert [line[5:] for line in about if line.startswith("Tag: ")] == [f"{python}-{abi}-{one}" for one in platforms.split(".")], about
        for path, digest, size in csv.reader(archive.read(f"{dist}/RECORD").decode().splitlines()):
            content = archive.read(path)
            names.remove(path)
            if path != f"{dist}/RECORD":
                want = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                assert digest == f"sha256={want}" and int(size) == len(content), path
        assert not names, f"not in RECORD: {names}"
        place, magic = next(value for key, value in TAGS.items() if platforms.startswith(key))
        program = archive.getinfo(f"{data}/scripts/{place.split('/')[1]}")
        assert archive.read(program)[: len(magic)] == magic, f"{wheel}: the program is of another platform"
        assert program.external_attr >> 16 & 0o111 == 0o111, "the program may not be executed"
        spec = json.loads(archive.read(f"{data}/data/share/jupyter/kernels/gosphere/kernel.json"))
        assert spec["argv"] == ["{resource_dir}/../../../../" + place, "kernel", "{connection_file}"], spec
        assert f"Version: {version}" in archive.read(f"{dist}/METADATA").decode().splitlines()


def check_environment(wheel, tool):
    """Install, use and remove the wheel in an environment of its own."""
    with tempfile.TemporaryDirectory(prefix="wheel ") as folder:
        folder = pathlib.Path(folder)
        place, home = folder / "an environment", folder / "home"
        home.mkdir()
        clean = environment(home)
        python, scripts = place / "bin" / "python", place / "bin"
        if tool == "uv":
            uv = pathlib.Path(sys.executable).parent / "uv"
            uv = [uv if uv.exists() else "uv"]
            found = ["--find-links", os.environ["PIP_FIND_LINKS"]] if os.environ.get("PIP_FIND_LINKS") else []
            run(*uv, "venv", "--quiet", "--python", sys.executable, place)
            install, remove = [*uv, "pip", "install", "--quiet", "--python", python, *found], [*uv, "pip", "uninstall", "--python", python]
        else:
            venv.create(place, with_pip=True)
            install, remove = [python, "-m", "pip", "install", "--quiet"], [python, "-m", "pip", "uninstall", "--quiet", "--yes"]
        run(*install, *NEEDED)
        before = files(place)
        run(*install, wheel)
        assert run(scripts / "gosphere", "version", env=clean).startswith("gosphere "), "the command does not work"
        assert run(python, "-m", "gosphere", "version", env=clean).startswith("gosphere "), "python -m gosphere does not work"
        assert f"{place}/share/jupyter/kernels/gosphere" in run(scripts / "jupyter", "kernelspec", "list", env=clean)
        assert "ok" in run(scripts / "gosphere", "list", env=clean | {"VIRTUAL_ENV": str(place)})
        run(python, "-c", PLAY, cwd=folder, env=clean)
        shown = run(scripts / "papermill", "--help-notebook", "values.ipynb", cwd=folder, env=clean)
        assert "epochs" in shown and "trainings" in shown and "limit: float64 (default 1)" in shown, shown
        run(scripts / "papermill", "values.ipynb", "out.ipynb", "-p", "epochs", "7", "-p", "name", "κ", "-p", "rate", "3",
            "-y", "{limit: .inf, seeds: [4, 5]}", "--no-progress-bar", cwd=folder, env=clean)
        out = json.loads((folder / "out.ipynb").read_text())
        text = "".join(out["cells"][-1]["outputs"][0]["text"])
        assert text == "7 1.5 κ +Inf [4 5]\n", text
        run(scripts / "jupyter", "nbconvert", "--to", "script", "values.ipynb", cwd=folder, env=clean)
        assert "func main()" in (folder / "values.go").read_text(), "nbconvert writes no program"
        run(scripts / "jupyter", "nbconvert", "--to", "html", "--template", "gosphere", "values.ipynb", cwd=folder, env=clean)
        run(*remove, "gosphere")
        left = files(place) - before
        assert not left, f"{tool} leaves {sorted(left)}"
        print(f"{wheel.name}: installed, used and removed with {tool}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, help="with the wheels")
    parser.add_argument("--tools", default="pip,uv")
    args = parser.parse_args()
    wheels = sorted(args.folder.resolve().glob("*.whl"))
    assert wheels, f"no wheel in {args.folder}"
    for wheel in wheels:
        check_layout(wheel)
        print(f"{wheel.name}: name, tags, hashes, program and kernelspec fit")
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(os.uname().machine, os.uname().machine)
    own = next(wheel for wheel in wheels if "manylinux" in wheel.name and machine in wheel.name)
    for tool in args.tools.split(","):
        check_environment(own, tool)


if __name__ == "__main__":
    main()
