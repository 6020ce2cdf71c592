package io.millrace.report.html;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the charts of a diagnosis show, as the page's script takes it; null is unknown. Pure. */
final class DiagnosisCharts {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private DiagnosisCharts() {}

    /** A member for each chart that has figures. */
    static ObjectNode of(DiagnosisData story) {
        ObjectNode charts = JSON.objectNode();
        if (!story.ladder().isEmpty()) {
            charts.set("ladder", ladder(story));
        }
        if (!story.stages().isEmpty()) {
            charts.set("costs", costs(story));
        }
        return charts;
    }

    private static ArrayNode ladder(DiagnosisData story) {
        ArrayNode bars = JSON.arrayNode();
        for (LadderRung rung : story.ladder()) {
            ObjectNode bar = bars.addObject();
            bar.put("cache", rung.cache());
            bar.put("rate", ChartData.rounded(rung.imagesPerSecond()));
            bar.put("model", ChartData.rounded(rung.modelled()));
            bar.put("most", rung.stage() != null && rung.stage().equals(story.most()));
        }
        return bars;
    }

    private static ArrayNode costs(DiagnosisData story) {
        ArrayNode bars = JSON.arrayNode();
        for (DiagnosisData.StageTime stage : story.stages()) {
            Double own = stage.ownMillis();
            Double cpu = stage.cpuMillis();
            // CPU time is sampled: where it is more than the whole, the parts are not known.
            boolean split = own != null && cpu != null && cpu <= own;
            ObjectNode bar = bars.addObject();
            bar.put("name", stage.name());
            bar.put("computing", split ? ChartData.rounded(cpu) : null);
            bar.put("stalled", split && own != null && cpu != null ? ChartData.rounded(own - cpu) : null);
            bar.put("own", split ? null : ChartData.rounded(own));
        }
        return bars;
    }
}
