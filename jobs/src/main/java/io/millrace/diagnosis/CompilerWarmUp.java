package io.millrace.diagnosis;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * The warm-up of a trial. It lasts until the JVM's compilers are done with most of the busy code, because until then the code is slow and
 * the compilers take its cores. On two cores that other programs use, too, they need 15 s and more. Not thread-safe.
 */
final class CompilerWarmUp {
    /** The compilers are done when they work for a smaller share of the time than this. Now and then they always have some work. */
    private static final double COMPILING = 0.3;

    /** The time over which this share is taken, so that a long compilation, which is counted when it ends, is not missed. */
    private static final Duration WINDOW = Duration.ofSeconds(1);

    private final TrialLimits limits;
    private Duration windowBegan = Duration.ZERO;
    private long windowMillis;
    private boolean begun;
    private boolean quiet;
    private boolean over;

    CompilerWarmUp(TrialLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns the time for which the compilers of this process have worked, in milliseconds; always 0 in a JVM that does not measure
     * it. A pipeline whose tasks run in other processes has only the shortest warm-up.
     */
    static long compiledMillis() {
        CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
        return compilers != null && compilers.isCompilationTimeMonitoringSupported()
                ? compilers.getTotalCompilationTime()
                : 0;
    }

    /**
     * Returns whether the warm-up is over. Once it is, it remains so.
     *
     * @param elapsed the time since the first step, which grows from call to call
     * @param compiledMillis the time for which the compilers have worked, as {@link #compiledMillis} returns it
     */
    boolean isOver(Duration elapsed, long compiledMillis) {
        if (!begun) {
            begun = true;
            startWindow(elapsed, compiledMillis);
        }
        Duration window = elapsed.minus(windowBegan);
        if (window.compareTo(WINDOW) >= 0) {
            quiet = compiledMillis - windowMillis < COMPILING * window.toMillis();
            startWindow(elapsed, compiledMillis);
        }
        over |= (quiet && elapsed.compareTo(limits.warmUp()) >= 0) || elapsed.compareTo(limits.longest()) >= 0;
        return over;
    }

    private void startWindow(Duration elapsed, long compiledMillis) {
        windowBegan = elapsed;
        windowMillis = compiledMillis;
    }
}
