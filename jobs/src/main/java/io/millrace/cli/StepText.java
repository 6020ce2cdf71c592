package io.millrace.cli;

import io.millrace.order.BatchPlan.Batch;
import io.millrace.order.Sources;
import io.millrace.preview.FieldText;
import io.millrace.preview.NpyFolder.FieldFiles;
import io.millrace.preview.SampleJson;
import io.millrace.preview.SampleView;
import io.millrace.preview.StepRows;
import io.millrace.sample.BadSample;
import io.millrace.sample.Field;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The text and the JSON of the rows of a step, and of the uses of a sample.
 *
 * <p>Tested by {@code WhichCommandTest}.
 */
record StepText(StepRows rows) {
    private boolean mixed() {
        return rows.plan().sources().named();
    }

    String headline(Batch batch) {
        return String.format(
                Locale.ROOT,
                "step %d%s: epoch %d, %d rows, seed %d",
                batch.step(),
                rows.endless() ? "" : " of " + rows.steps(),
                batch.epoch(),
                batch.rows(),
                rows.seed());
    }

    String line(StepRows.Row row) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%5d", row.row()));
        if (rows.ranks().ranks() > 1) {
            line.append(String.format(Locale.ROOT, "  rank %d", row.rank()));
        }
        if (mixed()) {
            line.append("  ").append(row.source().name());
        }
        line.append(String.format(Locale.ROOT, "  %s  index %d", row.sample().key(), row.index()));
        if (mixed()) {
            line.append(String.format(Locale.ROOT, " (%d of all)", row.sample().index()));
        }
        line.append(String.format(Locale.ROOT, "  round %d", row.pick().round()));
        BadSample bad = row.sample().badSample();
        if (bad != null) {
            line.append("  left out, because it is bad: ").append(bad.reason());
        }
        return line.toString();
    }

    /** Returns a line for each document of a sequence: the document, and where its tokens are in it and in the sequence. */
    List<String> documents(StepRows.Row row) {
        List<String> lines = new ArrayList<>();
        int at = 0;
        for (Part part : row.sample().parts()) {
            int tokens = part.to() - part.from();
            lines.add(String.format(
                    Locale.ROOT,
                    "       document %d  %s  tokens %d to %d, at %d to %d of the sequence",
                    part.sample().index(),
                    part.sample().key(),
                    part.from(),
                    part.to() - 1,
                    at,
                    at + tokens - 1));
            at += tokens;
        }
        return lines;
    }

    private static List<Map<String, Object>> documentsJson(Sample sequence) {
        List<Map<String, Object>> documents = new ArrayList<>();
        int at = 0;
        for (Part part : sequence.parts()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("index", part.sample().index());
            json.put("key", part.sample().key());
            json.put("from", part.from());
            json.put("to", part.to());
            json.put("at", at);
            documents.add(json);
            at += part.to() - part.from();
        }
        return documents;
    }

    Map<String, Object> json(StepRows.Row row) {
        Sample sample = row.sample();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("row", row.row());
        json.put("rank", row.rank());
        json.put("position", row.position());
        json.put("source", mixed() ? row.source().name() : null);
        json.put("key", sample.key());
        json.put("source_index", row.index());
        json.put("index", sample.index());
        json.put("round", row.pick().round());
        Map<String, Object> random = new LinkedHashMap<>();
        random.put("seed", rows.seed());
        random.put("epoch", row.pick().round());
        random.put("index", sample.index());
        random.put("stages", rows.streams().get(row.pick().source()));
        json.put("random", random);
        BadSample bad = sample.badSample();
        json.put("quarantined", bad == null ? null : bad.reason());
        if (!sample.parts().isEmpty()) {
            json.put("documents", documentsJson(sample));
        }
        return json;
    }

    /** Returns the lines with the random streams of the transforms. */
    List<String> streams() {
        List<String> lines = new ArrayList<>();
        for (int source = 0; source < rows.streams().size(); source++) {
            Map<String, Integer> streams = rows.streams().get(source);
            String name = rows.plan().sources().get(source).name();
            if (!streams.isEmpty()) {
                lines.add("random numbers" + (name.isEmpty() ? "" : " of " + name) + ": they follow from the seed "
                        + rows.seed()
                        + ", the round and the index " + (mixed() ? "among all datasets " : "")
                        + "of the row, and the number of the stage, "
                        + streams.entrySet().stream()
                                .map(stream -> stream.getValue() + " (" + stream.getKey() + ")")
                                .collect(Collectors.joining(", ")));
            }
        }
        return lines;
    }

    /** Returns the lines with the values that the step received. */
    List<String> values(SampleView view) {
        List<String> lines = new ArrayList<>();
        if (view.label() != null) {
            lines.add("label " + view.labelText());
        }
        BadSample bad = view.sample().badSample();
        if (bad != null) {
            lines.add("left out, because it is bad at " + bad.stage() + ": " + bad.reason());
        }
        view.drawn().forEach((stage, drawn) -> lines.add(stage + ": " + drawn));
        Sample sample = view.sample();
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            lines.add((name + ": " + FieldText.shape(field) + " " + FieldText.values(field)).stripTrailing()
                    + "  sha256 " + FieldText.sha256(field));
        }
        return lines;
    }

    /** Returns the keys of a row for the values that the step received. */
    Map<String, Object> shown(SampleView view, List<FieldFiles> files) {
        Map<String, Object> sample = SampleJson.of(view, files);
        Map<String, Object> json = new LinkedHashMap<>();
        for (String key : List.of("label", "class", "drawn", "fields", "quarantined")) {
            json.put(key, sample.get(key));
        }
        Map<String, String> hashes = new LinkedHashMap<>();
        view.sample()
                .fieldNames()
                .forEach(name -> hashes.put(name, FieldText.sha256(view.sample().field(name))));
        json.put("sha256", hashes);
        return json;
    }

    /** Returns the line with the sample whose uses were searched. */
    String searched(String wanted, Sources.Place place, long first, long last, long count) {
        String steps = String.format(Locale.ROOT, "steps %d to %d", first, last);
        String dataset =
                mixed() ? " of " + rows.plan().sources().get(place.source()).name() : "";
        return String.format(
                Locale.ROOT,
                "%s %s, index %d%s: %s in %s",
                rows.isPacked(place.source()) ? "document" : "sample",
                wanted,
                rows.indexInDataset(place),
                dataset,
                count == 0
                        ? "not used"
                        : "used " + (count == 1 ? "once" : String.format(Locale.ROOT, "%,d times", count)),
                steps);
    }

    String line(StepRows.Use use) {
        return String.format(
                Locale.ROOT,
                "  step %d  row %d%s",
                use.step(),
                use.row(),
                rows.ranks().ranks() > 1 ? "  rank " + use.rank() : "");
    }

    Map<String, Object> json(Sources.Place place) {
        Sources.Source source = rows.plan().sources().get(place.source());
        long index = rows.indexInDataset(place);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("source", mixed() ? source.name() : null);
        json.put("source_index", index);
        // Documents have no index among all datasets: that one counts sequences.
        json.put("index", rows.isPacked(place.source()) ? null : source.first() + index);
        return json;
    }

    Map<String, Object> json(StepRows.Use use) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("step", use.step());
        json.put("row", use.row());
        json.put("rank", use.rank());
        return json;
    }
}
