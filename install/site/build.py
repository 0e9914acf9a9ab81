"""Builds the documentation site in the folder site: guides, notebooks with their outputs, commands and packages.

    python3 install/site/build.py [--repository URL] [--live URL or FOLDER]

Every document keeps its place below the root, so links between documents work as they do in the repository. Links to other
files lead to the repository where its URL is given, and are left as text otherwise. At the end every link and every
address in the pages is checked: none may be broken, and nothing may be loaded from another server.
"""

import argparse
import hashlib
import html
import html.parser
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# What readers of the site do not look for: templates and test data.
LEFT_OUT = re.compile(r"^\.|^docs/README\.md$|/testdata/|^kernel/conformance/gallery/|^asymvlm/internal/cuda/|^runtime/internal/realtype/")
PACKAGES = ["asymvlm", "plotting", "runtime/display", "runtime/widget", "runtime/comm"]

TITLES = {"README.md": "Overview <README.md>", "install/release/README.md": "Releases <install/release/README.md>"}

INDEX = """# gosphere

A Jupyter kernel and scripting environment for Go, with a laboratory for probabilistic embeddings on the unit sphere.

```go
x := []float64{1, 2, 4, 8}
stat.Mean(x, nil) // 3.75
```

- [Overview and installation](README.md), [getting started](docs/getting-started.md)
- [Notebooks](notebooks/index.ipynb): the quickstart, ten lessons, and reruns of published tables and figures
- [Commands](docs/commands.md) and [packages](packages/index.md)

"""


def documents():
    """Return the paths of the documents that git knows, below the root."""
    listed = subprocess.run(["git", "ls-files", "*.md", "*.ipynb"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if not LEFT_OUT.search(name)]


def contents(names):
    """Return the tables of contents of the first page, which are the navigation of every page."""
    def tree(caption, entries):
        return f"```{{toctree}}\n:caption: {caption}\n:hidden:\n\n" + "\n".join(TITLES.get(name, name) for name in entries) + "\n```\n\n"

    notebooks = [name for name in names if name.endswith(".ipynb")]
    lessons = sorted(name for name in notebooks if "/teaching/" in name)
    reruns = sorted(name for name in notebooks if "/reproduction/" in name)
    first = ["README.md", "docs/getting-started.md", "docs/jupyterhub.md", "docs/vscode.md"]
    guides = ["docs/" + page + ".md" for page in ("cells", "tables", "pandas", "charts", "figures-compared", "notebooks", "modules", "widgets", "browser", "debugger", "laboratory", "embeddings", "tools")]
    use = ["docs/commands.md", "packages/index.md", "docs/limits.md", "docs/refusals.md"]
    pages = sorted(name for name in names if name.startswith("docs/architecture/"))
    inside = ["docs/how-cells-run.md", "docs/architecture.md", *pages, "docs/publishing.md", "CONTRIBUTING.md", "SECURITY.md", "install/release/README.md"]
    last = ["CHANGELOG.md"]
    results = ["docs/results.md"]
    results += sorted(name for name in names if name.endswith(".md") and name not in first + guides + use + inside + results + last)
    rest = [name for name in notebooks if name not in lessons + reruns]
    return "".join(tree(caption, [name for name in entries if name in names or name == "packages/index.md"])
                   for caption, entries in [("Start", first), ("Guides", guides), ("Notebooks", sorted(rest)), ("Lessons", lessons), ("Reruns of papers", reruns),
                                            ("Reference", use), ("Measured", results), ("Inside", inside), ("History", last)])


class Links(html.parser.HTMLParser):
    """Collects what a page links to, loads and names."""

    def __init__(self):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(attrs[key] for key in ("id", "name") if attrs.get(key))
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        elif tag == "link" and attrs.get("href") and attrs.get("rel") not in ("canonical", "prev", "next", "index", "search", "author"):
            self.loads.append(attrs["href"])
        elif attrs.get("src"):
            self.loads.append(attrs["src"])


def package_page(folder):
    """Return the page of the package in a folder."""
    return f"packages/{folder.replace('/', '-')}.html"


def repair(site, repository, version):
    """Make links of stored outputs and of raw HTML fit the site."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")

        def fitted(match):
            before, target, after = match.groups()
            path, mark, anchor = urllib.parse.unquote(target).partition("#")
            if not path and (ROOT / page.parent.relative_to(site) / anchor).exists():
                path, mark, anchor = anchor, "", ""  # Sphinx takes a file that it does not know for a heading
            if not path or ":" in path or path.startswith("/") or (page.parent / path).exists():
                return match[0]
            for ending in (".ipynb", ".md"):
                other = path.removesuffix(ending) + ".html"
                if path.endswith(ending) and (page.parent / other).exists():
                    return f'{before}href="{other}{mark}{anchor}"{after}'
            below = posixpath.normpath(posixpath.join(page.parent.relative_to(site).as_posix(), path))
            if (ROOT / below).is_dir() and (site / package_page(below)).exists():
                return f'{before}href="{posixpath.relpath(package_page(below), page.parent.relative_to(site))}"{after}'
            if (ROOT / below).exists() and repository:
                kind = "tree" if (ROOT / below).is_dir() else "blob"
                return f'{before}href="{repository}/{kind}/{version}/{below}"{after}'
            return f"{before}{after}" if (ROOT / below).exists() else match[0]

        changed = re.sub(r'(<a\b[^>]*?)href="([^"]*)"([^>]*>)', fitted, text)
        if changed != text:
            page.write_text(changed, encoding="utf-8")


def outside(site, name, repository, version):
    """Return the addresses of what a notebook links to outside of the folder of the notebooks, by its path in JupyterLab.

    An address is relative to the folder live of the site, or that of a file in the repository.
    """
    found = {}
    for cell in json.loads((ROOT / name).read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "markdown":
            continue
        for target in re.findall(r"\]\(([^)#\s]+)", "".join(cell["source"])):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if ":" in target or path.startswith("notebooks/") or not (ROOT / path).exists():
                continue
            page = package_page(path) if (ROOT / path).is_dir() else posixpath.splitext(path)[0] + ".html"
            inside = posixpath.normpath(posixpath.join("/", posixpath.dirname(name.removeprefix("notebooks/")), target)).lstrip("/")
            if (site / page).exists():
                found[inside] = "../" + page
            elif repository:
                found[inside] = f"{repository}/{'tree' if (ROOT / path).is_dir() else 'blob'}/{version}/{path}"
    return found


def lead_outside(live, links):
    """Give the links that leave the folder of the notebooks to the pages of the folder live."""
    file = live / "jupyter-lite.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    config["jupyter-config-data"]["gosphereLinks"] = links
    text = json.dumps(config, indent=2)
    file.write_text(text, encoding="utf-8")
    worker = live / "service-worker.js"  # keeps the pages by a version of the site
    version = hashlib.sha256(text.encode()).hexdigest()[:8]
    worker.write_text(re.sub(r'(gosphereVersion = "\w+)"', rf'\1-{version}"', worker.read_text(encoding="utf-8"), count=1), encoding="utf-8")


def link_live(site, live, repository, version):
    """Link the page of each notebook to the place where it runs in the browser, on a site of gosphere site notebooks.

    live is the URL of that site, or a folder with it, which becomes the folder live of this site.
    """
    folder = pathlib.Path(live)
    own = folder.is_dir()
    if not own and not urllib.parse.urlsplit(live).scheme:
        sys.exit(f"--live {live}: neither a URL nor a folder")
    if own and not (folder / "extensions" / "gosphere-browser").is_dir():
        sys.exit(f"--live {live}: not a site of gosphere site")
    links = {}
    for name in documents():
        page = site / (name.removesuffix(".ipynb") + ".html")
        below = name.removeprefix("notebooks/")
        if not name.startswith("notebooks/") or not name.endswith(".ipynb") or not page.exists():
            continue
        if own and not (folder / "files" / below).exists():
            sys.exit(f"--live {live}: no notebook {below} in it")
        links |= outside(site, name, repository, version)
        address = posixpath.relpath("live", posixpath.dirname(name)) if own else live.rstrip("/")
        link = f'<p class="live"><a href="{html.escape(address)}/lab/index.html?path={urllib.parse.quote(below, safe="/")}">Run in the browser</a></p>'
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r"(</h1>)", lambda match: match[0] + link, text, count=1), encoding="utf-8")
    if own:
        shutil.copytree(folder, site / "live")
        lead_outside(site / "live", links)


def check(site):
    """Return what is wrong with the links and addresses of the pages."""
    pages = {}
    for page in site.rglob("*.html"):
        if page.is_relative_to(site / "live"):
            continue  # JupyterLite's
        pages[page] = Links()
        pages[page].feed(page.read_text(encoding="utf-8"))
    wrong = []
    for page, found in pages.items():
        name = page.relative_to(site)
        for address in found.loads:
            if re.match(r"(?:[a-z]+:)?//", address):
                wrong.append(f"{name} loads {address} from another server")
            elif not address.startswith("data:") and not (page.parent / urllib.parse.unquote(address.split("?")[0].split("#")[0])).exists():
                wrong.append(f"{name} loads {address}, which is not there")
        for address in found.links:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                wrong.append(f"{name} links to {address}, which is not there")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].ids:
                wrong.append(f"{name} links to {address}, and there is no such heading")
    for sheet in (sheet for sheet in site.rglob("*.css") if not sheet.is_relative_to(site / "live")):
        wrong += [f"{sheet.relative_to(site)} loads {address}" for address in
                  re.findall(r"url\([\"']?((?:https?:)?//[^)\"']+)", sheet.read_text(encoding="utf-8"))]
    return wrong


def prepare(source, args):
    """Fill the folder from which Sphinx makes the pages."""
    names = documents()
    for name in names:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, source / name)
        text = (ROOT / name).read_text(encoding="utf-8") if name.endswith(".md") else ""
        for picture in re.findall(r'(?:src="|!\[[^]]*\]\()([^")]+\.(?:png|svg|jpg))', text):
            path = pathlib.Path(name).parent / picture
            for folder in (source, source / "extra"):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, folder / path)
    (source / "extra").mkdir(exist_ok=True)
    thumbnails = ROOT / "notebooks" / "thumbnails"
    shutil.copytree(thumbnails, source / "extra" / "notebooks" / "thumbnails", ignore=shutil.ignore_patterns("*.go"), dirs_exist_ok=True)
    subprocess.run([args.go, "run", "./install/site/reference", "-out", source / "packages", *PACKAGES], cwd=ROOT, check=True)
    (source / "index.md").write_text(INDEX + contents(names), encoding="utf-8")
    shutil.copyfile(HERE / "site.css", source / "site.css")
    shutil.copyfile(ROOT / "internal" / "install" / "logo" / "logo-svg.svg", source / "logo.svg")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repository", default="", help="URL of the repository, for links to its files")
    parser.add_argument("--version", default="main", help="tag or branch that these links name")
    parser.add_argument("--live", default="", help="what gosphere site has built from the folder notebooks: its URL, or the folder, which becomes a part of this site")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "site")
    parser.add_argument("--go", default="go")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder)
        prepare(source, args)
        shutil.rmtree(args.out, ignore_errors=True)
        cache = args.out.parent / "jupyter_execute"  # MyST-NB writes it beside the site
        kept = cache.exists()
        done = subprocess.run([sys.executable, "-m", "sphinx", "--quiet", "--jobs", "auto", "--builder", "html", "--conf-dir", HERE,
                               "--doctree-dir", source / "extra" / ".doctrees", "-D", f"html_extra_path={source / 'extra'}",
                               "-D", f"html_static_path={source / 'site.css'}", "-D", f"html_logo={source / 'logo.svg'}",
                               "-D", f"html_favicon={source / 'logo.svg'}", source, args.out])
        if not kept:
            shutil.rmtree(cache, ignore_errors=True)
        if done.returncode:
            sys.exit(done.returncode)
    shutil.rmtree(args.out / ".doctrees", ignore_errors=True)
    repair(args.out, args.repository.rstrip("/"), args.version)
    if args.live:
        link_live(args.out, args.live, args.repository.rstrip("/"), args.version)
    wrong = sorted(set(check(args.out)))
    print("\n".join(wrong))
    print(f"{len(list(args.out.rglob('*.html')))} pages in {args.out}, {len(wrong)} faults")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
