package io.millrace.sink.files;

import io.millrace.file.WholeFiles;
import io.millrace.order.Sources;
import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The bad samples of a rank: counts them, writes {@code quarantine.jsonl} (one line per distinct sample, in order of
 * split and index) and fails when there are too many. Only the task's thread calls it.
 */
public final class QuarantineLog {
    private record Key(Split split, long index) {}

    /** The name of the file in the run's folder. */
    public static final String NAME = "quarantine.jsonl";

    private final Path file;
    private final double maxShare;
    private final long samples;
    private final Sources sources;
    private final Map<Key, BadSample> samplesByKey =
            new TreeMap<>(Comparator.comparing(Key::split).thenComparing(Key::index));
    private final QuarantinePieces pieces = new QuarantinePieces();
    private long rows;
    private boolean changed = true;

    /**
     * Creates an empty log.
     *
     * @param folder the run's folder
     * @param maxShare the share of samples that may be bad, 0 to 1
     * @param samples the number of samples in the training and evaluation datasets together, to which the share refers
     */
    public QuarantineLog(Path folder, double maxShare, long samples) {
        this(folder, maxShare, samples, Sources.single(samples));
    }

    /**
     * Creates an empty log of a run that may train on several datasets.
     *
     * @param folder the run's folder
     * @param maxShare the share of samples that may be bad, 0 to 1
     * @param samples the number of samples in the training and evaluation datasets together, to which the share refers
     * @param sources the datasets that the run trains on
     */
    public QuarantineLog(Path folder, double maxShare, long samples, Sources sources) {
        this.file = folder.resolve(NAME);
        this.maxShare = maxShare;
        this.samples = samples;
        this.sources = sources;
    }

    /**
     * Adds a quarantined row.
     *
     * @throws TooManyBadSamplesException when more distinct samples are bad than allowed; the file is written before
     */
    public void add(Split split, long index, BadSample bad) throws IOException {
        rows++;
        if (samplesByKey.putIfAbsent(new Key(split, index), bad) != null) {
            return;
        }
        pieces.add(split, index, bad);
        changed = true;
        long allowed = (long) Math.floor(maxShare * samples);
        if (samplesByKey.size() > allowed) {
            write();
            throw new TooManyBadSamplesException(samplesByKey.size(), samples, maxShare, allowed, bad, file);
        }
    }

    /**
     * Continues from a checkpoint; the log must be empty.
     *
     * @param stored the pieces that {@link #pieces} returned
     * @param quarantinedRows the number of rows that {@link #rows} returned
     */
    public void restore(List<byte[]> stored, long quarantinedRows) throws IOException {
        List<Map.Entry<Key, BadSample>> found = new ArrayList<>();
        for (byte[] piece : stored) {
            QuarantinePieces.read(piece, (split, index, bad) -> found.add(Map.entry(new Key(split, index), bad)));
        }
        for (Map.Entry<Key, BadSample> entry : found) {
            Key key = entry.getKey();
            if (samplesByKey.putIfAbsent(key, entry.getValue()) == null) {
                pieces.add(key.split(), key.index(), entry.getValue());
            }
        }
        rows = quarantinedRows;
    }

    /**
     * Continues with the bad samples in the file that an earlier log of the same run has written, if there is one; the log must
     * be empty.
     *
     * @throws IOException when the file cannot be read; the message names the path
     */
    public void resume() throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        for (String line : Files.readAllLines(file)) {
            QuarantineLine.Read read = QuarantineLine.read(file, line);
            if (samplesByKey.putIfAbsent(new Key(read.split(), read.index()), read.bad()) == null) {
                pieces.add(read.split(), read.index(), read.bad());
            }
        }
    }

    /** Returns the distinct bad samples as state. */
    public List<byte[]> pieces() {
        return pieces.pieces();
    }

    /** Returns the number of distinct bad samples. */
    public long distinct() {
        return samplesByKey.size();
    }

    /** Returns the number of quarantined rows. */
    public long rows() {
        return rows;
    }

    /** Writes the file as a whole, atomically, if something has changed since the last time. */
    public void write() throws IOException {
        if (!changed) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        samplesByKey.forEach((key, bad) -> lines.append(line(key, bad)).append('\n'));
        try {
            WholeFiles.write(file, lines.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
        changed = false;
    }

    private String line(Key key, BadSample bad) {
        return QuarantineLine.of(key.split(), key.index(), bad, sources);
    }

    /** An exception for a run with more bad samples than {@code batch.max_quarantined} allows. */
    public static final class TooManyBadSamplesException extends IOException {
        private static final long serialVersionUID = 1;

        private static final double[] ROUND_SHARES = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};

        TooManyBadSamplesException(long bad, long samples, double maxShare, long allowed, BadSample latest, Path file) {
            super(bad + " of " + samples + " samples are bad, more than batch.max_quarantined = " + percent(maxShare)
                    + " allows (" + allowed + (allowed == 0 && maxShare > 0 ? " of so few samples" : "")
                    + "). The latest: " + latest.file() + ": " + latest.reason()
                    + ". Those found so far are listed in " + file
                    + "; to continue without bad samples, write batch: { max_quarantined: "
                    + percent(enough(bad, samples))
                    + " } in the pipeline file (a served evaluation is counted by itself; few samples may need a larger share);"
                    + " './millrace inspect' with the pipeline file and --scan lists all bad samples before a run");
        }

        /** Returns a round share, at least twice the bad samples so far, because others may follow. */
        private static double enough(long bad, long samples) {
            for (double share : ROUND_SHARES) {
                if (share * samples >= 2.0 * bad) {
                    return share;
                }
            }
            return 1;
        }

        /** Returns a share in percent, without the digits that binary fractions add. */
        private static String percent(double share) {
            return new BigDecimal(Double.toString(share))
                            .movePointRight(2)
                            .stripTrailingZeros()
                            .toPlainString() + "%";
        }
    }
}
