package io.millrace.text;

import static io.millrace.text.CodePoints.CJK;
import static io.millrace.text.CodePoints.LETTER;
import static io.millrace.text.CodePoints.MARK;
import static io.millrace.text.CodePoints.NUMBER;
import static io.millrace.text.CodePoints.OTHER;
import static io.millrace.text.CodePoints.SPACE;
import static io.millrace.text.CodePoints.SYMBOL;

import java.util.List;

/**
 * The patterns of DeepSeek V3, R1 and V4. Each of the three cuts the texts that the one before it made: an end of a run of Chinese and
 * Japanese characters is an end of the text for the third. Tested by {@code PretokensTest}.
 */
final class DeepSeekPretokens implements Pretokens {
    static final List<String> PATTERNS = List.of(
            "\\p{N}{1,3}",
            "[一-龥぀-ゟ゠-ヿ]+",
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
                    + "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+");

    @Override
    public int end(byte[] text, int at, int to) {
        int kind = CodePoints.kind(text, at, to);
        if (kind == NUMBER) {
            return PretokenRules.digits(text, at, to, 3);
        }
        int own = (kind & CJK) != 0 ? CJK : ~(CJK | NUMBER);
        int end = match(text, at, to, own);
        if (end > at) {
            return end;
        }
        // What the pattern does not match is a pretoken as far as the next match.
        do {
            end = CodePoints.after(text, end);
        } while ((CodePoints.kind(text, end, to) & own) != 0 && match(text, end, to, own) == end);
        return end;
    }

    /** Returns the end of the match at {@code at}, or {@code at}; the text consists of characters of the kinds {@code own}. */
    private static int match(byte[] text, int at, int to, int own) {
        int next = CodePoints.after(text, at);
        if (visibleAscii(text[at]) && next < to && asciiLetter(text[next])) {
            int end = next;
            while (end < to && asciiLetter(text[end])) {
                end++;
            }
            return end;
        }
        int kind = CodePoints.kind(text, at, to);
        int then = CodePoints.kind(text, next, to);
        int letters = (LETTER | MARK) & own;
        if ((kind & letters) != 0) {
            return CodePoints.run(text, at, to, letters);
        }
        if ((kind & (OTHER | SPACE)) != 0 && (then & letters) != 0 && !PretokenRules.newline(text, at)) {
            return CodePoints.run(text, next, to, letters);
        }
        int symbols = SYMBOL & own;
        if (((text[at] == ' ' ? then : kind) & symbols) != 0) {
            int end = CodePoints.run(text, next, to, symbols);
            return own == CJK ? end : PretokenRules.newlines(text, end, to);
        }
        return kind == SPACE ? PretokenRules.lines(text, at, to, ~own) : at;
    }

    /** Returns whether a byte is visible ASCII and no letter; the caller has excluded digits. */
    private static boolean visibleAscii(int b) {
        return b > ' ' && b < 0x7F && !asciiLetter(b);
    }

    private static boolean asciiLetter(int b) {
        return (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
    }
}
