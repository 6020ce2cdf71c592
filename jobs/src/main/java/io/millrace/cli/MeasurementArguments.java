package io.millrace.cli;

import io.millrace.diagnosis.Patience;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import io.millrace.run.UsageException;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How long a pipeline is measured; a mixin. */
final class MeasurementArguments {
    /** Of a short time, what goes to the warm-up. */
    private static final int WARM_UP_SHARE = 3;

    @Option(names = "--spread", paramLabel = "SHARE", description = "Measure until the spread is below; default: 3%%.")
    private String spread = "3%";

    @Option(names = "--most", paramLabel = "TIME", description = "But no longer than this; default: 15s.")
    private String most = "15s";

    /**
     * As given.
     *
     * @throws UsageException when a value is none
     */
    Patience patience() {
        Duration time = parsed("--most", TimeSpan.TYPE, most).duration();
        Double share = parsed("--spread", OptionType.SHARE, spread);
        Duration warmUp = Patience.STANDARD.warmUp();
        Duration shorter = time.dividedBy(WARM_UP_SHARE);
        try {
            return new Patience(warmUp.compareTo(shorter) < 0 ? warmUp : shorter, share, time);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--spread and --most: " + e.getMessage());
        }
    }

    private static <T> T parsed(String option, OptionType<T> type, String text) {
        try {
            return type.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + ": " + e.getMessage());
        }
    }
}
