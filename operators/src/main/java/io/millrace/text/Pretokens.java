package io.millrace.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** The cuts of a text into pretokens, as the patterns of GPT-2, of cl100k and Llama 3, and of Qwen 2 make them. Tested by {@code ByteLevelTokenizerTest}. */
final class Pretokens {
    static final String GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
    private static final String START = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|";
    private static final String END = "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    /** The most digits of a pretoken by the text of a pattern; 0 stands for GPT-2's rules. */
    static final Map<String, Integer> DIGITS =
            Map.of(GPT2, 0, START + "\\p{N}{1,3}" + END, 3, START + "\\p{N}" + END, 1);

    private static final int LETTER = 'L';
    private static final int NUMBER = 'N';
    private static final int SPACE = 'S';
    private static final int END_OF_TEXT = -1;
    private static final byte[] CLASSES = classes();
    private final int digits;

    Pretokens(int digits) {
        this.digits = digits;
    }

    private static byte[] classes() {
        byte[] classes = new byte[Character.MAX_CODE_POINT + 1];
        try (InputStream in = Pretokens.class.getResourceAsStream("classes.txt")) {
            if (in == null) {
                throw new IllegalStateException("the resource io/millrace/text/classes.txt is missing");
            }
            for (String line :
                    new String(in.readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII).split("\n", -1)) {
                if (!line.isEmpty()) {
                    String[] parts = line.split(" ", -1);
                    java.util.Arrays.fill(
                            classes, Integer.parseInt(parts[1], 16), Integer.parseInt(parts[2], 16) + 1, (byte)
                                    parts[0].charAt(0));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return classes;
    }

    /** Returns the end of the pretoken that begins at {@code at}, which is less than {@code to}. */
    int end(byte[] text, int at, int to) {
        int first = text[at];
        int second = after(text, at);
        int kind = kind(text, at, to);
        int then = kind(text, second, to);
        if (first == '\'') {
            int suffix = suffix(text, second, to);
            if (suffix > 0) {
                return second + suffix;
            }
        }
        if (kind == LETTER) {
            return run(text, at, to, LETTER);
        }
        boolean newline = first == '\n' || first == '\r';
        if (then == LETTER && (digits == 0 ? first == ' ' : kind != NUMBER && !newline)) {
            return run(text, second, to, LETTER);
        }
        if (digits == 0 && (kind == NUMBER || (first == ' ' && then == NUMBER))) {
            return run(text, second, to, NUMBER);
        }
        if (kind == NUMBER) {
            int end = second;
            for (int i = 1; i < digits && kind(text, end, to) == NUMBER; i++) {
                end = after(text, end);
            }
            return end;
        }
        if (kind == 0 || (first == ' ' && then == 0)) {
            int end = run(text, second, to, 0);
            while (digits > 0 && end < to && (text[end] == '\n' || text[end] == '\r')) {
                end++;
            }
            return end;
        }
        return spaces(text, at, to);
    }

    private int spaces(byte[] text, int at, int to) {
        int end = at;
        int last = at;
        int newline = -1;
        while (kind(text, end, to) == SPACE) {
            last = end;
            end = after(text, end);
            if (text[last] == '\n' || text[last] == '\r') {
                newline = end;
            }
        }
        if (digits > 0 && newline > 0) {
            return newline;
        }
        return end == to || last == at ? end : last;
    }

    private int suffix(byte[] text, int at, int to) {
        if (at >= to) {
            return 0;
        }
        boolean any = digits > 0;
        // The long s is an s to a pattern that ignores case.
        if (any && at + 1 < to && text[at] == (byte) 0xC5 && text[at + 1] == (byte) 0xBF) {
            return 2;
        }
        int a = any ? Character.toLowerCase(text[at]) : text[at];
        int b = at + 1 < to ? any ? Character.toLowerCase(text[at + 1]) : text[at + 1] : 0;
        if (a == 's' || a == 't' || a == 'm' || a == 'd') {
            return 1;
        }
        return ((a == 'r' || a == 'v') && b == 'e') || (a == 'l' && b == 'l') ? 2 : 0;
    }

    private static int run(byte[] text, int from, int to, int kind) {
        int at = from;
        while (at < to && kind(text, at, to) == kind) {
            at = after(text, at);
        }
        return at;
    }

    private static int kind(byte[] text, int at, int to) {
        if (at >= to) {
            return END_OF_TEXT;
        }
        int b = text[at];
        if (b >= 0) {
            return CLASSES[b];
        }
        int code = b & 0xFF;
        int length = after(text, at) - at;
        code &= 0x7F >> length;
        for (int i = 1; i < length; i++) {
            code = (code << 6) | (text[at + i] & 0x3F);
        }
        return CLASSES[code];
    }

    private static int after(byte[] text, int at) {
        int b = text[at] & 0xFF;
        return at + (b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4);
    }
}
