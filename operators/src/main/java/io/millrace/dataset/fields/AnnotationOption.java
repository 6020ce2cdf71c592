package io.millrace.dataset.fields;

import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.option.OptionType;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of boxes, points, masks of objects and values of boxes in {@code fields}. Stateless.
 *
 * <p>Tested by {@code AnnotatedFieldsTest}.
 */
final class AnnotationOption {
    private static final String BOXES = "boxes";
    private static final String POINTS = "points";
    private static final String MASKS = "masks";
    private static final String NORMALIZED = "normalized";
    private static final String FLIP_PAIRS = "flip_pairs";
    private static final String OBJECTS = "objects";
    private static final String EXPECTED =
            "in as of field '%s' one of auto, image, mask, tensor, ragged, text, points and masks, or {boxes: xyxy, xywh or cxcywh,"
                    + " normalized: true or false}, or {points: xy, normalized: true or false, flip_pairs: [[1, 2], ...]}, or"
                    + " {masks: ids, objects: [least, largest]}";

    private AnnotationOption() {}

    /**
     * Returns the source of a field.
     *
     * @param as the value of the key {@code as}; null when it is absent
     * @param boxes the value of the key {@code labels_of}; null when it is absent
     */
    static FieldSource source(String name, String from, @Nullable Object as, @Nullable String boxes) {
        if (as instanceof Map<?, ?> map) {
            Annotation annotation = map.containsKey(MASKS) ? ids(name, map, boxes) : parse(name, map, boxes);
            return new FieldSource(name, from, annotation.ids() == null ? As.RAGGED : As.MASK, annotation);
        }
        if (POINTS.equals(as)) {
            return new FieldSource(name, from, As.RAGGED, new Annotation(Form.POINTS, false, boxes));
        }
        if (MASKS.equals(as)) {
            return new FieldSource(name, from, As.RAGGED, new Annotation(Form.MASKS, false, boxes));
        }
        As plain = as == null ? As.AUTO : choice(name, as);
        if (boxes == null) {
            return new FieldSource(name, from, plain);
        }
        if (plain != As.AUTO && plain != As.RAGGED) {
            throw OptionType.expected(
                    "beside labels_of of field '" + name + "' as: ragged, or as with points or masks, or no as",
                    String.valueOf(as));
        }
        return new FieldSource(name, from, As.RAGGED, new Annotation(Form.VALUES, false, boxes));
    }

    private static As choice(String name, Object as) {
        for (As known : As.values()) {
            if (as instanceof String text && known.name().equalsIgnoreCase(text)) {
                return known;
            }
        }
        throw OptionType.expected(EXPECTED.formatted(name), as);
    }

    /** Returns the annotation of a picture of ids. */
    private static Annotation ids(String name, Map<?, ?> as, @Nullable String boxes) {
        Object objects = as.containsKey(OBJECTS) ? as.get(OBJECTS) : List.of(1L, (long) Integer.MAX_VALUE);
        boolean known = as.keySet().stream().allMatch(List.of(MASKS, OBJECTS)::contains) && "ids".equals(as.get(MASKS));
        if (!known) {
            throw OptionType.expected(EXPECTED.formatted(name), as);
        }
        long least = objects instanceof List<?> range && range.size() == 2 ? whole(range.get(0)) : 0;
        long most = objects instanceof List<?> range && range.size() == 2 ? whole(range.get(1)) : 0;
        if (least >= 1 && least <= most && most <= Integer.MAX_VALUE) {
            return new Annotation(Form.MASKS, false, boxes).withIds(new Annotation.Ids((int) least, (int) most));
        }
        throw OptionType.expected(
                "in objects of field '" + name
                        + "' the least and the largest id of an object, from 1 on, such as [1, 254]",
                objects);
    }

    /** Returns a whole number; 0 for anything else. */
    private static long whole(Object value) {
        return value instanceof Long whole ? whole : 0;
    }

    private static Annotation parse(String name, Map<?, ?> as, @Nullable String boxes) {
        Object format = as.get(BOXES);
        Object points = as.get(POINTS);
        Object normalized = as.containsKey(NORMALIZED) ? as.get(NORMALIZED) : false;
        boolean known = as.keySet().stream().allMatch(List.of(BOXES, POINTS, NORMALIZED, FLIP_PAIRS)::contains)
                && (format == null) != (points == null)
                && !(format != null && as.containsKey(FLIP_PAIRS))
                && normalized instanceof Boolean;
        Form form = null;
        if (known && points != null) {
            form = "xy".equals(points) ? Form.POINTS : null;
        } else if (known) {
            for (Form candidate : Form.values()) {
                if (candidate.isBoxes()
                        && candidate.name().toLowerCase(Locale.ROOT).equals(format)) {
                    form = candidate;
                }
            }
        }
        if (form == null) {
            throw OptionType.expected(EXPECTED.formatted(name), as);
        }
        if (form.isBoxes() && boxes != null) {
            throw OptionType.expected("no labels_of for field '" + name + "', which has boxes of its own", boxes);
        }
        Annotation annotation = new Annotation(form, normalized == Boolean.TRUE, boxes);
        return as.containsKey(FLIP_PAIRS)
                ? annotation.withFlipPairs(FlipPairs.parse(as.get(FLIP_PAIRS), "in flip_pairs of field '" + name + "'"))
                : annotation;
    }
}
