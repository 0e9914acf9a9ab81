#!/usr/bin/env python3
"""Takes pictures of the notebooks here in JupyterLab, in the light and in the dark theme.

    shots.py --out FOLDER [--jupyter BIN/jupyter] [--chromium PATH] [NOTEBOOK...]

Needs a JupyterLab with ipywidgets, the kernelspec of gosphere where Jupyter finds it (JUPYTER_PATH), the Python package playwright
and a Chromium. The pictures are to be looked at: nothing here can tell whether they are good.
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
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT = 1100, 1300  # of one picture
PATIENCE = 300_000  # milliseconds
HEADER = 90  # pixels above the notebook

ALL_RUN = """() => {
    const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(x => x.textContent);
    return prompts.length > 0 && prompts.every(x => /\\d/.test(x));
}"""
TO_TOP = "() => document.querySelectorAll('.jp-Notebook, .jp-WindowedPanel-outer').forEach(x => x.scrollTo(0, 0))"
NOTEBOOK_HEIGHT = "() => Math.max(...[...document.querySelectorAll('.jp-Notebook, .jp-WindowedPanel-outer')].map(x => x.scrollHeight))"


@contextlib.contextmanager
def lab(jupyter, notebook, theme):
    """A JupyterLab with one notebook and settings of its own; gives the address of the page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(8)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copy(notebook, work)
        for plugin, value in {
            "apputils-extension/themes": {"theme": theme},
            "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
            "notebook-extension/tracker": {"windowingMode": "none"},
        }.items():
            file = work / "settings" / "@jupyterlab" / (plugin + ".jupyterlab-settings")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(value))
        env = {**os.environ, "JUPYTER_CONFIG_DIR": str(work / "config"), "JUPYTER_DATA_DIR": str(work / "data"),
               "JUPYTERLAB_SETTINGS_DIR": str(work / "settings"), "GOSPHERE_HISTORY": "off"}
        server = subprocess.Popen(
            [jupyter, "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", f"--IdentityProvider.token={token}",
             f"--ServerApp.root_dir={folder}"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(240):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token={token}")
                    break
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/lab/tree/{notebook.name}?token={token}&reset"
        finally:
            server.terminate()
            server.wait()


def shoot(page, address, out):
    """Runs all cells and takes pictures from top to bottom."""
    page.goto(address, timeout=PATIENCE)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=PATIENCE)
    page.wait_for_function("() => /Idle/.test(document.body.innerText)", timeout=PATIENCE)  # the kernel is there
    page.keyboard.press("Control+b")  # no side bar
    page.click("text=Run >> nth=0")
    page.click("text=Run All Cells >> nth=0")
    page.wait_for_function(ALL_RUN, timeout=PATIENCE)
    page.wait_for_timeout(4000)  # figures and widgets are drawn
    height = page.evaluate(NOTEBOOK_HEIGHT) + HEADER + 50
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.evaluate(TO_TOP)
    page.wait_for_timeout(2500)
    out.mkdir(parents=True, exist_ok=True)
    for number, top in enumerate(range(HEADER, height - 30, HEIGHT)):
        page.screenshot(path=str(out / f"{number:02}.png"), clip={"x": 0, "y": top, "width": WIDTH, "height": min(HEIGHT, height - 30 - top)})


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("notebooks", nargs="*", type=pathlib.Path, default=sorted(HERE.glob("*.ipynb")))
    options.add_argument("--out", required=True, type=pathlib.Path)
    options.add_argument("--jupyter", default="jupyter")
    options.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    args = options.parse_args()
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=args.chromium, args=["--no-sandbox"])
        for notebook in args.notebooks:
            for theme in ("Light", "Dark"):
                with lab(args.jupyter, notebook, f"JupyterLab {theme}") as address:
                    page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
                    shoot(page, address, args.out / f"{notebook.stem}-{theme.lower()}")
                    page.close()
                print(f"{notebook.stem}, {theme.lower()}: {args.out / notebook.stem}-{theme.lower()}", flush=True)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
