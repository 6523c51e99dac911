"""The records of recorded runs: tables whose first column names a kernel or a function."""

import csv


def read(path):
    """Returns the rows of a record, the head first."""
    with path.open(newline="") as file:
        return list(csv.reader(file))


def put(path, head, rows, names, replaced=()):
    """Writes rows in the order of `names`. Keeps the old rows of other names. Drops the old rows of `replaced`."""
    new = {row[0] for row in rows} | set(replaced)
    kept = [row for row in read(path)[1:] if row[0] not in new] if path.exists() else []
    order = list(names)
    rows = sorted((row for row in [*kept, *rows] if row[0] in order), key=lambda row: order.index(row[0]))
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
