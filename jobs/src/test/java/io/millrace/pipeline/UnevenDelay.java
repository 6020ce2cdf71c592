package io.millrace.pipeline;

import io.millrace.cluster.TestCluster;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.served.ClientProcess;
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
 * A user's transform that delays each sample until a file exists. In processes with the system property {@value
 * #SLOWNESS} the delay is longer. A run with this transform cannot end before a test has disturbed it, even on a slow
 * machine.
 */
public final class UnevenDelay implements Transform {
    /** The factor of the delay. */
    public static final String SLOWNESS = "millrace.test.slowness";

    private final long nanos;
    private final Path end;

    private UnevenDelay(long nanos, Path end) {
        this.nanos = nanos;
        this.end = end;
    }

    /** Returns programs that load the transform from a user's jar in this folder. */
    public static ClientProcess programs(Path folder) throws Exception {
        return programs(folder, Map.of());
    }

    /** Returns such programs with additional environment variables. */
    public static ClientProcess programs(Path folder, Map<String, String> environment) throws Exception {
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

    /** The factory that the user's jar names as a service. */
    public static final class Factory implements TransformFactory {
        private static final Option<Integer> MS =
                Option.of("ms", OptionType.INTEGER.where(ms -> ms > 0, "more than 0"), "Milliseconds per sample.");

        private static final Option<String> UNTIL = Option.of(
                        "until", OptionType.TEXT, "The file whose existence ends the delay.")
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
