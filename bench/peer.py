"""The Python side of the benchmark: one JSON request a line, one answer a line.

The first line it writes lists the programs; an answer is the seconds of one repetition, 0 where a program has no such
task. It is started by `go run ./bench`, which sets the number of threads of OpenBLAS before numpy is loaded.
"""

import json
import sys
import time

import numpy as np

try:
    import torch

    torch.set_num_threads(int(sys.argv[1]))
except ImportError:
    torch = None


def repeat(seconds, work):
    """Seconds of one call, over a stretch of time, after one call that does not count."""
    work()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        work()
        count += 1
    return (time.perf_counter() - start) / count


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


def step(task):
    """One training step of AsymVLM with the paper's closed form of the normaliser."""
    batch, d, hidden = task["rows"], task["columns"], task["inner"]
    layers = torch.nn
    adapter = layers.Sequential(
        layers.Linear(d, hidden), layers.ReLU(), layers.Linear(hidden, hidden), layers.ReLU(),
        layers.Linear(hidden, hidden), layers.ReLU(), layers.Linear(hidden, d))
    tau = layers.Parameter(torch.ones(()))
    optimiser = torch.optim.SGD([*adapter.parameters(), tau], lr=1e-3, momentum=0.9, weight_decay=5e-4)
    texts = torch.randn(batch, d)
    images = layers.functional.normalize(torch.randn(batch, d), dim=1)
    truth, a = torch.arange(batch), (d - 1) / 2

    def normalizer(square):
        total = 0
        for b in (a, a + 1):
            t = square / (torch.sqrt(b * b + square) + b)
            total = total + a / 2 * torch.log1p(t / (a + b)) - t / 2
        return total

    def work():
        optimiser.zero_grad()
        eta = adapter(texts)
        logits = tau * (images @ eta.T + normalizer((eta * eta).sum(1)))
        loss = (layers.functional.cross_entropy(logits, truth) + layers.functional.cross_entropy(logits.T, truth)) / 2
        loss.backward()
        optimiser.step()

    return work


def measure(task):
    if task["kind"] == "step":
        return repeat(task["seconds"], step(task)) if task["program"] == "PyTorch" else 0
    if task["program"] == "PyTorch":
        return repeat(task["seconds"], product(task, lambda r, c: torch.randn(r, c)))
    source = np.random.default_rng(1)
    return repeat(task["seconds"], product(task, lambda r, c: source.standard_normal((r, c), dtype=np.float32)))


def main():
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    programs = [{"Name": "OpenBLAS", "Version": f"numpy {np.__version__}, {blas['name']} {blas['version']}"}]
    if torch is not None:
        programs.append({"Name": "PyTorch", "Version": torch.__version__})
    print(json.dumps(programs), flush=True)
    for line in sys.stdin:
        print(json.dumps(measure(json.loads(line))), flush=True)


main()
