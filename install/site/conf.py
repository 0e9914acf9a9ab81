"""Settings of Sphinx for the documentation site; build.py prepares the pages."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

project = "gosphere"
author = "The authors of gosphere"
project_copyright = "the authors of gosphere, Apache License 2.0"
extensions = ["myst_nb", "formulas"]
html_theme = "furo"
html_title = "gosphere"
html_static_path = []
html_css_files = ["site.css"]

html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_extra_path = []
html_theme_options = {"sidebar_hide_name": False, "navigation_with_keys": True}
templates_path = []
exclude_patterns = ["extra"]
highlight_language = "text"
pygments_style, pygments_dark_style = "friendly", "github-dark"

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 4
# Notebooks are shown as they are stored: make notebooks runs them.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_render_markdown_format = "myst"
nb_merge_streams = True
nb_mime_priority_overrides = [
    ("html", "application/vnd.jupyter.widget-view+json", None),
    ("html", "application/vnd.vegalite.v5+json", None),
]
suppress_warnings = ["mystnb.unknown_mime_type", "myst.xref_missing", "myst.header", "misc.highlighting_failure", "toc.not_included",
                     "mystnb.mime_priority"]
