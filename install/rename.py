"""Renames the module: python3 install/rename.py example.com/owner/gosphere, at the root of a clone.

It rewrites go.mod, imports, the paths of packages in code, notebooks, documents and scripts, and then generates the symbol
tables again. The name of the program and of the kernel stays gosphere. Run it on a clean tree and commit the result.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOMS = "asymvlm|bench|install|internal|kernel|plotting|runtime"


def rename(text, old, new):
    """Return a text in which paths of packages of the module old are those of the module new."""
    text = re.sub(rf"(?<![\w./~-]){re.escape(old)}/(?=(?:{ROOMS})\b)", lambda _: new + "/", text)
    text = text.replace(f'"{old}/"', f'"{new}/"')
    for line in ('const Path = "%s"', 'const module = "%s"', "replace %s =>", "\t%s v0.0.0"):
        text = text.replace(line % old, line % new)
    return re.sub(rf"\Amodule {re.escape(old)}$", lambda _: f"module {new}", text, flags=re.M)


def main():
    if len(sys.argv) != 2 or not re.fullmatch(r"[a-z0-9.-]+\.[a-z]+(/[\w.~-]+)+", sys.argv[1]):
        sys.exit("usage: python3 install/rename.py MODULE, where MODULE is a path such as example.com/owner/gosphere")
    new = sys.argv[1]
    if subprocess.run(["git", "status", "--porcelain"], check=True, capture_output=True, text=True).stdout:
        sys.exit("the tree has changes: commit or stash them first")
    old = re.match(r"module (\S+)", pathlib.Path("go.mod").read_text())[1]
    changed = []
    for name in subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0"):
        path = pathlib.Path(name)
        if not name or not path.is_file() or path.is_symlink() or name == "install/rename.py":
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        renamed = rename(text, old, new)
        if renamed != text:
            path.write_bytes(renamed.encode())
            changed.append(name)
    tables, stem = pathlib.Path("runtime/symbols"), lambda module: "table_" + re.sub(r"[/.-]", "_", module) + "_"
    for table in tables.glob(stem(old) + "*.go"):
        table.rename(tables / (stem(new) + table.name.removeprefix(stem(old))))
    changed = [name for name in changed if pathlib.Path(name).exists()]
    go = os.environ.get("GO", "go")
    subprocess.run(["gofmt", "-w", *[name for name in changed if name.endswith(".go")]], check=True)
    subprocess.run([go, "generate", "./runtime/symbols"], check=True)
    print(f"{len(changed)} files renamed from {old} to {new}; the symbol tables are generated again")


if __name__ == "__main__":
    main()
