package io.millrace.dataset.jsonl;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.shard.Compression;
import io.millrace.dataset.shard.DeltaLengths;
import io.millrace.dataset.shard.ScanWindow;
import io.millrace.dataset.shard.ShardIndexer;
import io.millrace.dataset.shard.SharedIndexes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The search for the lines of a file. Tested by {@code JsonlFormatTest}; {@code JsonlBenchmark} measures it. */
final class LineIndexer implements ShardIndexer<LineIndex> {
    private static final SharedIndexes<LineIndex> SHARED = new SharedIndexes<>();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long NEWLINES = 0x0A0A_0A0A_0A0A_0A0AL;
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final int PIECE = 1 << 20;

    @Override
    public SharedIndexes<LineIndex> shared() {
        return SHARED;
    }

    @Override
    public String kind() {
        return "jsonl";
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public LineIndex scan(ScanWindow file) throws IOException {
        Compression.requireNone(file);
        Lines lines = new Lines();
        for (long at = 0; at < file.size(); ) {
            byte[] piece = file.copy(at, (int) Math.min(PIECE, file.size() - at), "lines");
            if (at == 0) {
                requireLines(file.name(), piece);
            }
            lines.add(piece, at);
            at += piece.length;
        }
        return lines.end(file.size());
    }

    private static void requireLines(String name, byte[] start) throws DatasetException {
        int first = start.length < 2 ? 0 : (start[0] & 0xFF) << 8 | (start[1] & 0xFF);
        if (first == 0xFFFE || first == 0xFEFF) {
            throw new DatasetException(name + ": expected lines in UTF-8, found UTF-16, by the first two bytes");
        }
        int at = 0;
        while (at < start.length && start[at] != '[' && start[at] <= ' ' && start[at] >= 0) {
            at++;
        }
        if (at < start.length && start[at] == '[') {
            throw new DatasetException(
                    name + ": at offset " + at + " expected a JSON object in each line, found '[', the"
                            + " beginning of a list: a file that is one JSON list is divided into lines by jq -c '.[]'");
        }
    }

    /** The lines so far, and the line that the next bytes continue. */
    private static final class Lines {
        private final DeltaLengths.Builder lengths = new DeltaLengths.Builder();
        private int[] blank = new int[16];
        private int blanks;
        private long from;
        private boolean content;

        void add(byte[] piece, long offset) throws IOException {
            int start = 0;
            for (int end = newline(piece, 0); end >= 0; end = newline(piece, start)) {
                if (content || hasContent(piece, start, end)) {
                    lengths.add(offset + end + 1 - from);
                    from = offset + end + 1;
                    content = false;
                } else {
                    if (blanks == blank.length) {
                        blank = Arrays.copyOf(blank, blanks * 2);
                    }
                    blank[blanks++] = lengths.count();
                }
                start = end + 1;
            }
            content |= hasContent(piece, start, piece.length);
        }

        LineIndex end(long size) throws IOException {
            if (content) {
                lengths.add(size - from);
            }
            return new LineIndex(lengths.build(), Arrays.copyOf(blank, blanks));
        }

        private static boolean hasContent(byte[] piece, int from, int to) {
            for (int at = from; at < to; at++) {
                if (!isBlank(piece[at])) {
                    return true;
                }
            }
            return false;
        }

        /** Returns the index of the first line end at or after {@code from}; -1 if there is none. */
        private static int newline(byte[] piece, int from) {
            int at = from;
            for (; at + Long.BYTES <= piece.length; at += Long.BYTES) {
                long differing = (long) LONGS.get(piece, at) ^ NEWLINES;
                long found =
                        (differing - ONES) & ~differing & HIGH_BITS; // the lowest set bit is that of the first line end
                if (found != 0) {
                    return at + (Long.numberOfTrailingZeros(found) >>> 3);
                }
            }
            for (; at < piece.length; at++) {
                if (piece[at] == '\n') {
                    return at;
                }
            }
            return -1;
        }
    }

    /** Returns whether a byte is white space between JSON values. */
    static boolean isBlank(byte character) {
        return character == ' ' || character == '\t' || character == '\r' || character == '\n';
    }

    @Override
    public void write(LineIndex index, DataOutputStream out) throws IOException {
        index.write(out);
    }

    @Override
    public LineIndex read(DataInputStream in) throws IOException {
        return LineIndex.read(in);
    }
}
