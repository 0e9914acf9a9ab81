"""The Jupyter kernel for Go, as a program in this Python environment."""

import os
import sysconfig

__version__ = "@VERSION@"


def find_program():
    """Return the path of the program gosphere that was installed with this package."""
    name = "gosphere.exe" if os.name == "nt" else "gosphere"
    schemes = [None] if not hasattr(sysconfig, "get_preferred_scheme") else [None, sysconfig.get_preferred_scheme("user")]
    tried = [os.path.join(sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts"), name) for scheme in schemes]
    for path in tried:
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"the program gosphere is neither of {', '.join(tried)}")
