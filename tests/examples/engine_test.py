#!/usr/bin/env python3
"""engine_test.py ENGINE: kills the embedding example midway, and at each named point of the protocol, and starts it again."""
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ENGINE = sys.argv[1]


class Job:
    def __init__(self, folder, rows):
        self.folder, self.rows = folder, rows
        self.database = folder / "shop.db"
        with sqlite3.connect(self.database) as shop:
            shop.execute("CREATE TABLE counted (id INTEGER PRIMARY KEY, note TEXT NOT NULL)")
        shop.close()

    def start(self, fault=None):
        environment = {name: value for name, value in os.environ.items() if name != "XASINK_FAULT"}
        if fault:
            environment["XASINK_FAULT"] = fault
        return subprocess.Popen([ENGINE, f"sqlite://{self.database}", "counted", self.folder / "engine.state", str(self.rows)],
                                env=environment, stdout=subprocess.DEVNULL)

    def count(self):
        shop = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30)
        try:
            return shop.execute("SELECT count(*), coalesce(sum(id), 0), sum(note = 'row ' || id) FROM counted").fetchone()
        finally:
            shop.close()

    def check_complete(self, what):
        wanted = (self.rows, self.rows * (self.rows - 1) // 2, self.rows)
        if self.count() != wanted:
            sys.exit(f"{what}: rows, sum of ids, right notes are {self.count()}, should be {wanted}")
        left = list((self.folder / "engine.state.spool").rglob("*.prepared"))
        if left:
            sys.exit(f"{what}: spool files are left: {left}")


def finish(job, what):
    code = job.start().wait(timeout=120)
    if code != 0:
        sys.exit(f"{what}: the next start ended with {code}")
    job.check_complete(what)


def killed_midway():
    with tempfile.TemporaryDirectory() as folder:
        job = Job(pathlib.Path(folder), 300_000)
        engine = job.start()
        deadline = time.monotonic() + 60
        while job.count()[0] == 0:
            if engine.poll() is not None or time.monotonic() > deadline:
                engine.kill()
                sys.exit("no row came while the engine ran")
            time.sleep(0.001)
        engine.send_signal(signal.SIGKILL)
        engine.wait()
        seen = job.count()[0]
        if not 0 < seen < job.rows:
            sys.exit(f"the kill was not midway: {seen} of {job.rows} rows")
        print(f"killed with {seen} of {job.rows} rows visible")
        finish(job, "after a kill midway")
        finish(job, "a start with nothing left to do")


def killed_everywhere():
    """One run for each passage of a fault point, until the run ends without meeting it. 0 if they are not compiled in."""
    for passage in range(1, 1000):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(pathlib.Path(folder), 25_000)
            code = job.start(f"any:kill:{passage}").wait(timeout=120)
            if code == 0:
                job.check_complete("without a kill")
                return passage - 1
            if code != -signal.SIGKILL:
                sys.exit(f"passage {passage}: ended with {code}")
            finish(job, f"after a kill at passage {passage}")
    sys.exit("the run never came to its end")


killed_midway()
print(f"killed at {killed_everywhere()} fault points, every row there once after the next start")
