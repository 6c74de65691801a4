"""Builds the peers, checks that all results agree, measures, prints a table and writes JSON.

    python3 run.py cuda [OUT] [--only NAME,..] [--quick]
    python3 run.py cuda [OUT] --quick --backend cuda-sim     no GPU: do all programs run, and what are their sums?
    python3 run.py check-cuda [OUT] [--backend cuda]

CPUs are measured by `cargo xtask bench --device cpu`. Terrace and its peers run in the same call, one after the other, in `rounds` rounds; the
median of a way is the least of its rounds' medians. Every case is processes of its own with a time limit, so one failure spoils one line.
The limit of a case is the bytes it must move over the bandwidth of a copy, which is measured first.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

import cases

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARIES = {"spmv": "cusparse", "trmv": "cublas", "matmul": "cublas", "fft": "cufft"}
STRATEGIES = ["flat", "outer", "block", "seq"]
FLAG_SETS = {"plain": "-O3 -std=c++17 -arch=sm_90 --extended-lambda"}


def say(text=""):
    print(text, flush=True)


def call(command, limit, **more):
    """Exit code (None past the limit), standard output, standard error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, **more)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", f"stopped after {limit} s"
    except OSError as why:
        return 1, "", str(why)


def binary():
    """The release binary: TERRACE_BIN, else carry/terrace, else what cargo builds."""
    named = os.environ.get("TERRACE_BIN")
    if named:
        return str(pathlib.Path(named).resolve())
    carried = ROOT / "carry" / "terrace"
    if carried.exists():
        return str(carried)
    if not shutil.which("cargo"):
        sys.exit("there is no cargo; name a release binary in TERRACE_BIN")
    say("building the release binary")
    code, _, err = call(["cargo", "build", "--release", "-p", "terrace-cli"], 1800, cwd=ROOT)
    if code != 0:
        sys.exit(err[-3000:])
    return str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "terrace")


def link_flags(program, build):
    """Where the toolkit of nvcc lacks a library, another copy on the machine will do (Python packages carry them)."""
    library = LIBRARIES.get(program)
    if not library:
        return []
    header = "cublas_v2.h" if library == "cublas" else f"{library}.h"
    probe = build / f"probe_{library}.cu"
    probe.write_text(f"#include <{header}>\nint main() {{ return 0; }}\n")
    if call([os.environ.get("NVCC", "nvcc"), str(probe), "-o", str(probe) + ".out", f"-l{library}"], 60)[0] == 0:
        return [f"-l{library}"]
    places = ["/usr/local", "/opt", "/usr/lib", "/usr/include", os.path.expanduser("~")]
    find = lambda name: next(iter(sorted(call(["find", *places, "-name", name], 60)[1].split())), None)
    head, shared = find(header), find(f"lib{library}.so.*")
    if not head or not shared:
        return [f"-DNO_{library.upper()}"]
    folder = os.path.dirname(shared)
    paths = [folder, f"{folder}/../../nvjitlink/lib", os.environ.get("LD_LIBRARY_PATH", "")]
    os.environ["LD_LIBRARY_PATH"] = ":".join(p for p in paths if p)
    return [f"-I{os.path.dirname(head)}", shared]


INCLUDE = ["-I", str(HERE.parent / "peers")]


def source_of(program, name):
    """A peer lies in the folder of its workload."""
    if program == "copy":
        return HERE / "peers" / ("copy" + name[-3:])
    return HERE.parent / "workloads" / {"sums": "row_sums", "filter_sum": "filter"}.get(program, program) / name


def build_peers(programs, build):
    """Compiles every peer with every set of flags, side by side; what failed is said and left out. Peers in Python need nothing."""
    compiler = os.environ.get("NVCC", "nvcc")

    def one(job):
        program, name, flags = job
        out = build / f"{program}.{name}"
        source = source_of(program, "gpu.cu")
        extra = link_flags(program, build)
        code, _, err = call([compiler, *flags.split(), *INCLUDE, str(source), "-o", str(out), *extra], 240)
        if code != 0 and extra and not extra[0].startswith("-D"):
            library = LIBRARIES[program].upper()
            say(f"{program}: without {library}: {err.strip()[-300:]}")
            code, _, err = call([compiler, *flags.split(), *INCLUDE, f"-DNO_{library}", str(source), "-o", str(out)], 240)
        if code != 0:
            say(f"FAILED to build {source.name}: {err.strip()[-1500:]}")
            return job, None
        return job, out

    jobs = [(p, name, flags) for p in programs for name, flags in FLAG_SETS.items()]
    made = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=min(12, os.cpu_count() or 1)) as pool:
        for (program, name, _), out in pool.map(one, jobs):
            if out:
                made.setdefault(program, {})[name] = [str(out)]
    for program in programs:
        script = source_of(program, "gpu.py")
        if script.exists():
            made.setdefault(program, {})["python"] = [sys.executable, str(script)]
    return made


def run_terrace(terrace, case, build, limit, backend, extra):
    out = build / "terrace.json"
    out.unlink(missing_ok=True)
    program = next((HERE.parent / "workloads").glob(f"*/{case.program}.tce")).relative_to(ROOT)
    command = [terrace, "bench", str(program), "--entry", case.entry, "--from", case.maker, *case.sizes,
               "--backend", backend, "--checksum", "--json", str(out), *extra]
    began = time.time()
    code, text, err = call(command, limit, cwd=ROOT)
    if code != 0 or not out.exists():
        return {"failed": (err or text).strip()[-1500:] or f"exit code {code}", "command": " ".join(command)}
    found = json.loads(out.read_text())
    found.pop("times_ms")
    found["process_s"] = round(time.time() - began, 2)
    return found


def run_peer(commands, case, limit):
    lines = []
    for flags, command in (commands or {}).items():
        code, text, err = call([*command, *case.peer_args], limit)
        for line in text.splitlines():
            if line.startswith("{"):
                lines.append({**json.loads(line), "flags": flags})
        if code != 0:
            lines.append({"failed": f"exit code {code}: {err.strip()[-300:]}", "peer": pathlib.Path(command[-1]).name, "flags": flags})
    return lines


def agrees(case, ours, peer):
    """Sums are exact but for divisions and weights beyond 2^53, and where single precision rounds: cases say how near is near."""
    mine = ours["checksums"][-1]
    near = lambda a, b: math.isclose(a, b, rel_tol=case.tolerance, abs_tol=1e-12)
    return mine["count"] == peer["count"] and near(mine["sum"], peer["sum"]) and near(mine["weighted"], peer["weighted"])


def better(old, new):
    """Of two rounds of one way, each number at its least."""
    return {k: min(old[k], v) if k.endswith("_ms") and k in old else v for k, v in new.items()}


def measure_case(case, terrace, peers, build, it):
    ours, ways, strategies = None, {}, {}
    extra = [*case.options, *it.extra.split()]
    for _ in range(it.rounds):
        found = run_terrace(terrace, case, build, it.limit, it.backend, extra)
        if "failed" in found:
            ours = found
            break
        ours = better(ours, found) if ours else found
        for line in run_peer(peers.get(case.peer), case, it.limit):
            key = (line["peer"], line.get("way"), line["flags"])
            ways[key] = better(ways[key], line) if key in ways and "failed" not in line else line
    if "failed" in ours:  # the peers' times are worth having all the same
        ways = {(w["peer"], w.get("way"), w["flags"]): w for w in run_peer(peers.get(case.peer), case, it.limit)}
    for way in ways.values():
        if "count" in way and "failed" not in ours:
            way["agrees"] = agrees(case, ours, way)
    for strategy in STRATEGIES if case.strategies else []:
        found = run_terrace(terrace, case, build, it.limit, it.backend, [*extra, "--strategy", strategy])
        strategies[strategy] = found.get("median_ms", found.get("failed"))
    return {"case": case.name, "sizes": case.sizes, "bytes": case.bytes, "wanted": case.wanted, "terrace": ours,
            "peers": list(ways.values()), "strategies": strategies}


HEADER = ("| case                  | terrace ms | spread | launches | reads |   GB/s | of the limit | best peer                              |    peer ms "
          "| of peer | wanted           | reached | agree |")
RULE = re.sub(r"[^|]", "-", HEADER).replace("|-", "| ").replace("-|", " |")


def verdict(record, peers, fraction):
    """What was wanted, and whether it was reached."""
    ours = record["terrace"]["median_ms"]
    if record["strategies"]:
        times = [t for t in record["strategies"].values() if isinstance(t, float)]
        best = min(times, default=float("nan"))
        return "1.2 of best way", f"{ours / best:.2f}" + ("" if ours <= 1.2 * best else " NO")
    if not record["wanted"]:
        return "report", ""
    what, least = record["wanted"]
    mine = [p["median_ms"] for p in peers if p["peer"] == what]
    if what != "limit" and not mine:
        # The library has nothing for this case.
        return "report", ""
    got = fraction if what == "limit" else min(mine) / ours
    return f"{least:.2f} of {what}", f"{got:.2f}" + ("" if got >= least else " NO")


def row(record, bandwidth):
    ours, peers = record["terrace"], [p for p in record["peers"] if "median_ms" in p]
    best = min(peers, key=lambda p: p["median_ms"], default=None)
    name = f"{best['peer']}: {best['way']}" if best else "none"
    peer_ms = best["median_ms"] if best else float("nan")
    if "failed" in ours:
        first = ours["failed"].splitlines()[0][:60]
        return f"| {record['case']:21} | FAILED {first} | {name} {peer_ms:.3f} ms |"
    median = ours["median_ms"]
    spread = (ours["upper_quartile_ms"] - ours["lower_quartile_ms"]) / median
    speed = record["bytes"] / median / 1e6
    fraction = speed / bandwidth if bandwidth else float("nan")
    wanted, reached = verdict(record, peers, fraction)
    agree = "yes" if peers and all(p.get("agrees") for p in peers) else "NO" if peers else "-"
    return (f"| {record['case']:21} | {median:10.3f} | {spread:6.0%} | {ours['launches']:8} | {ours['host_reads']:5} | {speed:6.0f} | {fraction:12.2f} "
            f"| {name:38.38} | {peer_ms:10.3f} | {peer_ms / median:7.2f} | {wanted:16} | {reached:7} | {agree:5} |")


def machine():
    facts = {"machine": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()}
    facts["gpu"] = call(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 20)[1].strip()
    facts["nvcc"] = call(["nvcc", "--version"], 20)[1].strip().splitlines()[-1:]
    return facts


def bench(it):
    sizes = cases.QUICK if it.quick else cases.GPU
    chosen = [c for c in cases.cases(**sizes) if not it.only or any(c.name.startswith(name) for name in it.only.split(","))]
    terrace = binary()
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="gpu-bench-") as folder:
        build = pathlib.Path(folder)
        has_gpu = it.backend == "cuda"
        peers = build_peers(sorted({c.peer for c in chosen} | {"copy"}), build) if has_gpu else {}
        say(f"peers built in {time.time() - began:.0f} s")
        facts, records = machine(), []
        words = sizes["flat"]
        copy = run_peer(peers.get("copy"), argparse.Namespace(peer_args=[str(words)]), it.limit)
        bandwidth = max((8 * words / c["median_ms"] / 1e6 for c in copy if "median_ms" in c), default=None)
        out = pathlib.Path(it.out)
        out.mkdir(parents=True, exist_ok=True)
        for case in chosen:
            if time.time() - began > it.budget:
                say(f"{case.name}: not run, the time is over")
                continue
            start = time.time()
            record = measure_case(case, terrace, peers, build, it)
            records.append(record)
            say(f"{case.name}: {time.time() - start:.0f} s")
            if "failed" in record["terrace"]:
                say("  FAILED " + record["terrace"]["failed"].replace("\n", "\n  "))
            for peer in record["peers"]:
                if "failed" in peer:
                    say(f"  peer {peer['peer']} FAILED {peer['failed']}")
                if "skipped" in peer:
                    say(f"  peer {peer['peer']} left out: {peer['skipped']}")
            everything = {"kind": it.what, "options": it.extra, "rounds": it.rounds, "copy_gb_per_s": bandwidth, **facts, "cases": records}
            (out / f"gpu_{it.what}.json").write_text(json.dumps(everything, indent=1) + "\n")
    table = "\n".join([HEADER, RULE, *[row(r, bandwidth) for r in records]])
    notes = (f"A copy moves {bandwidth or float('nan'):.0f} GB/s. Times are medians. GB/s: bytes that must move; of the limit: that over the copy's; of peer: "
             f"the best peer's time over Terrace's. {facts}")
    (out / f"gpu_{it.what}.txt").write_text(table + "\n\n" + notes + "\n")
    say("\n" + table + "\n\n" + notes)
    say(f"{time.time() - began:.0f} s in all; wrote {out}/gpu_{it.what}.json")


def check_device(it):
    """Every strategy and both tile sizes; files side by side, because each is compiled anew."""
    terrace = binary()
    files = sorted((ROOT / "tests" / "spine").glob("*.tce"))
    setups = [("flat", "normal"), ("flat", "tiny")]
    setups += [(s, t) for s in ("outer", "seq", "block", "mix:1", "mix:2") for t in ("normal", "tiny")]
    began, results = time.time(), {}

    def one(job):
        (strategy, tiles), file = job
        if time.time() - began > it.budget:
            return job, None, "not run"
        command = [terrace, "test", str(file), "--backend", it.backend, "--strategy", strategy, "--tiles", tiles, *it.extra.split()]
        code, text, err = call(command, it.limit)
        return job, code, (text + err).strip()

    jobs = [(s, f) for s in setups for f in files]
    with concurrent.futures.ThreadPoolExecutor(max_workers=it.jobs) as pool:
        for job, code, text in pool.map(one, jobs):
            results.setdefault(job[0], []).append((job[1].name, code, text))
    lines = []
    for (strategy, tiles), found in results.items():
        bad = [(n, c, t) for n, c, t in found if c != 0]
        passed = sum(int(m) for _, _, t in found for m in re.findall(r"(\d+) passed", t))
        lines.append(f"{'pass' if not bad else 'FAIL'} --strategy {strategy} --tiles {tiles}: {len(found) - len(bad)} of {len(found)} files, {passed} tests")
        lines += [f"  {n}: {t[-it.tail:]}" for n, _, t in bad]
    report = "\n".join(lines) + f"\n{time.time() - began:.0f} s"
    out = pathlib.Path(it.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "gpu_check_cuda.txt").write_text(report + "\n")
    say(report)


def main():
    it = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    it.add_argument("what", choices=["cuda", "check-cuda"])
    it.add_argument("out", nargs="?", default=None)
    it.add_argument("--only", default="", help="how names of cases begin, separated by commas")
    it.add_argument("--rounds", type=int, default=1, help="how often everything is measured")
    it.add_argument("--quick", action="store_true", help="tiny sizes, to see whether everything works")
    it.add_argument("--limit", type=float, default=60, help="seconds per process")
    it.add_argument("--budget", type=float, default=480, help="nothing is started after so many seconds")
    it.add_argument("--jobs", type=int, default=8, help="check-cuda: processes at a time")
    it.add_argument("--tail", type=int, default=700, help="check-cuda: how much of a failure is shown")
    it.add_argument("--backend", default="cuda", help="another back end to try the script with")
    it.add_argument("--extra", default="", help="more options for terrace, as one text")
    it = it.parse_args()
    it.out = it.out or tempfile.mkdtemp(prefix="gpu-bench-out-")
    check_device(it) if it.what == "check-cuda" else bench(it)


main()
