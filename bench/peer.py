"""The Python side of the benchmark: one JSON request a line, one answer a line.

The first line it writes lists the programs; an answer is the seconds of wall time and of CPU time of one repetition,
0 where a program has no such task. It is started by `go run ./bench`, which sets the number of threads of OpenBLAS before numpy is loaded.
"""

import json
import sys
import time

import numpy as np

try:
    import torch

    import methods

    torch.set_num_threads(int(sys.argv[1]))
except ImportError:
    torch = None


def repeat(seconds, work):
    """Seconds on the clock and of the processors for one call, over a stretch of time, after one call that does not count."""
    work()
    count, start, spent = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds or count == 0:
        work()
        count += 1
    return [(time.perf_counter() - start) / count, (time.process_time() - spent) / count]


def product(task, random):
    rows, inner, columns = task["rows"], task["inner"], task["columns"]
    if task["form"] == "ab":
        a, b = random(rows, inner), random(inner, columns)
        return lambda: a @ b
    if task["form"] == "aTb":
        a, b = random(inner, rows), random(inner, columns)
        return lambda: a.T @ b
    a, b = random(rows, inner), random(columns, inner)
    return lambda: a @ b.T


works = {}  # by program, for the task below: models are made, and compiled, once
present = None


def work_for(request):
    program = request["program"]
    if request["kind"] == "step":
        if program not in ("PyTorch", "torch.compile"):
            return None
        return methods.step(request, program == "torch.compile")
    if program == "torch.compile":
        return None
    if program == "PyTorch":
        return product(request, lambda r, c: torch.randn(r, c))
    source = np.random.default_rng(1)
    return product(request, lambda r, c: source.standard_normal((r, c), dtype=np.float32))


def measure(request):
    global present
    seconds, program = request.pop("seconds"), request["program"]
    task = {name: value for name, value in request.items() if name != "program"}
    if task != present:
        works.clear()
        present = task
    if program not in works:
        works[program] = work_for(request)
    return [0, 0] if works[program] is None else repeat(seconds, works[program])


def main():
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    programs = [{"Name": "OpenBLAS", "Version": f"numpy {np.__version__}, {blas['name']} {blas['version']}"}]
    if torch is not None:
        programs.append({"Name": "PyTorch", "Version": f"{torch.__version__}, eager"})
        programs.append({"Name": "torch.compile", "Version": torch.__version__})
    print(json.dumps(programs), flush=True)
    for line in sys.stdin:
        print(json.dumps(measure(json.loads(line))), flush=True)


main()
