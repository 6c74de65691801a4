"""Reference answers: texts, bytes, checksums, large and exact numbers, dates, by Python's own libraries."""

import base64 as standard_base64
import collections
import datetime
import fractions
import hashlib
import itertools
import math
import re
import zlib

from cases import SIZES, lengths, programs, whole
from literals import Record, Variant

PROGRAMS, program = programs()


@program
def word_count(ref, rng):
    texts = [b"", b"a", b"  A a b!", b"The cat and the hat; the CAT.", b"one-two, one2three", b"zoo Zebra abc [xyz] @me `q {r"]
    texts.append(bytes(rng.choice(b"abAB .,") for _ in range(80)))
    for text in texts:
        found = [w.encode() for w in re.findall("[a-z]+", text.decode().lower())]
        counts = sorted(collections.Counter(found).items())
        ref.equal("words", [text], found)
        ref.equal("counts", [text], counts)
        for k in [0, 2, 50]:
            ref.equal("most_frequent", [k, text], sorted(counts, key=lambda c: (-c[1], c[0]))[:k])
        letters = text.lower()
        ref.equal("letter_counts", [text], [letters.count(c) for c in range(97, 123)])


@program
def run_length(ref, rng):
    rows = [bytes(rng.choice(b"ab") for _ in range(n)) for n in SIZES] + [b"aaaa", b"abab", b"zzzyx"]
    runs = [[(k, len(list(g))) for k, g in itertools.groupby(row)] for row in rows]
    ref.equal("encoded", [rows], runs)
    ref.equal("decoded", [runs], rows)
    with_gaps = [[(k, rng.randint(0, 3)) for k in row[:8]] for row in rows]
    ref.equal("decoded", [with_gaps], [bytes(k for k, n in row for _ in range(n)) for row in with_gaps])
    for row in with_gaps:
        ref.equal("decoded_simply", [row], bytes(k for k, n in row for _ in range(n)))


@program
def caesar(ref, rng):
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    text = b"The Quick (brown) fox: jumps over @ 13 lazy dogs [AZaz] `{"
    for key in [0, 1, 13, 25, 26, -3, 40]:
        turned = alphabet[key % 26 :] + alphabet[: key % 26]
        table = str.maketrans(alphabet + alphabet.upper(), turned + turned.upper())
        ref.equal("caesar", [key, text], text.decode().translate(table))
    for key in [b"a", b"key", b"zebra"]:
        out = []
        for sign, c in [(1, "vigenere"), (-1, "unvigenere")]:
            out = bytes(
                ord(alphabet[(x - 97 + sign * (key[i % len(key)] - 97)) % 26])
                if 97 <= x <= 122
                else ord(alphabet[(x - 65 + sign * (key[i % len(key)] - 97)) % 26].upper())
                if 65 <= x <= 90
                else x
                for i, x in enumerate(text)
            )
            ref.equal(c, [key, text], out)
    for sample in [text, b"Eee", b"zzzz Z", b"abcABC", b"MNNn", b"zzz", b"ZZ", b"aaa", b"AA"]:
        counts = collections.Counter(c for c in sample.lower() if 97 <= c <= 122)
        top = max(range(97, 123), key=lambda c: (counts[c], -c))
        ref.equal("likely_shift", [sample], (top - 101) % 26)


@program
def roman_numerals(ref, rng):
    def roman(n):
        digits = [("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"), ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC")]
        digits += [("", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"), ("", "M", "MM", "MMM")]
        return "".join(digits[k][n // 10**k % 10] for k in (3, 2, 1, 0))

    numbers = list(range(1, 60)) + [90, 99, 100, 400, 444, 500, 900, 999, 1000, 3999] + [rng.randint(1, 3999) for _ in range(20)]
    ref.equal("written", [numbers], [roman(n) for n in numbers])
    ref.equal("read", [[roman(n) for n in numbers]], numbers)
    ref.equal("written", [[0]], [""])


@program
def base64(ref, rng):
    messages = [bytes(rng.randrange(256) for _ in range(n)) for n in [0, 1, 2, 3, 4, 5, 6, 20]] + [bytes(range(0, 256, 5)), b"\xff\xff\xff", b"\xfb\xef\xbe"]
    texts = [standard_base64.b64encode(m) for m in messages]
    ref.equal("encoded", [[list(m) for m in messages]], texts)
    ref.equal("decoded", [texts], [list(m) for m in messages])
    ref.stops("decoded", [[b"abc"]], "T0915")


@program
def checksums(ref, rng):
    messages = [bytes(rng.randrange(256) for _ in range(n)) for n in [0, 1, 2, 3, 7, 60]] + [bytes([255] * 300), b"123456789"]
    given = [list(m) for m in messages]
    for entry in ["crc32", "crc32_bits"]:
        ref.equal(entry, [given], [zlib.crc32(m) for m in messages])
    for entry in ["adler32", "adler32_parallel"]:
        ref.equal(entry, [given], [zlib.adler32(m) for m in messages])


@program
def sha256(ref, rng):
    messages = [bytes(rng.randrange(256) for _ in range(n)) for n in [0, 1, 3, 20, 55, 56, 63, 64, 65, 130]]
    out = []
    for m in messages:
        digest = hashlib.sha256(m).digest()
        out.append([int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4)])
    ref.equal("digests", [[list(m) for m in messages]], out)


def digits(n):
    """A number as digits to the base 10^9, lowest first."""
    out = []
    while n:
        out.append(n % 10**9)
        n //= 10**9
    return out


@program
def big_integers(ref, rng):
    pairs = [(0, 0), (1, 0), (10**9 - 1, 1), (10**27 - 1, 1), (10**18 - 1, 10**18), (999999998, 1), (10**27 - 10**9, 10**9)]
    pairs += [(rng.randrange(10 ** rng.randint(1, 50)), rng.randrange(10 ** rng.randint(1, 50))) for _ in range(10)]
    ref.equal("sums", [[(digits(a), digits(b)) for a, b in pairs]], [digits(a + b) for a, b in pairs])
    ref.equal("products", [[(digits(a), digits(b)) for a, b in pairs]], [digits(a * b) for a, b in pairs])
    ns = [0, 1, 2, 5, 12, 13, 20, 30, 50]
    ref.equal("factorials", [ns], [digits(math.factorial(n)) for n in ns])


@program
def parentheses(ref, rng):
    texts = [bytes(rng.choice(b"()") for _ in range(n)) for n in [1, 2, 2, 4, 4, 6, 6, 8]] + [b"", b"a", b"(())()", b"((a)(b(c)))"]

    def reduces(text):
        text = text.replace(b"a", b"").replace(b"b", b"").replace(b"c", b"")
        while b"()" in text:
            text = text.replace(b"()", b"")
        return text == b""

    ref.equal("all_balanced", [texts], [reduces(t) for t in texts])
    for text in texts:
        ref.equal("depths", [text], [text[: i + 1].count(b"(") - text[: i + 1].count(b")") for i in range(len(text))])
        if reduces(text):
            stack, partner = [], [-1] * len(text)
            for i, c in enumerate(text):
                if c == ord("("):
                    stack.append(i)
                elif c == ord(")"):
                    partner[i] = stack.pop()
                    partner[partner[i]] = i
            ref.equal("partners", [text], partner)
        else:
            ref.stops("partners", [text], "T0907")
    mixed = [bytes(rng.choice(b"()[]{}x") for _ in range(n)) for n in [1, 2, 2, 2, 3, 4, 4, 6]] + [b"([{}])", b"{[}]", b"()[]{}", b"([x]{(y)})", b"(]", b"}{"]

    def nested(text):
        text = bytes(c for c in text if c in b"()[]{}")
        before = None
        while before != text:
            before = text
            for pair in (b"()", b"[]", b"{}"):
                text = text.replace(pair, b"")
        return text == b""

    ref.equal("well_nested", [mixed], [nested(t) for t in mixed])


@program
def histogram_equalisation(ref, rng):
    for h, w, low, high in [(1, 1, 0, 255), (2, 3, 10, 12), (4, 5, 0, 255), (6, 6, 100, 140), (3, 4, 250, 255), (3, 3, 0, 2)]:
        picture = [[rng.randint(low, high) for _ in range(w)] for _ in range(h)]
        flat = [p for row in picture for p in row]
        ref.equal("histogram", [picture], [flat.count(v) for v in range(256)])
        below = {v: sum(p <= v for p in flat) for v in set(flat)}
        first, total = below[min(flat)], len(flat)
        ref.equal("equalised", [picture], [[p if first == total else (below[p] - first) * 255 // (total - first) for p in row] for row in picture])
        lo, hi = min(flat), max(flat)
        ref.equal("stretched", [picture], [[p if lo == hi else (p - lo) * 255 // (hi - lo) for p in row] for row in picture])


@program
def rationals(ref, rng):
    def record(f):
        return Record("rational", top=f.numerator, bottom=f.denominator)

    def pair():
        return rng.randint(-12, 12), rng.choice([-6, -4, -3, -1, 1, 2, 4, 5, 9])

    rows = [[pair() for _ in range(n)] for n in lengths(rng, 8, 5)]
    ref.equal("sums", [rows], [record(sum((fractions.Fraction(*p) for p in row), fractions.Fraction(0))) for row in rows])
    for _ in range(8):
        a, b = pair(), pair()
        b = b if b[0] else (5, b[1])
        x, y = fractions.Fraction(*a), fractions.Fraction(*b)
        ref.equal("four", [a, b], [record(v) for v in (x + y, x - y, x * y, x / y)])
    ref.equal("harmonic", [12], [record(sum(fractions.Fraction(1, k + 1) for k in range(n + 1))) for n in range(12)])
    full = [row for row in rows if row]
    full += [[(7, 2), (5, 1), (9, 2)], [(30, 4)], [(-3, -1), (4, 1)]]
    ref.equal("least", [full], [record(min(fractions.Fraction(*p) for p in row)) for row in full])
    tops = [(415, 93), (1, 7), (7, 1), (-5, 3), (0, 4), (355, 113)]
    out = []
    for p, q in tops:
        terms, x = [], fractions.Fraction(p, q)
        while True:
            whole_part = math.floor(x)
            terms.append(whole_part)
            if x == whole_part:
                break
            x = 1 / (x - whole_part)
        out.append(terms)
    ref.equal("continued", [tops], out)
    ref.stops("four", [(1, 0), (1, 2)], "T0907")
    ref.stops("four", [(1, 2), (0, 3)], "T0907")


@program
def dates(ref, rng):
    names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    zero = datetime.date(1, 3, 1).toordinal() - 365

    def record(d):
        return Record("date", year=d.year, month=d.month, day=d.day)

    days = [datetime.date(rng.randint(1600, 2400), rng.randint(1, 12), rng.randint(1, 28)) for _ in range(12)]
    days += [datetime.date(2000, 2, 29), datetime.date(1900, 2, 28), datetime.date(1999, 12, 31), datetime.date(2000, 1, 1), datetime.date(2000, 3, 1)]
    ref.equal("weekdays", [[record(d) for d in days]], [Variant(names[d.weekday()]) for d in days])
    pairs = list(zip(days, days[1:]))
    ref.equal("differences", [[(record(a), record(b)) for a, b in pairs]], [(b - a).days for a, b in pairs])
    shifts = [0, 1, -1, 28, 31, 365, 366, -365, 1461, 36524, 146097, -146097, 30, 59, 60, 100, 200]
    later = [(d, s) for d, s in zip(days, shifts)] + [(datetime.date(2000, 2, 28), s) for s in range(0, 800, 17)]
    edges = [datetime.date(2000 + m // 12, m % 12 + 1, 1) for m in range(60)]
    later += [(datetime.date(2000, 3, 1), (d - datetime.date(2000, 3, 1)).days - k) for d in edges for k in (0, 1)]
    later += [(datetime.date(1999, 1, 1), (datetime.date(y, 3, 1) - datetime.date(1999, 1, 1)).days - k) for y in (1700, 1800, 1900, 2000, 2004, 2100) for k in (0, 1, 2)]
    ref.equal("later", [[(record(d), s) for d, s in later]], [record(d + datetime.timedelta(days=s)) for d, s in later])
    years = [1896, 1900, 1904, 1999, 2000, 2001, 2023, 2024, 2100, 2400]
    ref.equal("leap_years", [years], [datetime.date(y, 12, 31).timetuple().tm_yday == 366 for y in years])
    ref.equal("unlucky_months", [years], [[m for m in range(1, 13) if datetime.date(y, m, 13).weekday() == 4] for y in years])
    for year in [1900, 2000, 2023]:
        months = [[] for _ in range(12)]
        day = datetime.date(year, 1, 1)
        while day.year == year:
            months[day.month - 1].append(day.toordinal() - zero)
            day += datetime.timedelta(days=1)
        ref.equal("calendar", [year], months)


@program
def reverse_polish(ref, rng):
    def build(depth):
        """A random expression as text for Python, as tokens, and its stack height."""
        kind = rng.random()
        if depth == 0 or kind < 0.2:
            n = rng.randint(-9, 9)
            return f"({n})", [Variant("number", n)], 1
        if kind < 0.35:
            text, tokens, high = build(depth - 1)
            return f"(-{text})", tokens + [Variant("negate")], high
        (a, left, p), (b, right, q) = build(depth - 1), build(depth - 1)
        name, sign = rng.choice([("plus", "+"), ("minus", "-"), ("times", "*")])
        return f"({a}{sign}{b})", left + right + [Variant(name)], max(p, q + 1)

    made = [build(d) for d in [0, 1, 1, 2, 2, 3, 3, 4]]
    ref.equal("values", [[tokens for _, tokens, _ in made]], [eval(text) for text, _, _ in made])
    ref.equal("heights", [[tokens for _, tokens, _ in made]], [high for _, _, high in made])
    ref.stops("values", [[[Variant("number", 1), Variant("number", 2)]]], "T0907")
    ref.stops("values", [[[Variant("number", 1), Variant("plus")]]], "T0901")


@program
def text_numbers(ref, rng):
    def in_base(n, base):
        out = ""
        while abs(n) >= base or not out:
            out, rest = "0123456789abcdefghijklmnopqrstuvwxyz"[abs(n) % base] + out, abs(n) // base
            if rest == 0:
                return ("-" if n < 0 else "") + out
            n = -rest if n < 0 else rest
        return ("-" if n < 0 else "") + "0123456789abcdefghijklmnopqrstuvwxyz"[abs(n)] + out

    for base in [2, 3, 10, 11, 16, 36]:
        numbers = [0, 1, -1, base - 1, base, -base, base * base, base**3 - 1] + whole(rng, 6, -5000, 5000)
        texts = [in_base(n, base) for n in numbers]
        assert [int(t, base) for t in texts] == numbers
        ref.equal("written", [base, numbers], texts)
        ref.equal("read", [base, texts], numbers)
    for rows in [[[1]], [[1, -20, 3], [44]], [[0, 0], [7, 8, 9, 10], [-1]]]:
        lines = [",".join(map(str, row)) for row in rows]
        as_bytes = list("\n".join(lines).encode())
        ref.equal("table", [as_bytes], rows)
        ref.equal("table", [as_bytes + [10]], rows)
    numbers = list(range(20)) + [rng.randrange(2**63) for _ in range(4)]
    ref.equal("gray", [numbers], [n ^ (n >> 1) for n in numbers])
    codes = [n ^ (n >> 1) for n in numbers]
    ref.equal("ungray", [codes], numbers)
