from cmath import exp, pi

from plain import case_and_sizes, hash_of, report


def transform(xs):
    """The definition: every output is a sum over all inputs."""
    n = len(xs)
    return [sum(x * exp(-2j * pi * j * k / n) for j, x in enumerate(xs)) for k in range(n)]


def image(i):
    at = lambda j, k: (i * m + j) * m + k
    rows = [[complex(hash_of(at(j, k)) % 8 / 8, hash_of(at(j, k) + 3) % 8 / 8) for k in range(m)] for j in range(m)]
    columns = zip(*[transform(row) for row in rows])
    return [list(row) for row in zip(*[transform(list(column)) for column in columns])]


_, (n, m) = case_and_sizes()
images = [image(i) for i in range(n)]
report([[[z.real for z in row] for row in image] for image in images], [[[z.imag for z in row] for row in image] for image in images])
