"""The questions of the h2oai benchmark in pandas and polars: python peer.py FOLDER ONLY.

ONLY is a regular expression that selects questions by their names. Each is answered twice. Prints a JSON object with, for each library and question, the best wall and CPU times in seconds, the
rows of the result and the sum of its numbers.
"""

import json
import re
import sys
import time

import pandas as pd
import polars as pl

folder, only = sys.argv[1], re.compile(sys.argv[2])
out = {"versions": f"pandas {pd.__version__}, polars {pl.__version__}", "pandas": {}, "polars": {}}


def measure(library, name, run):
    if not only.search(name):
        return
    wall, processor, result = float("inf"), float("inf"), None
    for _ in range(2):
        result = None
        start, used = time.perf_counter(), time.process_time()
        result = run()
        wall, processor = min(wall, time.perf_counter() - start), min(processor, time.process_time() - used)
    if library == "pandas":
        total = float(result.select_dtypes("number").sum().sum())
    else:
        total = float(sum(result.select(pl.selectors.numeric()).fill_nan(0).sum().fill_null(0).row(0)))
    out[library][name] = {"seconds": wall, "processor": processor, "rows": len(result), "sum": total}


def path(name):
    return f"{folder}/{name}.csv"


measure("pandas", "read", lambda: pd.read_csv(path("x")))
measure("polars", "read", lambda: pl.read_csv(path("x")))
if only.pattern == "read":
    print(json.dumps(out))
    sys.exit()
x, p = pd.read_csv(path("x")), pl.read_csv(path("x"))
c = pl.col


def pandas_groups(keys, **aggregates):
    return x.groupby(keys, as_index=False, sort=False, observed=True, dropna=False).agg(**aggregates)


def largest(frame):
    sorted_rows = frame[["id6", "v3"]].sort_values("v3", ascending=False)
    return sorted_rows.groupby("id6", as_index=False, sort=False).head(2)


def correlations(frame):
    v = frame[["id2", "id4", "v1", "v2"]]
    return v.groupby(["id2", "id4"], as_index=False, sort=False)[["v1", "v2"]].apply(lambda g: pd.Series({"r2": g.corr()["v1"]["v2"] ** 2}), include_groups=False)


groups = {
    "sum v1 by id1": (lambda: pandas_groups("id1", v1=("v1", "sum")), lambda: p.group_by("id1").agg(c("v1").sum())),
    "sum v1 by id1, id2": (lambda: pandas_groups(["id1", "id2"], v1=("v1", "sum")), lambda: p.group_by("id1", "id2").agg(c("v1").sum())),
    "sum v1, mean v3 by id3": (lambda: pandas_groups("id3", v1=("v1", "sum"), v3=("v3", "mean")), lambda: p.group_by("id3").agg(c("v1").sum(), c("v3").mean())),
    "mean v1, v2, v3 by id4": (lambda: pandas_groups("id4", v1=("v1", "mean"), v2=("v2", "mean"), v3=("v3", "mean")), lambda: p.group_by("id4").agg(c("v1", "v2", "v3").mean())),
    "sum v1, v2, v3 by id6": (lambda: pandas_groups("id6", v1=("v1", "sum"), v2=("v2", "sum"), v3=("v3", "sum")), lambda: p.group_by("id6").agg(c("v1", "v2", "v3").sum())),
    "median, sd v3 by id4, id5": (lambda: pandas_groups(["id4", "id5"], m=("v3", "median"), s=("v3", "std")), lambda: p.group_by("id4", "id5").agg(c("v3").median().alias("m"), c("v3").std().alias("s"))),
    "max v1 - min v2 by id3": (lambda: pandas_groups("id3", v1=("v1", "max"), v2=("v2", "min")).assign(d=lambda f: f.v1 - f.v2)[["id3", "d"]], lambda: p.group_by("id3").agg((c("v1").max() - c("v2").min()).alias("d"))),
    "largest two v3 by id6": (lambda: largest(x), lambda: p.select("id6", "v3").sort("v3", descending=True).group_by("id6").agg(c("v3").head(2)).explode("v3")),
    "correlation v1, v2 by id2, id4": (lambda: correlations(x), lambda: p.group_by("id2", "id4").agg((pl.corr("v1", "v2") ** 2).alias("r2"))),
    "sum v3, count by six columns": (lambda: pandas_groups(["id1", "id2", "id3", "id4", "id5", "id6"], v3=("v3", "sum"), n=("v1", "size")), lambda: p.group_by("id1", "id2", "id3", "id4", "id5", "id6").agg(c("v3").sum(), pl.len().alias("n"))),
}
for name, (by_pandas, by_polars) in groups.items():
    measure("pandas", name, by_pandas)
    measure("polars", name, by_polars)

for name, table, keys, how in (
    ("join 1 row on an integer", "small", "id1", "inner"), ("join 1,000 rows on an integer", "medium", "id2", "inner"),
    ("left join 1,000 rows", "medium", "id2", "left"), ("join 1,000 rows on a text", "medium", "id5", "inner"),
    ("join as many rows on an integer", "big", "id3", "inner"),
):
    if not only.search(name):
        continue
    left, right = pd.read_csv(path("left")), pd.read_csv(path(table))
    l, r = pl.read_csv(path("left")), pl.read_csv(path(table))
    measure("pandas", name, lambda: left.merge(right, on=keys, how=how))
    measure("polars", name, lambda: l.join(r, on=keys, how=how))

print(json.dumps(out))
