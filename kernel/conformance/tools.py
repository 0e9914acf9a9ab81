#!/usr/bin/env python3
"""Runs the lines of docs/tools.md that are marked there.

    python3 kernel/conformance/tools.py --binary bin/gosphere [--only NAME]

Needs an environment with papermill, nbconvert, jupytext, nbmake, nbval, nbdime, jupyter-book below 2, nbgrader, voila,
jupyter-console and euporie; a tool that is not installed there is skipped and named. The package of the wheel is used from the
source. Exits with 1 if a line fails.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNEL = {"kernelspec": {"display_name": "Go (gosphere)", "language": "go", "name": "gosphere"},
          "language_info": {"file_extension": ".go", "mimetype": "text/x-go", "name": "go", "nbconvert_exporter": "script"}}


def cell(source, kind="code", **metadata):
    """Return a cell; outputs of code are empty."""
    made = {"cell_type": kind, "id": f"c{abs(hash(source)) % 10**8}", "metadata": metadata, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def write(path, *cells):
    """Write a notebook."""
    pathlib.Path(path).write_text(json.dumps({"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}))


def run(*command, **kw):
    """Run a command and return its output; fail with it."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, **kw)
    assert done.returncode == kw.get("status", 0), f"{' '.join(command)}: status {done.returncode}\n{done.stdout}"
    return done.stdout


def notebook():
    """Write notebook.ipynb with a parameter and stored outputs, as gosphere runs it."""
    write("notebook.ipynb", cell("epochs := 1", tags=["parameters"]), cell("epochs * 6"), cell('fmt.Println(strings.Repeat("ab", 2))'))
    run("gosphere", "run", "notebook.ipynb", "-o", "notebook.ipynb")


def check_papermill():
    """Parameters are translated."""
    run("papermill", "notebook.ipynb", "out.ipynb", "-p", "epochs", "7")
    assert '"42"' in pathlib.Path("out.ipynb").read_text()


def check_nbconvert():
    """The script is a program that runs, and the template folds code that JupyterLab folds."""
    run("jupyter-nbconvert", "--to", "script", "notebook.ipynb")
    assert "func main()" in pathlib.Path("notebook.go").read_text()
    if shutil.which("go"):
        assert run("go", "run", "notebook.go").split() == ["6", "abab"]
    write("folded.ipynb", cell("openCell := 1"), cell("foldedCell := 2", jupyter={"source_hidden": True}))
    run("jupyter-nbconvert", "--to", "html", "--template", "gosphere", "folded.ipynb")
    page = pathlib.Path("folded.html").read_text()
    folded = '<details class="folded">'
    assert page.count(folded) == 1 and page.index("openCell") < page.index(folded) < page.index("foldedCell"), page[-2000:]


def check_jupytext():
    """A notebook is paired with a file that the go command does not see, and comes back."""
    run("jupytext", "--set-formats", "ipynb,_cells//go:percent", "notebook.ipynb")
    paired = pathlib.Path("_cells/notebook.go")
    paired.write_text(paired.read_text().replace("epochs * 6", "epochs * 8"))
    run("jupytext", "--sync", "notebook.ipynb")
    assert "epochs * 8" in pathlib.Path("notebook.ipynb").read_text()


def check_nbmake():
    """A notebook passes, and one with an error fails."""
    run(sys.executable, "-m", "pytest", "-q", "--nbmake", "notebook.ipynb")
    write("wrong.ipynb", cell('panic("boom")'))
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--nbmake", "wrong.ipynb"], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "boom" in done.stdout, done.stdout


def check_nbval():
    """Stored outputs are compared."""
    assert "3 passed" in run(sys.executable, "-m", "pytest", "-q", "--nbval", "notebook.ipynb")


def check_nbdime():
    """Two notebooks are compared by cells."""
    write("other.ipynb", cell("epochs := 2"))
    assert "epochs := 2" in run("nbdiff", "notebook.ipynb", "other.ipynb")


def check_jupyter_book():
    """A page is executed and has the output."""
    book = pathlib.Path("book")
    book.mkdir()
    write(book / "page.ipynb", cell("# Page", "markdown"), cell("6 * 7"))
    (book / "_toc.yml").write_text("format: jb-book\nroot: page\n")
    (book / "_config.yml").write_text("title: book\nexecute:\n  execute_notebooks: force\n")
    run("jupyter-book", "build", "book")
    assert "42" in (book / "_build" / "html" / "page.html").read_text()


def check_nbgrader():
    """An assignment is made, and two submissions are graded by the tests of the teacher."""
    pathlib.Path("nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.course_id = "go"\n'
        'c.ClearSolutions.code_stub = {"go": "// YOUR CODE HERE\\npanic(\\"no answer yet\\")"}\n')
    source = pathlib.Path("source/ps1")
    source.mkdir(parents=True)
    grading = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}
    answer = cell("func double(x int) int {\n// BEGIN SOLUTION\nreturn 2 * x\n// END SOLUTION\n}",
                  nbgrader=grading | {"solution": True, "grade_id": "double"})
    test = cell("if double(4) != 8 {\n\tpanic(\"double(4) is not 8\")\n}",
                nbgrader=grading | {"grade": True, "locked": True, "points": 2, "grade_id": "test"})
    write(source / "problem.ipynb", answer, test)
    run("nbgrader", "generate_assignment", "ps1")
    released = pathlib.Path("release/ps1/problem.ipynb").read_text()
    assert "YOUR CODE HERE" in released and "2 * x" not in released, released
    for name, body in {"right": "return x + x", "wrong": "return x"}.items():
        submitted = pathlib.Path("submitted") / name / "ps1"
        submitted.mkdir(parents=True)
        handed = json.loads(released)
        handed["cells"][0]["source"] = "func double(x int) int {\n" + body + "\n}"
        (submitted / "problem.ipynb").write_text(json.dumps(handed))
    run("nbgrader", "autograde", "ps1")
    run("nbgrader", "export", "--to", "grades.csv")
    lines = [line.split(",") for line in pathlib.Path("grades.csv").read_text().splitlines()]
    score = {line[lines[0].index("student_id")]: float(line[lines[0].index("score")]) for line in lines[1:]}
    assert score == {"right": 2.0, "wrong": 0.0}, score


def check_voila():
    """A page with frames keeps its slider."""
    write("page.ipynb", cell('display.Frames(func(x float64) any { return x }, display.Range{Name: "speed", Values: []float64{1, 2}})'))
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = subprocess.Popen(["voila", "--no-browser", f"--port={port}", "page.ipynb"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(60):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=240) as answer:
                    page = answer.read().decode()
                break
            except OSError:
                time.sleep(0.5)
        assert "gosphere-frames" in page and "speed" in page, page[-2000:]
    finally:
        server.terminate()
        server.wait()


def check_console():
    """A cell is typed into the console."""
    assert "Out[1]: 42" in run("jupyter-console", "--simple-prompt", "--kernel", "gosphere", input="6*7\n")


def check_euporie():
    """A notebook is shown in the terminal."""
    assert "epochs * 6" in run("euporie-preview", "notebook.ipynb")


NEEDS = {"nbmake": "nbmake", "nbval": "nbval", "nbconvert": "jupyter-nbconvert", "nbdime": "nbdiff", "jupyter_book": "jupyter-book",
         "console": "jupyter-console", "euporie": "euporie-preview"}


def missing(name):
    """Report whether a tool is not installed."""
    if name in ("nbmake", "nbval"):
        return subprocess.run([sys.executable, "-c", f"import {name}"], stderr=subprocess.DEVNULL).returncode != 0
    return not shutil.which(NEEDS.get(name, name))


def prepare(binary, folder):
    """Install the kernelspec and the package of the wheel into a folder, and put both into the environment."""
    prefix, site = folder / "prefix", folder / "site"
    subprocess.run([binary, "install", "--prefix", str(prefix)], check=True, stdout=subprocess.DEVNULL)
    shutil.copytree(ROOT / "install" / "release" / "python" / "gosphere", site / "gosphere")
    shutil.copytree(ROOT / "install" / "release" / "python" / "template",
                    prefix / "share" / "jupyter" / "nbconvert" / "templates" / "gosphere")
    info = site / "gosphere-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gosphere\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[papermill.engine]\ngosphere = gosphere.translator:Engine\n\n"
                                           "[nbconvert.exporters.script]\ngo = gosphere.exporter:GoExporter\n")
    os.environ["JUPYTER_PATH"] = str(prefix / "share" / "jupyter")
    os.environ["PYTHONPATH"] = str(site)
    os.environ["PATH"] = os.pathsep.join([str(pathlib.Path(sys.executable).parent), str(binary.parent), os.environ["PATH"]])


def main():
    """Run the checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        prepare(options.binary.resolve(), pathlib.Path(folder))
        for name, check in [(n.removeprefix("check_"), f) for n, f in globals().items() if n.startswith("check_")]:
            if options.only not in (None, name):
                continue
            if missing(name):
                print(f"skip  {name}: not installed")
                continue
            work = pathlib.Path(folder) / name
            work.mkdir()
            os.chdir(work)
            try:
                notebook()
                check()
                print(f"ok    {name}")
            except Exception as problem:  # the other tools are tried, too
                failed.append(name)
                print(f"FAIL  {name}: {problem}")
        os.chdir(ROOT)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
