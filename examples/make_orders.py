#!/usr/bin/env python3
"""Writes CSV files of made-up orders: the same ones for the same seed.

    python3 examples/make_orders.py --rows 200000 --files 4 --out examples/orders

The table they fit:

    CREATE TABLE orders (
      id bigint PRIMARY KEY, customer text NOT NULL, amount decimal(12,2) NOT NULL, ordered_at timestamptz NOT NULL,
      paid boolean NOT NULL, note text, details json)

A field without anything in it is NULL; "" is the empty text. Some texts hold quotes, commas, line breaks and letters
outside ASCII, as real ones do.
"""

import argparse
import pathlib
import random
import sys
import time

HEADER = "id,customer,amount,ordered_at,paid,note,details\n"

CUSTOMERS = [
    "Blue Kettle Ltd", "Café Morgenrot", "Łódź Bikes", "Fjörður & Synir", "Rivière Frères", "東京文具店", "Παντοπωλείο",
    '"The Corner" Books', "Paper, Pens & Co", "L'Atelier Tools", "Garden 🌱 Shop", "Piñata Hermanos", "Plain Goods",
]
NOTES = [
    "", "leave at the door", 'fragile, "this side up"', "ring twice\nthen wait", "per telefono: è urgente",
    "gift wrap, no invoice", "two lines\r\nof Windows text", "\\N is not null here", " padded with blanks ",
    "帰りに立ち寄り", 'said "twice"', "no comment",
]
CHANNELS = ["web", "app", "phone", "shop"]

FIRST_SECOND = 1_704_067_200  # 2024-01-01T00:00:00Z
SECONDS = 366 * 24 * 60 * 60


def field(text):
    """One CSV field for a text that is not NULL."""
    if text == "" or any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def write_file(path, first_id, rows, rng):
    customers = [field(name) for name in CUSTOMERS]
    notes = [field(note) for note in NOTES]
    days = {}
    lines = [HEADER]
    for order in range(first_id, first_id + rows):
        bits = rng.getrandbits(80)
        cents = (bits & 0xFFFFF) + 1
        sign = "-" if bits >> 20 & 0x3F == 0 else ""  # a refund now and then
        day, second = divmod((bits >> 26 & 0xFFFFFFFF) % SECONDS, 86_400)
        if day not in days:
            days[day] = time.strftime("%Y-%m-%d", time.gmtime(FIRST_SECOND + day * 86_400))
        note = "" if bits >> 58 & 3 == 0 else notes[(bits >> 60 & 0xFF) % len(notes)]
        details = ""
        if items := bits >> 68 & 7:
            details = f'"{{""channel"": ""{CHANNELS[bits >> 71 & 3]}"", ""items"": {items}}}"'
        lines.append(
            f"{order},{customers[(bits >> 73 & 0x3F) % len(customers)]},{sign}{cents // 100}.{cents % 100:02},"
            f"{days[day]}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.{bits >> 4 & 0xFFFF:06}Z,"
            f"{'true' if bits >> 79 else 'false'},{note},{details}\n")
    # newline="": the line breaks are written as they are on every system
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("".join(lines))


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def main():
    parser = argparse.ArgumentParser(description="Writes CSV files of made-up orders.")
    parser.add_argument("--rows", type=positive, default=200_000, help="orders in all files together (%(default)s)")
    parser.add_argument("--files", type=positive, default=4, help="number of files (%(default)s)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "orders",
                        help="folder to write to, made if missing (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="other seeds give other orders (%(default)s)")
    options = parser.parse_args()

    options.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(options.seed)
    width = max(2, len(str(options.files)))
    first_id = 1
    for number in range(1, options.files + 1):
        rows = options.rows // options.files + (number <= options.rows % options.files)
        write_file(options.out / f"orders-{number:0{width}}.csv", first_id, rows, rng)
        first_id += rows
    print(f"{options.rows} orders in {options.files} files in {options.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
