package io.millrace.dataset.arrow;

import io.millrace.dataset.arrow.IpcField.Dictionary;
import io.millrace.dataset.arrow.IpcField.Kind;
import io.millrace.sample.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.flatbuf.UnionMode;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a file and the metadata of its schema.
 *
 * <p>Tested by {@code ArrowDatasetTest}.
 *
 * @param fields the columns
 * @param metadata the schema's own metadata, for example under the key {@code huggingface}
 */
record IpcSchema(List<IpcField> fields, Map<String, String> metadata) {
    /** The largest depth of nesting. Deeper nesting means damage. */
    private static final int MAX_DEPTH = 32;

    /**
     * The largest number of fields, including nested ones. More fields mean damage, because tables of samples have a
     * few columns.
     */
    private static final int MAX_FIELDS = 100_000;

    /**
     * Reads the columns from a file's metadata.
     *
     * @throws IllegalArgumentException when the metadata is wrong; the message states the reason
     */
    static IpcSchema of(Schema schema) {
        if (schema.endianness() != Endianness.Little) {
            throw new IllegalArgumentException("expected little-endian data, found endianness " + schema.endianness());
        }
        Budget left = new Budget(schema.getByteBuffer().capacity());
        List<IpcField> fields = new ArrayList<>();
        for (int i = 0; i < schema.fieldsLength(); i++) {
            fields.add(field(schema.fields(i), 0, left));
        }
        Map<String, String> metadata = new HashMap<>();
        for (int i = 0; i < schema.customMetadataLength(); i++) {
            put(metadata, schema.customMetadata(i), left);
        }
        return new IpcSchema(List.copyOf(fields), Map.copyOf(metadata));
    }

    private static void put(Map<String, String> metadata, KeyValue entry, Budget left) {
        left.takeField();
        if (entry.key() != null && entry.value() != null) {
            metadata.put(left.take(entry.key()), left.take(entry.value()));
        }
    }

    /** What the metadata can still hold. Entries of damaged metadata may share their bytes, so that few bytes state many. */
    private static final class Budget {
        /** Writers may store a name once that several fields have. */
        private static final long MAX_SHARED = 16;

        private int fields = MAX_FIELDS;
        private long characters;

        /** Creates the budget of metadata of this length. */
        Budget(int bytes) {
            characters = MAX_SHARED * bytes;
        }

        void takeField() {
            fields--;
            if (fields < 0) {
                throw new IllegalArgumentException("expected at most " + MAX_FIELDS + " fields, found more");
            }
        }

        String take(String text) {
            characters -= text.length();
            if (characters < 0) {
                throw new IllegalArgumentException(
                        "expected names that are not much longer than the metadata, found more");
            }
            return text;
        }
    }

    private static IpcField field(Field field, int depth, Budget left) {
        left.takeField();
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("expected fields nested at most " + MAX_DEPTH + " deep, found more");
        }
        List<IpcField> children = new ArrayList<>();
        for (int i = 0; i < field.childrenLength(); i++) {
            children.add(field(field.children(i), depth + 1, left));
        }
        Map<String, String> metadata = new HashMap<>();
        for (int i = 0; i < field.customMetadataLength(); i++) {
            put(metadata, field.customMetadata(i), left);
        }
        String name = field.name() == null ? "" : left.take(field.name());
        Build values = new Build(name, List.copyOf(children), Map.copyOf(metadata));
        DictionaryEncoding encoding = field.dictionary();
        if (encoding == null) {
            return values.ofType(field);
        }
        Int index = encoding.indexType();
        return new Build(name, List.of(), Map.copyOf(metadata))
                .number(
                        "dictionary",
                        index == null ? Integer.BYTES : index.bitWidth() / Byte.SIZE,
                        integer(index == null ? Integer.SIZE : index.bitWidth(), index == null || index.isSigned()),
                        Optional.of(new Dictionary(encoding.id(), values.ofType(field))));
    }

    private static DType integer(int bits, boolean signed) {
        return switch (bits) {
            case 8 -> signed ? DType.INT8 : DType.UINT8;
            case 16 -> signed ? DType.INT16 : DType.UINT16;
            // Unsigned types that fields cannot have are widened, and values that do not fit are refused.
            case 32 -> signed ? DType.INT32 : DType.INT64;
            case 64 -> DType.INT64;
            default -> throw new IllegalArgumentException("expected integers of 8, 16, 32 or 64 bits, found " + bits);
        };
    }

    /** The properties of a field that do not depend on its type, while the field is being read. */
    private record Build(String name, List<IpcField> children, Map<String, String> metadata) {
        IpcField ofType(Field field) {
            String type = field.typeType() >= 0 && field.typeType() < Type.names.length
                    ? Type.name(field.typeType())
                    : "type " + field.typeType();
            return switch (field.typeType()) {
                case Type.Null -> plain(Kind.NULL, type, 0, false);
                case Type.Bool ->
                    new IpcField(name, Kind.BOOL, type, 0, DType.BOOL, false, 0, List.of(), Optional.empty(), metadata);
                case Type.Int -> integer((Int) table(field, new Int()));
                case Type.FloatingPoint -> floating((FloatingPoint) table(field, new FloatingPoint()));
                case Type.FixedSizeBinary ->
                    fixedBinary(((FixedSizeBinary) table(field, new FixedSizeBinary())).byteWidth());
                case Type.Binary -> plain(Kind.BINARY, type, Integer.BYTES, false);
                case Type.Utf8 -> plain(Kind.BINARY, type, Integer.BYTES, true);
                case Type.LargeBinary -> plain(Kind.BINARY, type, Long.BYTES, false);
                case Type.LargeUtf8 -> plain(Kind.BINARY, type, Long.BYTES, true);
                case Type.BinaryView -> plain(Kind.VIEW, type, 0, false);
                case Type.Utf8View -> plain(Kind.VIEW, type, 0, true);
                case Type.List -> list(Kind.LIST, type, Integer.BYTES, 0);
                case Type.LargeList -> list(Kind.LIST, type, Long.BYTES, 0);
                case Type.Map -> list(Kind.LIST, type, Integer.BYTES, 0);
                case Type.ListView -> list(Kind.LIST_VIEW, type, Integer.BYTES, 0);
                case Type.LargeListView -> list(Kind.LIST_VIEW, type, Long.BYTES, 0);
                case Type.FixedSizeList ->
                    list(Kind.FIXED_LIST, type, 0, ((FixedSizeList) table(field, new FixedSizeList())).listSize());
                case Type.Struct_ -> plain(Kind.STRUCT, "Struct", 0, false);
                case Type.Union ->
                    plain(
                            ((Union) table(field, new Union())).mode() == UnionMode.Sparse
                                    ? Kind.SPARSE_UNION
                                    : Kind.DENSE_UNION,
                            type,
                            0,
                            false);
                case Type.RunEndEncoded -> plain(Kind.RUN_END, type, 0, false);
                case Type.Decimal, Type.Date, Type.Time, Type.Timestamp, Type.Interval, Type.Duration ->
                    plain(Kind.FIXED, type, 0, false);
                default -> throw new IllegalArgumentException("field '" + name + "' has the unknown " + type);
            };
        }

        private static Object table(Field field, com.google.flatbuffers.Table empty) {
            Object table = field.type(empty);
            if (table == null) {
                throw new IllegalArgumentException("a field's type is missing");
            }
            return table;
        }

        private IpcField plain(Kind kind, String type, int width, boolean text) {
            return new IpcField(name, kind, type, width, null, text, 0, children, Optional.empty(), metadata);
        }

        private IpcField number(String type, int width, @Nullable DType dtype, Optional<Dictionary> dictionary) {
            return new IpcField(name, Kind.FIXED, type, width, dtype, false, 0, List.of(), dictionary, metadata);
        }

        private IpcField integer(Int type) {
            String label = (type.isSigned() ? "Int" : "UInt") + type.bitWidth();
            return number(
                    label,
                    type.bitWidth() / Byte.SIZE,
                    IpcSchema.integer(type.bitWidth(), type.isSigned()),
                    Optional.empty());
        }

        private IpcField floating(FloatingPoint type) {
            DType dtype =
                    switch (type.precision()) {
                        case Precision.HALF -> DType.FLOAT16;
                        case Precision.SINGLE -> DType.FLOAT32;
                        case Precision.DOUBLE -> DType.FLOAT64;
                        default ->
                            throw new IllegalArgumentException(
                                    "field '" + name + "' has numbers of the unknown precision " + type.precision());
                    };
            return number("Float" + dtype.bytes() * Byte.SIZE, dtype.bytes(), dtype, Optional.empty());
        }

        private IpcField fixedBinary(int width) {
            if (width < 0) {
                throw new IllegalArgumentException("field '" + name + "' has values of " + width + " bytes");
            }
            return new IpcField(
                    name, Kind.FIXED, "FixedSizeBinary", width, null, false, 0, List.of(), Optional.empty(), metadata);
        }

        private IpcField list(Kind kind, String type, int width, int size) {
            if (children.size() != 1 || size < 0) {
                throw new IllegalArgumentException("field '" + name + "' of type " + type
                        + " is damaged: expected one child and a size of 0 or more, found " + children.size() + " and "
                        + size);
            }
            return new IpcField(name, kind, type, width, null, false, size, children, Optional.empty(), metadata);
        }
    }
}
