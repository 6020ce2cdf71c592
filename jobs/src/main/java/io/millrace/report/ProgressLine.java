package io.millrace.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The line that shows the progress of training. Pure. */
final class ProgressLine {
    private static final String GAP = "  ";
    private static final int LONGEST_BAR = 30;
    private static final int SHORTEST_BAR = 8;
    private static final int COLUMNS_PER_BAR_CHARACTER = 8;

    private ProgressLine() {}

    /** Returns a line with all known figures, for logs. */
    static String plain(ProgressReading reading) {
        List<String> parts = new ArrayList<>();
        parts.add(epoch(reading) + ": "
                + String.format(
                        Locale.ROOT,
                        "%,d of %,d samples (%s)",
                        reading.samples(),
                        reading.samplesPerEpoch(),
                        percent(reading.share())));
        parts.addAll(figures(reading));
        return String.join(", ", parts);
    }

    /**
     * Returns a bar followed by as many figures as fit, the most important first. The line is never longer than {@code
     * columns - 1}, because some terminals begin a new line after a full line. The bar's width depends only on the
     * terminal's width, so the bars of all epochs have the same length.
     */
    static String bar(ProgressReading reading, int columns, Glyphs glyphs) {
        String head = epoch(reading) + GAP;
        String share = String.format(Locale.ROOT, " %5s", percent(reading.share()));
        int room = columns - 1 - head.length() - share.length() - glyphs.frame();
        List<String> figures = figures(reading);
        int wanted = Math.min(LONGEST_BAR, Math.max(SHORTEST_BAR, columns / COLUMNS_PER_BAR_CHARACTER));
        while (!figures.isEmpty() && room - length(figures) < wanted) {
            figures.remove(figures.size() - 1);
        }
        int width = Math.min(wanted, room);
        if (width < 1) {
            String line = head.strip() + share;
            return line.substring(0, Math.min(line.length(), Math.max(0, columns - 1)));
        }
        StringBuilder line = new StringBuilder(head)
                .append(glyphs.draw(width, reading.share()))
                .append(share);
        figures.forEach(figure -> line.append(GAP).append(figure));
        return line.toString();
    }

    private static int length(List<String> figures) {
        return figures.stream()
                .mapToInt(figure -> GAP.length() + figure.length())
                .sum();
    }

    private static String epoch(ProgressReading reading) {
        return "epoch " + reading.epoch() + (reading.epochs() == null ? "" : "/" + reading.epochs());
    }

    /** Returns the known figures, the most important first. */
    private static List<String> figures(ProgressReading reading) {
        List<String> figures = new ArrayList<>();
        if (reading.imagesPerSecond() != null) {
            figures.add(reading.unit().rate(reading.imagesPerSecond()));
        }
        Double left = reading.secondsLeft();
        if (left != null) {
            figures.add(Durations.text(left) + " left");
        }
        if (reading.loss() != null) {
            figures.add(String.format(Locale.ROOT, "batch loss %.4f", reading.loss()));
        }
        if (reading.starvation() != null) {
            figures.add("starved " + Math.round(100 * reading.starvation()) + " %");
        }
        if (!reading.shares().isEmpty()) {
            figures.add(reading.shares());
        }
        return figures;
    }

    /** Returns a percentage that is rounded down, so that 100 % always means that all is done. */
    private static String percent(double share) {
        return (int) Math.floor(100 * share) + " %";
    }
}
