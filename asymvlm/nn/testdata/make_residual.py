"""Makes residual_*.npz: numbers for the residual adapters that no code of this repository computes.

    python make_residual.py        (numpy and scipy, in this folder)

Everything is float64. Gradients are complex-step derivatives, f'(x) = Im f(x + ih)/h with h = 1e-200, which have no difference of close
numbers in them: the formulas below are forward passes only. The adapter has an estimator x + V x + c (text.0), which minimizes the loss of
the likelihood, and a ranker x + W x + b (ranker.text.0), which minimizes that of the cosine plus RIDGE/2 times its squared weights. Its eta
has the length of the first and the direction of the second. For the cosine itself there is only a ranker, called text.0. The likelihoods
are those of the AsymVLM paper, equations (3) and (4); the loss is its equation (6); the optimizer is gradient descent with momentum and
weight decay as PyTorch defines it, and the rate falls along half a cosine.
"""

import numpy as np
from scipy.special import loggamma

DIMENSION, PAIRS, STEPS, SCHEDULE = 12, 7, 5, 10
RATE, FINAL, MOMENTUM, DECAY, RIDGE, TINY = 0.01, 1e-6, 0.9, 5e-4, 0.5, 1e-200


def length(v):
    """Lengths of rows without absolute values, so that they have complex derivatives."""
    return np.sqrt((v * v).sum(axis=1))


def von_mises_fisher(eta, x):
    """images x texts: eta.x + F(kappa) - F(0), F of equation (4)."""
    a, kappa = (DIMENSION - 1) / 2, length(eta)
    closed = lambda k: sum(a / 2 * np.log(a + np.sqrt(b * b + k * k)) - np.sqrt(b * b + k * k) / 2 for b in (a, a + 1))
    return x @ eta.T + closed(kappa) - closed(0.0)


def power_spherical(eta, x):
    """images x texts: kappa log(1 + cos) + log C(kappa) - log C(0)."""
    beta, kappa = (DIMENSION - 1) / 2, length(eta)

    def normalizer(k):
        alpha = beta + k
        return -(alpha + beta) * np.log(2) - beta * np.log(np.pi) - loggamma(alpha + 0j) + loggamma(alpha + beta + 0j)

    offset = normalizer(kappa) - normalizer(0.0)
    if not np.iscomplexobj(eta):
        offset = offset.real
    return kappa * np.log(1 + x @ (eta / kappa[:, None]).T) + offset


def cosine(eta, x):
    return x @ (eta / length(eta)[:, None]).T


def contrastive(ell, tau):
    """Equation (6): half the cross-entropies of images over texts, half those of texts over images."""
    logits = tau * ell

    def entropy(rows):
        top = rows.real.max(axis=1, keepdims=True)
        return (np.log(np.exp(rows - top).sum(axis=1)) + top[:, 0] - np.diag(rows)).mean()

    return (entropy(logits) + entropy(logits.T)) / 2


def gradient(f, at):
    at = np.asarray(at, dtype=float)
    out = np.zeros(at.shape)
    for i in np.ndindex(at.shape):
        moved = at.astype(complex)
        moved[i] += 1j * TINY
        out[i] = f(moved).imag / TINY
    return out


def make(name, likelihood, concentrated):
    random = np.random.default_rng(20261123)
    text = random.normal(size=(PAIRS, DIMENSION)) * random.uniform(0.5, 2, size=(PAIRS, 1))
    image = text + 0.7 * random.normal(size=(PAIRS, DIMENSION))
    unit = image / length(image)[:, None]
    prefixes = ("", "ranker.") if concentrated else ("",)  # of the estimator and the ranker
    p = {}
    for prefix in prefixes:
        p[prefix + "text.0.weight"] = random.normal(size=(DIMENSION, DIMENSION)) * 0.1
        p[prefix + "text.0.bias"] = random.normal(size=DIMENSION) * 0.1
        p[prefix + "tau"] = np.array(1.3 if prefix == "" else 2.1)
    layer = lambda q, prefix: text + text @ q[prefix + "text.0.weight"].T + q[prefix + "text.0.bias"]

    def loss(q, prefix):
        ranks = prefix == prefixes[-1]
        value = contrastive((cosine if ranks else likelihood)(layer(q, prefix), unit), q[prefix + "tau"])
        if ranks:
            value = value + RIDGE / 2 * sum((q[prefix + name] ** 2).sum() for name in ("text.0.weight", "text.0.bias"))
        return value

    def outputs(q):
        if not concentrated:
            return layer(q, "")
        direction = layer(q, "ranker.")
        return direction * (length(layer(q, "")) / length(direction))[:, None]

    gradients = lambda: {k: gradient(lambda v: loss({**p, k: v}, "ranker." if k.startswith("ranker.") else ""), p[k]) for k in p}
    shown = lambda: contrastive(likelihood(layer(p, ""), unit), p["tau"])  # without the ridge, which is like a weight decay
    arrays = {"input/text": text, "input/image": image}

    def infer(when):
        eta = outputs(p)
        scores = likelihood(eta, unit)
        t2i, i2t = scores.argmax(axis=0), scores.argmax(axis=1)
        arrays.update({f"{when}/scores": scores, f"{when}/t2i": t2i.astype(float), f"{when}/i2t": i2t.astype(float)})
        if concentrated:
            u = 1 / length(eta)
            arrays.update({f"{when}/u_text": u, f"{when}/u_t2i": u, f"{when}/u_i2t": u[i2t]})

    arrays.update({f"init/{k}": v.copy() for k, v in p.items()})
    eta = layer(p, "")
    arrays.update({"forward/z": eta, "forward/ell": likelihood(eta, unit), "forward/loss": np.array([shown()])})
    arrays["grad_out/z"] = gradient(lambda z: contrastive(likelihood(z, unit), p["tau"]), eta)
    arrays.update({f"grad/{k}": v for k, v in gradients().items()})
    infer("infer")
    losses, rates, velocity = [], [], {k: 0.0 for k in p}
    for step in range(STEPS):
        rate = FINAL + (RATE - FINAL) * (1 + np.cos(np.pi * step / SCHEDULE)) / 2
        losses.append(shown())
        rates.append(rate)
        for k, g in gradients().items():
            velocity[k] = MOMENTUM * velocity[k] + g + DECAY * p[k]
        p = {k: p[k] - rate * velocity[k] for k in p}
        if step in (0, STEPS - 1):
            arrays.update({f"step{step + 1}/{k}": v.copy() for k, v in p.items()})
    arrays.update({"train/loss": np.array(losses), "train/lr": np.array(rates)})
    infer("final")
    np.savez(f"residual_{name}.npz", **arrays)


make("vmf", von_mises_fisher, True)
make("ps", power_spherical, True)
make("cosine", cosine, False)
