package io.millrace.report.html;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The data of a diagnosis's charts, in the form that the page's script reads. Null means unknown. Pure. */
final class DiagnosisCharts {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private DiagnosisCharts() {}

    /** Returns an object with one member for each chart that has data. */
    static ObjectNode of(DiagnosisData data) {
        ObjectNode charts = JSON.objectNode();
        if (!data.ladder().isEmpty()) {
            charts.set("ladder", ladder(data));
        }
        if (!data.stages().isEmpty()) {
            charts.set("costs", costs(data));
        }
        return charts;
    }

    private static ArrayNode ladder(DiagnosisData data) {
        ArrayNode bars = JSON.arrayNode();
        for (LadderRung rung : data.ladder()) {
            ObjectNode bar = bars.addObject();
            bar.put("cache", rung.cache());
            bar.put("unit", data.unit().perSecond());
            bar.put("rate", ChartData.rounded(rung.imagesPerSecond()));
            bar.put("model", ChartData.rounded(rung.modelled()));
            bar.put("most", rung.stage() != null && rung.stage().equals(data.most()));
        }
        return bars;
    }

    private static ArrayNode costs(DiagnosisData data) {
        ArrayNode bars = JSON.arrayNode();
        for (DiagnosisData.StageTime stage : data.stages()) {
            Double own = stage.ownMillis();
            Double cpu = stage.cpuMillis();
            // CPU time is sampled. When it exceeds the own time, the parts are not known.
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
