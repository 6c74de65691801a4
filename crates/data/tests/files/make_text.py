"""Makes the files in text formats and sound with Python's own libraries, for `foreign_files.rs` and as seeds of the fuzzer.

    python make_text.py
"""

import csv
import json
import os
import struct
import wave

os.chdir(os.path.dirname(os.path.abspath(__file__)))

ROWS = [("plain", 1, 0.1), ('a "quoted", text', -2, 1e300), ("two\nlines", 3, -0.0), ("é", 4, float("inf"))]

with open("table.csv", "w", newline="", encoding="utf-8-sig") as file:
    out = csv.writer(file)  # CRLF, quotes where needed
    out.writerow(["text", "count", "value"])
    out.writerows(ROWS)

with open("table.tsv", "w", newline="") as file:
    csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL).writerows((b, c) for _, b, c in ROWS)

with open("records.jsonl", "w") as file:
    for text, count, value in ROWS:
        file.write(json.dumps({"text": text, "count": count, "value": value, "rest": [None, {"deep": []}]}) + "\n")

with open("document.json", "w") as file:
    json.dump({"rows": [[1, 2.5], [3, 1e-7]], "names": ["a", "\u20ac\U0001f600\b"], "flag": True}, file, indent=2)

with open("matrix.mtx", "w") as file:
    file.write("%%MatrixMarket matrix coordinate real symmetric\n% by hand\n3 3 4\n")
    file.write("1 1 2.0\n2 1 -1.0e+00\n3 2 -1.5\n3 3 2\n")

with open("sequences.fasta", "w") as file:
    file.write(">one the first\nACGT\nACG\n\n>two\n>three\nNN\n")

with open("reads.fastq", "w") as file:
    file.write("@r1\nACGT\n+\n!!@+\n@r2\nA\n+r2\n@\n")

with open("lines.txt", "w", newline="") as file:
    file.write("one\r\n\ntwo")

with wave.open("stereo.wav", "wb") as file:
    file.setnchannels(2)
    file.setsampwidth(2)
    file.setframerate(22050)
    file.writeframes(struct.pack("<6h", 0, -32768, 1, 2, 32767, -1))

with wave.open("mono24.wav", "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(3)
    file.setframerate(48000)
    file.writeframes(b"\x01\x00\x00\xff\xff\xff\x00\x00\x80")
