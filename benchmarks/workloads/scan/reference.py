from itertools import accumulate

from plain import case_and_sizes, hash_of, report

case, (n,) = case_and_sizes()
element = {"scan": lambda h: h % 16 - 7, "i32": lambda h: h % 15 - 7, "f32": lambda h: (h % 15 - 7) / 8}[case]
report(list(accumulate(element(hash_of(i)) for i in range(n))))
