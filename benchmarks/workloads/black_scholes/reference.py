from math import exp, log, sqrt

from plain import case_and_sizes, hash_of, report

RATE, VOLATILITY = 0.02, 0.3


def between(low, high, i):
    return low + (high - low) * (hash_of(i) % 65536 / 65536)


def normal(x):
    """Abramowitz and Stegun, 26.2.17."""
    t = 1 / (1 + 0.2316419 * abs(x))
    powers = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
    tail = exp(-x * x / 2) * 0.3989422804014327 * sum(c * t ** (k + 1) for k, c in enumerate(powers))
    return 1 - tail if x > 0 else tail


def call_and_put(s, k, t):
    d1 = (log(s / k) + (RATE + VOLATILITY**2 / 2) * t) / (VOLATILITY * sqrt(t))
    d2 = d1 - VOLATILITY * sqrt(t)
    call = s * normal(d1) - k * exp(-RATE * t) * normal(d2)
    return call, call - s + k * exp(-RATE * t)


_, (n,) = case_and_sizes()
prices = [call_and_put(between(5, 30, i), between(1, 100, i + 77), between(0.25, 10, i + 777)) for i in range(n)]
report([call for call, _ in prices], [put for _, put in prices])
