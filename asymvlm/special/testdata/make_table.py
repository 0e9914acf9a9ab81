"""Makes table.json: values of the special functions with 50 digits, for the tests of this package.

    pip install mpmath
    python make_table.py > table.json
"""
import json
import mpmath as mp

mp.mp.dps = 60  # ten more than wanted


def text(x):
    return mp.nstr(x, 50, min_fixed=-1, max_fixed=1)


def bessel(order, x):
    order, x = mp.mpf(order), mp.mpf(x)
    mp.mp.dps = 100  # the slope is a difference of nearly equal numbers
    rise = log_rise(order, x)
    ratio = x / (2 * (order + 1)) * mp.exp(log_rise(order + 1, x) - rise)
    slope = 1 - ratio**2 - (2 * order + 1) * ratio / x
    mp.mp.dps = 60
    return {"order": str(order), "x": str(x), "rise": text(rise), "ratio": text(ratio), "slope": text(slope)}


def log_rise(order, x):
    """log Γ(ν+1)(2/x)^ν I_ν(x) from the power series, whose terms are all positive."""
    term, total, k = mp.mpf(1), mp.mpf(0), 0
    while True:
        k += 1
        term *= x * x / 4 / (k * (order + k))
        total += term
        if term < total * mp.mpf(10) ** -70:
            return mp.log1p(total)


def gammas(x, s, t):
    x, s, t = mp.mpf(x), mp.mpf(s), mp.mpf(t)
    mp.mp.dps = 100
    first = mp.loggamma(x + s) - mp.loggamma(x)
    second = mp.loggamma(x + s + t) - mp.loggamma(x + s) - mp.loggamma(x + t) + mp.loggamma(x)
    row = {"x": x, "s": s, "t": t, "digamma": mp.digamma(x), "trigamma": mp.polygamma(1, x),
           "difference": first, "second": second, "digamma_difference": mp.digamma(x + s) - mp.digamma(x)}
    mp.mp.dps = 60
    return {name: text(value) if name not in "xst" else str(value) for name, value in row.items()}


orders = ["0", "0.5", "1", "3", "5", "13", "31", "39.5", "63", "127", "255", "255.5", "383", "1000"]
arguments = ["0.000001", "0.03125", "1", "5", "30", "255", "1000", "20000"]
# The arguments of the differences are dyadic, so that a float64 holds them exactly.
steps = [("0.5", "1", "1"), ("1.5", "-0.25", "0.5"), ("6", "0.0009765625", "-0.5"), ("14.5", "2", "0.125"),
         ("15", "0.0009765625", "0.0009765625"), ("255.5", "2.5", "-0.5"), ("255.5", "0.0000152587890625", "-0.5"),
         ("256", "500", "500"), ("256", "50000", "49999.5"), ("1", "50000", "49999.5"), ("383.5", "0.5", "1e-9"),
         ("100000", "-99999", "0.25")]
print(json.dumps({"bessel": [bessel(o, x) for o in orders for x in arguments],
                  "gamma": [gammas(*s) for s in steps]}, indent=1))
