"""PageRank from its definition: each page hands its rank on along its links."""

from plain import case_and_sizes, hash_of, report


def links_of(case, sizes):
    n = sizes[0]
    links = []
    for i in range(n):
        seed = hash_of(i)
        length = sizes[1] // (1 + seed % sizes[1]) if case == "power" else seed % 17
        ts = [hash_of((seed + 7919 * j) % 2147483647) % n for j in range(length)]
        links.append([t * t // n for t in ts] if case == "power" else ts)
    return links


def pagerank(links, steps, damping=0.85):
    n = len(links)
    ranks = [1.0 / n] * n
    for _ in range(steps):
        received, lost = [0.0] * n, 0.0
        for page, targets in enumerate(links):
            for t in targets:
                received[t] += ranks[page] / len(targets)
            if not targets:
                lost += ranks[page]
        ranks = [(1.0 - damping + damping * lost) / n + damping * r for r in received]
    return ranks


if __name__ == "__main__":
    case, sizes = case_and_sizes()
    report(pagerank(links_of(case, sizes), sizes[-1]))
