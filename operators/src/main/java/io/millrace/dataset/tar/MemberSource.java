package io.millrace.dataset.tar;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.json.JsonValues;
import io.millrace.dataset.npy.MalformedNpyException;
import io.millrace.dataset.npy.NpyArray;
import io.millrace.sample.DType;
import io.millrace.sample.Expected;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The members from which a field is read, and their conversion. {@code jpg;png} means the first of the two suffixes
 * that a sample has, and {@code json/box/0} means a value within a JSON member. The last part of a suffix determines
 * the decoding of a member.
 *
 * @param source the field
 * @param suffixes the suffixes in lower case, in the order of preference
 * @param path the path within JSON; empty for a whole member
 */
record MemberSource(FieldSource source, List<String> suffixes, String path) {
    /** The suffixes of images, in the order of preference. */
    static final List<String> IMAGES = List.of(
            "jpg", "jpeg", "png", "webp", "bmp", "ppm", "pgm", "tif", "tiff", "gif", "jfif", "jpe", "apng", "pbm",
            "pnm", "dib");

    private static final Set<String> NUMBERS = Set.of("cls", "cls2", "class", "count", "index", "inx", "id");
    private static final Set<String> TEXTS = Set.of("txt", "text", "transcript", "json", "jsn");
    private static final Set<String> JSON = Set.of("json", "jsn");
    private static final Set<String> ARRAYS = Set.of("npy");
    private static final Set<String> SOUNDS = Set.of("wav");

    static MemberSource of(FieldSource source) {
        int slash = source.from().indexOf('/');
        String suffixes = slash < 0 ? source.from() : source.from().substring(0, slash);
        return new MemberSource(
                source,
                List.of(suffixes.toLowerCase(Locale.ROOT).split(";")),
                slash < 0 ? "" : source.from().substring(slash + 1));
    }

    /** Returns the index of a suffix in the order of preference, or -1. */
    int rank(String suffix) {
        return suffixes.indexOf(suffix);
    }

    /**
     * Returns whether the suffixes alone decide the type of the field. Values within JSON and arrays have types of their own, and
     * suffixes that are decoded in different ways lead to different types.
     */
    boolean isDeclared() {
        return path.isEmpty()
                && suffixes.stream().noneMatch(suffix -> ARRAYS.contains(kind(suffix)))
                && suffixes.stream()
                                .map(suffix -> List.of(NUMBERS.contains(kind(suffix)), TEXTS.contains(kind(suffix))))
                                .distinct()
                                .count()
                        == 1;
    }

    /** Takes ownership of the member's content and returns it as a field. */
    Field field(String suffix, byte[] content, ValuePlace place) throws BadSampleException {
        String kind = kind(suffix);
        if (!path.isEmpty()) {
            return JsonValues.field(source, JsonValues.find(content, path, place), place);
        }
        if (ARRAYS.contains(kind)) {
            NpyArray array = array(content, place);
            return FieldValues.numbers(source, array.dtype(), array.shape(), array.data(), place);
        }
        if (NUMBERS.contains(kind) && source.as() != As.TEXT) {
            long number = Labels.of(List.of()).of(content, place);
            byte[] bytes = ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(number)
                    .array();
            return FieldValues.numbers(source, DType.INT64, new int[0], bytes, place);
        }
        if (JSON.contains(kind)) {
            JsonValues.find(content, "", place);
        }
        return TEXTS.contains(kind) && source.as() == As.AUTO
                ? FieldValues.bytes(new FieldSource(source.name(), source.from(), As.TEXT), content, place)
                : FieldValues.bytes(source, expected(kind), content, place);
    }

    private Expected expected(String kind) {
        if (SOUNDS.contains(kind)) {
            return Expected.SOUND;
        }
        return IMAGES.contains(kind) || source.name().equals(Sample.IMAGE) ? Expected.IMAGE : Expected.ANY;
    }

    /** Returns the member's content as a label. */
    long label(String suffix, byte[] content, Labels labels, ValuePlace place) throws BadSampleException {
        if (!path.isEmpty() || JSON.contains(kind(suffix))) {
            return JsonValues.label(JsonValues.find(content, path, place), labels, place);
        }
        if (ARRAYS.contains(kind(suffix))) {
            NpyArray array = array(content, place);
            return labels.of(array.dtype(), array.shape(), array.data(), place);
        }
        return labels.of(content, place);
    }

    private static NpyArray array(byte[] content, ValuePlace place) throws BadSampleException {
        try {
            return NpyArray.parse(content);
        } catch (MalformedNpyException e) {
            BadSampleException badSample =
                    new BadSampleException(place.file(), place.offset() + e.offset(), e.reason());
            badSample.initCause(e);
            throw badSample;
        }
    }

    /** Returns whether members with this suffix are JSON. */
    static boolean isJson(String suffix) {
        return JSON.contains(kind(suffix));
    }

    /** Returns whether members with this suffix are text, JSON included. */
    static boolean isText(String suffix) {
        return TEXTS.contains(kind(suffix));
    }

    /** Returns whether members with this suffix are one number. */
    static boolean isNumber(String suffix) {
        return NUMBERS.contains(kind(suffix));
    }

    private static String kind(String suffix) {
        return suffix.substring(suffix.lastIndexOf('.') + 1);
    }
}
