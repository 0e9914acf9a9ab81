#!/usr/bin/env python3
"""Makes rows.csv, others.csv and expected.json: results of pandas and polars.

    python3 -m venv env && env/bin/pip install pandas polars pyarrow tzdata
    env/bin/python make.py

The test in ../../compare_test.go computes the same with this package. A result of
pandas has missing values where it has NaN. A case is left to one of both where the
other differs by design, such as in missing keys; each of these has its reason.
"""

import datetime
import json
import math
import platform
import random

import pandas as pd
import polars as pl

SEED = 45
random.seed(SEED)
utc = datetime.timezone.utc


def maybe(value, share=0.15):
    return None if random.random() < share else value


def row(n):
    start = datetime.datetime(2025, 12, 28, 1, 30, tzinfo=utc)
    return {
        "row": n,
        "k": maybe(random.choice(["west", "Straße", "東京", "e\u0301t\u00e9", "été", "naïve ", "Ω"])),
        "g": maybe(random.choice([1, 2, 3, 1000000007])),
        "b": maybe(random.random() < 0.5),
        "i": maybe(random.randrange(-50, 50)),
        "x": maybe(round(random.gauss(0, 30), 2)),
        "z": maybe(random.choice([1.5, -2.25, 7.0, math.nan])),
        "s": maybe("".join(random.choice("aÄßéØz") for _ in range(random.randrange(1, 4)))),
        "t": maybe(start + datetime.timedelta(hours=random.randrange(0, 9000))),
        "u": start + datetime.timedelta(hours=7 * n + random.randrange(0, 7)),
    }


rows = [row(n) for n in range(100)]
others = []
for n in range(50):
    o = row(n)
    others.append({"other": n, "k": o["k"], "g": o["g"], "u": o["u"] + datetime.timedelta(hours=n * 10), "y": o["i"]})
others.sort(key=lambda o: o["u"])

types = {
    "row": pl.Int64, "k": pl.String, "g": pl.Int64, "b": pl.Boolean, "i": pl.Int64, "x": pl.Float64, "z": pl.Float64,
    "s": pl.String, "t": pl.Datetime("us", "UTC"), "u": pl.Datetime("us", "UTC"),
}
P = pl.DataFrame(rows, schema=types)
Q = pl.DataFrame(others, schema={"other": pl.Int64, "k": pl.String, "g": pl.Int64, "u": pl.Datetime("us", "UTC"), "y": pl.Int64})
D, E = P.to_pandas(), Q.to_pandas()
for frame, names in ((D, ["g", "i"]), (E, ["g", "y"])):
    for name in names:
        frame[name] = frame[name].astype("Int64")
D["b"] = D["b"].astype("boolean")


def plain(value, nan):
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if hasattr(value, "item") and not isinstance(value, (pd.Timestamp, pd.Timedelta)):
        value = value.item()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.datetime):
        return value.astimezone(utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, float) and math.isnan(value):
        return nan
    if isinstance(value, float) and value == int(value):
        return int(value)
    return value


def listed(frame):
    if isinstance(frame, pl.Series):
        frame = frame.to_frame()
    if isinstance(frame, pl.DataFrame):
        return [[plain(v, "NaN") for v in r] for r in frame.rows()]
    if isinstance(frame, pd.Series):
        frame = frame.to_frame()
    return [[plain(v, None) for v in r] for r in frame.itertuples(index=False, name=None)]


cases = []


def case(name, polars=None, pandas=None):
    if any(c["name"] == name for c in cases):
        raise ValueError(name)
    made = {"name": name}
    if polars is not None:
        made["polars"] = listed(polars)
    if pandas is not None:
        made["pandas"] = listed(pandas)
    if made.get("polars") == made.get("pandas"):
        made["both"] = made.pop("polars")
        made.pop("pandas")
    cases.append(made)


c = pl.col
statistics = {
    # name: (expression of polars, method of pandas or None)
    "count": (lambda n: c(n).count(), "count"),
    "null_count": (lambda n: c(n).null_count(), None),
    "sum": (lambda n: c(n).sum(), "sum"),
    "mean": (lambda n: c(n).mean(), "mean"),
    "median": (lambda n: c(n).median(), "median"),
    "q0.25": (lambda n: c(n).quantile(0.25, "linear"), lambda s: s.quantile(0.25)),
    "q0.9": (lambda n: c(n).quantile(0.9, "linear"), lambda s: s.quantile(0.9)),
    "std": (lambda n: c(n).std(), "std"),
    "var": (lambda n: c(n).var(), "var"),
    "min": (lambda n: c(n).min(), "min"),
    "max": (lambda n: c(n).max(), "max"),
    "first": (lambda n: c(n).first(), None),  # pandas skips missing values
    "last": (lambda n: c(n).last(), None),
    "n_unique": (lambda n: c(n).drop_nulls().n_unique(), "nunique"),
}
for column, names in {
    "i": list(statistics), "x": list(statistics), "z": ["count", "sum", "mean", "n_unique"],
    "s": ["count", "null_count", "min", "max", "first", "last", "n_unique"], "t": ["count", "min", "max", "first", "last", "n_unique"],
    "b": ["count", "sum", "mean", "first"],
}.items():
    for name in names:
        x, p = statistics[name]
        if column in ("z", "b") or column == "s" and name in ("min", "max"):
            p = None  # NaN is missing in pandas, and it orders no text in groups with missing values
        case(f"all {column}_{name}", P.select(x(column)), None if p is None else pd.DataFrame([[D[column].agg(p)]]))
        for keys in (["k"], ["g"], ["k", "b"]):
            grouped = D.groupby(keys, dropna=False, sort=False)
            result = None if p is None else grouped[column].agg(p).rename("value").reset_index()
            case(f"group {'+'.join(keys)} {column}_{name}", P.group_by(keys, maintain_order=True).agg(x(column).alias("value")), result)
for keys in (["k"], ["g"], ["b", "g"]):
    case(f"group {'+'.join(keys)} len", P.group_by(keys, maintain_order=True).agg(pl.len().alias("value")), D.groupby(keys, dropna=False, sort=False).size().reset_index())
pair = P.select("i", "x").drop_nulls()
case("all corr", pair.select(pl.corr("i", "x")), pd.DataFrame([[D["i"].astype("float64").corr(D["x"])]]))
case("group k corr", P.group_by("k", maintain_order=True).agg(pl.corr(c("i").filter(c("i").is_not_null() & c("x").is_not_null()), c("x").filter(c("i").is_not_null() & c("x").is_not_null()))))

both = P.filter(c("i").is_not_null() & c("x").is_not_null())
ranked = D[["i", "x"]].astype("float64").corr("spearman").iloc[[0], [1]]
case("all spearman", both.select(pl.corr("i", "x", method="spearman")), ranked)
case("group k spearman", both.group_by("k", maintain_order=True).agg(pl.corr("i", "x", method="spearman")))

for keys in (["k"], ["-x"], ["i"], ["-i"], ["s", "-t"], ["b", "g", "-k"], ["t"], ["u"]):
    names, down = [n.lstrip("-") for n in keys], [n.startswith("-") for n in keys]
    case(f"sort {' '.join(keys)}", P.sort(names, descending=down, nulls_last=True, maintain_order=True).select("row"),
         D.sort_values(names, ascending=[not d for d in down], kind="stable")[["row"]] if len(names) == 1 else None)

for keys in (["k"], ["g"], ["k", "b"], ["z"], ["s"], ["t"]):
    case(f"unique {'+'.join(keys)}", P.unique(keys, keep="first", maintain_order=True).select("row"),
         D.drop_duplicates(keys)[["row"]] if keys != ["z"] else None)
case("value_counts g", None, D["g"].value_counts().reset_index())
case("drop_nulls", P.drop_nulls().select("row"))  # NaN is missing in pandas
case("drop_nulls k i", P.drop_nulls(["k", "i"]).select("row"), D.dropna(subset=["k", "i"])[["row"]])
case("fill_null i", P.select(c("i").fill_null(0)), D[["i"]].fillna(0))
case("fill_null s", P.select(c("s").fill_null("ø")), D[["s"]].fillna("ø"))
case("fill_nan z", P.select(c("z").fill_nan(0)))
case("fill_nan null z", P.select(c("z").fill_nan(None)))
for over in (None, "k"):
    for column in ("i", "x", "s", "t"):
        place = lambda x: P.select(x if over is None else x.over(over))
        group = D if over is None else D.groupby(over, dropna=False)
        suffix = f"{column} over {over}"
        case(f"lag {suffix}", place(c(column).shift(1)), group[column].shift(1))
        case(f"lead {suffix}", place(c(column).shift(-2)), group[column].shift(-2))
        case(f"fill_forward {suffix}", place(c(column).forward_fill()), group[column].ffill())
        case(f"fill_backward {suffix}", place(c(column).backward_fill()), group[column].bfill())
        case(f"cum_count {suffix}", place(c(column).cum_count()))
        for method in ("average", "min", "max", "dense", "ordinal"):
            case(f"rank {method} {suffix}", place(c(column).rank(method)),
                 group[column].rank(method="first" if method == "ordinal" else method) if column in ("i", "x") else None)
        if column in ("i", "x", "t"):
            case(f"rank min down {suffix}", place(c(column).rank("min", descending=True)))
            case(f"diff {suffix}", place(c(column).diff(1)), group[column].diff(1) if over is None else None)
            case(f"cum_min {suffix}", place(c(column).cum_min()), group[column].cummin() if column != "t" else None)
            case(f"cum_max {suffix}", place(c(column).cum_max()), group[column].cummax() if column != "t" else None)
        if column in ("i", "x"):
            case(f"cum_sum {suffix}", place(c(column).cum_sum()), group[column].cumsum())
            for name in ("sum", "mean", "min", "max", "std", "median"):
                for least in (3, 1):
                    rolling = getattr(c(column), f"rolling_{name}")(3, min_samples=least)
                    result = getattr(D[column].astype("float64").rolling(3, min_periods=least), name)() if over is None else None
                    case(f"rolling {name} {least} {suffix}", place(rolling), result)
for name in ("sum", "mean", "min", "max"):
    x = getattr(c("x"), f"rolling_{name}_by")("u", "2d", closed="right")
    if name != "sum":  # the sum of nothing in a window is missing here, and 0 in polars
        case(f"rolling time {name}", P.select(x))
    result = getattr(D.set_index("u")["x"].rolling("2D"), name)()
    case(f"rolling time {name} pandas", None, result)

conditions = {
    "eq": lambda n, v: c(n) == v, "ne": lambda n, v: c(n) != v, "lt": lambda n, v: c(n) < v,
    "le": lambda n, v: c(n) <= v, "gt": lambda n, v: c(n) > v, "ge": lambda n, v: c(n) >= v,
}
noon = datetime.datetime(2027, 1, 1, 12, tzinfo=utc)
for column, value in {"i": 7, "x": 3.5, "k": "été", "s": "z", "t": noon, "g": 2.5}.items():
    for name, x in conditions.items():
        case(f"filter {name} {column}", P.filter(x(column, value)).select("row"))
case("filter in", P.filter(c("k").is_in(["été", "Ω"])).select("row"), D[D["k"].isin(["été", "Ω"])][["row"]])
case("filter is_null", P.filter(c("x").is_null()).select("row"), D[D["x"].isna()][["row"]])
case("filter not_null", P.filter(c("x").is_not_null()).select("row"), D[D["x"].notna()][["row"]])
case("filter columns", P.filter(c("i") > c("x")).select("row"))
case("filter eq_missing", P.filter(c("i").eq_missing(c("g"))).select("row"))
case("and", P.select((c("i") > 0) & (c("x") > 0)), ((D["i"] > 0) & (D["x"].astype("Float64") > 0)))
case("or", P.select((c("i") > 0) | (c("x") > 0)), ((D["i"] > 0) | (D["x"].astype("Float64") > 0)))
case("not", P.select(~c("b")), ~D["b"])

columns = ["k", "g", "row", "other", "y"]
for keys in (["k"], ["g"], ["k", "g"]):
    left, right = P.select(["k", "g", "row"]), Q.select(keys + ["other", "y"])
    l, r = left.to_pandas(), right.to_pandas()
    for how in ("inner", "left", "right", "full"):
        joined = left.join(right, on=keys, how=how, coalesce=True, maintain_order="left_right")
        result = l.merge(r, on=keys, how="outer" if how == "full" else how) if how in ("inner", "left") else None
        case(f"join {how} {'+'.join(keys)}", joined.select([n for n in columns if n in joined.columns]))
        if result is not None:
            case(f"join nulls equal {how} {'+'.join(keys)}", left.join(right, on=keys, how=how, nulls_equal=True, maintain_order="left_right").select(columns), result[columns])
    case(f"join semi {'+'.join(keys)}", left.join(right, on=keys, how="semi", maintain_order="left").select("row"))
    case(f"join anti {'+'.join(keys)}", left.join(right, on=keys, how="anti", maintain_order="left").select("row"))
quiet, later = P.select("row", "u", "k").drop_nulls(), Q.select("u", "k", "other").drop_nulls()
for strategy in ("backward", "forward"):
    direction = dict(direction=strategy)
    case(f"asof {strategy}", quiet.join_asof(later.drop("k"), on="u", strategy=strategy).select("row", "other"),
         pd.merge_asof(quiet.to_pandas(), later.drop("k").to_pandas(), on="u", **direction)[["row", "other"]])
    case(f"asof by {strategy}", quiet.join_asof(later, on="u", by="k", strategy=strategy).select("row", "other"),
         pd.merge_asof(quiet.to_pandas(), later.to_pandas(), on="u", by="k", **direction)[["row", "other"]])
    case(f"asof tolerance {strategy}", quiet.join_asof(later, on="u", by="k", strategy=strategy, tolerance="30h").select("row", "other"),
         pd.merge_asof(quiet.to_pandas(), later.to_pandas(), on="u", by="k", tolerance=pd.Timedelta(hours=30), **direction)[["row", "other"]])

for name, on in (("s", "b"), ("k", "g")):
    for aggregate in ("sum", "mean", "min", "max", "median", "len", "first", "last"):
        pivoted = P.pivot(on, index=name, values="x", aggregate_function=aggregate)
        if aggregate == "sum":  # polars has 0 where no pair occurs
            continue
        if aggregate == "len":
            pivoted = pivoted.select(name, *[c(n).replace(0, None) for n in pivoted.columns[1:]])
        case(f"pivot {name} {on} {aggregate}", pivoted)
case("melt", P.unpivot(["i", "x"], index=["row", "k"]), D.melt(["row", "k"], ["i", "x"]))
case("join cross", P.select("row").join(Q.select("other"), how="cross"), D[["row"]].merge(E[["other"]], how="cross"))
edges = [-50.0, -12.5, 0.0, 7.0, 60.0]
number = lambda frame: frame.to_frame().astype("float64")
for column in ("i", "x"):
    values = D[column].astype("float64").where(lambda v: v.between(-50, 60))
    for side in ("right", "left"):
        # the codes of the bins; pandas leaves the outermost edge at the open side out, so it is moved
        moved = ([-50.001] + edges[1:]) if side == "right" else (edges[:-1] + [60.001])
        codes = c(column).filter(c(column).is_null() | c(column).is_between(-50, 60)).cut(edges[1:-1], labels=list("0123"), left_closed=side == "left")
        case(f"cut {side} {column}", P.select(codes.cast(pl.String).cast(pl.Int64)),
             pd.DataFrame(pd.cut(values[D[column].isna() | values.notna()], moved, labels=False, right=side == "right")))
    case(f"cut equal {column}", None, pd.DataFrame(pd.cut(D[column].astype("float64"), 5, labels=False)))
    case(f"cut quantiles {column}", None, pd.DataFrame(pd.qcut(D[column].astype("float64"), [0, 0.1, 0.5, 0.75, 1], labels=False)))
case("concat", pl.concat([P.select("row", "i"), P.select("i", "row")], how="diagonal"), pd.concat([D[["row", "i"]], D[["i", "row"]]]))
case("concat fill", pl.concat([P.select("row", "i"), P.select("row", "x")], how="diagonal"), pd.concat([D[["row", "i"]], D[["row", "x"]]]))
case("coalesce", P.select(pl.coalesce("i", "g", "row")), D["i"].combine_first(D["g"]).combine_first(D["row"].astype("Int64")))

for name, every, rule in (("15 minutes", "15m", "15min"), ("6 hours", "6h", "6h"), ("day", "1d", "D"), ("week", "1w", None), ("month", "1mo", "MS"), ("quarter", "1q", "QS")):
    day = P.select("u", "x", "i").with_columns(c("u") + pl.duration(minutes=7))
    frame = day.to_pandas().set_index("u").assign(i=lambda f: f["i"].astype("Int64"))
    grouped = day.sort("u").group_by_dynamic("u", every=every).agg(pl.len(), c("x").sum(), c("i").max().alias("m"))
    whole = grouped.upsample("u", every=every).with_columns(c("len").fill_null(0), c("x").fill_null(0.0))
    result = None
    if rule is not None:
        result = frame.resample(rule).agg(len=("x", "size"), x=("x", "sum"), m=("i", "max")).reset_index()
    case(f"resample {name}", whole, result)

for zone in ("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York"):
    local = c("t").dt.convert_time_zone(zone)
    for unit, every in {"hour": "1h", "day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}.items():
        case(f"truncate {unit} {zone}", P.select(local.dt.truncate(every)))
    for part in ("year", "month", "day", "hour", "weekday", "ordinal_day", "week"):
        case(f"{part} {zone}", P.select(getattr(local.dt, part)()))
sparse = P.select("t", "i").drop_nulls().with_columns(c("t").dt.truncate("1w")).group_by("t").agg(c("i").sum()).sort("t")
case("upsample week", sparse.upsample("t", every="1w"))
case("upper", P.select(c("k").str.to_uppercase().filter(~c("k").str.contains("ß"))))  # ß has its own rule
case("lower", P.select(c("k").str.to_lowercase()), D["k"].str.lower())
case("length", P.select(c("k").str.len_chars()), D["k"].str.len())
case("bytes", P.select(c("k").str.len_bytes()))
case("strip", P.select(c("k").str.strip_chars()), D["k"].str.strip())
case("contains", P.select(c("k").str.contains("é")))  # a missing text contains nothing in pandas
case("replace", P.select(c("k").str.replace_all("e", "E")), D["k"].str.replace("e", "E"))
case("absolute", P.select(c("x").abs()), D["x"].abs())
case("square root", P.select(c("x").abs().sqrt()))
case("computed", P.select(c("x") * c("i") + 1), (D["x"].astype("Float64") * D["i"] + 1))

text = lambda t: "" if t is None else t.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(t, datetime.datetime) else "true" if t is True else "false" if t is False else "NaN" if isinstance(t, float) and math.isnan(t) else str(t)
for name, records in (("rows.csv", rows), ("others.csv", others)):
    with open(name, "w", newline="") as f:
        for record in [list(records[0])] + [[text(v) for v in r.values()] for r in records]:
            f.write(",".join(record) + "\n")
with open("expected.json", "w") as f:
    versions = {"python": platform.python_version(), "pandas": pd.__version__, "polars": pl.__version__, "seed": SEED}
    f.write('{"versions": ' + json.dumps(versions) + ',\n"cases": [\n')
    f.write(",\n".join(json.dumps(made, ensure_ascii=False, separators=(",", ":")) for made in cases) + "\n]}\n")
print(len(cases), "cases,", sum("polars" in m for m in cases), "of polars,", sum("pandas" in m for m in cases), "of pandas,", sum("both" in m for m in cases), "of both")
