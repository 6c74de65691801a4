"""What the reference scripts share: a list of programs, and random data that makes mistakes visible.

    PROGRAMS, program = programs()

    @program
    def sieve(ref, rng):                 # the cases of sieve.tce
        ref.equal("primes", [10], [2, 3, 5, 7])

    write(__file__, PROGRAMS)

The random numbers of a program are seeded by its name, so a second run writes the same files.
"""

import random

from literals import Reference

SIZES = [0, 1, 2, 3, 7, 20]


def programs():
    """A dictionary of programs by name, and the decorator that fills it."""
    table = {}

    def program(make):
        table[make.__name__] = make
        return make

    return table, program


def write(script, table):
    """Writes the `.ref` file of every program beside the script."""
    for name, make in table.items():
        with Reference(script, name) as ref:
            make(ref, random.Random(name))


def eighths(rng, n, low=-8, high=8):
    """Random multiples of 1/8: their sums and small products are exact."""
    return [rng.randrange(8 * low, 8 * high + 1) / 8 for _ in range(n)]


def whole(rng, n, low=-9, high=9):
    """Random integers, with repetitions."""
    return [rng.randint(low, high) for _ in range(n)]


def lengths(rng, n, most=6):
    """Random row lengths, some of them zero."""
    return [rng.randint(0, most) for _ in range(n)]


def grid(rng, n, m, low=-8, high=8):
    """A rectangular matrix of multiples of 1/8."""
    return [eighths(rng, m, low, high) for _ in range(n)]
