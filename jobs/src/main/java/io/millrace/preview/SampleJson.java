package io.millrace.preview;

import io.millrace.preview.NpyFolder.FieldFiles;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The JSON form of a previewed sample. */
public final class SampleJson {
    private SampleJson() {}

    /**
     * Returns the sample's position, its random parameters and its files.
     *
     * @param files the files of the sample; empty when none were written
     */
    public static Map<String, Object> of(SampleView view, List<FieldFiles> files) {
        Sample sample = view.sample();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("position", sample.position());
        json.put("index", sample.index());
        json.put("key", sample.key());
        json.put("label", view.label());
        json.put("class", view.className());
        json.put("drawn", view.drawn());
        List<Map<String, Object>> fields = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            Map<String, Object> field = new LinkedHashMap<>();
            field.put("name", name);
            field.put("kind", sample.field(name).kind().word());
            field.put("dtype", sample.field(name).dtype().word());
            field.put("shape", sample.field(name).shape());
            for (FieldFiles file : files) {
                if (file.field().equals(name)) {
                    field.put("host", file.host());
                    field.put("device", file.device());
                }
            }
            fields.add(field);
        }
        json.put("fields", fields);
        BadSample badSample = sample.badSample();
        json.put("quarantined", badSample == null ? null : of(badSample));
        return json;
    }

    private static Map<String, Object> of(BadSample badSample) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("stage", badSample.stage());
        json.put("file", badSample.file());
        json.put("offset", badSample.offset() < 0 ? null : Long.valueOf(badSample.offset()));
        json.put("reason", badSample.reason());
        return json;
    }
}
