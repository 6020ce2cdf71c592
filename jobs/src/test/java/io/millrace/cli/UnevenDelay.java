package io.millrace.cli;

import io.millrace.cluster.TestCluster;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.pipeline.JobJars;
import io.millrace.sample.Sample;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A transform of a user's own that waits, longer in processes with the system property {@value #SLOWNESS}, and not while
 * a file is there: so a run does not end before a test has done what it wants to do to it, however slow the machine.
 */
public final class UnevenDelay implements Transform {
    /** How many times longer. */
    static final String SLOWNESS = "millrace.test.slowness";

    private final long nanos;
    private final Path end;

    private UnevenDelay(long nanos, Path end) {
        this.nanos = nanos;
        this.end = end;
    }

    /** Programs that know it, from a jar of the user's own in this folder. */
    static ClientProcess programs(Path folder) throws Exception {
        return programs(folder, Map.of());
    }

    /** The same with variables of the environment. */
    static ClientProcess programs(Path folder, Map<String, String> environment) throws Exception {
        Path jar = TestCluster.jarWithService(
                folder.resolve("own.jar"), Factory.class, TransformFactory.class, UnevenDelay.class);
        Map<String, String> all = new HashMap<>(environment);
        all.put(JobJars.VARIABLE, jar.toString());
        return new ClientProcess(folder, all);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) {
        if (Files.exists(end)) {
            return;
        }
        long start = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(left);
        }
    }

    /** Named in the jar that the test makes. */
    public static final class Factory implements TransformFactory {
        private static final Option<Integer> MS =
                Option.of("ms", OptionType.INTEGER.where(ms -> ms > 0, "more than 0"), "Milliseconds per sample.");

        private static final Option<String> UNTIL = Option.of(
                        "until", OptionType.TEXT, "A file that, as long as it is there, ends it.")
                .orElse("/none");

        @Override
        public String name() {
            return "UnevenDelay";
        }

        @Override
        public String help() {
            return "Waits.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(MS, UNTIL);
        }

        @Override
        public Transform create(OptionValues options) {
            return new UnevenDelay(
                    TimeUnit.MILLISECONDS.toNanos((long) options.get(MS) * Integer.getInteger(SLOWNESS, 1)),
                    Path.of(options.get(UNTIL)));
        }
    }
}
