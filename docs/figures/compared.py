"""Runs the Python code of figures-compared.md, writes its pictures, and writes the table with versions and code lengths.

Run it in this folder after: pip install altair vl-convert-python plotnine scikit-misc pillow
"""
import ast
import importlib.metadata
import io
import re
import statistics
import warnings

import altair as alt
import numpy as np
import pandas as pd
import plotnine
from PIL import Image
from plotnine import *  # as plotnine's own documentation writes it

warnings.simplefilter("ignore")
PAGE = "../figures-compared.md"
WIDTH, HEIGHT = 400, 250


def save(picture, name):
    """Writes a small picture with at most 160 colors."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    image.quantize(160, dither=Image.Dither.NONE).save(name, optimize=True)


def value(code, names):
    """Runs statements and returns the value of the last expression."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, "page", "exec"), names)
    return eval(compile(last, "page", "eval"), names)


def length(code):
    """Counts the characters other than blanks at the ends of lines."""
    return sum(len(line.strip()) for line in code.splitlines())


text = open(PAGE).read()
counts = {"gosphere": [], "Altair": [], "plotnine": []}
for section in re.split(r"(?m)^## ", text)[1:]:
    number = section.split(".")[0].zfill(2)
    blocks = dict(re.findall(r"```(go|python altair|python plotnine)\n(.*?)\n```", section, re.S))
    for name, kind in (("gosphere", "go"), ("Altair", "python altair"), ("plotnine", "python plotnine")):
        counts[name].append(length(blocks[kind]))
    names = {"alt": alt, "np": np, "pd": pd, "t": pd.read_csv("trips.csv", parse_dates=["time"])}
    buffer = io.BytesIO()
    value(blocks["python altair"], dict(names)).save(buffer, format="png", scale_factor=2)
    save(buffer.getvalue(), number + "-altair.png")
    names.update({name: getattr(plotnine, name) for name in plotnine.__all__})
    buffer = io.BytesIO()
    value(blocks["python plotnine"], names).save(buffer, format="png", width=6.4, height=4, dpi=125, verbose=False)
    save(buffer.getvalue(), number + "-plotnine.png")

rows = ["| | gosphere | Altair " + importlib.metadata.version("altair") + " | plotnine " + importlib.metadata.version("plotnine") + " |", "|---|---|---|---|"]
for title, of in (("characters of all twenty", sum), ("median", lambda list: round(statistics.median(list))), ("longest", max)):
    rows.append("| " + title + " | " + " | ".join(f"{of(list):,}" for list in counts.values()) + " |")
shortest = [min(counts, key=lambda name: counts[name][k]) for k in range(len(counts["Altair"]))]
rows.append("| figures with the shortest code | " + " | ".join(str(shortest.count(name)) for name in counts) + " |")
text = re.sub(r"TABLE\n|(?m:^\|.*\n)+(?=\n## 1\.)", "\n".join(rows) + "\n", text, count=1)
open(PAGE, "w").write(text)
print("\n".join(rows))
