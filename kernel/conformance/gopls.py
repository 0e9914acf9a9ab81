#!/usr/bin/env python3
"""Compares completion and inspection with gopls on 200 cursor positions in real programs.

    gopls.py --gopls PATH [--positions 200] [--seed 1] [--server PATH]

The programs are the files of examples in Go's own library. At each position an identifier
is cut to its first letters; both must offer it again, and both must know what the whole one
is. What gopls has and the kernel has not is a miss and is printed. With --server, the language
server of gosphere at PATH is compared in place of the kernel, and definitions and the
references in the file as well.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import tempfile

KEYWORDS = set("break case chan const continue default defer else fallthrough for func go goto if import interface map package "
               "range return select struct switch type var".split())
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.|[^\'\\])+\'', re.S)


def programs():
    root = pathlib.Path(subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip())
    for file in sorted(root.glob("src/*/example*_test.go")) + sorted(root.glob("src/*/*/example*_test.go")):
        text = file.read_text()
        if "internal" not in str(file) and "\n//go:build" not in text:
            yield str(file.relative_to(root)), re.sub(r"(?m)^package \w+$", "package main", text, count=1)


def positions(count, seed):
    """Places (name, text, start, end) of identifiers with three letters or more behind the imports."""
    all_places = []
    for name, text in programs():
        masked = SKIPPED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        body = masked.find("\nfunc ")
        for m in re.finditer(r"[A-Za-z_]\w{2,}", masked):
            if m.start() > body and m.group() not in KEYWORDS and not masked[:m.start()].endswith("func "):
                all_places.append((name, text, m.start(), m.end()))
    return random.Random(seed).sample(all_places, min(count, len(all_places)))


class Server:
    """A language server on its standard streams."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder)
        self.count, self.version = 0, 1
        self.uri = (folder / "main.go").as_uri()
        self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self.tell("initialized", {})
        self.tell("textDocument/didOpen", {"textDocument": {"uri": self.uri, "languageId": "go", "version": 1, "text": "package main\n"}})

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while True:
            length = 0
            while (line := self.process.stdout.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.process.stdout.read(length))
            if "method" in message and "id" in message:
                empty = [None] * len(message["params"]["items"]) if message["method"] == "workspace/configuration" else None
                self.send({"id": message["id"], "result": empty})
            elif message.get("id") == self.count:
                return message.get("result")

    def at(self, text, offset):
        self.version += 1
        self.tell("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": [{"text": text}]})
        line = text.count("\n", 0, offset)
        column = len(text[text.rfind("\n", 0, offset) + 1:offset].encode("utf-16-le")) // 2
        return {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": column}}

    def complete(self, text, offset):
        items = (self.ask("textDocument/completion", self.at(text, offset)) or {}).get("items", [])
        return [re.match(r"\w*", item["label"]).group() for item in items]

    def inspect(self, text, offset):
        return bool(self.ask("textDocument/hover", self.at(text, offset)))

    def refer(self, text, offset):
        """The places of all references in the file."""
        params = self.at(text, offset) | {"context": {"includeDeclaration": True}}
        found = self.ask("textDocument/references", params) or []
        return sorted((one["range"]["start"]["line"], one["range"]["start"]["character"]) for one in found if one["uri"].endswith("/main.go"))

    def define(self, text, offset):
        """The file and line of the definition, or of the first one."""
        found = self.ask("textDocument/definition", self.at(text, offset)) or []
        return [(pathlib.PurePosixPath(one["uri"]).name, one["range"]["start"]["line"]) for one in found][:1]


class Kernel:
    """The kernel through jupyter_client."""

    def __init__(self):
        from jupyter_client.manager import start_new_kernel
        self.manager, self.client = start_new_kernel(kernel_name="gosphere")

    def complete(self, text, offset):
        content = self.client.complete(text, offset, reply=True, timeout=120)["content"]
        return content["matches"]

    def inspect(self, text, offset):
        return self.client.inspect(text, offset, reply=True, timeout=120)["content"]["found"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--gopls", required=True)
    options.add_argument("--positions", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--server", help="gosphere, whose language server is compared in place of the kernel")
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "go.mod").write_text("module example\n\ngo 1.27\n")
        (folder / "main.go").write_text("package main\n")
        gopls = Server([args.gopls, "serve"], folder)
        if args.server:
            own = Server([args.server, "lsp"], folder)
        else:
            own = Kernel()
        try:
            places = positions(args.positions, args.seed)
            compare(gopls, own, places)
            if args.server:
                compare_definitions(gopls, own, places)
                compare_references(gopls, own, places)
        finally:
            if args.server:
                own.process.terminate()
            else:
                own.manager.shutdown_kernel(now=True)
            gopls.process.terminate()


def compare_definitions(gopls, own, places):
    same, known = 0, 0
    for name, text, start, end in places:
        theirs = gopls.define(text, start + 1)
        known += bool(theirs)
        ours = own.define(text, start + 1)
        same += bool(theirs) and theirs == ours
        if theirs and theirs != ours:
            line = text[text.rfind("\n", 0, start) + 1:].split("\n")[0].strip()
            print(f"miss: definition of {text[start:end]} in {name}: {line}: {theirs} and {ours}")
    print(f"definition: gopls {known}, the same in gosphere {same} of {len(places)}")


def compare_references(gopls, own, places):
    same, known = 0, 0
    for name, text, start, end in places:
        theirs = gopls.refer(text, start + 1)
        known += bool(theirs)
        ours = own.refer(text, start + 1)
        same += bool(theirs) and theirs == ours
        if theirs and theirs != ours:
            line = text[text.rfind("\n", 0, start) + 1:].split("\n")[0].strip()
            print(f"miss: references of {text[start:end]} in {name}: {line}: {theirs} and {ours}")
    print(f"references: gopls {known}, the same in gosphere {same} of {len(places)}")


def compare(gopls, kernel, places):
    counts = {"complete": [0, 0], "complete, first of the list": [0, 0], "inspect": [0, 0]}
    for name, text, start, end in places:
        word = text[start:end]
        keep = max(1, min(3, len(word) - 1))
        cut, cursor = text[:start + keep] + text[end:], start + keep
        theirs, ours = gopls.complete(cut, cursor), kernel.complete(cut, cursor)
        line = text[text.rfind("\n", 0, start) + 1:].split("\n")[0].strip()
        for side, found in ((0, theirs), (1, ours)):
            counts["complete"][side] += word in found
            counts["complete, first of the list"][side] += found[:1] == [word]
        if word in theirs and word not in ours:
            print(f"miss: complete {word[:keep]}| for {word} in {name}: {line}")
        known = gopls.inspect(text, start + 1), kernel.inspect(text, start + 1)
        for side in (0, 1):
            counts["inspect"][side] += known[side]
        if known[0] and not known[1]:
            print(f"miss: inspect {word} in {name}: {line}")
    for what, (theirs, ours) in counts.items():
        print(f"{what}: gopls {theirs}, gosphere {ours} of {len(places)}")


if __name__ == "__main__":
    main()
