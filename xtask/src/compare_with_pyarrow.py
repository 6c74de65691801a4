"""Compares what `terrace data --json` says about files with what pyarrow reads from them.

Standard input holds a JSON value per line, as `terrace data --json` prints it. For each there is one line of output: `equal`, or what differs,
or why pyarrow could not be asked. Compared are the number of rows, the names of the columns, and of columns of numbers the first value.
"""

import json
import re
import struct
import sys

import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet


def table(path):
    if path.endswith(".parquet"):
        return pyarrow.parquet.ParquetFile(path).read()
    try:
        return pyarrow.feather.read_table(path)
    except pyarrow.ArrowInvalid:
        return pyarrow.ipc.open_stream(path).read_all()


def difference(said):
    read = table(said["file"])
    if said["rows"] is not None and said["rows"] != read.num_rows:
        return f"{said['rows']} rows where pyarrow reads {read.num_rows}"
    names = [column["name"] for column in said["columns"]]
    if names != read.column_names:
        return f"columns {names} where pyarrow reads {read.column_names}"
    for column in said["columns"]:
        kind = read.schema.field(column["name"]).type
        numbers = pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)
        first = re.match(r"\[(-?[0-9.e+-]+)", column["preview"] or "")
        if numbers and first and column["remark"] is None:
            wanted = read.column(column["name"])[0].as_py()
            found = float(first[1])
            if pyarrow.types.is_float32(kind):
                # Printed with as many digits as it takes to read the same float again.
                (found,) = struct.unpack("f", struct.pack("f", found))
            if found != float(wanted):
                return f"column {column['name']} starts with {first[1]} where pyarrow reads {wanted}"
    return "equal"


for line in sys.stdin:
    try:
        print(difference(json.loads(line)).replace("\n", " "))
    except Exception as why:  # pyarrow refuses in many ways
        print(f"pyarrow: {str(why).splitlines()[0]}")
