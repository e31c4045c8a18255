#!/usr/bin/env python3
"""Checks who includes whom: include <- schema <- txn <- drivers <- src, and config for src alone.

check_includes.py ROOT        checks the source tree at ROOT
check_includes.py --self-test breaks every rule once in a made-up tree and fails unless each break is found
"""
import pathlib
import re
import sys
import tempfile

# Folder -> the folders of ours it may include. The longest matching folder counts.
LAYERS = {
    "include": ["include"],
    "schema": ["include", "schema"],
    "txn": ["include", "schema", "txn"],
    "drivers": ["include", "schema", "txn", "drivers"],
    "drivers/postgresql": ["include", "schema", "txn", "drivers/postgresql"],
    "drivers/sqlite": ["include", "schema", "txn", "drivers/sqlite"],
    "config": ["include", "schema", "config"],
    "src": ["include", "schema", "txn", "drivers", "config", "src"],
    "examples": ["include"],  # what an embedding program gets from an install
}

VERSIONS = "src/cli/library_versions.cpp"  # tells what the program is linked with, and uses nothing else of it

# Header of somebody else -> the only folders that may include it.
FOREIGN = {
    r"spdlog/": ["src"],
    r"CLI/": ["src"],
    r"libpq|pqxx|pg_config": ["drivers/postgresql", VERSIONS],
    r"sqlite3": ["drivers/sqlite", "txn/log", VERSIONS],
    r"yaml-cpp/": ["config"],
    r"csv\.h$|zlib\.h$": ["src/sources", VERSIONS],
}
GENERATED = {"build_versions.hpp"}  # by the build, beside the file that includes it

STANDARD = set("""
algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable coroutine
deque exception execution filesystem format forward_list fstream functional future initializer_list iomanip ios iosfwd
iostream istream iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional ostream
queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept
stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector version cassert cctype cerrno cfenv cfloat cinttypes climits
clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype
""".split())

SUFFIXES = {".hpp", ".cpp", ".h", ".cc", ".hxx", ".cxx", ".ipp", ".c"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def within(path, folder):
    return path == folder or path.startswith(folder + "/")


def folder_of(header):
    """Where a header of ours lies, or None if it is somebody else's."""
    if header.startswith("xasink/"):
        return "include/" + header
    top = header.split("/", 1)[0]
    return header if "/" in header and (top in LAYERS or top == "tests") else None


def why_not(file, quote, header):
    """The rule that an include breaks, or None."""
    layer = max((name for name in LAYERS if within(file, name)), key=len, default=None)
    if layer is None:
        return None
    place = folder_of(header)
    if place is not None:
        if any(within(place, folder) for folder in LAYERS[layer]):
            return None
        return f"{layer} may include {', '.join(LAYERS[layer])} only"
    if quote == '"' and header not in GENERATED:
        return 'headers of ours are included from the root, as "folder/file.hpp"'
    for pattern, folders in FOREIGN.items():
        if re.match(pattern, header) and not any(within(file, folder) for folder in folders):
            return f"only {' and '.join(folders)} may include it"
    if layer == "include" and header not in STANDARD:
        return "the public headers include the standard library and themselves only"
    return None


def check(root):
    """The broken includes as text, and how many files of each layer were read."""
    broken, read = [], dict.fromkeys(LAYERS, 0)
    for top in sorted({name.split("/")[0] for name in LAYERS}):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            file = path.relative_to(root).as_posix()
            for name in LAYERS:
                read[name] += within(file, name)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                reason = found and why_not(file, *found.groups())
                if reason:
                    broken.append(f"{file}:{number}: {found.group(2)}: {reason}")
    return broken, read


# File, include, whether it is allowed.
CASES = [
    ("include/xasink/a.hpp", "<vector>", True),
    ("include/xasink/a.hpp", '"xasink/error.hpp"', True),
    ("include/xasink/a.hpp", "<unistd.h>", False),
    ("include/xasink/a.hpp", "<libpq-fe.h>", False),
    ("include/xasink/a.hpp", '"schema/hex.hpp"', False),
    ("include/xasink/a.hpp", "<txn/xid.hpp>", False),
    ("schema/a.cpp", '"xasink/schema.hpp"', True),
    ("schema/a.cpp", "<simdjson.h>", True),
    ("schema/a.cpp", '"hex.hpp"', False),
    ("schema/a.cpp", '"txn/target.hpp"', False),
    ("schema/a.cpp", '"../txn/target.hpp"', False),
    ("txn/a.hpp", '"schema/hex.hpp"', True),
    ("txn/a.hpp", '"drivers/sqlite/driver.hpp"', False),
    ("txn/a.hpp", '"config/job_config.hpp"', False),
    ("txn/a.hpp", "<sqlite3.h>", False),
    ("txn/a.hpp", "<spdlog/spdlog.h>", False),
    ("txn/log/a.cpp", "<sqlite3.h>", True),
    ("drivers/registry.cpp", '"drivers/sqlite/driver.hpp"', True),
    ("drivers/registry.cpp", "<pqxx/pqxx>", False),
    ("drivers/postgresql/a.cpp", "<libpq-fe.h>", True),
    ("drivers/postgresql/a.cpp", "<pqxx/pqxx>", True),
    ("drivers/postgresql/a.cpp", "<sqlite3.h>", False),
    ("drivers/postgresql/a.cpp", '"drivers/sqlite/driver.hpp"', False),
    ("drivers/sqlite/a.cpp", "<libpq-fe.h>", False),
    ("drivers/sqlite/a.cpp", '"src/job/job_runner.hpp"', False),
    ("config/a.cpp", '"schema/hex.hpp"', True),
    ("config/a.cpp", "<yaml-cpp/yaml.h>", True),
    ("config/a.cpp", '"txn/target.hpp"', False),
    ("config/a.cpp", '"src/job/job_runner.hpp"', False),
    ("src/main.cpp", '"config/job_config.hpp"', True),
    ("src/main.cpp", "<spdlog/spdlog.h>", True),
    ("src/main.cpp", "<CLI/CLI.hpp>", True),
    ("src/main.cpp", "<yaml-cpp/yaml.h>", False),
    ("src/main.cpp", "<sqlite3.h>", False),
    ("src/main.cpp", '"tests/support/catch.hpp"', False),
    ("examples/a.cpp", '"xasink/sink.hpp"', True),
    ("examples/a.cpp", '"txn/target.hpp"', False),
]


def self_test():
    wrong = 0
    for file, header, allowed in CASES:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / file).parent.mkdir(parents=True)
            (root / file).write_text(f"// first line\n  #  include {header}\n")
            broken, _ = check(root)
            if [line.startswith(f"{file}:2: ") for line in broken] != ([] if allowed else [True]):
                print(f"{file} includes {header}: should be {'allowed' if allowed else 'refused'}, got {broken}")
                wrong += 1
    print(f"{len(CASES)} cases, {wrong} wrong")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    broken, read = check(pathlib.Path(arguments[0]))
    print("\n".join(broken + [f"{count:4} files in {name}" for name, count in read.items()]))
    empty = [name for name, count in read.items() if count == 0]
    if empty:
        print(f"nothing to check in {', '.join(empty)}: is {arguments[0]} the source tree?")
    return 1 if broken or empty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
