"""Runs the own tests of published modules by gosphere and by the go command, and writes what differs.

    python3 kernel/conformance/moduletests.py GOSPHERE [-o runtime/internal/testdata/moduletests.md] [MODULE...]
    python3 kernel/conformance/moduletests.py GOSPHERE --std [-o runtime/internal/testdata/standardtests.md] [PACKAGE...]

Each module is copied from the module cache to a folder of its own. There `go test -short -v` runs with the tags that
gosphere reads packages with, and then `%test -short -v`. What passes compiled must pass. It needs the go command and
a module proxy, and takes about half an hour for all. With --std, copies of packages of the standard library take the place of
modules, together with the internal packages that they import. Their source runs then, and not the compiled package.
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile

# Import paths with versions, the package behind the module after a blank.
MODULES = """
github.com/google/uuid@v1.6.0
github.com/pkg/errors@v0.9.1
github.com/gorilla/mux@v1.8.1
github.com/fatih/color@v1.18.0
github.com/go-chi/chi/v5@v5.2.1
github.com/montanaflynn/stats@v0.7.1
github.com/emirpasic/gods@v1.18.1 maps/treemap
github.com/emirpasic/gods@v1.18.1 lists/arraylist
github.com/mitchellh/mapstructure@v1.5.0
github.com/dustin/go-humanize@v1.0.1
golang.org/x/exp@v0.0.0-20250305212735-054e65f0b394 maps
golang.org/x/sync@v0.12.0 errgroup
golang.org/x/time@v0.11.0 rate
github.com/jinzhu/copier@v0.4.0
github.com/davecgh/go-spew@v1.1.1 spew
github.com/julienschmidt/httprouter@v1.3.0
github.com/hashicorp/go-multierror@v1.1.1
github.com/cenkalti/backoff/v4@v4.3.0
github.com/guptarohit/asciigraph@v0.7.3
github.com/agnivade/levenshtein@v1.2.1
github.com/araddon/dateparse@v0.0.0-20210429162001-6b43995a97de
github.com/Masterminds/semver/v3@v3.3.1
github.com/cespare/xxhash/v2@v2.3.0
github.com/patrickmn/go-cache@v2.1.0+incompatible
github.com/gobwas/glob@v0.2.3
github.com/robfig/cron/v3@v3.0.1
go.uber.org/multierr@v1.11.0
github.com/spf13/pflag@v1.0.6
github.com/spf13/cobra@v1.9.1
github.com/spf13/cast@v1.7.1
github.com/shopspring/decimal@v1.4.0
github.com/tidwall/gjson@v1.18.0
github.com/google/btree@v1.1.3
github.com/hashicorp/golang-lru/v2@v2.0.7
github.com/bits-and-blooms/bitset@v1.22.0
github.com/deckarep/golang-set/v2@v2.8.0
github.com/antchfx/xpath@v1.3.3
github.com/BurntSushi/toml@v1.5.0
gopkg.in/yaml.v3@v3.0.1
github.com/yuin/goldmark@v1.7.8
github.com/sirupsen/logrus@v1.9.3
github.com/stretchr/testify@v1.10.0 assert
""".strip().splitlines()

# Packages of the standard library.
STANDARD = """
compress/bzip2 compress/flate compress/gzip compress/lzw compress/zlib container/heap container/list container/ring
debug/macho debug/pe debug/plan9obj encoding/ascii85 encoding/asn1 encoding/base32 encoding/csv encoding/gob encoding/hex
encoding/json encoding/json/jsontext encoding/json/v2 encoding/pem encoding/xml go/ast go/build/constraint go/constant go/doc/comment go/format go/printer go/version
hash/adler32 hash/crc64 hash/fnv html image image/color image/gif image/png index/suffixarray math/cmplx mime
mime/quotedprintable net/mail net/textproto regexp regexp/syntax testing/fstest testing/iotest testing/quick text/scanner
text/tabwriter text/template text/template/parse unicode unicode/utf8 uuid
""".split()

# Why tests of a module fail.
REASONS = {
    "encoding/json/jsontext": "counts allocations",
    "mime": "counts allocations",
    "net/textproto": "counts allocations",
    "unicode/utf8": "counts allocations",
    "github.com/Masterminds/semver": "compares functions by the names of their program counters",
    "github.com/sirupsen/logrus": "wants the path of the file in the file system, which -trimpath also omits",
    "github.com/cespare/xxhash": "counts allocations, and gosphere's own count too",
    "github.com/stretchr/testify": "want panic(nil) as before Go 1.21, which their go.mod asks for",
}

RESULT = re.compile(r"^(\s*)--- (PASS|FAIL|SKIP): (\S+)", re.M)


def results(text):
    # Addresses and times in the names of subtests differ from run to run.
    return {re.sub(r"0x[0-9a-f]+|time\.Date\([^()]*\)", "…", match[3]): match[2] for match in RESULT.finditer(text)}


def run(command, folder, limit, **more):
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True, stdin=subprocess.PIPE if "input" in more else subprocess.DEVNULL,
                               env=dict(os.environ, CGO_ENABLED="0", **more.get("environment", {})))
    try:
        return process.communicate(more.get("input"), timeout=limit)[0], ""
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return process.communicate()[0], f"more than {limit} s"


def copy_standard(package, temporary):
    """Copies a package of the standard library as a module.

    The internal packages that it imports are copied too, and so is everything else of the folder below which they are internal."""
    root = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip() + "/src/"
    folder = tempfile.mkdtemp(dir=temporary)
    with open(os.path.join(folder, "go.mod"), "w") as file:
        file.write("module std.test\n\ngo 1.27\n")
    # A package that is internal below encoding/json has one copy for all packages there.
    trees = [re.escape(tree) for tree in ("encoding/json",) if package == tree or package.startswith(tree + "/")]
    missing, copied = [package], {package}
    while missing:
        path = missing.pop()
        to = os.path.join(folder, path)
        os.makedirs(to, exist_ok=True)
        for data in ("testdata", "_embed"):
            if os.path.isdir(f"{root}{path}/{data}"):
                shutil.copytree(f"{root}{path}/{data}", f"{to}/{data}", dirs_exist_ok=True)
        for name in os.listdir(root + path):
            if not os.path.isfile(os.path.join(root, path, name)) or path != package and name.endswith("_test.go"):
                continue
            with open(os.path.join(root, path, name), errors="surrogateescape") as file:
                text = file.read()
            internal = set(re.findall(r'"((?:[a-z0-9/]+/)?internal/[a-z0-9/]+)"', text)) if name.endswith(".go") else set()
            if trees:
                internal |= set(re.findall(rf'"((?:{"|".join(trees)})(?:/[a-z0-9/]+)?)"', text)) if name.endswith(".go") else set()
            for imported in internal:
                text = text.replace(f'"{imported}"', f'"std.test/{imported}"')
            with open(os.path.join(to, name), "w", errors="surrogateescape") as file:
                file.write(text)
            missing.extend(internal - copied)
            copied |= internal
    return folder


def copy_module(module, temporary):
    """Copies a module and returns its folder, or None and the reason that there is none."""
    found = json.loads(subprocess.run(["go", "mod", "download", "-json", module], cwd=temporary, capture_output=True, text=True).stdout)
    if "Dir" not in found:
        return None, found.get("Error", "cannot be downloaded")
    folder = tempfile.mkdtemp(dir=temporary)
    subprocess.run(["cp", "-r", found["Dir"] + "/.", folder], check=True)
    subprocess.run(["chmod", "-R", "u+w", folder], check=True)
    if not os.path.exists(os.path.join(folder, "go.mod")):
        path = module.split("@")[0]
        subprocess.run(["go", "mod", "init", path], cwd=folder, capture_output=True)
    subprocess.run(["go", "mod", "tidy"], cwd=folder, capture_output=True)
    return folder, ""


def compare(entry, gosphere, limit, temporary):
    module, _, package = entry.partition(" ")
    folder, refused = copy_module(module, temporary) if "@" in module else (copy_standard(module, temporary), "")
    if not folder:
        return {"name": entry, "refused": refused}
    inside = os.path.join(folder, package if "@" in module else module)
    compiled, late = run(["go", "test", "-tags", "purego,noasm,appengine", "-vet=off", "-count=1", "-short", "-v", "."], inside, limit)
    want = {name for name, result in results(compiled).items() if result == "PASS"}
    cells, slow = run([gosphere, "run", "-"], inside, limit, input="%test -short -v .\n")
    got = results(cells)
    shutil.rmtree(folder, ignore_errors=True)
    missing = sorted(name for name in want if got.get(name) != "PASS")
    refused = late or slow
    if not got and want:
        lines = [line for line in cells.strip().splitlines() if line.strip()]
        refused = refused or (lines[-1] if lines else "no output")
    crash = "fatal error:" in cells or "SIGSEGV" in cells and "goroutine 1 " in cells
    return {"name": entry, "want": len(want), "passed": len(want) - len(missing), "missing": missing, "refused": refused, "crash": crash, "text": cells}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gosphere")
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--std", action="store_true", help="packages of the standard library in place of modules")
    parser.add_argument("-o", "--output")
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--keep", help="a folder for the outputs of gosphere")
    options = parser.parse_args()
    gosphere = os.path.abspath(options.gosphere)
    chosen = [entry for entry in (STANDARD if options.std else MODULES) if not options.modules or any(word in entry for word in options.modules)]
    rows, total, passed, crashes = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        for entry in chosen:
            row = compare(entry, gosphere, options.limit, temporary)
            rows.append(row)
            if options.keep and "text" in row:
                with open(os.path.join(options.keep, re.sub(r"\W+", "_", entry) + ".txt"), "w") as file:
                    file.write(row["text"])
            total += row.get("want", 0)
            passed += row.get("passed", 0)
            crashes += row.get("crash", False)
            print(f"{row['name']}: {row.get('passed', 0)} of {row.get('want', 0)} {row['refused']} {' '.join(row.get('missing', [])[:6])}", flush=True)
    share = 1000 * passed // total / 10 if total else 0  # rounded down, so that 100 % means all
    print(f"{passed} of {total} tests that pass compiled pass ({share:.1f} %), {crashes} crashes")
    if options.output:
        with open(options.output, "w") as file:
            file.write(f"<!-- Made by kernel/conformance/moduletests.py. -->\n\n# The own tests of {'packages of the standard library' if options.std else 'modules'}\n\n")
            file.write(f"{passed} of {total} tests and subtests of {len(rows)} packages that pass compiled pass by `%test` ({share:.1f} %).\n\n")
            file.write("| package | pass compiled | pass in gosphere | others |\n|---|---|---|---|\n")
            for row in rows:
                others = row["refused"] or ", ".join(row.get("missing", [])[:8]) + (" …" if len(row.get("missing", [])) > 8 else "")
                reason = next((text for path, text in REASONS.items() if row["name"].startswith(path)), "")
                if reason and others:
                    others += ": " + reason
                file.write(f"| {row['name']} | {row.get('want', 0)} | {row.get('passed', 0)} | {others.replace('|', chr(92) + '|')} |\n")
    return 0 if share >= 98 and not crashes else 1


if __name__ == "__main__":
    sys.exit(main())
