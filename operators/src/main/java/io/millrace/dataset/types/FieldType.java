package io.millrace.dataset.types;

import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settled type of a field.
 *
 * <p>Tested by {@code BoxesTest} and {@code TypeInspectionTest}.
 *
 * @param kind the kind that every sample's field has in a batch, where texts are ragged bytes: the values of a field may be text in some
 *     samples and bytes in others
 * @param dtype the element type of tensors and ragged numbers
 * @param extents the extents that most samples have, outermost first; {@link #ANY} where they differ. Their number is the same in
 *     every sample. The extents of ragged numbers after the first one are the same, too, except those of masks, which have the size of
 *     their picture
 */
public record FieldType(FieldKind kind, DType dtype, List<Integer> extents) implements Serializable {
    /** Stands for an extent that differs from sample to sample. */
    public static final int ANY = -1;

    public FieldType {
        extents = List.copyOf(extents);
    }

    /**
     * Returns a field with this type: the field itself, the same numbers with a wider element type, or an empty list with the
     * extents that other samples have.
     *
     * @return null when the field has another type
     */
    @Nullable
    Field of(Field field) {
        if (field.kind().inBatch() != kind) {
            return null;
        }
        if (isPicture(kind)) {
            return field;
        }
        int[] shape = field.shape();
        if (field.kind() == FieldKind.TEXT && isBytes(kind, dtype) && shape.length == extents.size()) {
            return field;
        }
        if (isEmpty(kind, field.dtype(), extents(field))) {
            Field none = empty(shape);
            return none == null ? null : none.annotated(field.annotation());
        }
        if (shape.length != extents.size()) {
            return null;
        }
        if (field.annotation() != null && field.annotation().form() == Annotation.Form.MASKS) {
            return field; // masks have the size of their picture until all pictures have one size
        }
        for (int i = 1; i < shape.length && kind == FieldKind.RAGGED; i++) {
            if (extents.get(i) != ANY && extents.get(i) != shape[i]) {
                return null;
            }
        }
        return isBytes(field.kind(), field.dtype()) == isBytes(kind, dtype) ? Widening.of(field, dtype) : null;
    }

    /**
     * Returns an empty field. What follows the first extent of 0 is not known from the list itself, so the other samples decide it.
     */
    private @Nullable Field empty(int[] found) {
        int known = 0;
        while (found[known] != 0) {
            known++;
        }
        if (known >= extents.size()) {
            return null;
        }
        int[] shape = new int[extents.size()];
        for (int i = 0; i < shape.length; i++) {
            boolean given = i <= known;
            int usual = Math.max(0, extents.get(i));
            shape[i] = given ? found[i] : usual;
            if (given && i > 0 && kind == FieldKind.RAGGED && extents.get(i) != ANY && usual != found[i]) {
                return null;
            }
        }
        return Field.of(dtype, shape, new byte[0]).as(kind);
    }

    /** Returns this type with the element type of numbers that suits another type, too. */
    FieldType with(@Nullable FieldType other) {
        boolean same = other != null
                && kind == other.kind
                && extents.size() == other.extents.size()
                && !isPicture(kind)
                && isBytes(kind, dtype) == isBytes(kind, other.dtype)
                && Widening.isNumber(dtype)
                && Widening.isNumber(other.dtype);
        return same && other != null
                ? new FieldType(kind, Widening.common(List.of(dtype, other.dtype)), extents)
                : this;
    }

    /** Returns whether a field of this type has the extents that most samples have. An empty tensor is not usual. */
    boolean isUsual(Field field) {
        int[] shape = field.shape();
        for (int i = 0; i < Math.min(shape.length, extents.size()); i++) {
            boolean other =
                    extents.get(i) == ANY ? kind == FieldKind.TENSOR && shape[i] == 0 : extents.get(i) != shape[i];
            if (other) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether each value is a single whole number. */
    boolean isWholeNumber() {
        return kind == FieldKind.TENSOR && extents.isEmpty() && !dtype.isFloat();
    }

    /** Returns whether tensors have different extents, without one that most samples have. */
    public boolean varies() {
        return kind == FieldKind.TENSOR && extents.contains(ANY);
    }

    /** Returns whether the first extent, and no other, differs from sample to sample. */
    public boolean variesInFirst() {
        return extents.indexOf(ANY) == 0 && extents.lastIndexOf(ANY) == 0;
    }

    /** Returns whether a list has no elements, so that neither its element type nor its inner extents are known. */
    static boolean isEmpty(FieldKind kind, DType dtype, List<Integer> shape) {
        return shape.contains(0) && !isPicture(kind) && dtype != DType.ENCODED;
    }

    /** Returns the extents of a field. */
    static List<Integer> extents(Field field) {
        return Arrays.stream(field.shape()).boxed().toList();
    }

    static boolean isPicture(FieldKind kind) {
        return kind == FieldKind.IMAGE || kind == FieldKind.MASK;
    }

    /** Returns whether a field is text or bytes, and not numbers. */
    static boolean isBytes(FieldKind kind, DType dtype) {
        return kind.varies() && dtype == DType.UINT8;
    }

    /** Describes the type: "float64 [?, 4]", "int64 []" or "text or bytes". */
    public String describe() {
        return describe(kind, dtype, extents);
    }

    /** Describes the type of a field. */
    static String describe(Field field) {
        return describe(field.kind(), field.dtype(), extents(field));
    }

    private static String describe(FieldKind kind, DType dtype, List<Integer> extents) {
        if (isPicture(kind)) {
            return kind == FieldKind.IMAGE ? "an image" : "a mask";
        }
        if (isBytes(kind, dtype) || dtype == DType.ENCODED) {
            return dtype == DType.ENCODED ? "an encoded file" : "text or bytes";
        }
        return dtype.word()
                + extents.stream()
                        .map(extent -> extent == ANY ? "?" : String.valueOf(extent))
                        .collect(Collectors.joining(", ", " [", "]"));
    }
}
