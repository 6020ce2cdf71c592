package io.millrace.dataset.csv;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reader of comma-separated values (RFC 4180), also with another separator. Values in quotes may hold separators, line breaks and
 * doubled quotes. Lines end with LF, CRLF or CR. Belongs to one thread.
 */
public final class CsvReader {
    private static final int END = -1;

    /** The largest number of characters and of values of a record. A file of zeros is one value. */
    private static final int MOST_CHARACTERS = 1 << 24;

    private static final int MOST_VALUES = 1 << 16;
    private static final int MOST_SHOWN = 100;

    /** The largest number of characters of a value in a message. */
    private static final int MOST_QUOTED = 40;

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    /**
     * One value.
     *
     * @param text the value without its quotes
     * @param quoted whether the value was in quotes
     */
    public record Value(String text, boolean quoted) {
        /** Returns the text without the white space around it, which belongs to the value only in quotes. */
        public String stripped() {
            return quoted ? text : text.strip();
        }
    }

    /** An exception for values that do not have the form of RFC 4180. */
    public static final class MalformedCsvException extends IOException {
        private static final long serialVersionUID = 1;

        MalformedCsvException(String reason) {
            super(reason);
        }
    }

    private final Reader in;
    private final char separator;
    private final StringBuilder text = new StringBuilder();
    private int next;
    private int line = 1;
    private int firstLine = 1;
    private int characters;

    /** Creates a reader of values between commas, which the caller closes by closing {@code in}. */
    public CsvReader(Reader in) throws IOException {
        this(in, ',');
    }

    /**
     * Creates a reader, which the caller closes by closing {@code in}. Some spreadsheets write a byte order mark.
     *
     * @param separator the character between two values
     */
    public CsvReader(Reader in, char separator) throws IOException {
        // A row that is in memory needs no buffer.
        this.in = in instanceof StringReader ? in : new BufferedReader(in);
        this.separator = separator;
        next = this.in.read();
        if (next == BYTE_ORDER_MARK) {
            next = this.in.read();
        }
    }

    /** Returns the beginning of a text, which is enough to find it in the file. */
    public static String beginning(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + "...";
    }

    /** Returns the beginning of a value, which is enough to find it in the file. */
    public static String shown(String text) {
        return beginning(text, MOST_QUOTED);
    }

    /** Returns the line on which the latest record begins, from 1. */
    public int line() {
        return firstLine;
    }

    /**
     * Returns the values of the next record, or null at the end. A blank line is a record of one blank value.
     *
     * @throws MalformedCsvException when a quote is not closed, or a value goes on after its closing quote
     */
    public @Nullable List<Value> next() throws IOException {
        firstLine = line;
        characters = 0;
        if (next == END) {
            return null;
        }
        List<Value> values = new ArrayList<>();
        values.add(value());
        while (next == separator) {
            if (values.size() == MOST_VALUES) {
                throw new MalformedCsvException("expected at most " + MOST_VALUES + " values, found more");
            }
            next = in.read();
            values.add(value());
        }
        endLine();
        return values;
    }

    private Value value() throws IOException {
        text.setLength(0);
        boolean quoted = next == '"';
        if (quoted) {
            readQuoted();
        }
        while (!quoted && next != separator && !isLineEnd()) {
            append();
            next = in.read();
        }
        if (next != separator && !isLineEnd()) {
            throw new MalformedCsvException("expected a " + (separator == ',' ? "comma" : "separator")
                    + " after the closing quote, found '" + shown(restOfLine()) + "'");
        }
        return new Value(text.toString(), quoted);
    }

    private void append() throws MalformedCsvException {
        if (++characters > MOST_CHARACTERS) {
            throw new MalformedCsvException(
                    "expected values of at most " + MOST_CHARACTERS + " characters together, found more");
        }
        text.append((char) next);
    }

    private boolean isLineEnd() {
        return next == '\n' || next == '\r' || next == END;
    }

    private String restOfLine() throws IOException {
        StringBuilder rest = new StringBuilder();
        while (!isLineEnd() && rest.length() < MOST_SHOWN) {
            rest.append((char) next);
            next = in.read();
        }
        return rest.toString();
    }

    private void readQuoted() throws IOException {
        next = in.read();
        while (next != END) {
            if (next == '"') {
                next = in.read();
                if (next != '"') {
                    return;
                }
            }
            append();
            if (next == '\r' || next == '\n') {
                countLine();
            } else {
                next = in.read();
            }
        }
        throw new MalformedCsvException("expected a closing quote, found none");
    }

    /** Moves past the first character of a line break. CR and LF together are one line break. */
    private void countLine() throws IOException {
        boolean carriageReturn = next == '\r';
        next = in.read();
        if (!carriageReturn || next != '\n') {
            line++;
        }
    }

    private void endLine() throws IOException {
        if (next == END) {
            return;
        }
        if (next == '\r') {
            next = in.read();
            if (next != '\n') {
                line++;
                return;
            }
        }
        next = in.read();
        line++;
    }
}
