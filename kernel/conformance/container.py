"""Follows the Dockerfile line by line in a folder with a fresh Debian, where no container can be built.

    sudo python3 kernel/conformance/container.py dist DEBIAN

dist is a release made for this platform: the result of the first stage, whose RUN is the command that made it. DEBIAN is a folder
that stands for the image of the second stage, such as debootstrap makes (see newcomer.py). Each instruction of that stage is
executed in it by chroot, with the variables and the user of the lines before. Then the command of CMD is started, the health
check must pass, and a notebook must run. Ends with an error at the first instruction that fails or that it does not know.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def instructions():
    """Return the instructions of the second stage as pairs of a name and a text."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.M).replace("\\\n", " ")
    lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
    second = [i for i, (name, _) in enumerate(lines) if name == "FROM"][1]
    return [(name, " ".join(rest.split())) for name, rest in lines[second:]]


class Image:
    """The state of a build: a root folder, variables, a user and a working directory."""

    def __init__(self, root, dist):
        self.root, self.dist = root, dist
        self.variables = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "PIP_CERT": "/etc/ssl/certs/ca-certificates.crt"}
        self.arguments, self.user, self.folder, self.health, self.command = {}, "0", "/", None, None

    def expand(self, text):
        """Replace variables, as Docker does before it executes an instruction other than RUN."""
        return re.sub(r"\$\{?(\w+)\}?", lambda m: {**self.arguments, **self.variables}[m[1]], text)

    def argv(self, command):
        """Return the command line that runs a list of arguments in the image."""
        named = [f"{key}={value}" for key, value in {**self.arguments, **self.variables}.items()]
        inside = f"cd {shlex.quote(self.folder)} && exec \"$@\""
        return ["chroot", f"--userspec={self.user}:{self.user}", str(self.root), "env", "-i", *named, "sh", "-c", inside, "sh", *command]

    def place(self, path):
        """Return the folder on this machine that has a path of the image."""
        return self.root / path.lstrip("/")

    def execute(self, name, text):
        """Execute one instruction."""
        if name == "RUN":
            mount = re.match(r"--mount=type=bind,from=build,source=/dist,target=(\S+) ", text)
            if mount:
                shutil.copytree(self.dist, self.place(mount[1]))
                text = text[mount.end():]
            try:
                subprocess.run(self.argv(["sh", "-c", text]), check=True)
            finally:
                if mount:
                    shutil.rmtree(self.place(mount[1]))
        elif name == "ARG":
            key, _, value = text.partition("=")
            self.arguments[key] = value
        elif name == "ENV":
            self.variables.update(self.expand(pair).split("=", 1) for pair in shlex.split(text))
        elif name == "COPY":
            owner, source, target = re.fullmatch(r"--chown=(\S+) (\S+) (\S+)", self.expand(text)).groups()
            subprocess.run(["cp", "-r", ROOT / source, self.place(target)], check=True)
            subprocess.run(["chown", "-R", owner, self.place(target)], check=True)
        elif name == "USER":
            self.user = self.expand(text)
        elif name == "WORKDIR":
            self.folder = self.expand(text)
            self.place(self.folder).mkdir(parents=True, exist_ok=True)
        elif name == "HEALTHCHECK":
            self.health = json.loads(text[text.index("CMD ") + 4:])
        elif name == "CMD":
            self.command = json.loads(text)
        elif name not in ("FROM", "EXPOSE"):
            raise SystemExit(f"unknown instruction {name}")


def try_out(image):
    """Start the image's command, wait until it is healthy, and run a notebook as its user."""
    server = subprocess.Popen(image.argv(image.command), stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while subprocess.run(image.argv(image.health), stderr=subprocess.DEVNULL).returncode:
            assert server.poll() is None and time.monotonic() < end, "the server is not healthy"
            time.sleep(1)
        user = subprocess.run(image.argv(["id", "-u"]), stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        assert user == image.user and user != "0", f"the user is {user}"
        found = subprocess.run(image.argv(["jupyter", "kernelspec", "list"]), stdout=subprocess.PIPE, text=True, check=True).stdout
        assert "gosphere" in found, found
        subprocess.run(image.argv(["gosphere", "run", "notebooks/teaching/10-go.ipynb", "-o", "result.ipynb"]), check=True)
    finally:
        server.terminate()
        server.wait(30)


def main():
    """Follow the Dockerfile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=pathlib.Path)
    parser.add_argument("debian", type=pathlib.Path)
    options = parser.parse_args()
    certificates = "etc/ssl/certs/ca-certificates.crt"
    shutil.copyfile(pathlib.Path("/") / certificates, options.debian / certificates)
    subprocess.run(["mkdir", "-p", options.debian / "dev"], check=True)
    null = options.debian / "dev/null"
    if not null.exists():
        os.mknod(null, 0o666 | 0o020000, os.makedev(1, 3))
    image = Image(options.debian.resolve(), options.dist.resolve())
    for name, text in instructions():
        print(f"{name} {text}", flush=True)
        image.execute(name, text)
    try_out(image)
    print("the image is healthy and runs a notebook as its user")


if __name__ == "__main__":
    main()
