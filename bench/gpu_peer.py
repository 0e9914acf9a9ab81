"""PyTorch on a card, for bench/gpu.sh: a training step of AsymVLM, eager and compiled with CUDA graphs, by methods.py.

It prints a line of Markdown for each: milliseconds a step, from events over 200 steps after 20 that do not count.
"""

import sys

import torch

import methods


def milliseconds(work, steps=200):
    for _ in range(20):
        work()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(steps):
        work()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / steps


def step(method, compiled, batch=2048, d=512, hidden=1024):
    parameters, loss = methods.METHODS[method](d, hidden)
    optimizer = torch.optim.SGD(parameters, lr=1e-3, momentum=0.9, weight_decay=5e-4, fused=True)
    if compiled:
        loss = torch.compile(loss, mode="reduce-overhead")
    texts = 0.4 * torch.randn(batch, d)
    images = torch.nn.functional.normalize(torch.randn(batch, d), dim=1)

    def work():
        optimizer.zero_grad(set_to_none=not compiled)
        loss(texts, images).backward()
        optimizer.step()

    return work


def main():
    torch.set_default_device("cuda")
    precision = sys.argv[1]
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    for method in ("vmf", "ps"):
        for compiled in (False, True):
            name = "torch.compile with CUDA graphs" if compiled else "PyTorch eager"
            try:
                result = f"{milliseconds(step(method, compiled)):.3f} ms a step"
            except Exception as problem:  # a compiler that is missing must not take the rest along
                result = f"fails, {type(problem).__name__}: {str(problem).strip().splitlines()[:1]}"
            print(f"- {name} {torch.__version__}, {method}, batch 2048, d=512, {precision}: {result}", flush=True)


main()
