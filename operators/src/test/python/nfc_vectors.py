"""Writes odd texts and their normal forms as the library's normalizer NFC makes them: nfc.json.

    python nfc_vectors.py ../resources/vectors/text
"""

import json
import pathlib
import random
import sys

from tokenizers import normalizers

nfc = normalizers.NFC().normalize_str
MARKS = "\u0301\u0300\u0308\u0323\u0334\u0338\u0345\u05b7\u05bc\u09be\u09d7\u0b3e\u0bd7\u0cc2\u0ccd\u3099\u309a\u1161\u11a8\U0001d165\U00011127"
# Marks and compositions that Unicode has added after the library's version, 9.
NEWER = "\u0898\u09fe\u0c3c\u1df6\U00011935\U00011930\U00011938\U000105d2\U00016d63\U00016d67\u1ac7\U0001e2ae\U00011382\U000113c9"
STARTERS = "aeoAqÀỗάΑαиか\u1100가각\u212b\u2126\u0958\u0344\u1e9b\u1e69\ufb1f한ქ漢 -<\u0915\u09c7\u0b47\u0cc6\u1b05\U00011099\U00011131"
rng = random.Random(36)
texts = [*MARKS, *NEWER, *STARTERS, *(chr(point) for point in range(0x300, 0x370))]
texts += ["".join(rng.choices(MARKS * 3 + NEWER + STARTERS * 2, k=rng.randint(2, 9))) for _ in range(1000)]
normal = {text: nfc(text) for text in texts}
pathlib.Path(sys.argv[1], "nfc.json").write_text(json.dumps(normal, separators=(",", ":")) + "\n")
