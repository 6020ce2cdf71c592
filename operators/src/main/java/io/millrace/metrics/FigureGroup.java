package io.millrace.metrics;

import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;

/** Registers figures as metrics of an operator. */
public final class FigureGroup {
    private final MetricGroup group;

    /**
     * Opens the group {@link Figure#GROUP} of an operator.
     *
     * @param operatorGroup the operator's own group
     */
    public FigureGroup(MetricGroup operatorGroup) {
        group = operatorGroup.addGroup(Figure.GROUP);
    }

    /** Registers a figure whose value is read whenever a reporter needs it, on the reporter's thread. */
    public <N extends Number> void add(Figure figure, Gauge<N> value) {
        if (figure.histogram()) {
            throw new IllegalArgumentException("figure " + figure.name() + ": expected a histogram, found a gauge");
        }
        group.gauge(figure.name(), value);
    }

    /** Registers a figure that is a histogram. */
    public void add(Figure figure, Histogram values) {
        if (!figure.histogram()) {
            throw new IllegalArgumentException("figure " + figure.name() + ": expected a gauge, found a histogram");
        }
        group.histogram(figure.name(), values);
    }
}
