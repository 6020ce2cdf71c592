package io.millrace.pipeline;

import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The fields of boxes and points of a pipeline: those that are declared, and those that look like boxes but are not declared. Stateless.
 */
final class BoxFields {
    private static final Pattern NAME =
            Pattern.compile("(.*[^a-z])?(b|bounding[^a-z]?)?box(es)?", Pattern.CASE_INSENSITIVE);

    private BoxFields() {}

    /** Returns whether samples of training or evaluation have boxes or points that move with the pixels. */
    static boolean declared(PipelineConfig config) {
        return Stream.concat(
                        config.data().sources().stream()
                                .map(source -> source.dataset().spec()),
                        config.evaluate().map(EvaluateConfig::dataset).map(dataset -> dataset.spec()).stream())
                .anyMatch(BoxFields::declared);
    }

    /** Returns the meanings of the numbers of boxes and points in a batch, such as {@code xyxy}, by the names of the fields. */
    static Map<String, String> meanings(Sample sample, List<WireColumn> wire) {
        Map<String, String> meanings = new TreeMap<>();
        for (WireColumn each : wire) {
            String name = each.column().name();
            Annotation annotation =
                    sample.fieldNames().contains(name) ? sample.field(name).annotation() : null;
            if (annotation != null) {
                meanings.put(
                        name,
                        annotation.form().name().toLowerCase(Locale.ROOT)
                                + (annotation.normalized() ? ", normalized" : ""));
            }
        }
        return meanings;
    }

    private static boolean declared(DatasetSpec spec) {
        return spec.annotated()
                || spec.options().find(FieldSources.FIELDS).stream()
                        .flatMap(List::stream)
                        .anyMatch(source -> source.annotation() != null
                                && source.annotation().isMoved());
    }

    /**
     * Returns a sentence for each field of a sample that could be boxes but is not declared so, if a transform would leave them where they
     * were.
     *
     * @param sample a sample as the dataset reads it
     */
    static List<String> remarks(Sample sample, List<TransformSpec> transforms) {
        Optional<TransformSpec> moving =
                transforms.stream().filter(TransformSpec::movesPixels).findFirst();
        if (moving.isEmpty()) {
            return List.of();
        }
        List<String> remarks = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            if (NAME.matcher(name).matches() && couldBeBoxes(field)) {
                remarks.add("'" + name + "' " + field.dtype().word() + " "
                        + (field.kind() == FieldKind.RAGGED ? "[?, 4]" : Arrays.toString(field.shape()))
                        + " could be boxes, which " + moving.get().name()
                        + " would leave where they are. If they are boxes, add to fields of the dataset: " + name
                        + ": {as: {boxes: xyxy}}, or xywh or cxcywh in place of xyxy");
            }
        }
        return remarks;
    }

    private static boolean couldBeBoxes(Field field) {
        int[] shape = field.shape();
        return field.annotation() == null
                && (field.kind() == FieldKind.RAGGED || field.kind() == FieldKind.TENSOR)
                && field.dtype() != DType.ENCODED
                && field.dtype() != DType.BOOL
                && shape.length == 2
                && shape[1] == 4;
    }
}
