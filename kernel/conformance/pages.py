#!/usr/bin/env python3
"""Opens exported pages and slides in a browser, on a desktop and on a phone, light and dark, and judges what readers see.

    pages.py --binary bin/gosphere [--pictures DIR] [NOTEBOOK...]

Without names it takes every notebook of the repository. Found are requests, errors of scripts, pages wider than the window, text
below 9 pixels or with a contrast below 4.5, lists whose markers are hidden, and punctuation that is on another line than its formula.
Whether a page is good to look at is for eyes: --pictures keeps a picture of each page and slide. Exits with 1 if something was
found. Needs playwright and Chromium.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCREENS = {"desktop": {"viewport": {"width": 1280, "height": 900}}, "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}}

# What is wrong on the page, or on the slide that is shown.
FAULTS = r"""() => {
  const found = [];
  const tell = (kind, text) => found.push(kind + ': ' + text.trim().replace(/\s+/g, ' ').slice(0, 80));
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (numbers(c).length === 3) return c;
      if (numbers(c)[3] > 0) return null; // mixed with what is below it
    }
    return 'rgb(255, 255, 255)';
  };
  const slide = document.querySelector('article.shown');
  const all = slide || document.body;
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1) tell('wider than the window', String(document.documentElement.scrollWidth));
  const walker = document.createTreeWalker(all, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    const e = node.parentElement, style = getComputedStyle(e);
    if (!node.data.trim() || !e.checkVisibility({visibilityProperty: true}) || e.closest('svg, style, script, option, math')) continue;
    if (parseFloat(style.fontSize) < 8.9) tell(`text of ${parseFloat(style.fontSize).toFixed(1)} pixels`, node.data);
    const below = ground(e);
    if (!below) continue;
    const [a, b] = [light(style.color), light(below)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) tell(`contrast of ${((a + 0.05) / (b + 0.05)).toFixed(1)}`, node.data);
  }
  for (const e of all.querySelectorAll('li')) {
    const style = getComputedStyle(e);
    if (style.overflowX !== 'visible' && style.listStylePosition === 'outside' && style.listStyleType !== 'none') tell('hidden marker', e.innerText);
  }
  for (const math of all.querySelectorAll('math:not([display="block"])')) {
    const next = math.nextSibling;
    if (!next || next.nodeType !== Node.TEXT_NODE || !/^[.,;:!?)]/.test(next.data) || !math.checkVisibility()) continue;
    const range = document.createRange();
    range.setStart(next, 0);
    range.setEnd(next, 1);
    const [point, formula] = [range.getBoundingClientRect(), math.getBoundingClientRect()];
    if ((point.top + point.bottom) / 2 > formula.bottom) tell('punctuation apart from its formula', math.parentElement.innerText + next.data);
  }
  return found;
}"""


def look(page, file, stem, pictures):
    """Open a page, judge it and each of its slides, and return what is wrong."""
    faults, slides = {}, "slides" in stem
    wrong = lambda kind: lambda what: faults.update({f"{kind}: {getattr(what, 'url', what)}": True})  # noqa: E731
    page.on("pageerror", wrong("error of a script"))
    page.on("request", lambda r: r.url.startswith(("file:", "data:", "blob:")) or wrong("request")(r))
    page.goto(file.as_uri())
    page.evaluate("document.fonts.ready")
    for number in range(1, (page.evaluate("document.querySelectorAll('article').length") if slides else 1) + 1):
        if slides:
            page.evaluate("(n) => { show(n - 1); fit(slides[at]); slides[at].querySelectorAll('.fragment').forEach((f) => f.classList.add('shown')); }", number)
        place = f" (slide {number})" if slides else ""
        faults.update((fault + place, True) for fault in page.evaluate(FAULTS))
        if pictures:
            page.screenshot(path=pictures / (f"{stem}-{number:02}.png" if slides else f"{stem}.png"), full_page=not slides)
    return list(faults)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", required=True)
    options.add_argument("--pictures", type=pathlib.Path, help="keep pictures of the pages there")
    options.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    options.add_argument("notebooks", nargs="*", help="below notebooks/, such as teaching/02-vmf.ipynb")
    args = options.parse_args()
    names = args.notebooks or sorted(str(path.relative_to(ROOT / "notebooks")) for path in (ROOT / "notebooks").rglob("*.ipynb")
                                     if "testdata" not in path.parts)
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    bad = seen = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=args.chromium, args=["--no-sandbox", "--disable-gpu"])
        for name in names:
            for form in ("html", "slides"):
                file = pathlib.Path(folder) / f"{name.removesuffix('.ipynb').replace('/', '-')}.{form}.html"
                subprocess.run([args.binary, "export", ROOT / "notebooks" / name, "--to", form, "-o", file], check=True, stdout=subprocess.DEVNULL)
                for screen, size in SCREENS.items():
                    for scheme in ("light", "dark"):
                        context = browser.new_context(color_scheme=scheme, **size)
                        faults = look(context.new_page(), file, f"{file.stem}-{screen}-{scheme}", args.pictures)
                        context.close()
                        seen, bad = seen + 1, bad + bool(faults)
                        print(*[f"{name}, {form}, {screen}, {scheme}: {len(faults)} found", *faults][: 9 if faults else 0], sep="\n    ", end="\n" if faults else "", flush=True)
        browser.close()
    print(f"{len(names)} notebooks, {seen} views, {bad} with findings")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
