"""The tables of results from a kernels.json of run.sh.

    python3 table.py ../results/kernels-h200.json             prints them
    python3 table.py ../results/kernels-h200.json README.md   puts them between the two `results` marks of README.md

First table: for each case the fastest shape, beside the peer in the same run. A ratio below one is a loss and is printed in
bold. Second table: for each kernel the one shape that loses least over all its cases, which is what a generator that does not
tune has to choose, and how much that costs in the worst case.
"""
import json
import sys

ORDER = ["scan", "pack", "rows", "spmv", "map", "sort"]
MARKS = ("<!-- results -->", "<!-- end of results -->")


def line(cells):
    return "| " + " | ".join(cells) + " |"


def heading(rows):
    devices = [r for r in rows if r["kind"] == "device"]
    run = next((r for r in rows if r["kind"] == "run"), {})
    checks = [r for r in rows if r["kind"] == "checks"]
    copy = [max(d["memcpy_gbs"], d["copy_kernel_gbs"]) for d in devices]
    names = sorted({"%s (%d multiprocessors)" % (d["device"], d["multiprocessors"]) for d in devices})
    return "%s, %s. Copy bandwidth of the same processes: %.0f to %.0f GB/s. Checks: %d, failed: %d." % (
        ", ".join(names), run.get("date", "date unknown"), min(copy), max(copy),
        sum(c["checks"] for c in checks), sum(c["failed"] for c in checks))


def results(rows):
    yield line(["kernel", "case", "best shape", "ours ms", "peer", "peer ms", "peer / ours", "GB/s", "of copy limit"])
    yield line(["---"] * 3 + ["---:", "---"] + ["---:"] * 4)
    for r in rows:
        if r["kind"] != "result":
            continue
        ratio = "%.2f" % r["ratio"]
        yield line([r["kernel"], r["case"], r["shape"], "%.4f" % r["ours_ms"], r["peer"], "%.4f" % r["peer_ms"],
                    "**%s**" % ratio if r["ratio"] < 1 else ratio, "%.0f" % r["gbs"], "%.2f" % r["fraction_of_limit"]])


def one_shape(rows):
    """Per kernel: the shape whose worst slowdown against the best shape of each case is least."""
    yield line(["kernel", "one shape for all cases", "slowest against the best shape", "peer / ours, worst case"])
    yield line(["---", "---", "---:", "---:"])
    best = {(r["kernel"], r["case"]): r for r in rows if r["kind"] == "result"}
    for kernel in dict.fromkeys(k for k, _ in best):
        cases = [c for k, c in best if k == kernel]
        times = {}
        for r in rows:
            if r["kind"] == "variant" and r["section"] == kernel and r["case"] in cases and not r["shape"].startswith("cuSPARSE"):
                times.setdefault(r["shape"], {})[r["case"]] = r["ms"]
        whole = {s: t for s, t in times.items() if len(t) == len(cases) and "blockIdx" not in s}
        cost = {s: max(t[c] / best[kernel, c]["ours_ms"] for c in cases) for s, t in whole.items()}
        shape = min(cost, key=lambda s: (cost[s], s))
        ratio = min(best[kernel, c]["peer_ms"] / whole[shape][c] for c in cases)
        yield line([kernel, shape, "%.2f" % cost[shape], "**%.2f**" % ratio if ratio < 1 else "%.2f" % ratio])


def main():
    with open(sys.argv[1]) as source:
        rows = json.load(source)
    rows.sort(key=lambda r: ORDER.index(r["kernel"]) if r["kind"] == "result" else -1)
    page = "\n".join([heading(rows), "", *results(rows), "", *one_shape(rows)])
    if len(sys.argv) < 3:
        print(page)
        return
    with open(sys.argv[2]) as source:
        text = source.read()
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    with open(sys.argv[2], "w") as to:
        to.write(before + MARKS[0] + "\n\n" + page + "\n\n" + MARKS[1] + after)


main()
