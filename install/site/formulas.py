"""Formulas as MathML, so that the pages need neither scripts nor other servers."""

import html
import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

log = logging.getLogger(__name__)
NAME = re.compile(r"(<mi>(?:log|ln|exp|sin|cos|tan|tanh|max|min|det|arg)</mi>)(?!<mo|<mspace|</)")


def mathml(node, display):
    """Return a formula as MathML; one that cannot be read is reported and shown as it is written."""
    text = node.astext().strip()
    for environment in ("aligned", "align*", "align", "split"):
        text = text.replace(f"\\begin{{{environment}}}", "\\begin{aligned}").replace(f"\\end{{{environment}}}", "\\end{aligned}")
    try:
        # Browsers put no space between the name of a function and its argument.
        return NAME.sub(r'\1<mspace width="0.17em"/>', convert(text, display="block" if display else "inline"))
    except Exception as error:  # the converter has no class of its own for what it cannot read
        log.warning("formula %r: %r", text, error, location=node)
        return f"<code>{html.escape(text)}</code>"


def inline(translator, node):
    translator.body.append(f'<span class="math">{mathml(node, False)}</span>')
    raise nodes.SkipNode


def block(translator, node):
    translator.body.append(f'<div class="math">{mathml(node, True)}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
