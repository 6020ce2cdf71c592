package io.millrace.dataset.parquet;

import io.millrace.dataset.parquet.ParquetColumn.Content;
import io.millrace.sample.DType;
import java.util.Locale;
import java.util.Optional;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.IntType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.jspecify.annotations.Nullable;

/** The mapping from a column's stored type, and its meaning in the schema, to the type of the column's values. */
final class LeafTypes {
    private LeafTypes() {}

    /**
     * Returns the type of a column's values; empty for types that are not supported, which are decimals, dates and
     * times.
     */
    static Optional<Content> content(SchemaElement element) {
        if (element.getType() == null) {
            return Optional.empty();
        }
        boolean plain = isPlain(element);
        return switch (element.getType()) {
            case BOOLEAN -> number(DType.BOOL);
            case INT32 -> integer(element).or(() -> plain ? number(DType.INT32) : Optional.empty());
            case INT64 ->
                plain || isInteger(element)
                        ? Optional.of(new Content(DType.INT64, false, isUnsigned(element)))
                        : Optional.empty();
            case FLOAT -> number(DType.FLOAT32);
            case DOUBLE -> number(DType.FLOAT64);
            case BYTE_ARRAY ->
                isText(element)
                        ? Optional.of(new Content(null, true, false))
                        : plain ? Optional.of(new Content(null, false, false)) : Optional.empty();
            case FIXED_LEN_BYTE_ARRAY -> {
                if (element.getType_length() < 1) {
                    yield Optional.empty();
                }
                LogicalType logical = element.getLogicalType();
                if (logical != null && logical.isSetFLOAT16()) {
                    yield element.getType_length() == Short.BYTES ? number(DType.FLOAT16) : Optional.empty();
                }
                yield plain || (logical != null && logical.isSetUUID())
                        ? Optional.of(new Content(null, false, false))
                        : Optional.empty();
            }
            case INT96 -> Optional.empty();
        };
    }

    private static Optional<Content> number(DType dtype) {
        return Optional.of(new Content(dtype, false, false));
    }

    private static boolean isPlain(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        return (logical == null || logical.isSetUNKNOWN() || logical.isSetBSON())
                && element.getConverted_type() == null;
    }

    private static boolean isInteger(SchemaElement element) {
        return integerOf(element) != null
                || element.getConverted_type() == ConvertedType.INT_64
                || element.getConverted_type() == ConvertedType.UINT_64;
    }

    private static boolean isUnsigned(SchemaElement element) {
        IntType type = integerOf(element);
        return type == null ? element.getConverted_type() == ConvertedType.UINT_64 : !type.isIsSigned();
    }

    private static @Nullable IntType integerOf(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        return logical != null && logical.isSetINTEGER() ? logical.getINTEGER() : null;
    }

    private static Optional<Content> integer(SchemaElement element) {
        IntType type = integerOf(element);
        if (type != null) {
            return switch (type.getBitWidth()) {
                case 8 -> number(type.isIsSigned() ? DType.INT8 : DType.UINT8);
                case 16 -> number(type.isIsSigned() ? DType.INT16 : DType.UINT16);
                case 32 -> number(type.isIsSigned() ? DType.INT32 : DType.INT64);
                default -> Optional.empty();
            };
        }
        ConvertedType converted = element.getConverted_type();
        if (converted == null) {
            return Optional.empty();
        }
        return switch (converted) {
            case INT_8 -> number(DType.INT8);
            case UINT_8 -> number(DType.UINT8);
            case INT_16 -> number(DType.INT16);
            case UINT_16 -> number(DType.UINT16);
            case INT_32 -> number(DType.INT32);
            case UINT_32 -> number(DType.INT64);
            default -> Optional.empty();
        };
    }

    private static boolean isText(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        if (logical != null) {
            return logical.isSetSTRING() || logical.isSetENUM() || logical.isSetJSON();
        }
        ConvertedType converted = element.getConverted_type();
        return converted == ConvertedType.UTF8 || converted == ConvertedType.ENUM || converted == ConvertedType.JSON;
    }

    /** Returns the number of bytes of a stored value; 1 for bool, 0 for byte arrays of any length. */
    static int width(SchemaElement element) {
        return switch (element.getType()) {
            case BOOLEAN -> 1;
            case INT32, FLOAT -> Integer.BYTES;
            case INT64, DOUBLE -> Long.BYTES;
            case INT96 -> Integer.BYTES + Long.BYTES;
            case BYTE_ARRAY -> 0;
            case FIXED_LEN_BYTE_ARRAY -> element.getType_length();
        };
    }

    /** Describes the stored type and its meaning, for messages. */
    static String describe(SchemaElement element) {
        String stored = String.valueOf(element.getType()).toLowerCase(Locale.ROOT);
        LogicalType logical = element.getLogicalType();
        return logical == null || logical.getSetField() == null
                ? stored
                : stored + " (" + logical.getSetField().name().toLowerCase(Locale.ROOT) + ")";
    }
}
