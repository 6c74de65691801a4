"""Makes the files of this folder with pyarrow and numpy, so that something else than Terrace has written them.

    python make.py

Run it again after a change; the files are kept in the repository, because tests run without Python.
"""

import decimal
import datetime
import os
import struct

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def arrow(name, table, **options):
    with ipc.new_file(name, table.schema, options=ipc.IpcWriteOptions(**options)) as out:
        out.write_table(table, max_chunksize=2)


def stream(name, table, **options):
    with ipc.new_stream(name, table.schema, options=ipc.IpcWriteOptions(**options)) as out:
        out.write_table(table, max_chunksize=2)


# Every scalar type, at its limits.
NUMBERS = {
    "i8": (pa.int8(), [-128, 0, 127]),
    "i16": (pa.int16(), [-32768, 0, 32767]),
    "i32": (pa.int32(), [-(2**31), 0, 2**31 - 1]),
    "i64": (pa.int64(), [-(2**63), 0, 2**63 - 1]),
    "u8": (pa.uint8(), [0, 1, 255]),
    "u16": (pa.uint16(), [0, 1, 65535]),
    "u32": (pa.uint32(), [0, 1, 2**32 - 1]),
    "u64": (pa.uint64(), [0, 1, 2**64 - 1]),
    "f32": (pa.float32(), [-1.5, 0.0, 0.25]),
    "f64": (pa.float64(), [-1.5, 0.0, 1e300]),
    "bool": (pa.bool_(), [True, False, True]),
}
scalars = pa.table({name: pa.array(values, kind) for name, (kind, values) in NUMBERS.items()})
pq.write_table(scalars, "scalars.parquet")
arrow("scalars.arrow", scalars)
stream("scalars_stream.arrow", scalars)

# Ragged arrays, in every spelling of "list".
rows = [[1, 2], [], [3], [], [4, 5, 6]]
ragged = pa.table(
    {
        "list": pa.array(rows, pa.list_(pa.int32())),
        "large": pa.array(rows, pa.large_list(pa.int32())),
        "fixed": pa.array([[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]], pa.list_(pa.int32(), 2)),
        "deep": pa.array([[[1.0], []], [], [[], [2.0, 3.0]], [[]], [[4.0]]], pa.list_(pa.list_(pa.float64()))),
        "pairs": pa.array(
            [[{"column": c, "value": c / 2} for c in row] for row in rows],
            pa.list_(pa.struct([("column", pa.int32()), ("value", pa.float64())])),
        ),
        "text": pa.array(["", "a", "bc", "ä", "漢字"]),
        "large_text": pa.array(["", "a", "bc", "ä", "漢字"], pa.large_string()),
        "bytes": pa.array([b"", b"\x00", b"\xff\xfe", b"abc", b"d"], pa.binary()),
        "fixed_bytes": pa.array([b"ab", b"cd", b"ef", b"gh", b"ij"], pa.binary(2)),
        "words": pa.array(["yes", "no", "yes", "yes", "no"]).dictionary_encode(),
        "codes": pa.array([10, 20, 10, 10, 20], pa.int64()).dictionary_encode(),
    }
)
pq.write_table(ragged, "ragged_snappy.parquet", compression="snappy", row_group_size=2)
pq.write_table(ragged, "ragged_zstd.parquet", compression="zstd", version="2.6", data_page_version="2.0")
pq.write_table(ragged, "ragged_lz4.parquet", compression="lz4", use_dictionary=False)
pq.write_table(ragged, "ragged_gzip.parquet", compression="gzip", store_schema=False)
arrow("ragged.arrow", ragged)
arrow("ragged_zstd.ipc", ragged, compression="zstd")
stream("ragged_stream.ipc", ragged, compression="lz4")
feather.write_feather(ragged, "ragged.feather")
arrow("sliced.arrow", ragged.slice(1, 3))

# List views exist in Arrow files only; their rows may lie anywhere.
values = pa.array([1, 2, 3, 4], pa.int64())
views = pa.ListViewArray.from_arrays(pa.array([2, 0, 1, 0], pa.int32()), pa.array([2, 2, 0, 4], pa.int32()), values)
large = pa.LargeListViewArray.from_arrays(pa.array([0, 2], pa.int64()), pa.array([2, 2], pa.int64()), values)
strings = pa.array(["short", "a text that is longer than twelve bytes", "", "x"], pa.string_view())
arrow("views.arrow", pa.table({"views": views, "strings": strings}))
arrow("large_views.arrow", pa.table({"views": large}))

# A batch that says of itself that it is compressed as a preview in Arrow 0.17 did it.
batch = pa.record_batch({"a": pa.array([1, 2, 3], pa.int64())})
with ipc.new_file("preview.arrow", batch.schema) as out:
    out.write_batch(batch, custom_metadata={"ARROW:experimental_compression": "lz4"})

# A table of records, with columns in another order than a program declares them, and one too many.
points = pa.table({"y": pa.array([2.0, 4.0]), "id": pa.array([7, 8], pa.int64()), "x": pa.array([1.0, 3.0])})
pq.write_table(points, "points.parquet")
structs = pa.table({"point": pa.array([{"y": 2.0, "x": 1.0}, {"y": 4.0, "x": 3.0}])})
pq.write_table(structs, "structs.parquet")
pq.write_table(points.slice(0, 1), "one_row.parquet")
pq.write_table(points.slice(0, 0), "no_rows.parquet")
arrow("twins.arrow", pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]))

# Missing values at several depths.
nulls = pa.table(
    {
        "flat": pa.array([1, 2, None, 4, None], pa.int64()),
        "list": pa.array([[1], [], None, [2], []], pa.list_(pa.int64())),
        "item": pa.array([[1], [], [2, 3], [4, None, None], []], pa.list_(pa.int64())),
        "field": pa.array([[], [{"v": 1}], [], [{"v": 1}, {"v": None}], []], pa.list_(pa.struct([("v", pa.int64())]))),
        "text": pa.array(["a", None, "b", "c", "d"]),
        "words": pa.array(["a", "b", "a", "b", None]).dictionary_encode(),
        "none": pa.array([1, 2, 3, 4, 5], pa.int64()),
    }
)
pq.write_table(nulls, "nulls.parquet", row_group_size=2)
arrow("nulls.arrow", nulls)

# What the language has no type for.
day = datetime.datetime(2020, 1, 2, 3, 4, 5)
foreign = pa.table(
    {
        "decimal": pa.array([decimal.Decimal("1.25")], pa.decimal128(10, 2)),
        "timestamp": pa.array([day], pa.timestamp("us")),
        "date": pa.array([day.date()], pa.date32()),
        "time": pa.array([day.time()], pa.time64("us")),
        "duration": pa.array([5], pa.duration("s")),
        "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
        "half": pa.array([np.float16(1.5)], pa.float16()),
        "null": pa.array([None], pa.null()),
        "dates": pa.array([[day.date()]], pa.list_(pa.date32())),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([3], pa.int64())),
    }
)
arrow("foreign.arrow", foreign)
pq.write_table(foreign.drop_columns(["runs"]), "foreign.parquet")

# numpy
grid = np.arange(6, dtype="<i4").reshape(2, 3)
np.save("grid_c.npy", grid)
np.save("grid_fortran.npy", np.asfortranarray(grid))
np.save("grid_big.npy", grid.astype(">i4"))
np.save("grid_big_fortran.npy", np.asfortranarray(grid.astype(">i4")))
np.save("cube_fortran.npy", np.asfortranarray(np.arange(24, dtype="<i8").reshape(2, 3, 4)))
np.save("scalar.npy", np.float64(2.5))
np.save("empty_rows.npy", np.zeros((3, 0), dtype="<f4"))
np.save("flags.npy", np.array([True, False, True]))
np.save("half.npy", np.zeros(3, dtype="<f2"))
np.save("complex.npy", np.zeros(3, dtype="<c16"))
np.save("text.npy", np.array(["ab", "c"]))
np.save("objects.npy", np.array([[1], [2, 3]], dtype=object), allow_pickle=True)
np.save("records.npy", np.zeros(2, dtype=[("a", "<i4"), ("b", "<f8")]))
for name, (_, values) in NUMBERS.items():
    code = {"b": "?", "i": "i", "u": "u", "f": "f"}[name[0]]
    width = "" if name == "bool" else str(int(name[1:]) // 8)
    for order, word in (("<", "little"), (">", "big")):
        if name in ("bool", "i8", "u8") and word == "big":
            continue
        np.save(f"n_{name}_{word}.npy", np.array(values, dtype=order + code + width))
for version in ((1, 0), (2, 0), (3, 0)):
    with open(f"version_{version[0]}.npy", "wb") as out:
        np.lib.format.write_array(out, np.array([1.5, -2.5]), version=version)

# Headers that lie.
def lying(name, shape, body=b""):
    header = ("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)).encode()
    header += b" " * (118 - len(header) - 1) + b"\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body)


lying("lie_2_60.npy", "(1152921504606846976,)", bytes(16))
lying("lie_product.npy", "(4294967296, 4294967296)", bytes(16))
lying("lie_empty.npy", "(1152921504606846976, 0)")
lying("lie_short.npy", "(3,)", bytes(16))
