package io.millrace.dataset.fields;

import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.sample.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The option {@code fields}, which names the fields to read. Other fields are not read, decoded or sent over the
 * network.
 */
public final class FieldSources {
    private static final String FROM = "from";
    private static final String AS = "as";
    private static final String LABELS_OF = "labels_of";
    private static final Set<String> KEYS = Set.of(FROM, AS, LABELS_OF);

    /**
     * The type of the option: {@code [image, label]}, or {@code {image: jpg, label: cls, mask: {from: seg.png, as:
     * mask}}}. The keys are the names of the sample's fields, and the values are their names in the file.
     */
    public static final OptionType<List<FieldSource>> TYPE =
            OptionType.of("list of names, or {name: stored name or {from, as, labels_of}}", FieldSources::parse);

    /** The option {@code fields}. If it is absent, a format reads its default fields. */
    public static final Option<List<FieldSource>> FIELDS = Option.of(
                    "fields",
                    TYPE,
                    "The fields to read, by their names in samples: [image, label], or {image: jpg, label: cls,"
                            + " mask: {from: seg.png, as: mask}}. No other field is read. Boxes and points that move with the pictures:"
                            + " {boxes: {as: {boxes: xyxy}}, labels: {labels_of: boxes}, joints: {as: points}, objects: {as: masks}}.")
            .optional()
            .decides(Identity.BATCHES);

    private FieldSources() {}

    private static List<FieldSource> parse(Object raw) {
        List<FieldSource> sources = new ArrayList<>();
        if (raw instanceof List<?> names && !names.isEmpty()) {
            names.forEach(name -> sources.add(new FieldSource(text(name), text(name), As.AUTO)));
        } else if (raw instanceof Map<?, ?> map && !map.isEmpty()) {
            map.forEach((name, value) -> sources.add(source(text(name), value)));
        } else {
            throw OptionType.expected("a list of names, or a map from names to their names in the file", raw);
        }
        if (sources.stream().map(FieldSource::name).distinct().count() < sources.size()) {
            throw OptionType.expected("each name once", raw);
        }
        sources.forEach(source -> requireBoxes(source, sources));
        return List.copyOf(sources);
    }

    /** Refuses values of boxes that no field of the list has. */
    private static void requireBoxes(FieldSource source, List<FieldSource> sources) {
        Annotation annotation = source.annotation();
        if (annotation == null) {
            return;
        }
        if (source.name().equals(FieldSource.LABEL)) {
            throw OptionType.expected(
                    "another name than label for boxes, points, masks and values of boxes: the label is one number for each sample",
                    source.name());
        }
        String boxes = annotation.boxes();
        if (boxes != null
                && sources.stream()
                        .noneMatch(other -> other.name().equals(boxes)
                                && other.annotation() != null
                                && other.annotation().form().isBoxes())) {
            throw OptionType.expected(
                    "in labels_of of field '" + source.name()
                            + "' the name of a field of boxes, which has as: {boxes: xyxy}, "
                            + "{boxes: xywh} or {boxes: cxcywh}",
                    boxes);
        }
    }

    private static FieldSource source(String name, Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            return new FieldSource(name, text(value), As.AUTO);
        }
        for (Object key : map.keySet()) {
            if (!(key instanceof String known) || !KEYS.contains(known)) {
                throw OptionType.expected("the keys from, as and labels_of for field '" + name + "'", key);
            }
        }
        Object from = map.get(FROM);
        Object boxes = map.get(LABELS_OF);
        Object as = map.get(AS);
        return AnnotationOption.source(name, from == null ? name : text(from), as, boxes == null ? null : text(boxes));
    }

    private static String text(Object value) {
        return OptionType.TEXT.parse(value);
    }
}
