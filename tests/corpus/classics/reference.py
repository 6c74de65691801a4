"""Expected answers for the classics, computed without Terrace.

    python3 reference.py        writes NAME.ref beside every NAME.tce

Needs numpy. The computations are in three files by subject; each function there makes the cases of one program, on
purpose in another way than the program does: plain loops, brute force, numpy, zlib, hashlib, datetime, fractions.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import reference_matrices  # noqa: E402
import reference_orders  # noqa: E402
import reference_texts  # noqa: E402
from cases import write  # noqa: E402

if __name__ == "__main__":
    for subject in (reference_matrices, reference_orders, reference_texts):
        write(__file__, subject.PROGRAMS)
