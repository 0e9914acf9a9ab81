"""Makes table.json: values of the densities with 40 digits, for the tests of this package.

    pip install mpmath
    python make_table.py > table.json

Everything comes from mpmath's own Bessel and gamma functions, by the definitions.
"""
import json
import mpmath as mp

mp.mp.dps = 80

POINTS = {2: ["0.25", "3", "40"], 3: ["0.001", "1", "700"], 4: ["2", "150"], 12: ["0.03125", "8", "100", "5000"],
          64: ["0.5", "20", "900"], 128: ["5", "64"], 256: ["5", "1000"],
          512: ["0.0009765625", "1", "5", "10", "255", "100000"], 768: ["0.0625", "4", "7.5", "3000"], 1152: ["6", "600"]}


def text(x):
    return mp.nstr(x, 40, min_fixed=-1, max_fixed=1)


def row(d, kappa):
    k, nu, half = mp.mpf(kappa), mp.mpf(d) / 2 - 1, mp.mpf(d) / 2
    log_i = lambda x: mp.log(mp.besseli(nu, x))
    at_zero = mp.loggamma(half) - mp.log(2) - half * mp.log(mp.pi)
    normalizer = nu * mp.log(k) - half * mp.log(2 * mp.pi) - log_i(k)
    a = mp.besseli(nu + 1, k) / mp.besseli(nu, k)
    side = lambda x: (mp.mpf(d) - 1) / 4 * mp.log((mp.mpf(d) - 1) / 2 + x) - x / 2
    paper = lambda x: sum(side(mp.sqrt(b * b + x * x)) for b in ((mp.mpf(d) - 1) / 2, (mp.mpf(d) + 1) / 2))
    beta = (mp.mpf(d) - 1) / 2
    alpha = beta + k
    power = -((alpha + beta) * mp.log(2) + beta * mp.log(mp.pi) + mp.loggamma(alpha) - mp.loggamma(alpha + beta))
    expected_log = mp.log(2) + mp.digamma(alpha) - mp.digamma(alpha + beta)
    values = {"at_zero": at_zero, "zero_based": normalizer - at_zero, "resultant": a,
              "resultant_slope": 1 - a * a - (d - 1) * a / k, "entropy": -normalizer - k * a,
              "kl_to_uniform": normalizer + k * a - at_zero, "paper": paper(k) - paper(mp.mpf(0)),
              "power_zero_based": power - at_zero, "power_slope": -expected_log,
              "power_entropy": -power - k * expected_log, "power_kl_to_uniform": power - at_zero + k * expected_log}
    return {"dimension": d, "kappa": kappa, **{name: text(value) for name, value in values.items()}}


print(json.dumps([row(d, k) for d, kappas in POINTS.items() for k in kappas], indent=1))
