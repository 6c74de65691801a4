"""Inputs that make every operator matter, and the loop that turns them into cases.

    from inputs import Inputs, Stop, write
    some = Inputs(7)
    write(__file__, "rotations", ("turn", lambda k, xs: xs[k:] + xs[:k], [(k, some.ints(9)) for k in range(5)]))

Numbers are small and repeat, signs mix, rows are ragged, and lengths include 0, 1, 2 and 3. Floats are eighths, which add up
exactly in any order. A function that raises `Stop("T0901")` gives a case that stops with that code.
"""

import copy
import random

from literals import Reference

SIZES = [0, 1, 2, 3, 7, 20]


class Stop(Exception):
    """The program stops with a code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Inputs(random.Random):
    """A seeded source of arguments."""

    def ints(self, n, low=-9, high=9):
        """So many integers."""
        return [self.randint(low, high) for _ in range(n)]

    def reals(self, n, low=-8, high=8):
        """So many multiples of 1/8."""
        return [self.randint(low * 8, high * 8) / 8 for _ in range(n)]

    def flags(self, n):
        """So many truth values."""
        return [self.random() < 0.5 for _ in range(n)]

    def rows(self, n, most=6, low=-9, high=9):
        """Ragged rows, with an empty one among the first where there are two or more."""
        rows = [self.ints(self.randint(0, most), low, high) for _ in range(n)]
        if n > 1:
            rows[self.randrange(n)] = []
        return rows

    def real_rows(self, n, most=6):
        """Ragged rows of multiples of 1/8."""
        return [[x / 8 for x in row] for row in self.rows(n, most, -64, 64)]

    def grid(self, n, m, low=-9, high=9):
        """A matrix."""
        return [self.ints(m, low, high) for _ in range(n)]

    def permutation(self, n):
        """The numbers below n in some order."""
        return self.sample(range(n), n)


def write(script, name, *entries):
    """Writes the cases of a program: (entry, function, arguments of each case), and a fourth part where floats round."""
    with Reference(script, name) as reference:
        for entry, function, inputs, *rounds in entries:
            for arguments in inputs:
                arguments = list(arguments)
                try:
                    value = function(*copy.deepcopy(arguments))
                except Stop as stop:
                    reference.stops(entry, arguments, stop.code)
                else:
                    (reference.close if rounds else reference.equal)(entry, arguments, value)
