package io.millrace.report.html;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.rest.StageReading;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.EpochRecord;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The data of a run's charts, in the form that the page's script reads. A chart without data is absent. Pure. */
final class ChartData {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int RATE_SPANS = 120;
    private static final MathContext DIGITS = new MathContext(5);
    private static final double MILLIS_PER_SECOND = 1e3;

    private ChartData() {}

    /** Returns an object with one member for each chart of a report. */
    static ObjectNode of(ReportData data) {
        ObjectNode charts = JSON.objectNode();
        if (data.courses().values().stream().anyMatch(spans -> !spans.isEmpty())) {
            charts.set("course", course(data.courses(), data.summary().setup().unit()));
        }
        if (data.courses().values().stream().flatMap(List::stream).anyMatch(span -> span.loss() != null)) {
            charts.set("loss", loss(data.courses(), data.summary().result().epochResults()));
        }
        List<EpochRecord> rated = data.summary().result().epochResults().stream()
                .filter(epoch -> epoch.accuracy() != null)
                .toList();
        if (!rated.isEmpty()) {
            ArrayNode accuracy = charts.putArray("accuracy");
            rated.forEach(epoch -> point(accuracy, epoch.epoch() + 1, percent(epoch.accuracy())));
        }
        ArrayNode stages = stages(data.summary().stages());
        if (!stages.isEmpty()) {
            charts.set("stages", stages);
        }
        if (data.steps().isPresent()) {
            ObjectNode times = charts.putObject("times");
            times.set("step", spread(data.steps().get()));
            data.waits().ifPresent(waits -> times.set("wait", spread(waits)));
        }
        return charts;
    }

    private static ArrayNode course(Map<String, List<StepSpan>> courses, SampleUnit unit) {
        ArrayNode lines = JSON.arrayNode();
        courses.forEach((name, spans) -> {
            ObjectNode line = lines.addObject();
            line.put("name", name);
            line.put("unit", unit.perSecond());
            ArrayNode rates = line.putArray("rate");
            ArrayNode starvation = line.putArray("starvation");
            for (StepSpan span : StepSeries.even(spans, RATE_SPANS)) {
                point(rates, span.endSeconds(), span.rowsPerSecond());
                point(starvation, span.endSeconds(), percent(span.starvation()));
            }
        });
        return lines;
    }

    /** Returns the losses of the training steps, and those of the evaluations, each at the end of its epoch. */
    private static ArrayNode loss(Map<String, List<StepSpan>> courses, List<EpochRecord> epochs) {
        ArrayNode lines = JSON.arrayNode();
        courses.forEach((name, spans) -> {
            ObjectNode line = lines.addObject();
            line.put("name", name);
            ArrayNode points = line.putArray("loss");
            spans.forEach(span -> point(points, span.endSeconds(), span.loss()));
        });
        if (epochs.stream().anyMatch(epoch -> epoch.evaluationLoss() != null)) {
            ObjectNode line = lines.addObject();
            line.put("name", "validation");
            ArrayNode points = line.putArray("loss");
            double seconds = 0;
            for (EpochRecord epoch : epochs) {
                seconds += epoch.seconds();
                point(points, seconds, epoch.evaluationLoss());
            }
        }
        return lines;
    }

    /**
     * Returns the times of the stages, in seconds for each slot. If own time and CPU time are known, own time is
     * divided into CPU time and the rest.
     */
    private static ArrayNode stages(List<StageReading> stages) {
        ArrayNode bars = JSON.arrayNode();
        for (StageReading stage : stages) {
            Integer slots = stage.parallelism();
            Double own = stage.ownMillis();
            if (slots == null || (own == null && stage.waitInMillis() == null)) {
                continue;
            }
            Double cpu = stage.cpuMillis();
            // CPU time may exceed own time: the trainer's thread also works outside its steps, and a sampled CPU time
            // may be slightly too high.
            boolean split = own != null && cpu != null && cpu <= own;
            ObjectNode bar = bars.addObject();
            bar.put("name", stage.name());
            bar.put("computing", split ? perSlot(cpu, slots) : null);
            bar.put("stalled", split && own != null && cpu != null ? perSlot(own - cpu, slots) : null);
            bar.put("own", split ? null : perSlot(own, slots));
            bar.put("waitIn", perSlot(stage.waitInMillis(), slots));
            bar.put("waitOut", perSlot(stage.waitOutMillis(), slots));
        }
        return bars;
    }

    private static ArrayNode spread(Spread spread) {
        ArrayNode bins = JSON.arrayNode();
        spread.bins().forEach(bin -> bins.addArray()
                .add(rounded(bin.from()))
                .add(rounded(bin.to()))
                .add(bin.count()));
        return bins;
    }

    private static void point(ArrayNode points, double x, @Nullable Double y) {
        if (y != null) {
            points.addArray().add(rounded(x)).add(rounded(y));
        }
    }

    private static @Nullable Double percent(@Nullable Double share) {
        return share == null ? null : Double.valueOf(100 * share);
    }

    private static @Nullable Double perSlot(@Nullable Double millis, int slots) {
        return millis == null ? null : rounded(millis / MILLIS_PER_SECOND / slots);
    }

    /**
     * Returns a value rounded to five digits; null for NaN and infinity. The chart looks the same, and its data takes a
     * third of the bytes.
     */
    static @Nullable Double rounded(@Nullable Double value) {
        if (value == null || !Double.isFinite(value)) {
            return null;
        }
        return new BigDecimal(value).round(DIGITS).doubleValue();
    }
}
