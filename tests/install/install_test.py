#!/usr/bin/env python3
"""Installs the build into an empty prefix, moves it, and builds and runs the embedding example from there, twice: with
find_package(xasink) and with pkg-config. Nothing of the source tree but the example is used."""
import argparse
import os
import pathlib
import shlex
import sqlite3
import subprocess
import tempfile

ROWS = 12_345


def run(*command, **options):
    print("+", shlex.join(map(str, command)), flush=True)
    return subprocess.run(command, check=True, text=True, **options)


def check_engine(engine, folder):
    folder.mkdir()
    database = folder / "shop.db"
    with sqlite3.connect(database) as shop:
        shop.execute("CREATE TABLE counted (id INTEGER PRIMARY KEY, note TEXT NOT NULL)")
    shop.close()
    run(engine, f"sqlite://{database}", "counted", folder / "engine.state", str(ROWS))
    shop = sqlite3.connect(database)
    found = shop.execute("SELECT count(*), sum(id) FROM counted").fetchone()
    shop.close()
    assert found == (ROWS, ROWS * (ROWS - 1) // 2), found


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "build", "source", "compiler", "libdir", "flags"):
        parser.add_argument("--" + name, required=True)
    given = parser.parse_args()
    given.source, given.build = (os.path.realpath(path) for path in (given.source, given.build))
    example = pathlib.Path(given.source) / "examples" / "embedding"

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(given.cmake, "--install", given.build, "--prefix", folder / "first", stdout=subprocess.DEVNULL)
        prefix = folder / "moved"  # an install must not know where it was made
        (folder / "first").rename(prefix)

        public = {path.name for path in (pathlib.Path(given.source) / "include" / "xasink").iterdir()}
        installed = {path.name for path in (prefix / "include" / "xasink").iterdir()}
        assert public == installed, public ^ installed
        library = prefix / given.libdir
        for file in library.rglob("*"):
            if file.suffix in (".cmake", ".pc"):
                for place in (given.source, given.build, name):
                    assert place not in file.read_text(), f"{file} names {place}"
        version = run(prefix / "bin" / "xasink", "version", stdout=subprocess.PIPE).stdout
        assert "xasink" in version, version

        build = folder / "with-cmake"
        run(given.cmake, "-S", example, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={given.compiler}", f"-DCMAKE_CXX_FLAGS={given.flags}", "-DCMAKE_BUILD_TYPE=Debug")
        run(given.cmake, "--build", build)
        check_engine(build / "engine", folder / "run-cmake")

        environment = dict(os.environ, PKG_CONFIG_PATH=str(library / "pkgconfig"))
        arguments = run("pkg-config", "--cflags", "--libs", "xasink", env=environment, stdout=subprocess.PIPE).stdout
        engine = folder / "engine-pkg-config"
        run(given.compiler, "-std=c++20", *shlex.split(given.flags), example / "engine.cpp", "-o", engine,
            *shlex.split(arguments))
        check_engine(engine, folder / "run-pkg-config")


main()
