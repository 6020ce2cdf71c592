package io.millrace.dataset.csv;

import io.millrace.dataset.DatasetException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The index of the rows of a file of values: the offset and the line of each row. A value in quotes may hold line ends. Immutable
 * after the scan.
 *
 * <p>Tested by {@code CsvDatasetTest}.
 */
final class CsvRows {
    /** The largest row, in bytes. */
    private static final int MOST_ROW_BYTES = 1 << 24;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    /** Code that receives the rows during the scan, without their line ends. */
    interface Visitor {
        void row(byte[] row, int line) throws IOException;
    }

    private long[] starts = new long[1024];
    private int[] lengths = new int[1024];
    private int[] lines = new int[1024];
    private int size;

    private CsvRows() {}

    /**
     * Scans a file.
     *
     * @param in the file from its beginning; the caller closes it
     * @throws DatasetException when a row is too long, or a quote is not closed, because the rows behind it are lost
     */
    static CsvRows scan(InputStream in, String name, Visitor visitor) throws IOException {
        CsvRows rows = new CsvRows();
        Scan scan = new Scan(name, visitor, rows);
        byte[] block = new byte[1 << 16];
        for (int count = in.read(block); count >= 0; count = in.read(block)) {
            for (int i = 0; i < count; i++) {
                scan.accept(block[i]);
            }
        }
        scan.finish();
        return rows;
    }

    /** The state of the scan. */
    private static final class Scan {
        private final String name;
        private final Visitor visitor;
        private final CsvRows rows;
        private final ByteArrayOutputStream row = new ByteArrayOutputStream();
        private byte separator;
        private long offset;
        private long start;
        private int line = 1;
        private int firstLine = 1;
        private boolean quoted;
        private boolean valueBegins = true;
        private boolean closing;
        private boolean carriageReturn;

        Scan(String name, Visitor visitor, CsvRows rows) {
            this.name = name;
            this.visitor = visitor;
            this.rows = rows;
        }

        void accept(byte next) throws IOException {
            boolean lineFeedOfPair = carriageReturn && next == '\n';
            carriageReturn = next == '\r';
            if (next == '\n' || next == '\r') {
                if (lineFeedOfPair) {
                    // The line end is CRLF, which counts once. Outside of quotes, the next row begins behind it.
                    offset++;
                    if (quoted) {
                        row.write(next);
                    } else {
                        start = offset;
                    }
                    return;
                }
                line++;
                if (!quoted || closing) {
                    end();
                    offset++;
                    start = offset;
                    return;
                }
            }
            append(next);
            offset++;
        }

        private void append(byte next) throws IOException {
            if (row.size() == MOST_ROW_BYTES) {
                throw new DatasetException(name + ":" + firstLine + ": expected a row of at most " + MOST_ROW_BYTES
                        + " bytes, found a longer one" + (quoted ? "; is a quote not closed?" : ""));
            }
            row.write(next);
            if (closing) {
                // A second quote stands for one quote. Anything else ends the quoted part.
                quoted = next == '"';
                closing = false;
            } else if (quoted) {
                closing = next == '"';
            } else if (valueBegins && next == '"') {
                quoted = true;
            }
            valueBegins = !quoted && isSeparator(next);
            if (offset == BYTE_ORDER_MARK.length - 1 && Arrays.equals(row.toByteArray(), BYTE_ORDER_MARK)) {
                row.reset();
                start = offset + 1;
                valueBegins = true;
            }
        }

        private boolean isSeparator(byte next) {
            return separator == 0 ? next == ',' || next == ';' || next == '\t' : next == separator;
        }

        private void end() throws IOException {
            byte[] bytes = row.toByteArray();
            if (!isBlank(bytes)) {
                if (separator == 0) {
                    separator = (byte) CsvHeader.separator(CsvTable.text(bytes, name, firstLine));
                }
                rows.add(start, bytes.length, firstLine);
                visitor.row(bytes, firstLine);
            }
            row.reset();
            firstLine = line;
            quoted = false;
            closing = false;
            valueBegins = true;
        }

        /** Returns whether a row is blank. Such rows are no samples. */
        private static boolean isBlank(byte[] bytes) {
            for (byte each : bytes) {
                if (each != ' ') {
                    return false;
                }
            }
            return true;
        }

        void finish() throws IOException {
            if (quoted && !closing) {
                throw new DatasetException(name + ":" + firstLine + ": expected a closing quote, found none");
            }
            end();
        }
    }

    private void add(long start, int length, int line) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, size * 2);
            lengths = Arrays.copyOf(lengths, size * 2);
            lines = Arrays.copyOf(lines, size * 2);
        }
        starts[size] = start;
        lengths[size] = length;
        lines[size] = line;
        size++;
    }

    /** Returns the number of rows, the header included. */
    int size() {
        return size;
    }

    /** Returns the offset of a row in the file, or in the inflated file. */
    long start(int row) {
        return starts[row];
    }

    /** Returns the bytes of a row without its line end. */
    int length(int row) {
        return lengths[row];
    }

    /** Returns the line on which a row begins, from 1. */
    int line(int row) {
        return lines[row];
    }
}
