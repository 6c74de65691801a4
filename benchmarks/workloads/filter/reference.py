from plain import case_and_sizes, hash_of, report

case, sizes = case_and_sizes()
n = sizes[0]
if case == "i32":
    report([hash_of(i) % 64 for i in range(n) if hash_of(i) % 64 > 31])
    raise SystemExit
if case in ("sum", "shares", "half"):
    kept = [hash_of(i) % 64 / 8 for i in range(n) if hash_of(i) % 64 / 8 > 3.9375]
else:
    kept = [hash_of(i) % 100 / 8 for i in range(n) if hash_of(i) % 100 >= 100 - sizes[1]]
if case == "sum":
    report(sum(kept))
elif case == "shares":
    report([x / sum(kept) for x in kept])
else:
    report(kept)
