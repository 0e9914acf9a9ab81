"""Opens a site of gosphere site in Chromium or Firefox, and runs its notebooks as a reader does.

    python lite.py SITE NOTEBOOK... [--out DIR]     run all cells of notebooks and store the executed copies
    python lite.py SITE NOTEBOOK... --offline       the same without a connection, after a first visit to the first of them
    python lite.py SITE --checks [NAME...]          the checks in lite_checks.py, for a site with notebooks first.ipynb, second.ipynb
                                                    and folder/third.ipynb

With --gosphere FILE, the native program compares the executed copies with the notebooks of the site, and a difference is a failure.

It needs the package playwright and Chromium, or with --firefox a Firefox that playwright can drive by WebDriver BiDi. DIR (default: .lite-results) gets executed copies and screenshots.
"""

import argparse
import functools
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]


# Returns a file that the browser has not kept, of a notebook's page and the notebooks of its folder.
NOT_KEPT = """async path => {
  const base = location.href.split('/lab/')[0], folder = path.split('/').slice(0, -1).map(part => part + '/').join('');
  const listed = await (await fetch(`${base}/api/contents/${folder}all.json`)).json();
  const notebooks = listed.content.filter(entry => entry.type === 'notebook').map(entry => `${base}/files/${entry.path}`);
  const parts = await (await fetch(`${base}/extensions/gosphere-browser/static/page.json`)).json();
  const files = [location.href, ...notebooks, ...parts.map(file => `${base}/${file}`)];
  for (const url of files) if (!await caches.match(url, {ignoreSearch: true})) return url;
  return ''; }"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log, unless the server is to look as if it could not be reached."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        missing = getattr(self.server, "missing", "")  # a part of the names of files that are not found
        path = urllib.parse.urlsplit(self.path).path
        if getattr(self.server, "offline", False):
            self.close_connection = True  # without an answer
        elif missing and missing in path:
            self.send_error(404)
        elif path == "/lab/jupyter-lite.json":
            self.send_exposed()
        else:
            super().do_GET()

    def send_exposed(self):
        """Sends the configuration that makes the application visible to this program."""
        config = json.loads(pathlib.Path(self.translate_path(self.path)).read_text())
        options = config.setdefault("jupyter-config-data", {})
        options["exposeAppInBrowser"] = True
        options.update(getattr(self.server, "options", {}))
        content = json.dumps(config).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Site:
    """A site in a browser."""

    def __init__(self, folder, out, chromium, firefox=None):
        self.folder, self.out = folder, out
        out.mkdir(parents=True, exist_ok=True)
        handler = functools.partial(Handler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        self.playwright = sync_playwright().start()
        if firefox:
            self.browser = self.playwright.firefox.launch(channel="moz-firefox", executable_path=firefox, headless=True)
        else:
            self.browser = self.playwright.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
        self.log = []
        self.foreign = []

    def note(self, request):
        # Cells that have started a server ask the loopback address.
        if not request.url.startswith((self.base, "data:", "blob:", "ws://127.0.0.1", "http://127.0.0.1:")):
            self.foreign.append(request.url)

    def close(self):
        self.browser.close()
        self.playwright.stop()
        self.server.shutdown()

    def reader(self):
        """Returns the browser of a reader who has not been here before."""
        context = self.browser.new_context(viewport={"width": 1300, "height": 1000})
        context.on("request", self.note)
        return context

    def open(self, path, reader=None):
        """Opens a notebook, as a reader who has not been here before unless one is given, and waits for its kernel."""
        context = reader or self.reader()
        page = context.new_page()
        page.on("console", lambda m: self.log.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: self.log.append(f"error: {e}"))
        page.goto(f"{self.base}/lab/index.html?path={path}", timeout=180_000)
        notebook = Notebook(self, page, path)
        notebook.wait()
        return notebook


class Notebook:
    """A notebook that is open."""

    def __init__(self, site, page, path):
        self.site, self.page, self.path = site, page, path

    def wait(self):
        """Waits until the notebook is shown and its kernel is idle."""
        self.page.wait_for_function(
            """path => { const w = window.jupyterapp?.shell.currentWidget;
                         return w?.context?.isReady && w.context.path === path && w.sessionContext?.session?.kernel?.status === 'idle'; }""",
            arg=self.path,
            timeout=180_000,
        )

    def follow(self, path):
        """Ends the kernel, and opens another notebook in the same page."""
        self.page.evaluate(
            """async path => { const { shell, commands } = window.jupyterapp, old = shell.currentWidget;
                             await old.sessionContext.shutdown();
                             await old.context.save();
                             old.close();
                             void commands.execute('docmanager:open', {path}); }""",
            path,
        )
        self.path = path
        self.wait()

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

    def disconnect(self):
        """Closes the page when the browser has kept it and the notebooks of its folder. From then on the browser has no
        network, and should a request leave it all the same, the server does not answer."""
        limit = time.monotonic() + 300
        while missing := self.page.evaluate(NOT_KEPT, self.path):  # wait_for_function does not wait for promises
            if time.monotonic() > limit:
                raise TimeoutError(f"the browser has not kept {missing}")
            time.sleep(1)
        self.page.context.set_offline(True)
        self.page.close()
        self.site.server.offline = True

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
            """() => { window.finished = false; window.idleSince = null;
                       window.jupyterapp.commands.execute('notebook:run-all-cells').finally(() => { window.finished = true; }); }"""
        )
        self.page.wait_for_function("() => window.finished", timeout=1000 * limit)
        # After a cell that may fail, JupyterLab's command ends while later cells run. Between two of them the kernel is idle for a moment.
        self.page.wait_for_function(
            """() => { const idle = window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle';
                       window.idleSince = idle ? window.idleSince ?? Date.now() : null;
                       return idle && Date.now() - window.idleSince > 500; }""",
            timeout=1000 * limit,
        )

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


def differences(site, path, copy, gosphere):
    """Returns the differences that the native program finds between a notebook of the site and an executed copy."""
    stored = site.folder / "files" / path
    done = subprocess.run([gosphere, "check", stored, "--executed", copy], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def run_notebooks(site, paths, gosphere, limit, offline):
    """Runs notebooks and returns the number of those with an error or a difference."""
    failed, notebook, reader = 0, None, None
    if offline:
        reader = site.reader()
        site.open(paths[0], reader).disconnect()
    for path in paths:
        began = time.monotonic()
        try:
            if notebook:
                notebook.follow(path)
            else:
                notebook = site.open(path, reader)
            ready = time.monotonic()
            notebook.run_all(limit)
            model = notebook.model()
        except Exception as error:  # a time limit, for instance
            print(f"{path}: {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
            failed += 1
            notebook = None
            continue
        errors = [text_of(c) for c in model["cells"] if any(o["output_type"] == "error" for o in c.get("outputs", []))
                  and "raises-exception" not in c["metadata"].get("tags", [])]
        copy = site.out / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(json.dumps(model, indent=1, ensure_ascii=False) + "\n")
        notebook.shot(path.replace("/", "-"))
        print(f"{path}: {'; '.join(errors)[:300] if errors else 'ran'} (ready after {ready - began:.0f} s, cells {time.monotonic() - ready:.0f} s)", flush=True)
        wrong = differences(site, path, copy, gosphere) if gosphere else ""
        if wrong:
            print(wrong, flush=True)
        failed += bool(errors or wrong)
    missing = [line for line in site.log if "ChunkLoadError" in line]  # code of the page, of widgets for instance
    if missing:
        print(f"the page could not load a part of itself: {missing[0]}", flush=True)
    return failed + bool(missing)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("notebooks", nargs="*")
    parser.add_argument("--checks", nargs="*", metavar="NAME")
    parser.add_argument("--gosphere", type=pathlib.Path, help="native program that compares the executed copies with the notebooks of the site")
    parser.add_argument("--offline", action="store_true", help="run the notebooks without a connection, after a first visit")
    parser.add_argument("--limit", type=int, default=1200, metavar="S", help="seconds in which all cells of a notebook must have run (default: 1200)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(".lite-results"))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--firefox", metavar="FILE", help="use this Firefox in place of Chromium")
    options = parser.parse_args()
    site = Site(options.site, options.out, options.chromium, options.firefox)
    try:
        failed = run_notebooks(site, options.notebooks, options.gosphere, options.limit, options.offline)
        if options.checks is not None:
            import lite_checks

            failed += lite_checks.run(site, options.checks)
    finally:
        (options.out / "console.log").write_text("\n".join(site.log) + "\n")
        site.close()
    if site.foreign:
        failed += 1
        print(f"requests to other machines: {sorted(set(site.foreign))}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
