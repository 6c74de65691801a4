"""Makes the example data: a sparse matrix with rows of different lengths, and a vector.

    python make.py
    terrace run ../spmv.tce matrix.parquet:rows vector.npy

matrix.parquet has 1000 rows over 200 columns. Row i holds its entries as (column, value) in `rows`, and its number in `id`. A
fifth of the rows is empty, most are short, and one is full.
"""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS, COLUMNS = 1000, 200

os.chdir(os.path.dirname(os.path.abspath(__file__)))
random = np.random.default_rng(1)


def eighths(count):
    """Multiples of 1/8 between -8 and 8: their sums and products are exact, in whatever order they are added."""
    return random.integers(-64, 65, count) / 8.0


def row(number):
    if number == ROWS // 2:
        length = COLUMNS
    elif random.random() < 0.2:
        length = 0
    else:
        length = int(min(COLUMNS, random.geometric(0.15)))
    columns = np.sort(random.choice(COLUMNS, length, replace=False))
    return [{"column": int(c), "value": float(v)} for c, v in zip(columns, eighths(length))]


entry = pa.struct([pa.field("column", pa.int32(), False), pa.field("value", pa.float64(), False)])
matrix = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "rows": pa.array([row(i) for i in range(ROWS)], pa.list_(pa.field("element", entry, False))),
    }
)
pq.write_table(matrix, "matrix.parquet", compression="zstd")
np.save("vector.npy", eighths(COLUMNS))
