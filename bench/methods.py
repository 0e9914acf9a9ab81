"""Training steps of the methods in PyTorch, as one would write them: autograd, no tricks of ours.

Every function takes the batch, the width of the embeddings and the hidden width, and returns the parameters and a
function of a batch of texts and images that returns the loss.
"""

import math

import torch
from torch import nn
from torch.nn import functional


def adapter(d, hidden):
    return nn.Sequential(
        nn.Linear(d, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
        nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, d))


def contrastive(logits):
    truth = torch.arange(logits.shape[0], device=logits.device)
    return (functional.cross_entropy(logits, truth) + functional.cross_entropy(logits.T, truth)) / 2


def vmf(d, hidden):
    """AsymVLM with the paper's closed form of the von Mises-Fisher normalizer."""
    network, tau, a = adapter(d, hidden), nn.Parameter(torch.ones(())), (d - 1) / 2

    def normalizer(square):
        total = 0
        for b in (a, a + 1):
            t = square / (torch.sqrt(b * b + square) + b)
            total = total + a / 2 * torch.log1p(t / (a + b)) - t / 2
        return total

    def loss(texts, images):
        eta = network(texts)
        return contrastive(tau * (images @ eta.T + normalizer((eta * eta).sum(1))))

    return [*network.parameters(), tau], loss


def ps(d, hidden):
    """AsymVLM with the power spherical density."""
    network, tau, beta = adapter(d, hidden), nn.Parameter(torch.ones(())), (d - 1) / 2

    def normalizer(kappa):
        alpha = beta + kappa
        return -(kappa * math.log(2) + torch.lgamma(alpha) - torch.lgamma(alpha + beta))

    def loss(texts, images):
        eta = network(texts)
        kappa = eta.norm(dim=1)
        cosines = images @ (eta / kappa[:, None]).T
        return contrastive(tau * (kappa * torch.log1p(cosines) + normalizer(kappa)))

    return [*network.parameters(), tau], loss


def pcmepp(d, hidden):
    """PCME++ on frozen means, as AsymVLM's program has it."""
    of_texts, of_images = adapter(d, hidden), adapter(d, hidden)
    a, b = nn.Parameter(torch.full((), 5.0)), nn.Parameter(torch.full((), 5.0))

    def loss(texts, images):
        e, x = functional.normalize(texts, dim=1), functional.normalize(images, dim=1)
        traces = of_images(x).exp().sum(1)[:, None] + of_texts(e).exp().sum(1)
        distances = 2 - 2 * (x @ e.T) + traces
        return 2 * functional.binary_cross_entropy_with_logits(b - a * distances, torch.eye(len(texts)))

    return [*of_texts.parameters(), *of_images.parameters(), a, b], loss


class Tower(nn.Module):
    def __init__(self, d, hidden):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, d))
        self.heads = nn.ModuleList(nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d)) for _ in range(3))

    def forward(self, raw):
        both = self.trunk(raw) + raw
        return [head(both) for head in self.heads]


def generalized(heads, target):
    mean, q, beta = heads[0], functional.softplus(heads[1]) + 1e-4, functional.softplus(heads[2]) + 1e-4
    apart = (mean - target).abs()
    residual = (apart * q * beta).clamp(1e-4, 1e3)
    likelihood = residual - q.log() + torch.lgamma(1 / beta) - beta.log()
    return apart.mean() + 0.05 * likelihood.mean()


def probvlm(d, hidden):
    """ProbVLM as AsymVLM's program has it."""
    of_texts, of_images = Tower(d, hidden), Tower(d, hidden)

    def loss(texts, images):
        e, x = of_texts(texts), of_images(images)
        return (generalized(e, texts) + generalized(x, images)
                + 1e-4 * (generalized(e, images) + generalized(x, texts)))

    return [*of_texts.parameters(), *of_images.parameters()], loss


METHODS = {"vmf": vmf, "ps": ps, "pcmepp": pcmepp, "probvlm": probvlm}


def step(task, compiled):
    """One training step: gradients from 0, loss, backward, optimizer."""
    method, batch, d, hidden = task["method"], task["rows"], task["columns"], task["inner"]
    parameters, loss = METHODS[method](d, hidden)
    if method in ("vmf", "ps"):
        optimizer = torch.optim.SGD(parameters, lr=1e-3, momentum=0.9, weight_decay=5e-4)
    else:
        optimizer = torch.optim.AdamW(parameters, lr=1e-4, weight_decay=5e-4)
    if compiled:
        loss = torch.compile(loss)
    texts = 0.4 * torch.randn(batch, d)
    images = functional.normalize(torch.randn(batch, d), dim=1)

    def work():
        optimizer.zero_grad()
        loss(texts, images).backward()
        optimizer.step()

    return work
