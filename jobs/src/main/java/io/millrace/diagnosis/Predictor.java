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
 *   <li>Other programs keep their cores, or the threads of theirs and of the job share them fairly.
 *   <li>When a change removes garbage collections that are a limit, no collections remain, or just so many that they
 *       are no limit.
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
    private static final double LEAST_FACTOR = 0.5;

    static final double MOST_FACTOR = 1.25;

    private static final int ITERATIONS = 20;

    /**
     * One answer to the open questions.
     *
     * @param overhead the part of the CPU time outside of all stages that remains, 0 to 1
     * @param overheadPerSample the part of this CPU time that is the same for each sample, 0 to 1
     */
    private record Assumption(double slowdown, double overhead, double overheadPerSample, boolean shared) {}

    /**
     * The likely part of the CPU time outside of all stages that remains, 0 to 1. The other part belongs to the start,
     * for example to the JVM's compilers.
     */
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
        boolean collected = model.collecting() > changed.collecting();
        double remaining = collected ? Measurement.COLLECTING : 0;
        Assumption usually = new Assumption(slowdown.likely(), LIKELY_OVERHEAD, 0.5, true);
        double usual = rate(changed, usually) * factor(rate(model, usually));
        double likely = usual * (1 - (collected ? stillCollecting(model.collecting()) : 0));
        List<Double> rates = new ArrayList<>();
        for (double slower : new double[] {0, slowdown.most()}) {
            for (double perSample : new double[] {0, 1}) {
                for (boolean shared : new boolean[] {false, true}) {
                    Assumption assumption = new Assumption(slower, 1, perSample, shared);
                    double rate = rate(changed, assumption);
                    rates.add(rate);
                    rates.add(rate * factor(rate(model, assumption)));
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

    /** The likely part of the collections' time for each sample that remains after a fix: some objects are always in use. */
    private static final double REMAINING_COLLECTIONS = 0.05;

    /** Returns the likely share of the time that collections still take after a fix, if they take this share before it. */
    private static double stillCollecting(double share) {
        double left = REMAINING_COLLECTIONS * share / (1 - share);
        return Math.min(Measurement.COLLECTING, left / (1 + left));
    }

    /**
     * Returns the lower end of a range. It is at least the measured throughput, or the likely one if that is lower,
     * because a change that makes a pipeline faster does not also make it slower.
     */
    private double least(double low, double likely) {
        Double measured = observed.samplesPerSecond();
        return measured == null ? low : Math.max(low, Math.min(likely, measured));
    }

    /** Returns the ratio of measurement and model of the present pipeline, see {@link #factor(double)}. */
    double factor() {
        return factor(limit(model));
    }

    /**
     * Returns the factor for predictions: the ratio of the measured throughput to the modelled one; 1 when the ratio is
     * outside of the limits of the factor, when the measured throughput is unknown, or when everything waits for one
     * slow slot or sample, because this wait ends with its cause.
     *
     * @param modelled the throughput of the present pipeline according to the model
     */
    private double factor(double modelled) {
        Double measured = observed.samplesPerSecond();
        if (measured == null
                || measured <= 0
                || model.limit().filter(Limit::isUneven).isPresent()) {
            return 1;
        }
        double factor = measured / modelled;
        return factor < LEAST_FACTOR || factor > MOST_FACTOR ? 1 : factor;
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
        Double given = changed.cores();
        double others = others(given, cores);
        CapacityModel costs = changed.withOverhead(perSample);
        double rate = limit(costs);
        double slower = 1;
        for (int i = 0; i < ITERATIONS; i++) {
            double busy = costs.cpuSecondsPerSample() * slower * rate + perSecond + others;
            slower = cores.slowness(busy, assumption.slowdown)
                    / cores.slowness(cores.own() + cores.others(), assumption.slowdown);
            CapacityModel then = costs.withCpuTimes(slower);
            double next = given == null
                    ? limit(then)
                    : assumption.shared
                            ? shared(then, Math.max(given, cores.all()) - perSecond, cores.threads(others))
                            : limit(then.withCores(cores.left(given, others, perSecond)));
            if (next == rate) {
                break;
            }
            rate = (rate + next) / 2;
        }
        return rate;
    }

    /**
     * Returns the throughput of a model when the system shares the cores fairly: no thread gets more of a core than another one
     * that could use more. A thread that waits most of the time needs less than that, and gets it. So more slots that compute have
     * more of the cores that other programs use too.
     *
     * @param all the number of cores for all threads
     * @param others the number of threads of other programs, which are ready all the time
     */
    private static double shared(CapacityModel model, double all, double others) {
        double alone = limit(model.withCores(Double.MAX_VALUE));
        double most = model.mostPerCore();
        // With a share s of a core for each thread, X = most s, and the cores are full when X cpu + s others = all.
        double full = Math.max(CoreUse.LEAST_CORES, all) / (model.cpuSecondsPerSample() + others / most);
        return Math.min(alone, Math.min(most, full));
    }

    private static double limit(CapacityModel model) {
        return model.limit().map(Limit::samplesPerSecond).orElse(Double.POSITIVE_INFINITY);
    }

    /** Returns the cores that other programs use after a change, which may free some of them. */
    private double others(@Nullable Double after, CoreUse cores) {
        Double before = model.cores();
        double freed = before == null || after == null ? 0 : Math.max(0, after - before);
        return Math.max(0, cores.others() - freed);
    }
}
