"""Measures the kernel in Chromium: the first cell and memory, and beside the native program and Pyodide the times of five programs.

    python measure.py SITE [--rounds N]                                the first cell after a warm load, memory and download
    python measure.py SITE --gosphere FILE [--pyodide DIR] [--rounds N]    the programs as well

SITE is a site of gosphere site. A warm load is a visit with the kernel in the browser's cache. DIR is the published npm
package pyodide. In each round every program runs once in each of the three, one after the other, so that all share what
else the machine does.
"""

import argparse
import functools
import http.server
import os
import pathlib
import re
import statistics
import subprocess
import threading
import time

import lite

# Five programs, each in Go and Python. Both print the same.
PROGRAMS = {
    "recursion": (
        "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfmt.Println(fib(24))",
        "def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)\nprint(fib(24))",
    ),
    "float loop": (
        "s := 0.0\nfor i := 1; i <= 1000000; i++ { s += 1 / (float64(i) * float64(i)) }\nfmt.Printf(\"%.12f\\n\", s)",
        "s = 0.0\nfor i in range(1, 1000001): s += 1 / (float(i) * float(i))\nprint(f'{s:.12f}')",
    ),
    "sieve": (
        "n := 300000\ncomposite := make([]bool, n)\ncount := 0\nfor i := 2; i < n; i++ { if composite[i] { continue }; count++; for j := i * i; j < n; j += i { composite[j] = true } }\nfmt.Println(count)",
        "n = 300000\ncomposite = [False] * n\ncount = 0\nfor i in range(2, n):\n    if composite[i]: continue\n    count += 1\n    for j in range(i * i, n, i): composite[j] = True\nprint(count)",
    ),
    "words": (
        'counts := map[string]int{}\nfor i := range 200000 { counts[fmt.Sprint("w", i*i%1009)]++ }\nfmt.Println(len(counts), counts["w4"])',
        "counts = {}\nfor i in range(200000):\n    w = f'w{i*i%1009}'\n    counts[w] = counts.get(w, 0) + 1\nprint(len(counts), counts['w4'])",
    ),
    "sort": (
        "xs := make([]int, 200000)\nx := 1\nfor i := range xs { x = x * 16807 % 2147483647; xs[i] = x }\nsort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })\nfmt.Println(xs[0], xs[100000])",
        "xs = []\nx = 1\nfor i in range(200000):\n    x = x * 16807 % 2147483647\n    xs.append(x)\nxs.sort(key=lambda v: v)\nprint(xs[0], xs[100000])",
    ),
}

# Runs a program in Pyodide and returns its output and its time in ms.
PYODIDE = """
<script type="module">
  import { loadPyodide } from './pyodide.mjs';
  const python = await loadPyodide();
  window.measure = source => { const lines = []; python.setStdout({ batched: s => lines.push(s) });
    const began = performance.now(); python.runPython(source, { globals: python.toPy({}) }); return [lines.join('\\n'), performance.now() - began]; };
</script>
"""


# Runs the cells of the open notebook and returns the time in ms until the last result.
RUN = """async () => { const began = performance.now(); await window.jupyterapp.commands.execute('notebook:run-all-cells');
  return performance.now() - began; }"""


def timed(source):
    """Returns a cell that runs the statements of a program and prints its time in ms. Declarations stay outside of the time."""
    declared = [line for line in source.split("\n") if line.startswith("func ")]
    rest = [line for line in source.split("\n") if line not in declared]
    return "\n".join([*declared, "began := time.Now()", *rest, 'fmt.Println("ms", time.Since(began).Microseconds())'])


def parsed(text):
    """Returns the output and the time in ms of a cell of timed."""
    match = re.search(r"^(.*)\nms (\d+)", text, re.DOTALL)
    if not match:
        raise SystemExit(f"unexpected output: {text}")
    return match[1].strip(), int(match[2]) / 1000


def native(gosphere, source, folder):
    """Runs a program in a new native session."""
    file = folder / "program.cells.go"
    file.write_text("// %%\n" + timed(source))
    return parsed(subprocess.run([gosphere, "run", file], capture_output=True, text=True, check=True).stdout)


def open_pyodide(browser, folder):
    """Serves and opens a page with Pyodide."""
    class Handler(lite.Handler):
        def do_GET(self):
            if self.path == "/":
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(PYODIDE.encode())
            else:
                super().do_GET()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    page.wait_for_function("() => window.measure", timeout=180_000)
    return page


def is_own(process):
    """Reports whether a process is a descendant of this program."""
    while process.name not in ("0", "1"):
        if process.name == str(os.getpid()):
            return True
        parent = re.search(r"^PPid:\s+(\d+)", (process / "status").read_text(), re.MULTILINE)[1]
        process = process.parent / parent
    return False


def renderer_memory():
    """Returns the proportional memory in MB of the largest renderer process of this program's Chromium."""
    largest = 0
    for status in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"--type=renderer" in status.read_bytes() and is_own(status.parent):
                rollup = (status.parent / "smaps_rollup").read_text()
                largest = max(largest, int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1]) // 1024)
        except OSError:
            pass
    return largest


def webassembly(notebook):
    """Returns the memory of WebAssembly in MB of the kernel of a notebook."""
    return max(worker.evaluate("() => self.gosphereMemory?.buffer.byteLength ?? 0") for worker in notebook.page.workers) / 1e6


def visit(site, reader, path):
    """Opens a notebook, runs a cell and returns the notebook and what was measured."""
    began = time.monotonic()
    notebook = site.open(path, reader)
    measured = {"idle": time.monotonic() - began, "at start": webassembly(notebook)}
    notebook.add("1 + 1")
    measured["first cell"] = notebook.page.evaluate(RUN) / 1000
    measured["after the cell"] = webassembly(notebook)
    return notebook, measured


def row(name, values, unit, limit=None):
    """Prints the median of a measure, its range, and whether it is within the limit."""
    middle, digits = statistics.median(values), 0 if unit == "MB" else 1
    verdict = "" if limit is None else f", at most {limit} {unit}: {'holds' if middle <= limit else 'DOES NOT HOLD'}"
    print(f"{name:46}{middle:8.{digits}f} {unit} ({min(values):.{digits}f} to {max(values):.{digits}f}){verdict}", flush=True)


def start(site, rounds):
    """Measures a first visit and warm ones. It returns the notebook that is open in the last one."""
    path = min(file.name for file in (site.folder / "files").glob("*.ipynb"))
    reader = site.reader()
    page = reader.new_page()
    page.goto(f"{site.base}/lab/index.html", timeout=180_000)
    page.wait_for_selector(".jp-DirListing-item", timeout=180_000)
    empty = renderer_memory()
    page.close()
    notebook, first = visit(site, reader, path)
    warm, renderer = [], []
    for _ in range(rounds):
        notebook.page.close()
        notebook, measured = visit(site, reader, path)
        warm.append(measured)
        renderer.append(renderer_memory())
    static = site.folder / "extensions" / "gosphere-browser" / "static"
    row("download of the compressed kernel", [file.stat().st_size / 1e6 for file in static.glob("gosphere-*.wasm.gz")], "MB", 30)
    row("first visit: page asked for to kernel idle", [first["idle"]], "s")
    row("warm visit: page asked for to kernel idle", [each["idle"] for each in warm], "s")
    row("warm visit: first cell after the kernel is idle", [each["first cell"] for each in warm], "s", 4)
    row("warm visit: page asked for to first result", [each["idle"] + each["first cell"] for each in warm], "s")
    row("memory of WebAssembly after start", [each["at start"] for each in warm], "MB", 150)
    row("memory of WebAssembly after the first cell", [each["after the cell"] for each in warm], "MB", 150)
    row("renderer process without a kernel", [empty], "MB")
    row("renderer process after the first cell", renderer, "MB")
    return notebook


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--gosphere", type=pathlib.Path, help="native program; without it only the start is measured")
    parser.add_argument("--pyodide", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(".lite-results"))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    site = lite.Site(options.site, options.out, options.chromium)
    try:
        notebook = start(site, options.rounds)
        python = open_pyodide(site.browser, options.pyodide) if options.pyodide else None
        for name, (go, py) in PROGRAMS.items() if options.gosphere else ():
            times = {"native": [], "browser": [], "Pyodide": []}
            for _ in range(options.rounds):
                results = {"native": native(options.gosphere, go, options.out)}
                notebook.add(timed(go))
                notebook.run_all()
                results["browser"] = parsed(notebook.texts()[0])
                if python:
                    text, ms = python.evaluate("source => window.measure(source)", py)
                    results["Pyodide"] = text.strip(), ms
                if len({text for text, _ in results.values()}) > 1:
                    raise SystemExit(f"{name}: the outputs differ: {results}")
                for where, (_, ms) in results.items():
                    times[where].append(ms)
            middle = {where: statistics.median(list_) for where, list_ in times.items() if list_}
            print(f"{name}: " + ", ".join(f"{where} {ms:.0f} ms" for where, ms in middle.items())
                  + f"; browser/native {middle['browser'] / middle['native']:.1f}"
                  + (f", browser/Pyodide {middle['browser'] / middle['Pyodide']:.2f}" if python else ""), flush=True)
    finally:
        site.close()


if __name__ == "__main__":
    main()
