"""Opens a site of gosphere site in Chromium, and runs its notebooks as a reader does.

    python lite.py SITE NOTEBOOK... [--out DIR]     run all cells of notebooks and store the executed copies
    python lite.py SITE --checks [--out DIR]        the checks below

It needs the package playwright and Chromium. DIR (default: lite-results) gets executed copies and screenshots.
"""

import argparse
import functools
import http.server
import json
import pathlib
import re
import sys
import threading
import time

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_):
        pass


class Site:
    """A site in a browser."""

    def __init__(self, folder, out, chromium):
        self.out = out
        out.mkdir(parents=True, exist_ok=True)
        handler = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
        self.log = []
        self.foreign = []

    def expose(self, route):
        """Makes the application visible to this program."""
        config = route.fetch().json()
        config.setdefault("jupyter-config-data", {})["exposeAppInBrowser"] = True
        route.fulfill(json=config)

    def note(self, request):
        if not request.url.startswith((self.base, "data:", "blob:", "ws://127.0.0.1")):
            self.foreign.append(request.url)

    def close(self):
        self.browser.close()
        self.playwright.stop()
        self.server.shutdown()

    def open(self, path):
        """Opens a notebook, as a reader who has not been here before, and waits for its kernel."""
        context = self.browser.new_context(viewport={"width": 1300, "height": 1000})
        context.route("**/lab/jupyter-lite.json*", self.expose)
        context.on("request", self.note)
        page = context.new_page()
        page.on("console", lambda m: self.log.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: self.log.append(f"error: {e}"))
        page.goto(f"{self.base}/lab/index.html?path={path}", timeout=180_000)
        page.wait_for_function(
            """path => { const w = window.jupyterapp?.shell.currentWidget;
                         return w?.context?.isReady && w.context.path === path && w.sessionContext?.session?.kernel?.status === 'idle'; }""",
            arg=path,
            timeout=300_000,
        )
        return Notebook(self, page, path)


class Notebook:
    """A notebook that is open."""

    def __init__(self, site, page, path):
        self.site, self.page, self.path = site, page, path

    def shot(self, name):
        file = self.site.out / f"{name}.png"
        self.page.screenshot(path=file)
        return file

    def model(self):
        model = self.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.toJSON()")
        for cell in model["cells"]:
            if cell.get("attachments", 0) is None:
                del cell["attachments"]
        return model

    def close(self):
        self.page.context.close()

    def command(self, name):
        self.page.evaluate("name => { void window.jupyterapp.commands.execute(name); }", name)

    def add(self, *sources):
        """Replaces the cells."""
        self.page.evaluate(
            """sources => {
                const shared = window.jupyterapp.shell.currentWidget.context.model.sharedModel;
                shared.deleteCellRange(0, shared.cells.length);
                for (const source of sources) shared.addCell({cell_type: 'code', source, metadata: {trusted: true}});
                window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0;
            }""",
            list(sources),
        )

    def status(self):
        return self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status")

    def run_all(self, limit=600):
        """Runs all cells and waits until the kernel has answered all of them."""
        self.page.evaluate(
            """() => { window.finished = false;
                       window.jupyterapp.commands.execute('notebook:run-all-cells').finally(() => { window.finished = true; }); }"""
        )
        self.page.wait_for_function("() => window.finished", timeout=1000 * limit)

    def texts(self):
        """Returns the outputs of the code cells as text."""
        return [text_of(cell) for cell in self.model()["cells"] if cell["cell_type"] == "code"]


def text_of(cell):
    parts = []
    for output in cell["outputs"]:
        match output["output_type"]:
            case "stream":
                parts.append("".join(output["text"]))
            case "error":
                parts.append(re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output["traceback"])))
            case _:
                text = output["data"].get("text/plain", "")
                parts.append("".join(text) + " " + " ".join(output["data"]))
    return "\n".join(parts)


def run_notebooks(site, paths):
    """Runs notebooks and returns the number of those with an error."""
    failed = 0
    for path in paths:
        began = time.monotonic()
        try:
            notebook = site.open(path)
            notebook.run_all()
            time.sleep(0.5)
            model = notebook.model()
        except Exception as error:  # a time limit, for instance
            print(f"{path}: {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
            failed += 1
            continue
        errors = [text_of(c) for c in model["cells"] if any(o["output_type"] == "error" for o in c.get("outputs", []))
                  and "raises-exception" not in c["metadata"].get("tags", [])]
        copy = site.out / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(json.dumps(model, indent=1, ensure_ascii=False) + "\n")
        notebook.shot(path.replace("/", "-"))
        print(f"{path}: {'; '.join(errors)[:300] if errors else 'ran'} ({time.monotonic() - began:.0f} s)", flush=True)
        failed += bool(errors)
        notebook.close()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("notebooks", nargs="*")
    parser.add_argument("--checks", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("lite-results"))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    site = Site(options.site, options.out, options.chromium)
    try:
        failed = run_notebooks(site, options.notebooks)
        if options.checks:
            import lite_checks

            failed += lite_checks.run(site)
    finally:
        (options.out / "console.log").write_text("\n".join(site.log) + "\n")
        site.close()
    if site.foreign:
        failed += 1
        print(f"requests to other machines: {sorted(set(site.foreign))}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
