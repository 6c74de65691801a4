from peer import counted, eighths, measure


def filtered(n, percent=0):
    if percent:
        return (100 - percent) / 8.0 - 0.0625, eighths(counted(n), 100)
    return 3.9375, eighths(counted(n), 64)


def keep(n, percent=0):
    limit, xs = filtered(n, percent)
    measure("numpy", "xs[xs > limit]", lambda: xs[xs > limit])


def filter_sum(n):
    limit, xs = filtered(n)
    measure("numpy", "xs[xs > limit].sum()", lambda: xs[xs > limit].sum())


def shares(n):
    limit, xs = filtered(n)

    def run():
        kept = xs[xs > limit]
        return kept / kept.sum()

    measure("numpy", "whole arrays", run)


def main(words, sizes):
    {"keep": keep, "filter_sum": filter_sum, "shares": shares}[words[0]](*sizes)
