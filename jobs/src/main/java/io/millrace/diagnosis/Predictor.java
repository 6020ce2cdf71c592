package io.millrace.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * Predictions of the throughput after a change of a measured pipeline. A measurement leaves some questions open, and each
 * answer gives another throughput. The range of a prediction covers all combinations of these answers:
 *
 * <ul>
 *   <li>Work takes more CPU time when more cores are busy: not at all, or as much as {@link CoreSlowdown#most} states.
 *   <li>The CPU time of the job that no stage accounts for (Flink, the JVM) is the same for each sample, but at most that of
 *       all stages; or the same for each second.
 *   <li>Other programs keep their cores, or share all cores with the job.
 *   <li>When a change removes the garbage collections that are a limit, none is left, or as many as are just no limit.
 *   <li>Where model and measurement of the present pipeline differ, their ratio remains after the change, or does not.
 * </ul>
 *
 * Pure.
 *
 * @param model the model of the measured pipeline
 * @param use the use of the cores; null when unknown
 */
public record Predictor(
        CapacityModel model, Observed observed, @Nullable CoreUse use) {
    /**
     * The error of measurements of a few seconds and of the model, as a share of the throughput. Nine of ten errors in the
     * self-test are smaller.
     */
    private static final double NOISE = 0.12;

    /** The limits of the factor. Outside of them, the model is wrong in a way that a factor does not correct. */
    private static final double LEAST_SCALE = 0.5;

    static final double MOST_SCALE = 1.25;

    private static final int ITERATIONS = 20;

    /**
     * One answer to the open questions.
     *
     * @param overhead the part of the CPU time outside of all stages that remains, 0 to 1
     * @param overheadPerSample the part of this CPU time that is the same for each sample, 0 to 1
     */
    private record Assumption(double slowdown, double overhead, double overheadPerSample, boolean shared) {}

    /** A part of the CPU time outside of all stages is that of the start, such as of the JVM's compilers. */
    private static final double LIKELY_OVERHEAD = 0.5;

    /**
     * Returns the throughput with other costs; empty when no limit is known.
     *
     * @param changed the model after a change
     */
    public Optional<Prediction> predict(CapacityModel changed) {
        if (changed.limit().isEmpty() || model.limit().isEmpty()) {
            return Optional.empty();
        }
        CoreSlowdown slowdown = use == null ? CoreSlowdown.UNKNOWN : use.slowdown();
        double remaining = model.collecting() > changed.collecting() ? Measurement.COLLECTING : 0;
        double usual = scaled(changed, new Assumption(slowdown.likely(), LIKELY_OVERHEAD, 0.5, true));
        double likely = usual * (1 - remaining / 2);
        List<Double> rates = new ArrayList<>();
        for (double slower : new double[] {0, slowdown.most()}) {
            for (double perSample : new double[] {0, 1}) {
                for (boolean shared : new boolean[] {false, true}) {
                    Assumption assumption = new Assumption(slower, 1, perSample, shared);
                    rates.add(rate(changed, assumption));
                    rates.add(scaled(changed, assumption));
                }
            }
        }
        rates.add(usual);
        DoubleStream all = rates.stream().mapToDouble(Double::doubleValue).filter(Double::isFinite);
        double[] sorted = all.sorted().toArray();
        return sorted.length == 0 || !Double.isFinite(likely)
                ? Optional.empty()
                : Optional.of(new Prediction(
                        least(sorted[0] * (1 - remaining), likely) * (1 - NOISE),
                        likely,
                        sorted[sorted.length - 1] * (1 + NOISE)));
    }

    /** Returns the lower end of a range: a change that makes a pipeline faster does not also make it slower. */
    private double least(double low, double likely) {
        Double measured = observed.samplesPerSecond();
        return measured == null ? low : Math.max(low, Math.min(likely, measured));
    }

    /** Returns the throughput of a model, multiplied by the ratio of measurement and model of the present pipeline. */
    private double scaled(CapacityModel changed, Assumption assumption) {
        boolean uneven = model.limit().filter(Limit::isUneven).isPresent();
        return rate(changed, assumption) * (uneven ? 1 : scale(rate(model, assumption), observed));
    }

    /**
     * Returns the factor for predictions of a model: the ratio of the measured throughput to the modelled one; 1 when they do
     * not agree or the measured one is unknown.
     */
    static double scale(double modelled, Observed observed) {
        Double measured = observed.samplesPerSecond();
        if (measured == null || measured <= 0) {
            return 1;
        }
        double scale = measured / modelled;
        return scale < LEAST_SCALE || scale > MOST_SCALE ? 1 : scale;
    }

    /** Returns the throughput of a model, at which the CPU times and the use of the cores fit together. */
    private double rate(CapacityModel changed, Assumption assumption) {
        CoreUse cores = use;
        if (cores == null) {
            return limit(changed);
        }
        double now = limit(model);
        double overhead = assumption.overhead * Math.max(0, cores.own() - model.cpuSecondsPerSample() * now);
        // A sample does not cost more in Flink than in all stages together: the rest of a large overhead is constant.
        double perSample = Math.min(assumption.overheadPerSample * overhead / now, changed.cpuSecondsPerSample());
        double perSecond = overhead - perSample * now;
        double others = others(changed);
        CapacityModel costs = changed.withOverhead(perSample);
        double rate = limit(costs);
        double slower = 1;
        for (int i = 0; i < ITERATIONS; i++) {
            double busy = costs.cpuSecondsPerSample() * slower * rate + perSecond + others;
            slower = slowness(busy, assumption.slowdown) / slowness(cores.own() + cores.others(), assumption.slowdown);
            CapacityModel then = costs.withCpuTimes(slower);
            Double left = left(changed, others, assumption.shared);
            double next = limit(left == null ? then : then.withCores(Math.max(LEAST_CORES, left - perSecond)));
            rate = (rate + next) / 2;
        }
        return rate;
    }

    private static final double LEAST_CORES = 0.1;

    private static double limit(CapacityModel model) {
        return model.limit().map(Limit::samplesPerSecond).orElse(Double.POSITIVE_INFINITY);
    }

    /** Returns the cores that other programs use after a change, which may free some of them. */
    private double others(CapacityModel changed) {
        CoreUse cores = use;
        Double before = model.cores();
        Double after = changed.cores();
        if (cores == null) {
            return 0;
        }
        double freed = before == null || after == null ? 0 : Math.max(0, after - before);
        return Math.max(0, cores.others() - freed);
    }

    /**
     * Returns the cores that are left to the job; null when the model does not know them. Other programs keep what they use,
     * or all threads that are ready share the cores alike: as many as there are cores are the job's.
     */
    private @Nullable Double left(CapacityModel changed, double others, boolean shared) {
        CoreUse cores = use;
        Double given = changed.cores();
        if (cores == null || given == null) {
            return given;
        }
        double kept = cores.all() - others;
        double part = cores.all() * cores.all() / (cores.all() + others);
        return Math.max(LEAST_CORES, Math.min(given, shared ? Math.max(kept, part) : kept));
    }

    /** Returns the CPU time of work relative to a machine with only one busy core. */
    private double slowness(double busyCores, double slowdown) {
        CoreUse cores = use;
        if (cores == null || cores.all() <= 1) {
            return 1;
        }
        double beside = Math.min(cores.all(), Math.max(1, busyCores)) - 1;
        return 1 + slowdown * beside / (cores.all() - 1);
    }
}
