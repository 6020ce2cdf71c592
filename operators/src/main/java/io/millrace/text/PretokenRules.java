package io.millrace.text;

import static io.millrace.text.CodePoints.NUMBER;
import static io.millrace.text.CodePoints.SPACE;

/** The parts that several patterns have in common. Tested by {@code PretokensTest}. */
final class PretokenRules {
    private PretokenRules() {}

    static boolean newline(byte[] text, int at) {
        return text[at] == '\n' || text[at] == '\r';
    }

    /** Returns the end of {@code \p{N}{1,most}}, which matches at {@code at}. */
    static int digits(byte[] text, int at, int to, int most) {
        int end = CodePoints.after(text, at);
        for (int i = 1; i < most && CodePoints.kind(text, end, to) == NUMBER; i++) {
            end = CodePoints.after(text, end);
        }
        return end;
    }

    /** Returns the end of {@code [\r\n]*}. */
    static int newlines(byte[] text, int at, int to) {
        int end = at;
        while (end < to && newline(text, end)) {
            end++;
        }
        return end;
    }

    /** Returns the end of {@code \s*[\r\n]+|\s+(?!\S)|\s+}, which matches at {@code at}; the text ends before a character of {@code bounds}. */
    static int lines(byte[] text, int at, int to, int bounds) {
        int newline = -1;
        for (int end = at; CodePoints.kind(text, end, to) == SPACE; end = CodePoints.after(text, end)) {
            if (newline(text, end)) {
                newline = end + 1;
            }
        }
        return newline > 0 ? newline : spaces(text, at, to, bounds);
    }

    /** Returns the end of {@code \s+(?!\S)|\s+}, which matches at {@code at}; the text ends before a character of {@code bounds}. */
    static int spaces(byte[] text, int at, int to, int bounds) {
        int end = at;
        int last = at;
        int kind;
        while ((kind = CodePoints.kind(text, end, to)) == SPACE) {
            last = end;
            end = CodePoints.after(text, end);
        }
        return last == at || kind == 0 || (kind & bounds) != 0 ? end : last;
    }

    /** Returns the end of {@code 's|'t|'re|'ve|'m|'ll|'d}, or {@code at} when it does not match. */
    static int contraction(byte[] text, int at, int to) {
        return at + 1 < to && text[at] == '\'' ? contracted(text, at, to, false) : at;
    }

    /** Returns the end of {@code (?i:'s|'t|'re|'ve|'m|'ll|'d)}, or {@code at} when it does not match. */
    static int anyContraction(byte[] text, int at, int to) {
        return at + 1 < to && text[at] == '\'' ? contracted(text, at, to, true) : at;
    }

    private static int contracted(byte[] text, int at, int to, boolean any) {
        int second = at + 2 < to ? text[at + 2] : 0;
        // The long s is an s to a pattern that ignores case.
        if (any && text[at + 1] == (byte) 0xC5 && second == (byte) 0xBF) {
            return at + 3;
        }
        int a = any ? Character.toLowerCase(text[at + 1]) : text[at + 1];
        int b = any ? Character.toLowerCase(second) : second;
        if (a == 's' || a == 't' || a == 'm' || a == 'd') {
            return at + 2;
        }
        return ((a == 'r' || a == 'v') && b == 'e') || (a == 'l' && b == 'l') ? at + 3 : at;
    }
}
