package io.millrace.order;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;

/** The targets of a mixture's sources, from the description of phases and ramps alone, position by position. */
final class MixtureOracle {
    private static final MathContext DIGITS = new MathContext(40);

    private final List<MixturePhase> phases;
    private BigDecimal[] from;
    private int phase;
    private long inPhase;
    private BigDecimal[] target;

    MixtureOracle(List<MixturePhase> phases) {
        this.phases = phases;
        this.from = shares(phases.get(0));
        this.target = zeros();
    }

    private BigDecimal[] zeros() {
        BigDecimal[] zeros = new BigDecimal[phases.get(0).sources()];
        Arrays.fill(zeros, BigDecimal.ZERO);
        return zeros;
    }

    private static BigDecimal[] shares(MixturePhase phase) {
        BigDecimal sum = BigDecimal.valueOf(Arrays.stream(phase.weights()).sum());
        return Arrays.stream(phase.weights())
                .mapToObj(weight -> BigDecimal.valueOf(weight).divide(sum, DIGITS))
                .toArray(BigDecimal[]::new);
    }

    /** Returns the share of each source at the current position. */
    private BigDecimal[] current() {
        MixturePhase now = phases.get(phase);
        BigDecimal[] to = shares(now);
        if (inPhase >= now.ramp()) {
            return to;
        }
        long steps = Math.min(256, now.ramp());
        long step = 0;
        while ((step + 1) * now.ramp() / steps <= inPhase) {
            step++;
        }
        BigDecimal way = BigDecimal.valueOf(2 * step + 1).divide(BigDecimal.valueOf(2 * steps), DIGITS);
        BigDecimal[] shares = zeros();
        for (int source = 0; source < shares.length; source++) {
            shares[source] = from[source].add(to[source].subtract(from[source]).multiply(way), DIGITS);
        }
        return shares;
    }

    /** Goes to the next position. */
    void advance() {
        BigDecimal[] shares = current();
        for (int source = 0; source < shares.length; source++) {
            target[source] = target[source].add(shares[source], DIGITS);
        }
        inPhase++;
        if (inPhase == phases.get(phase).positions() && phase + 1 < phases.size()) {
            from = shares;
            phase++;
            inPhase = 0;
            target = zeros();
        }
    }

    /** Returns the number of the phase of the current position. */
    int phase() {
        return phase;
    }

    /** Returns the largest difference between counts since the beginning of the phase and their targets. */
    double deviation(long[] counts) {
        double most = 0;
        for (int source = 0; source < counts.length; source++) {
            most = Math.max(
                    most,
                    Math.abs(BigDecimal.valueOf(counts[source])
                            .subtract(target[source])
                            .doubleValue()));
        }
        return most;
    }
}
