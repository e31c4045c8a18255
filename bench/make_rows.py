#!/usr/bin/env python3
"""make_rows.py FOLDER ROWS [SEED]: the benchmark's rows, the same for the same seed, as rows.csv and rows.txt (COPY text).

A row is a bigint key, a text of 10, a numeric(12,2), a timestamptz, a bool and a text of about 30; the keys are shuffled
within blocks, as rows that come from several places are.
"""
import datetime
import pathlib
import random
import sys

BLOCK = 1000
WORDS = "amber birch cedar delta ember fjord grove heath islet jetty knoll ledge marsh north orbit prism quill ridge".split()
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
START = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)


def line(key, pick):
    code = "".join(pick.choices(LETTERS, k=10))
    cents = pick.randrange(100_000_000)
    time = START + datetime.timedelta(microseconds=key * 31_000_000 + pick.randrange(1_000_000))
    paid = "true" if cents % 3 else "false"
    note = " ".join(pick.choices(WORDS, k=5))
    return f"{key},{code},{cents // 100}.{cents % 100:02},{time:%Y-%m-%d %H:%M:%S.%f}+00,{paid},{note}\n"


def main():
    folder, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    pick = random.Random(seed)
    with open(folder / "rows.csv", "w") as csv, open(folder / "rows.txt", "w") as text:
        for first in range(1, count + 1, BLOCK):
            keys = list(range(first, min(first + BLOCK, count + 1)))
            pick.shuffle(keys)
            block = "".join(line(key, pick) for key in keys)
            csv.write(block)
            text.write(block.replace(",", "\t"))  # no value holds a comma, a tab or a quote


main()
