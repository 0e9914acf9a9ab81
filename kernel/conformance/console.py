"""Drives a program in a pseudo-terminal: types lines and waits for texts."""
import os
import pty
import re
import select
import subprocess
import time

LIMIT = 120  # seconds for one text, on a busy machine


class Console:
    """A program whose terminal this is."""

    def __init__(self, command):
        self.command, self.text, self.read_to = command, "", 0

    def __enter__(self):
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "dumb", "COLUMNS": "200", "PAGER": "cat"}
        self.process = subprocess.Popen(self.command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True)
        os.close(theirs)
        self.terminal = ours
        return self

    def __exit__(self, *_):
        # The kernel ends with its launcher.
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.terminal)

    def type(self, line):
        os.write(self.terminal, (line + "\n").encode())

    def more(self, until):
        """Reads what the program has written meanwhile; False when it has closed the terminal."""
        ready, _, _ = select.select([self.terminal], [], [], max(0, until - time.monotonic()))
        if not ready:
            return True
        try:
            data = os.read(self.terminal, 1 << 16)
        except OSError:  # what Linux says when nobody has the terminal open any more
            return False
        self.text += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode(errors="replace"))
        return bool(data)

    def expect(self, *texts):
        """Waits for texts, one behind the other."""
        until = time.monotonic() + LIMIT
        for text in texts:
            while (at := self.text.find(text, self.read_to)) < 0:
                assert time.monotonic() < until and self.more(until), f"no {text!r} behind {self.text[self.read_to:]!r}"
            self.read_to = at + len(text)
