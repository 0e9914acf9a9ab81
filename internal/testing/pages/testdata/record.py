"""Runs the lines of pandas in docs/pandas.md and records their values in pandas.json.

Run it in this folder after: pip install pandas matplotlib
"""
import datetime
import json
import platform
import re

import matplotlib
import numpy as np
import pandas as pd

matplotlib.use("Agg")
PAGE, DATA = "../../../../docs/pandas.md", "../../../../docs/figures/trips.csv"


def plain(x):
    """Returns a value as JSON: times in UTC, numbers with nine digits, nothing for what is missing."""
    if isinstance(x, (list, tuple, np.ndarray, pd.Index, pd.api.extensions.ExtensionArray)):
        return [plain(value) for value in x]
    if x is None or x is pd.NaT or isinstance(x, (float, np.floating)) and np.isnan(x):
        return None
    if isinstance(x, (bool, np.bool_)):
        return bool(x)
    if isinstance(x, (datetime.datetime, pd.Timestamp)):
        return x.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(x, (int, float, np.integer, np.floating)):
        return float(f"{float(x):.9g}")
    return str(x)


def value(x):
    """Returns rows; a list for one row or one column, and a value for both."""
    if isinstance(x, pd.Series):
        return plain(x.tolist())
    if not isinstance(x, pd.DataFrame):
        return plain(x)
    rows = [plain(list(row)) for row in x.itertuples(index=False, name=None)]
    if len(x.columns) == 1:
        rows = [row[0] for row in rows]
    return rows[0] if len(rows) == 1 else rows


def short(x):
    """Returns a long list as its first and last rows and the sums of its numbers by column."""
    if not isinstance(x, list) or len(x) <= 24:
        return x
    columns = zip(*x) if isinstance(x[0], list) else [x]
    sums = [sum(v for v in column if isinstance(v, (float, bool))) for column in columns]
    return {"rows": len(x), "first": x[:6], "last": x[-6:], "sums": [float(f"{v:.9g}") for v in sums]}


text = open(PAGE).read()
names = {"pd": pd, "np": np}
recorded = []
for code, note in re.findall(r"(?m)^\| `([^`]*)` \| `[^`]*` \| (.*) ?\|$", text):
    code = code.replace('"trips.csv"', repr(DATA))
    made = re.match(r"(\w+) = ", code)
    if made:
        exec(code, names)
        result = names[made[1]]
    elif "to_" in code and '"out.' in code:
        result = None
    else:
        result = eval(code, names)
    recorded.append({"code": code.replace(repr(DATA), '"trips.csv"'), "value": None if note.strip() else short(value(result))})
versions = {"pandas": pd.__version__, "numpy": np.__version__, "python": platform.python_version()}
with open("pandas.json", "w") as file:
    file.write('{"versions": ' + json.dumps(versions) + ', "lines": [\n')
    file.write(",\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in recorded) + "\n]}\n")
text = re.sub(r"that of pandas (VERSION|[\d.]+),", f"that of pandas {pd.__version__},", text)
open(PAGE, "w").write(text)
