"""Writes the checkpoints in this folder, with PyTorch and small random networks.

The names of the tensors are those of AsymVLM's reference implementation. Each file has a JSON file
with inputs, the scores of all pairs and the uncertainties of the texts, computed here from the
formulas of the papers.

    python make.py
"""

import json
import math
from collections import OrderedDict

import torch
from torch.nn import functional as F

D, H, B = 6, 5, 4
torch.manual_seed(20261125)


def layers(sizes, indices):
    state = OrderedDict()
    for i, (inner, outer) in zip(indices, zip(sizes, sizes[1:])):
        state[f"{i}.weight"] = torch.randn(outer, inner) / math.sqrt(inner)
        state[f"{i}.bias"] = torch.randn(outer) / 10
    return state


def forward(state, x):
    names = [name.removesuffix(".weight") for name in state if name.endswith(".weight")]
    for name in names:
        x = F.linear(x, state[f"{name}.weight"], state[f"{name}.bias"])
        if name != names[-1]:
            x = torch.relu(x)
    return x


def prefixed(prefix, state):
    return {prefix + name: value for name, value in state.items()}


def store(method, state, scores, uncertainty):
    torch.save(OrderedDict(state), f"{method}.pt")
    with open(f"{method}.json", "w") as file:
        json.dump({"images": images.flatten().tolist(), "texts": texts.flatten().tolist(), "dimension": D,
                   "scores": scores.flatten().tolist(), "uncertainty": uncertainty.tolist()}, file)


images, texts = torch.randn(B, D), 2 * torch.randn(B, D)
unit_images, unit_texts = F.normalize(images, dim=-1), F.normalize(texts, dim=-1)
deep = [D, H, H, H, D]

for method in ["asymvlm-vmf", "asymvlm-psd"]:
    network = layers(deep, [0, 2, 4, 6])
    eta = forward(network, texts).double()
    kappa = eta.norm(dim=-1)
    x = unit_images.double()
    if method == "asymvlm-vmf":
        a = (D - 1) / 2
        normalizer = sum(a / 2 * torch.log(a + torch.sqrt(b * b + kappa**2)) - torch.sqrt(b * b + kappa**2) / 2 for b in (a, a + 1))
        scores = x @ eta.T + normalizer
    else:
        alpha, beta = (D - 1) / 2 + kappa, (D - 1) / 2
        normalizer = -((alpha + beta) * math.log(2) + torch.lgamma(alpha) - torch.lgamma(alpha + beta) + beta * math.log(math.pi))
        scores = kappa * torch.log1p(x @ (eta / kappa[:, None]).T) + normalizer
    store(method, {"text_adaptor.temperature": torch.tensor(3.5), **prefixed("text_adaptor.etta.", network)}, scores, 1 / kappa)

cosines = unit_images @ unit_texts.T
image, text = layers(deep, [0, 2, 4, 6]), layers(deep, [0, 2, 4, 6])
store("pfe", {**prefixed("image_adaptor.logvar.", image), **prefixed("text_adaptor.logvar.", text)}, cosines,
      F.softplus(forward(text, texts)).mean(dim=-1))
gaussian = {**prefixed("img_enc.logvar.", image), **prefixed("txt_enc.logvar.", text)}
uncertainty = forward(text, unit_texts).exp().mean(dim=-1)
store("prolip", gaussian, cosines, uncertainty)
store("pcmepp", {**gaussian, "loss_func.shift": torch.tensor([4.0]), "loss_func.negative_scale": torch.tensor([6.0])}, cosines, uncertainty)

state, means, variance = {}, {}, None
for side, raw in [("img", images), ("txt", texts)]:
    trunk = layers([D, H, H, D], [0, 2, 5])
    heads = {name: layers([D, D, D], [0, 2]) for name in ["mu", "alpha", "beta"]}
    inner = forward(trunk, raw) + raw
    mu, q, beta = forward(heads["mu"], inner), F.softplus(forward(heads["alpha"], inner)), F.softplus(forward(heads["beta"], inner))
    a, b = (1 / (q + 1e-5)).clip(1e-4, 5), (beta + 0.1).clip(0.1, 5)
    variance = a**2 * torch.exp(torch.lgamma(3 / b) - torch.lgamma(1 / b))
    means[side] = F.normalize(mu, dim=-1)
    state |= prefixed(f"{side}_BayesCap.mod.", trunk)
    for name, head in heads.items():
        state |= prefixed(f"{side}_BayesCap.block_{name}.", head)
store("probvlm", state, means["img"] @ means["txt"].T, 1 / variance.mean(dim=-1))
