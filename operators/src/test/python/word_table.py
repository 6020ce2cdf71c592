"""Writes words.txt: where the characters of words, as tokenizers sees them beside an added token with single_word, are not letters, marks and
numbers. E is such a character of a word, and N is a letter, mark or number of none.

    python word_table.py ../../main/resources/io/millrace/text/words.txt
"""

import sys

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

TOKEN = "<w>"
points = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
tokenizer = Tokenizer(models.BPE({byte: id for id, byte in enumerate(alphabet)}, []))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.add_tokens([AddedToken(TOKEN, single_word=True, normalized=False)])
own = tokenizer.token_to_id(TOKEN)


def beside(texts):
    """Returns whether a token is not found in each of some texts."""
    return [own not in one.ids for start in range(0, len(texts), 10_000) for one in tokenizer.encode_batch(texts[start : start + 10_000])]


usual = set()
for line in open(sys.argv[1].replace("words.txt", "classes.txt"), encoding="ascii"):
    name, first, last = line.split()
    if name in "UBLMN":
        usual.update(range(int(first, 16), int(last, 16) + 1))
before, after = (beside([form.format(chr(point)) for point in points]) for form in ("{}" + TOKEN, TOKEN + "{}"))
if before != after:
    raise SystemExit("a character before a token and one after it differ")
lines, last = [], None
for point, word in zip(points, before):
    name = None if word == (point in usual) else "E" if word else "N"
    if name and name == last:
        lines[-1] = lines[-1][:-1] + [point]
    elif name:
        lines.append([name, point, point])
    last = name
with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("".join(f"{name} {first:X} {last:X}\n" for name, first, last in lines))
