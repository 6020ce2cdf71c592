package io.millrace.diagnosis;

import io.millrace.rest.JobReading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The readings of a trial since its warm-up ended, or since its speed rose last. Tested by {@code TrialsITCase}; the arithmetic by {@code
 * SteadySpeedTest}, {@code TrendTest} and {@code TrialLimitsTest}. Not thread-safe.
 */
final class TrialReadings {
    private static final Logger LOG = LoggerFactory.getLogger(TrialReadings.class);

    private static final double INTERVAL_SECONDS = 0.75;

    /** The largest difference between the median of the latest intervals and the trend of a steady speed, as a share of the trend. */
    private static final double NEAR = 0.1;

    private static final double MILLIS_PER_SECOND = 1e3;

    private final TrialLimits limits;
    private final CompilerWarmUp warmUp;
    private final SteadySpeed speed = new SteadySpeed(INTERVAL_SECONDS);
    private final List<JobReading> readings = new ArrayList<>();
    private final List<Point> points = new ArrayList<>();
    private Duration elapsed = Duration.ZERO;

    /** The time at which the speed was seen to rise last, or the warm-up ended; null before that. */
    private @Nullable Duration risen;

    private record Point(double seconds, double samples) {}

    TrialReadings(TrialLimits limits) {
        this.limits = limits;
        warmUp = new CompilerWarmUp(limits);
    }

    /**
     * Adds a reading, unless it belongs to the warm-up.
     *
     * @param reading a reading whose trainers' clock and samples are known
     * @param time the time since the first step
     * @param compiledMillis the time for which the compilers of the JVM have worked
     */
    void add(JobReading reading, Duration time, double clockMillis, long samples, long compiledMillis) {
        elapsed = time;
        if (!warmUp.isOver(time, compiledMillis)) {
            return;
        }
        if (risen == null) {
            risen = time;
            LOG.info("the warm-up took {}", time);
        }
        Point point = new Point(clockMillis / MILLIS_PER_SECOND, samples);
        speed.add(point.seconds, samples);
        boolean restarted = !points.isEmpty() && samples < points.get(points.size() - 1).samples;
        if (speed.rises() || restarted) {
            risen = time;
            readings.clear();
            points.clear();
        }
        // The trainer's figures stand still while no batch arrives. A trend through copies of a reading would hang on
        // them.
        if (points.isEmpty() || !points.get(points.size() - 1).equals(point)) {
            readings.add(reading);
            points.add(point);
        }
    }

    /** Returns whether the trial may end: the speed is steady, or the limits are reached. */
    boolean end() {
        Duration since = risen;
        if (since == null) {
            return false;
        }
        // An interval ends only when a batch arrives: too few intervals in a time that is long enough for them are
        // bursts, too.
        boolean few = elapsed.minus(since).toNanos() / 1e9 > SteadySpeed.INTERVALS * INTERVAL_SECONDS;
        return steady() || limits.reached(elapsed, since, speed.spread().orElse(few ? Double.MAX_VALUE : 0));
    }

    /** Returns whether the latest intervals agree, and do not agree by chance between bursts. */
    private boolean steady() {
        return speed.spread().orElse(Double.MAX_VALUE) <= limits.spread()
                && Math.abs(speed.samplesPerSecond().orElseThrow() - trend().slope()) <= NEAR * trend().slope();
    }

    private Trend trend() {
        return Trend.of(seconds(), samples());
    }

    private double[] seconds() {
        return points.stream().mapToDouble(Point::seconds).toArray();
    }

    private double[] samples() {
        return points.stream().mapToDouble(Point::samples).toArray();
    }

    /** Returns the steady speed in samples per second; empty when the speed is not steady. */
    OptionalDouble steadySpeed() {
        return steady() ? speed.samplesPerSecond() : OptionalDouble.empty();
    }

    /** Returns the spread of the speed; empty while there are too few readings. */
    OptionalDouble spread() {
        return speed.spread();
    }

    /** Returns the measurement between two readings that follow the trend; empty when nothing was trained on between them. */
    Optional<Measurement> measurement(Setting setting) {
        if (readings.isEmpty()) {
            return Optional.empty();
        }
        int[] ends = trend().ends(seconds(), samples());
        return Measurement.of(readings.get(ends[0]), readings.get(ends[1]), setting);
    }

    /** Returns the latest reading. */
    JobReading latest() {
        return readings.get(readings.size() - 1);
    }
}
