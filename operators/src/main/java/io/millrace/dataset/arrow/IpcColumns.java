package io.millrace.dataset.arrow;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.arrow.IpcField.Kind;
import io.millrace.dataset.arrow.IpcLayout.FieldLayout;
import io.millrace.dataset.columns.Tables;
import io.millrace.sample.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The search for columns by name, and the check whether they can be read.
 *
 * <p>Tested by {@code ArrowDatasetTest} and {@code NestedColumnsTest}.
 */
final class IpcColumns {
    private static final String MAP = "Map";

    private static final String TEXT_HINT = "; with as: text, structs and lists are read as JSON text";

    private IpcColumns() {}

    /**
     * Returns the path to a column: its number among the columns, then its number among the children of that column,
     * and so on.
     *
     * @param asText whether structs and lists become JSON text
     * @throws DatasetException when there is no such column, or its type is not supported
     */
    static List<Integer> path(String file, List<IpcField> fields, String name, boolean asText) throws DatasetException {
        List<Integer> path = new ArrayList<>();
        List<IpcField> among = fields;
        String left = name;
        while (true) {
            int at = indexOf(among, left);
            if (at >= 0 && indexOf(among.subList(at + 1, among.size()), left) >= 0) {
                throw new DatasetException(file + " has several columns '" + name + "', expected one");
            }
            if (at >= 0) {
                path.add(at);
                if (!asText || !isNestedText(among.get(at))) {
                    requireReadable(file, name, among.get(at));
                }
                return List.copyOf(path);
            }
            int dot = left.indexOf('.');
            int parent = dot < 0 ? -1 : indexOf(among, left.substring(0, dot));
            if (parent < 0 || among.get(parent).kind() != Kind.STRUCT) {
                throw Tables.noColumn(file, name, fields.stream().map(IpcField::name));
            }
            path.add(parent);
            among = among.get(parent).children();
            left = left.substring(dot + 1);
        }
    }

    private static int indexOf(List<IpcField> fields, String name) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private static void requireReadable(String file, String name, IpcField field) throws DatasetException {
        if (field.kind() == Kind.STRUCT && field.child("bytes").isEmpty()) {
            throw new DatasetException(file + ": column '" + name
                    + "' consists of several columns: name one of them, for example '" + name + "."
                    + (field.children().isEmpty()
                            ? "x"
                            : field.children().get(0).name()) + "'" + (isNestedText(field) ? TEXT_HINT : ""));
        }
        if (!isReadable(field)) {
            throw new DatasetException(file + ": column '" + name + "' is of the type " + describe(field)
                    + ", which is not supported" + (isNestedText(field) ? TEXT_HINT : ""));
        }
        if (FixedShape.isPermuted(field)) {
            throw new DatasetException(
                    file + ": column '" + name + "' is a fixed_shape_tensor with a permutation, which is"
                            + " not supported: save tensors whose extents have the order of the stored numbers");
        }
    }

    /** Returns whether values of this type can become fields. */
    static boolean isReadable(IpcField field) {
        return switch (field.kind()) {
            case BINARY, VIEW -> true;
            case STRUCT -> field.child("bytes").filter(IpcColumns::isBytes).isPresent();
            case FIXED ->
                field.dictionary()
                        .map(d -> d.values().dictionary().isEmpty() && isReadable(d.values()))
                        .orElse(field.dtype() != null || field.type().equals("FixedSizeBinary"));
            default -> isNumbers(field);
        };
    }

    /** Returns whether values are structs or lists that can become JSON text. */
    static boolean isNestedText(IpcField field) {
        return !field.children().isEmpty() && isJson(field);
    }

    private static boolean isJson(IpcField field) {
        return switch (field.kind()) {
            case NULL, BOOL -> true;
            case BINARY, VIEW -> field.text();
            case FIXED ->
                field.dictionary().isPresent()
                        ? isBytes(field.dictionary().get().values())
                                && field.dictionary().get().values().text()
                        : field.dtype() != null;
            case STRUCT, LIST, LIST_VIEW, FIXED_LIST ->
                !field.type().equals(MAP) && field.children().stream().allMatch(IpcColumns::isJson);
            case SPARSE_UNION, DENSE_UNION, RUN_END -> false;
        };
    }

    private static boolean isBytes(IpcField field) {
        return field.kind() == Kind.BINARY || field.kind() == Kind.VIEW;
    }

    private static boolean isNumbers(IpcField field) {
        return switch (field.kind()) {
            case BOOL -> true;
            case FIXED -> field.dtype() != null && field.dictionary().isEmpty();
            case LIST, LIST_VIEW, FIXED_LIST -> isNumbers(field.children().get(0));
            default -> false;
        };
    }

    /** Returns whether the values contain lists of any length within another list. */
    static boolean isNested(IpcField field) {
        return field.children().stream()
                .anyMatch(child -> child.kind() == Kind.LIST || child.kind() == Kind.LIST_VIEW || isNested(child));
    }

    /** Returns the element type of numbers and of lists of numbers; empty for other values. */
    static Optional<DType> elementType(IpcField field) {
        return switch (field.kind()) {
            case BOOL -> Optional.of(DType.BOOL);
            case FIXED -> field.dictionary().isPresent() ? Optional.empty() : Optional.ofNullable(field.dtype());
            case LIST, LIST_VIEW, FIXED_LIST -> elementType(field.children().get(0));
            default -> Optional.empty();
        };
    }

    /** Describes a column's type, including the types of its children. */
    static String describe(IpcField field) {
        return field.dictionary().isPresent()
                ? "dictionary of " + describe(field.dictionary().get().values())
                : field.children().isEmpty()
                        ? field.type()
                        : field.type()
                                + field.children().stream()
                                        .map(child -> field.kind() == Kind.STRUCT
                                                ? child.name() + ": " + describe(child)
                                                : describe(child))
                                        .collect(Collectors.joining(", ", "<", ">"));
    }

    /** Returns the layouts of a path's columns, the outermost first. */
    static List<FieldLayout> layouts(IpcLayout layout, List<Integer> path) {
        List<FieldLayout> layouts = new ArrayList<>(path.size());
        List<FieldLayout> among = layout.fields();
        for (int at : path) {
            layouts.add(among.get(at));
            among = among.get(at).children();
        }
        return layouts;
    }
}
