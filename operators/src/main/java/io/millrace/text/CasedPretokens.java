package io.millrace.text;

import static io.millrace.text.CodePoints.CASELESS;
import static io.millrace.text.CodePoints.LETTER;
import static io.millrace.text.CodePoints.LOWER;
import static io.millrace.text.CodePoints.MARK;
import static io.millrace.text.CodePoints.NUMBER;
import static io.millrace.text.CodePoints.OTHER;
import static io.millrace.text.CodePoints.SYMBOL;
import static io.millrace.text.CodePoints.UPPER;

/**
 * The patterns that cut a word where a capital letter follows a small one: those of o200k and of Mistral's Tekken. Tested by {@code
 * PretokensTest}.
 *
 * @param digits the most digits of a pretoken
 * @param contractions whether a word contains the contraction after it, such as {@code 's}
 */
record CasedPretokens(int digits, boolean contractions) implements Pretokens {
    private static final String BEFORE = "[^\\r\\n\\p{L}\\p{N}]?";
    private static final String HIGH = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
    private static final String LOW = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
    private static final String CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
    private static final String REST = "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    /** The pattern of o200k, gpt-oss and Llama 4. */
    static final String O200K = BEFORE + HIGH + "*" + LOW + "+" + CONTRACTION + "|" + BEFORE + HIGH + "+" + LOW + "*"
            + CONTRACTION + "|\\p{N}{1,3}" + REST;
    /** The pattern of Mistral Nemo and Nemotron. */
    static final String TEKKEN = BEFORE + HIGH + "*" + LOW + "+|" + BEFORE + HIGH + "+" + LOW + "*|\\p{N}" + REST;

    private static final int HIGHS = UPPER | CASELESS | MARK;
    private static final int LOWS = LOWER | CASELESS | MARK;
    private static final int SYMBOLS = OTHER | MARK | SYMBOL;

    static CasedPretokens o200k() {
        return new CasedPretokens(3, true);
    }

    static CasedPretokens tekken() {
        return new CasedPretokens(1, false);
    }

    @Override
    public int end(byte[] text, int at, int to) {
        int kind = CodePoints.kind(text, at, to);
        if (kind == NUMBER) {
            return PretokenRules.digits(text, at, to, digits);
        }
        int next = CodePoints.after(text, at);
        int then = CodePoints.kind(text, next, to);
        int word = word(text, at, to, kind, next, then);
        if (word > at) {
            return contractions ? PretokenRules.anyContraction(text, word, to) : word;
        }
        if (((text[at] == ' ' ? then : kind) & SYMBOLS) != 0) {
            int end = CodePoints.run(text, next, to, SYMBOLS);
            while (end < to && (text[end] == '/' || PretokenRules.newline(text, end))) {
                end++;
            }
            return end;
        }
        return PretokenRules.lines(text, at, to, 0);
    }

    /**
     * Returns the end of the word at {@code at}, or {@code at} when there is none. A mark can be the character before a word or the
     * word's first, so that both are tried, in the order of the pattern.
     */
    private static int word(byte[] text, int at, int to, int kind, int next, int then) {
        boolean inside = (kind & (LETTER | MARK)) != 0;
        boolean before = (kind & LETTER) == 0 && (then & (LETTER | MARK)) != 0 && !PretokenRules.newline(text, at);
        int end = before ? lowEnd(text, next, to) : -1;
        if (end < 0 && inside) {
            end = lowEnd(text, at, to);
        }
        if (end < 0 && before) {
            end = highEnd(text, next, to);
        }
        if (end < 0 && inside) {
            end = highEnd(text, at, to);
        }
        return Math.max(end, at);
    }

    /** Returns the end of capital letters and at least one small letter, or -1; a caseless letter or a mark counts as either. */
    private static int lowEnd(byte[] text, int from, int to) {
        int at = from;
        int low = -1;
        int kind;
        while (((kind = CodePoints.kind(text, at, to)) & HIGHS) != 0) {
            at = CodePoints.after(text, at);
            if ((kind & LOWS) != 0) {
                low = at;
            }
        }
        return (kind & LOWS) != 0 ? CodePoints.run(text, at, to, LOWS) : low;
    }

    private static int highEnd(byte[] text, int from, int to) {
        int end = CodePoints.run(text, from, to, HIGHS);
        return end > from ? end : -1;
    }
}
