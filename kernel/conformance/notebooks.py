#!/usr/bin/env python3
"""Runs notebooks with nbclient, each in a kernel of its own, and compares what they show then with what is stored.

    notebooks.py --binary bin/gosphere [--jobs 2] [--out FOLDER] [NOTEBOOK...]

Names are those below notebooks/ without the ending, such as quickstart, teaching/02-vmf or 'reproduction/*/*'; without any it takes
all. A cell that fails ends a notebook. The comparison is that of gosphere check: its --executed takes the notebook as nbclient left
it, so that texts, numbers, tables and figures may differ by what the metadata of the stored one allow.
Exits with 1 if a notebook fails or differs. The executed notebooks stay in FOLDER.
"""
import argparse
import asyncio
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent / "notebooks"


def chosen(patterns):
    """The names that patterns mean; a pattern that means nothing is an error."""
    names = sorted(str(path.relative_to(ROOT).with_suffix("")) for path in ROOT.rglob("*.ipynb")
                   if not {"testdata", ".ipynb_checkpoints"} & set(path.parts))
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            sys.exit(f"{pattern} is no notebook below {ROOT}; there are {' '.join(names)}")
    return [name for name in names if not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


async def execute(name, out, limit):
    """Runs one notebook in its folder and stores it in out; returns where, and what went wrong."""
    import nbclient
    import nbformat
    notebook = nbformat.read(ROOT / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    client = nbclient.NotebookClient(notebook, timeout=limit, kernel_name="gosphere",
                                     resources={"metadata": {"path": str((ROOT / name).parent)}})
    wrong = ""
    try:
        await client.async_execute()
        nbformat.validate(notebook)
    except (nbclient.exceptions.CellExecutionError, nbclient.exceptions.CellTimeoutError, nbclient.exceptions.DeadKernelError,
            nbformat.ValidationError) as error:
        wrong = str(error)
    file = out / f"{name.replace('/', '-')}.ipynb"
    nbformat.write(notebook, file)
    return file, wrong


async def judge(name, out, binary, limit):
    """Runs and compares one notebook; returns whether it shows what is stored."""
    start = time.monotonic()
    file, wrong = await execute(name, out, limit)
    took = time.monotonic() - start
    if not wrong:
        check = await asyncio.create_subprocess_exec(binary, "check", "--executed", str(file), "--keep", str(out / "differences" / name),
                                                     str(ROOT / f"{name}.ipynb"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said, _ = await check.communicate()
        wrong = said.decode() if check.returncode else ""
    print(f"{name}: {'shows what is stored' if not wrong else 'differs'}, {took:.0f} s", flush=True)
    if wrong:
        print(wrong, flush=True)
    return not wrong


async def judge_all(names, jobs, out, binary, limit):
    """Runs so many at once; returns the names of those that fail or differ."""
    room = asyncio.Semaphore(jobs)

    async def one(name):
        async with room:
            return await judge(name, out, binary, limit)
    good = await asyncio.gather(*map(one, names))
    return [name for name, ok in zip(names, good, strict=True) if not ok]


def run(names, jobs, out, binary, limit=1800):
    """Runs notebooks with a kernel that is installed; returns the names of those that fail or differ."""
    out.mkdir(parents=True, exist_ok=True)
    return asyncio.run(judge_all(names, jobs, out, binary, limit))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", required=True)
    options.add_argument("--jobs", type=int, default=2, help="how many notebooks run at once")
    options.add_argument("--out", type=pathlib.Path, help="keep the executed notebooks, and figures that differ, there")
    options.add_argument("--timeout", type=int, default=1800, help="seconds for a cell")
    options.add_argument("notebooks", nargs="*")
    args = options.parse_args()
    names, binary = chosen(args.notebooks), str(pathlib.Path(args.binary).resolve())
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        subprocess.run([binary, "install", "--prefix", str(work / "prefix")], check=True, stdout=subprocess.DEVNULL)
        os.environ.update(JUPYTER_PATH=str(work / "prefix" / "share" / "jupyter"), GOSPHERE_HISTORY="off")
        bad = run(names, args.jobs, args.out or work / "executed", binary, args.timeout)
    print(f"{len(names) - len(bad)} of {len(names)} notebooks show what is stored" + "".join(f"\n    not {name}" for name in bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
