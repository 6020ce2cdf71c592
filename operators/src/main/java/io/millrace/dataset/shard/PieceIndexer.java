package io.millrace.dataset.shard;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.fields.Utf8;
import io.millrace.dataset.files.ParallelTasks;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;

/**
 * The search for the pieces of a file of text between separators. Ranges of a large file are searched at once. Tested by {@code
 * PieceIndexerTest}; {@code JsonlBenchmark} measures it.
 *
 * @param kind the name of the format, and of the separator if there are several
 * @param start the check of the first bytes of each file
 * @param rangeBytes the number of bytes of a range
 */
public record PieceIndexer(String kind, Separator separator, StartCheck start, int rangeBytes)
        implements ShardIndexer<PieceIndex> {
    private static final ConcurrentMap<String, SharedIndexes<PieceIndex>> SHARED = new ConcurrentHashMap<>();

    private static final int RANGE_BYTES = 1 << 24;

    /** The number of bytes that are read at a time. */
    private static final int READ_BYTES = 1 << 20;

    private static final int MOST_THREADS = 32;

    /** The number of ranges for each thread whose pieces are in memory twice, in their lists and in the index. */
    private static final int RANGES_AHEAD = 8;

    /** The threads that all searches of this process may start, so that many large files do not start a multiple of them. */
    private static final Semaphore HELPERS =
            new Semaphore(Math.min(MOST_THREADS, 2 * Runtime.getRuntime().availableProcessors()));

    /** A check of the first bytes of a file. */
    @FunctionalInterface
    public interface StartCheck {
        /**
         * Checks the first bytes of a file.
         *
         * @throws DatasetException when the file does not have the format
         */
        void require(String name, byte[] start) throws DatasetException;
    }

    /** Creates the search of a format. */
    public PieceIndexer(String kind, Separator separator, StartCheck start) {
        this(kind, separator, start, RANGE_BYTES);
    }

    /** Returns the search of a format that divides files at a separator of the user's choice. */
    public static PieceIndexer of(String format, Separator separator) {
        return new PieceIndexer(
                format + "-" + IndexCache.fingerprint(separator.text()), separator, (name, bytes) -> {});
    }

    @Override
    public SharedIndexes<PieceIndex> shared() {
        return SHARED.computeIfAbsent(kind, each -> new SharedIndexes<>());
    }

    @Override
    public int version() {
        return 2;
    }

    @Override
    public PieceIndex scan(ScanWindow file) throws IOException {
        Compression.requireText(file);
        byte[] beginning = file.copy(0, (int) Math.min(READ_BYTES, file.size()), "text");
        String encoding = Utf8.otherEncoding(beginning);
        if (!encoding.isEmpty()) {
            throw new DatasetException(file.name() + ": expected text in UTF-8, found " + encoding);
        }
        start.require(file.name(), beginning);
        long ranges = (file.size() + rangeBytes - 1) / rangeBytes;
        int threads = 1;
        while (threads < ranges && HELPERS.tryAcquire()) {
            threads++;
        }
        try {
            return scan(file, threads);
        } finally {
            HELPERS.release(threads - 1);
        }
    }

    private PieceIndex scan(ScanWindow file, int threads) throws IOException {
        PieceIndex.Builder index = new PieceIndex.Builder();
        long done = 0;
        for (long at = 0; at < file.size(); ) {
            List<Range> wave = new ArrayList<>();
            while (at < file.size() && wave.size() < threads * RANGES_AHEAD) {
                wave.add(new Range(at, Math.min(file.size(), at + rangeBytes)));
                at += rangeBytes;
            }
            for (Found found : ParallelTasks.map(wave, threads, range -> search(file, range))) {
                // A separator that began in the range before has some of the bytes in which this one was searched for.
                Found whole = found.range().from() < done
                        ? search(file, new Range(done, found.range().to()))
                        : found;
                whole.addTo(index);
                done = whole.end();
            }
        }
        return index.build();
    }

    /** A part of a file, in which separators begin. */
    private record Range(long from, long to) {}

    /**
     * The pieces that end in a range.
     *
     * @param pieces twice the length of each, and 1 more if it has content; the first one may begin before the range
     * @param end the offset after the range and the last separator in it
     * @param rest the number of bytes of the piece that continues there
     * @param restHasContent whether those bytes have content
     */
    private record Found(Range range, DeltaLengths pieces, long end, long rest, boolean restHasContent) {
        void addTo(PieceIndex.Builder index) throws IOException {
            pieces.forEach(piece -> {
                index.add(piece >>> 1, (piece & 1) != 0);
                index.end();
            });
            index.add(rest, restHasContent);
        }
    }

    private Found search(ScanWindow file, Range range) throws IOException {
        DeltaLengths.Builder pieces = new DeltaLengths.Builder();
        int ahead = separator.mostBytes();
        byte[] buffer = new byte[(int) Math.min(READ_BYTES, Math.max(0, range.to() - range.from())) + ahead];
        long from = range.from();
        boolean content = false;
        long at = range.from();
        while (at < range.to()) {
            int part = (int) Math.min(buffer.length - ahead, range.to() - at);
            int end = (int) Math.min(part + (long) ahead, file.size() - at);
            file.read(at, buffer, end, "text");
            int done = 0;
            for (int found = separator.find(buffer, 0, part, end);
                    found >= 0;
                    found = separator.find(buffer, done, part, end)) {
                content = content || hasContent(buffer, done, found);
                done = separator.after(buffer, found, end);
                pieces.add((at + done - from) << 1 | (content ? 1 : 0));
                from = at + done;
                content = false;
            }
            content = content || hasContent(buffer, done, part);
            at += Math.max(done, part);
        }
        return new Found(range, pieces.build(), Math.max(at, range.to()), at - from, content);
    }

    private static boolean hasContent(byte[] bytes, int from, int to) {
        for (int at = from; at < to; at++) {
            if (!isBlank(bytes[at])) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a byte is white space, of the kinds that JSON has between values. */
    public static boolean isBlank(byte character) {
        return character == ' ' || character == '\t' || character == '\r' || character == '\n';
    }

    /** The place of a piece in its bytes. */
    public record Content(int from, int to) {}

    /**
     * Returns the place of a sample's piece without the separator after it and without skipped pieces before it.
     *
     * @param bytes the bytes from the {@linkplain PieceIndex#offset offset} of the sample to that of the next one
     * @throws IOException when the bytes are others than at the time of the search
     */
    public Content content(byte[] bytes) throws IOException {
        int from = 0;
        while (from < bytes.length) {
            int to = separator.find(bytes, from, bytes.length, bytes.length);
            if (to < 0) {
                return new Content(from, bytes.length);
            }
            if (hasContent(bytes, from, to)) {
                return new Content(from, to);
            }
            from = separator.after(bytes, to, bytes.length);
        }
        throw new IOException("expected a document in " + bytes.length
                + " bytes, found white space: the file has changed since its documents were found");
    }

    @Override
    public void write(PieceIndex index, DataOutputStream out) throws IOException {
        index.write(out);
    }

    @Override
    public PieceIndex read(DataInputStream in) throws IOException {
        return PieceIndex.read(in);
    }
}
