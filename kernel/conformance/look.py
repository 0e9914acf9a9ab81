#!/usr/bin/env python3
"""Opens notebooks in JupyterLab in a browser, as a reader would, runs all their cells there and keeps pictures of the pages.

    look.py --binary bin/gosphere --out pictures [--code] [NOTEBOOK...]

Without names it takes every notebook of the repository. What a program can see is judged: errors, cells that were not run, formulas
that stayed LaTeX, broken pictures, and text or tables that are cut because they are wider than the page. Whether a page is good to
look at is for eyes: the pictures OUT/NAME-01.png and following show it from above to below, without the code unless --code is given.
Exits with 1 if something was found. Needs playwright beside the other requirements, and Chromium (--chromium).
"""
import argparse
import contextlib
import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The notebook's own indicator is idle before there is a kernel; the status bar names the kernel.
READY = "[...document.querySelectorAll('#jp-main-statusbar *')].some((e) => /^(?!No Kernel).+ \\| Idle$/.test(e.textContent))"
SCROLLER = ".jp-Notebook .jp-WindowedPanel-outer, .jp-Notebook.jp-WindowedPanel-outer"
# Otherwise there is as much empty room below the last cell as a picture is high, so that the cell can be scrolled to the top.
SETTINGS = {"apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
            "notebook-extension/tracker": {"scrollPastEnd": False}}

# What is wrong with the cells that are drawn at the moment; texts so that equal findings of two pictures are one.
FAULTS = r"""() => {
  const found = [];
  const tell = (kind, e) => found.push(kind + ': ' + e.innerText.trim().replace(/\s+/g, ' ').slice(0, 100));
  const drawn = (css) => [...document.querySelectorAll('.jp-Notebook ' + css)].filter((e) => e.offsetParent);
  for (const e of drawn('.jp-RenderedMarkdown')) {
    const text = e.cloneNode(true);
    text.querySelectorAll('mjx-container, code, .MathJax').forEach((m) => m.remove());
    if (/\$\$|\\(frac|kappa|mu|log|sum|mathrm)\b|\$[^$ ]+\$/.test(text.textContent)) tell('formula left as LaTeX', e);
    if (e.querySelector('mjx-merror, [data-mjx-error]')) tell('formula with an error', e);
  }
  for (const e of drawn('[data-mime-type="application/vnd.jupyter.stderr"]')) tell('error stream', e);
  for (const e of drawn('img')) if (e.complete && !e.naturalWidth) found.push('broken picture: ' + e.getAttribute('src').slice(0, 80));
  for (const e of drawn('.jp-OutputArea-output, .jp-RenderedMarkdown table, .jp-MarkdownOutput'))
    if (e.scrollWidth > e.clientWidth + 2) tell(`wider than the page by ${e.scrollWidth - e.clientWidth} pixels`, e);
  for (const e of drawn('mjx-container[display="true"]'))
    if (e.scrollWidth > e.clientWidth + 2) tell(`formula wider than the page by ${e.scrollWidth - e.clientWidth} pixels`, e.closest('.jp-RenderedMarkdown'));
  for (const e of drawn('.jp-CodeMirrorEditor .cm-scroller'))
    if (e.scrollWidth > e.clientWidth + 2) tell(`code wider than the page by ${e.scrollWidth - e.clientWidth} pixels`, e);
  return found;
}"""


class Lab:
    """A JupyterLab server on a copy of the notebooks, with the kernel of one binary and no settings of the user."""

    def __init__(self, work, binary):
        self.files, self.token = work / "files", secrets.token_hex(16)
        shutil.copytree(ROOT / "notebooks", self.files / "notebooks", ignore=shutil.ignore_patterns("*.go", "testdata"))
        subprocess.run([binary, "install", "--prefix", str(work / "prefix")], check=True, stdout=subprocess.DEVNULL)
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        for place, settings in SETTINGS.items():
            file = work / "settings" / "@jupyterlab" / f"{place}.jupyterlab-settings"
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps(settings))
        places = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "JUPYTERLAB_SETTINGS_DIR": "settings",
                  "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "JUPYTER_PATH": "prefix/share/jupyter", "GOSPHERE_HISTORY": "history.sqlite"}
        self.log = open(work / "server.log", "wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
             f"--ServerApp.port={self.port}", f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.files}"],
            env={**os.environ, **{name: str(work / place) for name, place in places.items()}},
            stdout=self.log, stderr=subprocess.STDOUT)
        until("JupyterLab to answer", 120, self.answers)

    def answers(self):
        try:
            return self.api("GET", "/api/status")
        except OSError:
            return None

    def api(self, method, path):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method,
                                         headers={"Authorization": f"token {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def page(self, name):
        return f"http://127.0.0.1:{self.port}/doc/tree/notebooks/{name}?reset&token={self.token}"

    def end_kernels(self):
        for session in self.api("GET", "/api/sessions"):
            with contextlib.suppress(urllib.error.HTTPError):
                self.api("DELETE", f"/api/sessions/{session['id']}")

    def close(self):
        self.end_kernels()
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


def until(what, limit, test):
    """Waits until test gives something true, and returns it."""
    end = time.monotonic() + limit
    while not (got := test()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {limit} s for {what}")
        time.sleep(0.25)
    return got


def menu(page, name, command):
    page.click(f'.lm-MenuBar-itemLabel:text-is("{name}")')
    page.click(f'.lm-Menu-item[data-command="{command}"]')


def saved(file):
    """The cells of a notebook that JupyterLab saves; while it writes, the file is empty or ends early."""
    def read():
        with contextlib.suppress(json.JSONDecodeError):
            return json.loads(file.read_text())["cells"]
    return until(f"a whole {file.name}", 60, read)


def missing(file):
    """The code cells of a saved notebook that have no number yet."""
    cells = saved(file)
    return [cell["id"] for cell in cells if cell["cell_type"] == "code" and "".join(cell["source"]).strip() and not cell["execution_count"]]


def run_all(page, file, limit):
    """Runs all cells by the menu and waits until the saved file says that each was run."""
    idle = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
    menu(page, "Run", "runmenu:run-all")

    def done():
        page.wait_for_selector(idle, timeout=1000 * limit)
        page.keyboard.press("Control+s")
        page.wait_for_timeout(3000)
        for dialog in page.query_selector_all(".jp-Dialog"):  # a slow server makes JupyterLab ask whether to overwrite its own file
            print(f"    dialog: {' '.join(dialog.inner_text().split())}", flush=True)
            dialog.query_selector(".jp-mod-accept").click()
        return not missing(file) or any(output["output_type"] == "error" for cell in saved(file) for output in cell.get("outputs", []))
    until("all cells to be run", limit, done)


def look(lab, page, name, args):
    """Runs a notebook, keeps its pictures and returns what is wrong with it."""
    file = lab.files / "notebooks" / name
    notebook = json.loads(file.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if not args.stored:
        for cell in code:
            cell.update(outputs=[], execution_count=None)
        file.write_text(json.dumps(notebook))
    page.goto(lab.page(name), timeout=60000)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60000)
    faults, start, meant = {}, time.monotonic(), []
    if code:
        page.wait_for_function(READY, timeout=60000)
        page.wait_for_timeout(1000)
        if not args.stored:
            run_all(page, file, args.timeout)
        for cell in saved(file):
            for output in cell.get("outputs", []):
                if output["output_type"] == "error" and "raises-exception" in cell["metadata"].get("tags", []):
                    meant.append(output["evalue"].splitlines()[0][:40])
                elif output["output_type"] == "error":
                    faults[f"cell {cell['id']}: {output['evalue']}"] = True
        if not args.code:
            menu(page, "View", "notebook:hide-all-cell-code")
    took = time.monotonic() - start
    page.wait_for_function("document.querySelectorAll('.jp-Notebook .jp-RenderedMarkdown').length > 0")
    page.wait_for_timeout(3000)  # until then the page's height is a guess
    stem = name.removesuffix(".ipynb").replace("/", "-")
    for old in args.out.glob(stem + "-[0-9][0-9].png"):
        old.unlink()
    scroll = "([css, to]) => { const e = document.querySelector(css); e.scrollTop = to; return [e.scrollTop, e.scrollHeight, e.clientHeight]; }"
    at, number = 0, 0
    while True:
        page.evaluate(scroll, [SCROLLER, at])
        page.wait_for_timeout(1200)  # cells that come into view are drawn then, and formulas set
        page.wait_for_function("[...document.images].every((e) => e.complete)")
        top, height, window = page.evaluate(scroll, [SCROLLER, at])
        number += 1
        page.screenshot(path=args.out / f"{stem}-{number:02}.png")
        found = [fault for fault in page.evaluate(FAULTS) if not fault.startswith("error stream") or not any(text in fault for text in meant)]
        faults.update(dict.fromkeys(found, True))
        if top + window >= height - 2 or number == 60:
            break
        at = top + window - 60
    lab.end_kernels()
    print(f"{name}: {number} pictures, run in {took:.0f} s", flush=True)
    for fault in faults:
        print(f"    {fault}", flush=True)
    return bool(faults)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", required=True)
    options.add_argument("--out", required=True, type=pathlib.Path)
    options.add_argument("--code", action="store_true", help="show the code, too")
    options.add_argument("--stored", action="store_true", help="run nothing: show the outputs that are stored")
    options.add_argument("--width", type=int, default=1100, help="of the page in pixels")
    options.add_argument("--height", type=int, default=1500)
    options.add_argument("--timeout", type=int, default=600, help="seconds for all cells of a notebook")
    options.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    options.add_argument("notebooks", nargs="*", help="below notebooks/, such as teaching/02-vmf.ipynb")
    args = options.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    names = args.notebooks or sorted(str(path.relative_to(ROOT / "notebooks")) for path in (ROOT / "notebooks").rglob("*.ipynb")
                                     if "testdata" not in path.parts)
    bad = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        lab = Lab(pathlib.Path(folder), str(pathlib.Path(args.binary).resolve()))
        browser = play.chromium.launch(executable_path=args.chromium, args=["--no-sandbox", "--disable-gpu"])
        try:
            for name in names:
                page = browser.new_page(viewport={"width": args.width, "height": args.height})
                bad += look(lab, page, name, args)
                page.close()
        finally:
            browser.close()
            lab.close()
    print(f"{len(names)} notebooks, {bad} with findings; pictures in {args.out}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
