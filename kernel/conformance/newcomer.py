"""Types the commands of the README's section "Install" in a clean userland without Go, as a new user would.

    sudo python3 kernel/conformance/newcomer.py dist DEBIAN [--only install.sh]

dist is a release made for this platform, DEBIAN a folder with a fresh Debian that has curl, python3 and python3-venv, such as
debootstrap makes, and with /proc, which "gosphere install" reads:

    debootstrap --variant=minbase --include=ca-certificates,curl,python3-venv,python3-pip bookworm DEBIAN
    mount -t proc proc DEBIAN/proc

Each way of installing is tried in a home folder of its own and ends with a figure; the seconds are printed.
"""

import argparse
import functools
import http.server
import pathlib
import re
import shutil
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CELL = 'figure.Lines("x", "y", figure.Series{Name: "squares", Values: []float64{0, 1, 4, 9}})'
NOTEBOOK = f"""import nbformat, nbclient
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell({CELL!r})])
nbclient.NotebookClient(notebook, kernel_name="gosphere").execute()
assert "image/png" in notebook.cells[0].outputs[0].data
"""
# How each way of installing shows its first figure: in Jupyter, with the command on PATH, with the command here.
FIRST = {"env/bin/pip": "env/bin/python first.py", "install.sh": "~/.local/bin/gosphere run first.cells.go && test -s first.png",
         "tar": "./gosphere run first.cells.go && test -s first.png"}


def ways():
    """Return the blocks of commands in the section of the README, without the one that needs Go."""
    section = re.search(r"^## Install\n(.*?)^## ", (ROOT / "README.md").read_text(), re.M | re.S)[1]
    blocks = [re.sub("^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n)+", section, re.M)]
    return [block for block in blocks if "make" not in block]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves dist below /releases/download/VERSION."""

    def translate_path(self, path):
        return super().translate_path("/" + path.rpartition("/")[2])

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dist", type=pathlib.Path)
    parser.add_argument("debian", type=pathlib.Path)
    parser.add_argument("--only", default="", help="try the ways whose commands contain this text")
    args = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=args.dist.resolve()))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    blocks = ways()
    assert len(blocks) == len(FIRST), blocks
    certificates = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
    shutil.copyfile(certificates, args.debian / certificates.relative_to("/"))
    for number, block in enumerate(blocks):
        if args.only not in block:
            continue
        place = pathlib.Path("/srv") / f"newcomer{number}"
        home = args.debian / place.relative_to("/")
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(args.dist, home)
        (home / "first.py").write_text(NOTEBOOK)
        (home / "first.cells.go").write_text(CELL + '.Save("first.png")\n')
        for path in [home, *home.rglob("*")]:
            shutil.chown(path, 1000, 1000)
        figure = next(command for word, command in FIRST.items() if word in block)
        variables = [f"HOME={place}", "PATH=/usr/local/bin:/usr/bin:/bin", f"GOSPHERE_REPOSITORY=http://127.0.0.1:{server.server_port}",
                     f"PIP_CERT={certificates}"]
        start = time.monotonic()
        subprocess.run(["chroot", "--userspec=1000:1000", args.debian, "env", "-i", *variables, "sh", "-e", "-c",
                        f"cd {place}; ! command -v go >/dev/null\n{block}{figure}"], check=True)
        print(f"{block.strip()}\n-> the first figure after {time.monotonic() - start:.0f} s\n", flush=True)
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
