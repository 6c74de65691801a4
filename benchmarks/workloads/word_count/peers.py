"""Counting words with Python's own Counter, with numpy's unique, with polars, and with DuckDB."""

from peer import counted, hash_of, measure, package


def document(words, sizes):
    import numpy as np

    h = hash_of(counted(sizes[0]))
    if words[0] == "prose":
        known = sizes[1]
        h = h % known
        h = h * h // known * h // known
    seed = hash_of(h)
    lengths = 3 + seed % 8
    end = np.cumsum(lengths)
    row = np.repeat(np.arange(len(h)), lengths)
    j = np.arange(end[-1]) - (end - lengths)[row]
    letters = (97 + hash_of((seed[row] + 7919 * j) % 2147483647) % 26).astype(np.uint8)
    letters[end - 1] = np.where(seed % 11 == 0, 10, 32)
    return letters.tobytes()


def main(words, sizes):
    import collections

    import numpy as np

    text = document(words, sizes)
    bytes_of = lambda pairs: np.frombuffer(b"".join(word for word, _ in pairs), np.uint8)
    counts_of = lambda pairs: np.array([count for _, count in pairs])
    measure("python", "Counter", lambda: sorted(collections.Counter(text.split()).items()), bytes_of, counts_of)

    def with_numpy():
        found, counts = np.unique(np.array(text.split()), return_counts=True)
        return list(zip(found.tolist(), counts.tolist()))

    measure("numpy", "unique", with_numpy, bytes_of, counts_of)

    whole = text.decode()
    if (pl := package("polars")) is not None:
        polars(pl, whole)
    if (duckdb := package("duckdb")) is not None:
        in_sql(duckdb, whole)


def polars(pl, whole):
    import numpy as np

    def with_polars():
        words = pl.DataFrame({"word": [whole]}).select(pl.col("word").str.replace_all("\n", " ", literal=True).str.split(" ").explode())
        return words.filter(pl.col("word") != "").group_by("word").len().sort("word")

    measure("polars", "split, group_by, sort", with_polars,
            lambda t: np.frombuffer("".join(t["word"].to_list()).encode(), np.uint8), lambda t: t["len"].to_numpy())


def in_sql(duckdb, whole):
    import numpy as np

    session = duckdb.connect()
    session.execute("create table texts as select $1::varchar as whole", [whole])
    query = """select word, count(*) as number from (select unnest(string_split(replace(whole, chr(10), ' '), ' ')) as word from texts)
               where word <> '' group by word order by word"""
    measure("duckdb", "unnest, group by, order by", lambda: session.execute(query).fetchnumpy(),
            lambda t: np.frombuffer("".join(t["word"]).encode(), np.uint8), lambda t: t["number"])
