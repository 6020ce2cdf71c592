package io.millrace.sink;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.file.WholeFiles;
import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bad samples: counts them, writes {@code quarantine.jsonl} (one line per distinct sample, in order of split and index)
 * and says when there are too many. The task's thread alone calls.
 */
final class QuarantineLog {
    private record Key(Split split, long index) {}

    private final Path file;
    private final double maxShare;
    private final long samples;
    private final Map<Key, BadSample> failures =
            new TreeMap<>(Comparator.comparing(Key::split).thenComparing(Key::index));
    private final QuarantinePieces pieces = new QuarantinePieces();
    private long rows;
    private boolean changed = true;

    /**
     * An empty log.
     *
     * @param folder the run's folder
     * @param maxShare the share of samples that may be bad, 0 to 1
     * @param samples how many samples the share is of: the training and evaluation datasets together
     */
    QuarantineLog(Path folder, double maxShare, long samples) {
        this.file = folder.resolve(QuarantineFiles.NAME);
        this.maxShare = maxShare;
        this.samples = samples;
    }

    /**
     * Notes a row that a batch lacks.
     *
     * @throws TooManyBadSamplesException when more distinct samples are bad than allowed; the log is written before
     */
    void add(Split split, long index, BadSample failure) throws IOException {
        rows++;
        if (failures.putIfAbsent(new Key(split, index), failure) != null) {
            return;
        }
        pieces.add(split, index, failure);
        changed = true;
        long allowed = (long) Math.floor(maxShare * samples);
        if (failures.size() > allowed) {
            write();
            throw new TooManyBadSamplesException(failures.size(), samples, maxShare, allowed, failure, file);
        }
    }

    /**
     * Goes on from a checkpoint; the log is empty before.
     *
     * @param stored what {@link #pieces} gave
     * @param lackedRows what {@link #rows} gave
     */
    void restore(List<byte[]> stored, long lackedRows) throws IOException {
        List<Map.Entry<Key, BadSample>> found = new ArrayList<>();
        for (byte[] piece : stored) {
            QuarantinePieces.read(
                    piece, (split, index, failure) -> found.add(Map.entry(new Key(split, index), failure)));
        }
        for (Map.Entry<Key, BadSample> entry : found) {
            Key key = entry.getKey();
            if (failures.putIfAbsent(key, entry.getValue()) == null) {
                pieces.add(key.split(), key.index(), entry.getValue());
            }
        }
        rows = lackedRows;
    }

    /** The distinct bad samples as state. */
    List<byte[]> pieces() {
        return pieces.pieces();
    }

    /** Distinct bad samples. */
    long distinct() {
        return failures.size();
    }

    /** Rows that batches lacked. */
    long rows() {
        return rows;
    }

    /** Writes the file as a whole, atomically, when something changed since the last time. */
    void write() throws IOException {
        if (!changed) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        failures.forEach((key, failure) -> lines.append(line(key, failure)).append('\n'));
        try {
            WholeFiles.write(file, lines.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
        changed = false;
    }

    private static String line(Key key, BadSample failure) {
        ObjectNode json = QuarantineLine.of(key.index(), failure);
        json.put("split", key.split().name().toLowerCase(Locale.ROOT));
        return json.toString();
    }

    /** More bad samples than {@code batch.max_quarantined} allows: the job ends. */
    static final class TooManyBadSamplesException extends IOException {
        private static final long serialVersionUID = 1;

        TooManyBadSamplesException(long bad, long samples, double maxShare, long allowed, BadSample latest, Path file) {
            super(bad + " of " + samples + " samples are bad, more than batch.max_quarantined = " + percent(maxShare)
                    + " allows (" + allowed + "). The latest: " + latest.file() + ": " + latest.reason()
                    + ". All are listed in " + file);
        }

        /** Without the digits that binary fractions add. */
        private static String percent(double share) {
            return new BigDecimal(Double.toString(share))
                            .movePointRight(2)
                            .stripTrailingZeros()
                            .toPlainString() + "%";
        }
    }
}
