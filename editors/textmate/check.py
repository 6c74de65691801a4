"""Colours programs by terrace.tmLanguage.json and compares with what the compiler's own lexer says.

    python3 check.py GRAMMAR < cases

A case is a line `file PATH`, and for every token a line `token START END CLASS`, in characters. The classes are keyword, name, number,
part, string, comment and mark. Patterns run as an editor runs them: line by line, the leftmost match wins, and of several the first.
Prints what differs, and last how many tokens were compared.
"""

import json
import re
import sys

FITS = {
    "keyword": ("keyword.control", "storage.type", "constant.language", "invalid.deprecated"),
    "name": ("variable.other", "entity.name", "support."),
    "number": ("constant.numeric",),
    "part": ("variable.other.member",),
    "string": ("string.", "constant.character"),
    "comment": ("comment.",),
    "mark": ("keyword.operator", "punctuation."),
}


def compiled(grammar):
    """The rules in their order, each with its pattern and, where it has an end, with that and what stands inside."""
    rules = []
    for include in grammar["patterns"]:
        rule = grammar["repository"][include["include"][1:]]
        inside = [(re.compile(p["match"]), p["name"]) for p in rule.get("patterns", [])]
        end = re.compile(rule["end"]) if "end" in rule else None
        rules.append((re.compile(rule.get("match") or rule["begin"]), rule, end, inside))
    return rules


def scopes(rules, text):
    """The scope of every character, innermost."""
    out = [""] * len(text)

    def paint(a, b, name):
        out[a:b] = [name] * (b - a)

    start = 0
    for line in text.split("\n"):
        at = 0
        nearest = [None] * len(rules)
        while at < len(line):
            best = None
            for k, (pattern, *_) in enumerate(rules):
                # A match that lies ahead is still the next one.
                if nearest[k] is None or nearest[k] is not False and nearest[k].start() < at:
                    nearest[k] = pattern.search(line, at) or False
                if nearest[k] and (best is None or nearest[k].start() < nearest[best].start()):
                    best = k
            if best is None:
                break
            match, (_, rule, close, inside) = nearest[best], rules[best]
            end = match.end()
            if close:
                paint(start + match.start(), start + end, rule["name"])
                while True:
                    stop = close.search(line, end)
                    found = [(m.start(), m, name) for p, name in inside if (m := p.search(line, end))]
                    first = min(found, key=lambda f: f[0], default=None)
                    if first and first[0] <= stop.start():
                        paint(start + end, start + first[0], rule["name"])
                        paint(start + first[0], start + first[1].end(), first[2])
                        end = first[1].end()
                        continue
                    paint(start + end, start + stop.end(), rule["name"])
                    end = stop.end()
                    break
            elif "captures" in rule:
                for group, what in rule["captures"].items():
                    paint(start + match.start(int(group)), start + match.end(int(group)), what["name"])
            else:
                paint(start + match.start(), start + end, rule["name"])
            at = end
        start += len(line) + 1
    return out


def main():
    rules = compiled(json.load(open(sys.argv[1], encoding="utf-8")))
    compared, wrong, path, text, found = 0, 0, None, "", []
    for line in sys.stdin:
        kind, rest = line.rstrip("\n").split(" ", 1)
        if kind == "file":
            path = rest
            text = open(path, encoding="utf-8", newline="").read()
            found = scopes(rules, text)
            continue
        a, b, wanted = rest.split(" ")
        for at in range(int(a), int(b)):
            compared += 1
            if not found[at].startswith(FITS[wanted]) and wrong < 20:
                wrong += 1
                print(f"{path}:{text.count(chr(10), 0, at) + 1}: `{text[int(a):int(b)]}` is a {wanted}, coloured `{found[at]}`")
                break
    print(f"{compared} characters compared, {wrong} tokens differ")
    sys.exit(1 if wrong else 0)


main()
