package io.millrace.text;

import static io.millrace.text.CodePoints.LETTER;
import static io.millrace.text.CodePoints.MARK;
import static io.millrace.text.CodePoints.NEW_NUMBER;
import static io.millrace.text.CodePoints.NUMBER;
import static io.millrace.text.CodePoints.OTHER;
import static io.millrace.text.CodePoints.SYMBOL;

/** GPT-2's pattern. Tested by {@code PretokensTest}. */
final class Gpt2Pretokens implements Pretokens {
    static final String PATTERN = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

    private final int numbers;
    private final int single;
    private final int symbols;

    private Gpt2Pretokens(int single) {
        this.single = single;
        numbers = NUMBER & ~single;
        symbols = (OTHER | MARK | SYMBOL) & ~single;
    }

    /** Returns the pattern. */
    static Gpt2Pretokens plain() {
        return new Gpt2Pretokens(0);
    }

    /** Returns the pattern after the pre-tokenizer Digits, which makes a text of its own of each digit. */
    static Gpt2Pretokens afterDigits() {
        return new Gpt2Pretokens(NUMBER | NEW_NUMBER);
    }

    @Override
    public int end(byte[] text, int at, int to) {
        int kind = CodePoints.kind(text, at, to);
        int next = CodePoints.after(text, at);
        if ((kind & single) != 0) {
            return next;
        }
        int contraction = PretokenRules.contraction(text, at, to);
        if (contraction > at) {
            return contraction;
        }
        int word = text[at] == ' ' ? CodePoints.kind(text, next, to) : kind;
        int kinds = (word & LETTER) != 0 ? LETTER : (word & numbers) != 0 ? numbers : symbols;
        if ((word & kinds) != 0) {
            return CodePoints.run(text, next, to, kinds);
        }
        return PretokenRules.spaces(text, at, to, single);
    }
}
