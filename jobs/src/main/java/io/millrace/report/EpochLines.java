package io.millrace.report;

import io.millrace.order.SourceShares;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.EpochRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The lines of the epochs that have ended, one for each epoch, in order. Not thread-safe. */
public final class EpochLines {
    private static final String GAP = "  ";

    private final @Nullable Long epochs;
    private final SampleUnit unit;
    private final IntFunction<List<SourceShares.Share>> shares;
    private final Consumer<String> printer;

    /** The epoch of the next line, from 0; -1 for any. */
    private int next;

    /**
     * Creates lines.
     *
     * @param epochs the number of epochs; null when training has no end
     * @param unit the word for the samples in throughputs
     * @param resumed whether the run continues another one, so that it does not begin with the first epoch
     * @param shares the shares of the datasets of a mixture in an epoch; none without a mixture
     * @param printer receives each line
     */
    public EpochLines(
            @Nullable Long epochs,
            SampleUnit unit,
            boolean resumed,
            IntFunction<List<SourceShares.Share>> shares,
            Consumer<String> printer) {
        this.epochs = epochs;
        this.unit = unit;
        this.shares = shares;
        this.next = resumed ? -1 : 0;
        this.printer = printer;
    }

    /**
     * Prints a line for each record that has none yet. An epoch that is trained again after a failure has one line.
     *
     * @param records the latest epochs that have ended, in order
     */
    public void show(List<EpochRecord> records) {
        for (EpochRecord record : records) {
            if (record.epoch() < next) {
                continue;
            }
            if (next >= 0 && record.epoch() > next) {
                printer.accept(
                        record.epoch() == next + 1
                                ? "epoch " + (next + 1) + " ended before its figures could be read"
                                : "epochs " + (next + 1) + " to " + record.epoch()
                                        + " ended before their figures could be read");
            }
            String mixed = SourceShares.line(shares.apply(record.epoch()));
            printer.accept(line(record, epochs, unit) + (mixed.isEmpty() ? "" : GAP + mixed));
            next = record.epoch() + 1;
        }
    }

    /**
     * Returns the known figures of an epoch: {@code epoch 2/3  12.4 s  14,520 images/s  loss 0.0412  val loss 0.0388  accuracy
     * 98.90 %  starved 2 %}. The loss is the mean over the epoch, the others behind it belong to the evaluation.
     */
    static String line(EpochRecord record, @Nullable Long epochs, SampleUnit unit) {
        List<String> parts = new ArrayList<>();
        parts.add("epoch " + (record.epoch() + 1) + (epochs == null ? "" : "/" + epochs));
        parts.add(Durations.text(record.seconds()));
        if (record.samplesPerSecond() != null) {
            parts.add(unit.rate(record.samplesPerSecond()));
        }
        add(parts, "loss %.4f", record.loss(), 1);
        add(parts, "val loss %.4f", record.evaluationLoss(), 1);
        add(parts, "accuracy %.2f %%", record.accuracy(), 100);
        add(parts, "starved %.0f %%", record.starvation(), 100);
        return String.join(GAP, parts);
    }

    private static void add(List<String> parts, String format, @Nullable Double value, double unit) {
        if (value != null) {
            parts.add(String.format(Locale.ROOT, format, value * unit));
        }
    }
}
