"""What a reader does with a kernel in JupyterLite. lite.py runs these checks."""

import json
import time


class Failed(Exception):
    """A check that has failed."""


def want(condition, text):
    if not condition:
        raise Failed(text)


def outputs(notebook):
    notebook.run_all()
    return notebook.texts()


def run_all(notebook):
    notebook.add(
        "x := []float64{1, 2, 4, 8}\nstat.Mean(x, nil)",
        'figure.Lines("step", "value", figure.Series{Name: "a", Values: x})',
        "display.Table(map[string]int{\"a\": 1})",
        "type P struct{ X, Y int }\nfunc (p P) String() string { return fmt.Sprintf(\"<%d|%d>\", p.X, p.Y) }\nfmt.Println(P{1, 2}, runtime.GOOS)",
        "undefinedName + 1",
    )
    texts = outputs(notebook)
    want(texts[0].startswith("3.75"), f"the mean is {texts[0]}")
    want("image/png" in texts[1] or "image/svg+xml" in texts[1], f"no figure: {texts[1]}")
    want("text/html" in texts[2], f"no table: {texts[2]}")
    want("<1|2> js" in texts[3], f"a method is not called: {texts[3]}")
    want("line 1, column 1: undefined: undefinedName" in texts[4], f"no position in {texts[4]}")


def files(notebook):
    notebook.add(
        'os.WriteFile("made.txt", []byte("of a cell"), 0o644)',
        'entries, err := os.ReadDir(".")\nfor _, e := range entries { fmt.Println(e.Name()) }',
        'text, err := os.ReadFile("made.txt")\nstring(text)',
        'os.Mkdir("own", 0o755); os.Rename("made.txt", "own/moved.txt"); os.ReadFile("made.txt")',
        'err = os.RemoveAll("own"); err',
        'err = os.RemoveAll("folder"); err',
        'err = os.Rename("second.ipynb", "third.ipynb"); err',
    )
    texts = outputs(notebook)
    want("made.txt" in texts[1] and notebook.path in texts[1], f"the folder has {texts[1]}")
    want(texts[2].startswith("of a cell"), f"the file has {texts[2]}")
    want("no such file" in texts[3].lower(), f"a renamed file is still there: {texts[3]}")
    want(texts[4] == "" or "nil" in texts[4], f"RemoveAll: {texts[4]}")
    for text in texts[5:7]:
        want("read-only" in text.lower(), f"a file of the site was removed: {text}")


def interrupt(notebook):
    for endless in ("for {}", "time.Sleep(time.Hour)", "for { sort.Slice([]int{2, 1}, func(i, j int) bool { return i < j }) }"):
        notebook.add("kept := 41", endless)
        notebook.page.evaluate("() => { void window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
        time.sleep(4)
        want(notebook.status() == "busy", f"{endless} does not run")
        began = time.monotonic()
        notebook.command("notebook:interrupt-kernel")
        while notebook.status() != "idle":
            want(time.monotonic() < began + 20, f"{endless} is not interrupted")
            time.sleep(0.05)
        print(f"    {endless}: interrupted after {time.monotonic() - began:.1f} s")
        want("KeyboardInterrupt" in notebook.texts()[1], f"{endless}: {notebook.texts()[1]}")
    notebook.add("kept + 1")
    texts = outputs(notebook)
    want(texts[0].startswith("42"), f"a variable is lost: {texts[0]}")


def complete(notebook):
    notebook.add("strings.Rep")
    page = notebook.page
    page.click(".jp-Notebook .jp-CodeCell .cm-content")
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    page.wait_for_selector(".jp-Completer-item:has-text('Replace')", timeout=20_000)
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    page.wait_for_timeout(500)


def inspect(notebook):
    notebook.add("math.Sqrt(2)")
    page = notebook.page
    page.click(".jp-Notebook .jp-CodeCell .cm-content")
    page.keyboard.press("Home")
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+Tab")
    page.wait_for_selector(".jp-Tooltip:has-text('square root')", timeout=20_000)


def stdin(notebook):
    notebook.add("var name string\nfmt.Scanln(&name)\nlen(name)")
    page = notebook.page
    page.evaluate("() => { void window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    page.wait_for_selector(".jp-Stdin-input", timeout=20_000)
    page.fill(".jp-Stdin-input", "Lovelace")
    page.keyboard.press("Enter")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'", timeout=20_000)
    want("8" in notebook.texts()[0].split("\n")[-1], f"the answer gives {notebook.texts()[0]}")


def restart(notebook):
    notebook.add("gone := 1")
    outputs(notebook)
    notebook.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    notebook.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'", timeout=60_000
    )
    notebook.add("gone")
    texts = outputs(notebook)
    want("undefined: gone" in texts[0], f"a variable is still there: {texts[0]}")
    counts = [c.get("execution_count") for c in notebook.model()["cells"]]
    want(counts == [1], f"the counts are {counts}")


def recursion(notebook):
    notebook.add("func down(n int) int { return 1 + down(n+1) }\ndown(0)", "1 + 1")
    texts = outputs(notebook)
    want("stack overflow" in texts[0], f"endless recursion: {texts[0][:200]}")


def widgets(notebook):
    """Needs a site with jupyterlab_widgets."""
    notebook.add('widget.Interact(func(n int) string { return fmt.Sprint("square ", n*n) }, "n")')
    outputs(notebook)
    page = notebook.page
    page.wait_for_selector(".jp-OutputArea :text('square 2500')", timeout=30_000)
    page.focus(".widget-slider .noUi-handle")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".jp-OutputArea :text('square 2601')", timeout=30_000)


def refusals(notebook):
    notebook.add("!ls", "%%sql :memory:\nselect 1", 'exec.Command("ls").Run()')
    for text in (notebook.run_all(), notebook.texts())[1]:
        print("   ", text.split("\n")[0])


SCENES = 'data, err := dataset.Open("scenes_minilm")\nfmt.Println(err)\nif err == nil { fmt.Println(data.Train.Images.Rows) }'


def data_set(notebook):
    """A data set beside the program: missing on the server, unreachable, downloaded, and kept."""
    server = notebook.site.server
    notebook.add(SCENES)
    server.missing = "scenes_minilm_int8"
    texts = outputs(notebook)
    want("this site lacks the file scenes_minilm_int8.npz" in texts[0], f"without the file: {texts[0]}")
    server.missing, server.offline = "", True
    texts = outputs(notebook)
    want("cannot be downloaded" in texts[0], f"without a connection: {texts[0]}")
    server.offline = False
    texts = outputs(notebook)
    want("<nil>\n4000" in texts[0], f"with the file: {texts[0]}")
    server.offline = True
    texts = outputs(notebook)
    server.offline = False
    want("<nil>\n4000" in texts[0], f"the file is not kept: {texts[0]}")


def offline(notebook):
    """A second visit without a connection, also to another notebook."""
    site, reader = notebook.site, notebook.page.context
    notebook.add(SCENES)
    outputs(notebook)
    notebook.disconnect()
    try:
        again = site.open("second.ipynb", reader)
        notebook.page = again.page
        again.add(SCENES, "1 + 1", 'widget.Interact(func(n int) int { return n * n }, "n")')
        texts = outputs(again)
        want("<nil>\n4000" in texts[0] and texts[1].startswith("2"), f"offline: {texts}")
        again.page.wait_for_selector(".widget-slider .noUi-handle", timeout=30_000)
    finally:
        site.server.offline = False


def links(notebook):
    """A link to a file that the site has, and one that leads to another page."""
    notebook.page.close()
    server = notebook.site.server
    server.options = {"gosphereLinks": {"docs/limits.md": "../docs/limits.html"}}
    try:
        notebook.page = notebook.site.open("first.ipynb", notebook.site.reader()).page
    finally:
        del server.options
    page = notebook.page
    page.evaluate(
        """() => { const shared = window.jupyterapp.shell.currentWidget.context.model.sharedModel;
                   shared.deleteCellRange(0, shared.cells.length);
                   shared.addCell({cell_type: 'markdown', source: '[other](../docs/limits.md#goroutines) [own](second.ipynb)'}); }"""
    )
    page.wait_for_function("() => document.querySelector('.jp-RenderedMarkdown a')?.href.includes('docs/limits.html')", timeout=20_000)
    with page.context.expect_page() as opened:
        page.click(".jp-RenderedMarkdown a:text('other')")
    opened.value.wait_for_url(f"{notebook.site.base}/docs/limits.html#goroutines", wait_until="commit", timeout=20_000)
    opened.value.close()
    page.click(".jp-RenderedMarkdown a:text('own')")
    page.wait_for_function(
        "() => [...window.jupyterapp.shell.widgets('main')].some(w => w.isVisible && w.context?.path === 'second.ipynb')", timeout=60_000
    )


def visits(notebook):
    """A second visit shows the notebook that its address names, not the one of the first visit."""
    reader = notebook.page.context
    notebook.page.wait_for_timeout(5_000)  # the page stores now and then what is open
    notebook.page.close()
    notebook.page = notebook.site.open("second.ipynb", reader).page


def folders(notebook):
    """The file browser shows the folder of the notebook that the address of a first visit names."""
    notebook.page.close()
    notebook.page = notebook.site.open("folder/third.ipynb").page
    notebook.page.wait_for_function("() => document.querySelector('.jp-DirListing').textContent.includes('third.ipynb')", timeout=20_000)


CHECKS = (run_all, files, links, visits, folders, widgets, complete, inspect, stdin, recursion, interrupt, restart, data_set, offline)


def run(site, names):
    """Runs the named checks, or all, and returns the number that failed."""
    failed = 0
    for check in [check for check in CHECKS if not names or check.__name__ in names]:
        began = time.monotonic()
        notebook = None
        try:
            notebook = site.open("first.ipynb")
            check(notebook)
            print(f"ok   {check.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAIL {check.__name__}: {type(error).__name__}: {str(error)[:400]}", flush=True)
        if notebook:
            if not notebook.page.is_closed():
                notebook.shot(check.__name__)
            notebook.close()
    return failed
