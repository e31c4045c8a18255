#!/usr/bin/env python3
"""The samples for SQLite load what they say they load: samples_test.py XASINK ROOT"""
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ORDERS = 2_000


def main():
    program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory(prefix="xasink-samples-") as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, root / "examples/make_orders.py", "--rows", str(ORDERS), "--out",
                        folder / "examples/orders"], check=True, stdout=subprocess.DEVNULL)
        for sample, database, table, rows in [("orders-to-sqlite", "orders.db", "orders", ORDERS),
                                              ("generator", "trial.db", "trial", 100_000)]:
            shutil.copy(root / f"config/samples/{sample}.yaml", folder)
            for _ in range(2):  # the second run finds nothing to do
                subprocess.run([program, "run", f"{sample}.yaml", "--quiet"], cwd=folder, check=True, timeout=120)
                with sqlite3.connect(folder / database) as connection:
                    found = connection.execute(f"SELECT count(*), count(DISTINCT id) FROM {table}").fetchone()
                if found != (rows, rows):
                    sys.exit(f"{sample}: {found} rows and different ids, {rows} are expected")


main()
