package io.millrace.report.html;

import io.millrace.sink.progress.StepLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The content of a trainer's {@code steps.csv}.
 *
 * @param spans the steps, at most {@link #MOST_SPANS} spans
 * @param stepNanos the transfer and compute time of each step
 * @param waitNanos the wait before each step except the first
 */
record StepFile(List<StepSpan> spans, Histogram stepNanos, Histogram waitNanos) {
    static final int MOST_SPANS = 2000;

    private static final String HEADER = StepLine.HEADER.strip();
    private static final int ROWS = 2;
    private static final int LOSS = 3;
    private static final int WAIT = 4;
    private static final int TRANSFER = 5;
    private static final int COMPUTE = 6;
    private static final int COLUMNS = 7;
    private static final int DIGITS = 3;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * Reads the file, a line at a time.
     *
     * @return the content; empty when there is no such file, for example because the trainer is on another machine
     * @throws IOException when the file is damaged; the message names the file and the line
     */
    static Optional<StepFile> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        StepSeries series = new StepSeries(MOST_SPANS);
        Histogram steps = new Histogram(DIGITS);
        Histogram waits = new Histogram(DIGITS);
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            String header = lines.readLine();
            if (!HEADER.equals(header)) {
                throw damaged(file, 1, HEADER, String.valueOf(header));
            }
            double seconds = 0;
            long number = 1;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                String[] values = line.split(",", -1);
                if (values.length != COLUMNS) {
                    throw damaged(file, number, COLUMNS + " values", line);
                }
                try {
                    // The wait before the first batch belongs to the start-up.
                    double wait = number == 2 ? 0 : Double.parseDouble(values[WAIT]);
                    double work = Double.parseDouble(values[TRANSFER]) + Double.parseDouble(values[COMPUTE]);
                    long rows = Long.parseLong(values[ROWS]);
                    Double loss = values[LOSS].isEmpty() ? null : Double.valueOf(values[LOSS]);
                    boolean known = loss != null && Double.isFinite(loss);
                    double took = (wait + work) / MILLIS_PER_SECOND;
                    seconds += took;
                    series.add(new StepSpan(
                            seconds,
                            took,
                            wait / MILLIS_PER_SECOND,
                            rows,
                            known && loss != null ? loss * rows : 0,
                            known ? rows : 0));
                    steps.recordValue(Math.round(work * NANOS_PER_MILLI));
                    if (number > 2) {
                        waits.recordValue(Math.round(wait * NANOS_PER_MILLI));
                    }
                } catch (NumberFormatException e) {
                    throw damaged(file, number, "numbers", line);
                }
            }
        }
        return Optional.of(new StepFile(series.spans(), steps, waits));
    }

    private static IOException damaged(Path file, long line, String expected, String found) {
        return new IOException(file + " is damaged in line " + line + ": expected " + expected + ", found " + found);
    }
}
