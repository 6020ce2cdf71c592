package io.millrace.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/** Registers figures as metrics of an operator. */
public final class FigureGroup {
    private final MetricGroup group;
    private final Map<String, Gauge<? extends Number>> numbers = new LinkedHashMap<>();

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
        numbers.put(figure.name(), value);
    }

    /** Returns the present values of the figures that are numbers, by the name of the metric. */
    Map<String, Double> numbers() {
        Map<String, Double> now = new LinkedHashMap<>();
        numbers.forEach((metric, value) -> now.put(metric, value.getValue().doubleValue()));
        return now;
    }

    /** Registers a text, which is read on the reporter's thread. */
    public void addText(String name, Supplier<String> text) {
        group.gauge(name, text::get);
    }

    /** Registers the profile of the user's code, which is read on the reporter's thread, as a text. */
    public void add(Supplier<@Nullable CodeProfile> code) {
        addText(CodeProfile.METRIC, () -> {
            CodeProfile now = code.get();
            return now == null ? "" : now.text();
        });
    }

    /** Registers a figure that is a histogram. */
    public void add(Figure figure, Histogram values) {
        if (!figure.histogram()) {
            throw new IllegalArgumentException("figure " + figure.name() + ": expected a gauge, found a histogram");
        }
        group.histogram(figure.name(), values);
    }
}
