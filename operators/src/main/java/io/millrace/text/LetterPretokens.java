package io.millrace.text;

import static io.millrace.text.CodePoints.LETTER;
import static io.millrace.text.CodePoints.MARK;
import static io.millrace.text.CodePoints.NUMBER;
import static io.millrace.text.CodePoints.OTHER;
import static io.millrace.text.CodePoints.SPACE;
import static io.millrace.text.CodePoints.SYMBOL;

/**
 * The patterns that put all letters of a word into one pretoken, with one character of another kind before them: those of cl100k, Llama
 * 3 and Qwen. Tested by {@code PretokensTest}.
 *
 * @param digits the most digits of a pretoken
 * @param letters the kinds of characters of words
 * @param bounds the kinds of characters before which an earlier pattern ends the text
 * @param wholeEnd whether white space at the end of the text is one pretoken in any case
 */
record LetterPretokens(int digits, int letters, int bounds, boolean wholeEnd) implements Pretokens {
    private static final String WORDS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|";
    private static final String SYMBOLS = "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*";
    private static final String SPACES = "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    /** The pattern of cl100k as the library writes it, and of Llama 3. */
    static final String THREE_DIGITS = WORDS + "\\p{N}{1,3}" + SYMBOLS + SPACES;
    /** The pattern of Qwen 2, 2.5 and 3. */
    static final String ONE_DIGIT = WORDS + "\\p{N}" + SYMBOLS + SPACES;
    /** The pattern of Qwen 3.5, whose words contain marks. */
    static final String MARKS = WORDS.replace("?\\p{L}+", "?[\\p{L}\\p{M}]+") + "\\p{N}"
            + SYMBOLS.replace("\\p{L}\\p{N}", "\\p{L}\\p{M}\\p{N}") + SPACES;
    /** The pattern of MiniCPM 5, whose numbers are cut before. */
    static final String ALL_DIGITS = WORDS + "\\p{N}+" + SYMBOLS + SPACES;

    static LetterPretokens threeDigits() {
        return new LetterPretokens(3, LETTER, 0, false);
    }

    static LetterPretokens oneDigit() {
        return new LetterPretokens(1, LETTER, 0, false);
    }

    static LetterPretokens marks() {
        return new LetterPretokens(1, LETTER | MARK, 0, false);
    }

    /** Returns the pattern {@link #ALL_DIGITS} after {@code \p{N}{1,3}}. */
    static LetterPretokens afterThreeDigits() {
        return new LetterPretokens(3, LETTER, NUMBER, false);
    }

    /** Returns the pattern of cl100k as tiktoken writes it, with {@code \s++$} before the other white space. */
    static LetterPretokens tiktoken() {
        return new LetterPretokens(3, LETTER, 0, true);
    }

    @Override
    public int end(byte[] text, int at, int to) {
        int contraction = PretokenRules.anyContraction(text, at, to);
        if (contraction > at) {
            return contraction;
        }
        int kind = CodePoints.kind(text, at, to);
        if ((kind & letters) != 0) {
            return CodePoints.run(text, at, to, letters);
        }
        if (kind == NUMBER) {
            return PretokenRules.digits(text, at, to, digits);
        }
        int next = CodePoints.after(text, at);
        int then = CodePoints.kind(text, next, to);
        if ((then & letters) != 0 && !PretokenRules.newline(text, at)) {
            return CodePoints.run(text, next, to, letters);
        }
        int symbols = (OTHER | MARK | SYMBOL) & ~letters;
        if (((text[at] == ' ' ? then : kind) & symbols) != 0) {
            return PretokenRules.newlines(text, CodePoints.run(text, next, to, symbols), to);
        }
        if (wholeEnd && CodePoints.run(text, at, to, SPACE) == to) {
            return to;
        }
        return PretokenRules.lines(text, at, to, bounds);
    }
}
