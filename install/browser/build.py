"""Builds the kernel for the browser: an extension of JupyterLite with the compiled program.

    python install/browser/build.py [--wasm FILE] [--out DIR]

It needs Go, Node.js and the packages in requirements.txt. The result is the folder gosphere-browser in
DIR (default: dist/browser), from which gosphere site builds sites.
"""

import argparse
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
# What the program has embedded elsewhere, and reads from the folder /gosphere in the browser.
DATA = [ROOT / "asymvlm/embedding/scenes_minilm/scenes_minilm_int8.npz"]


def run(*command, cwd=HERE, **env):
    """Runs a command and ends with its status if it fails."""
    status = subprocess.run([str(part) for part in command], cwd=cwd, env={**os.environ, **env}).returncode
    if status:
        sys.exit(f"build.py: {' '.join(str(part) for part in command)}: exit status {status}")


def compile_types():
    """Compiles the TypeScript to lib, and copies the part of the Go distribution that starts programs."""
    run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
    run("npm", "run", "--silent", "compile")


def compile_kernel(wasm):
    """Compiles the program for the browser."""
    run("go", "build", "-trimpath", "-ldflags=-s -w", "-o", wasm, ".", cwd=ROOT, GOOS="js", GOARCH="wasm", CGO_ENABLED="0")


def store(static, stem, extension, content):
    """Stores a file under a name that changes with its content, and returns its description."""
    name = f"{stem}-{hashlib.sha256(content).hexdigest()[:16]}{extension}"
    (static / name).write_bytes(content)
    return {"file": name, "size": len(content)}


def pack(wasm, static):
    """Stores the compressed program and the data that it opens in the folder /gosphere, and describes them."""
    files = store(static, "gosphere", ".wasm.gz", gzip.compress(wasm.read_bytes(), 9, mtime=0))
    files["data"] = {file.name: store(static, file.stem, file.suffix, file.read_bytes()) for file in DATA}
    (static / "gosphere.json").write_text(json.dumps(files) + "\n")
    print(f"{wasm.stat().st_size / 2**20:.1f} MiB, compressed {files['size'] / 2**20:.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wasm", type=pathlib.Path, help="compiled program to use (default: it is compiled)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist/browser")
    options = parser.parse_args()
    compile_types()
    shutil.rmtree(HERE / "labextension", ignore_errors=True)
    run(pathlib.Path(sys.executable).parent / "jupyter-builder", "build", ".")
    target = options.out / "gosphere-browser"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(HERE / "labextension", target)
    shutil.copy(HERE / "lib/offline.js", target / "static")
    for logo in ("logo-svg.svg", "logo-64x64.png"):
        shutil.copy(ROOT / "install/kernelspec/logo" / logo, target / "static")
    wasm = options.wasm
    if wasm is None:
        wasm = options.out / "gosphere.wasm"
        compile_kernel(wasm)
    pack(wasm, target / "static")
    print(target)


if __name__ == "__main__":
    main()
