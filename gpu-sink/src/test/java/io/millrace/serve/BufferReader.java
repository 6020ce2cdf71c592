package io.millrace.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A reader of buffers that knows only docs/develop/serving.md: it shares no code with the writer. */
public final class BufferReader {
    private static final Map<String, Integer> WIDTHS = Map.ofEntries(
            Map.entry("uint8", 1),
            Map.entry("int8", 1),
            Map.entry("bool", 1),
            Map.entry("int16", 2),
            Map.entry("uint16", 2),
            Map.entry("float16", 2),
            Map.entry("bfloat16", 2),
            Map.entry("int32", 4),
            Map.entry("float32", 4),
            Map.entry("int64", 8),
            Map.entry("float64", 8));

    private BufferReader() {}

    /** Returns the header, and the bytes of each row of each field as hexadecimal digits. */
    public static ObjectNode read(ByteBuffer bytes, List<BufferField> fields) {
        ByteBuffer buffer = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        byte[] magic = new byte[4];
        buffer.get(0, magic);
        ObjectNode read = JsonNodeFactory.instance.objectNode();
        read.put("magic", new String(magic, StandardCharsets.US_ASCII));
        read.put("generation", buffer.getInt(4));
        read.put("step", buffer.getLong(8));
        read.put("epoch", buffer.getInt(16));
        read.put("rows", buffer.getInt(20));
        read.put("planned", buffer.getInt(24));
        read.put("position", buffer.getLong(32));
        read.put("bytes", buffer.getLong(40));
        read.put("padded", buffer.getInt(28));
        read.put("zeros", buffer.getLong(48) | buffer.getLong(56));
        ObjectNode all = read.putObject("fields");
        for (BufferField field : fields) {
            ArrayNode rows = all.putArray(field.name());
            for (int row = 0; row < buffer.getInt(20); row++) {
                rows.add(row(buffer, field, row));
            }
        }
        return read;
    }

    private static String row(ByteBuffer buffer, BufferField field, int row) {
        int elements = field.shape().stream().reduce(1, (a, b) -> a * b);
        int width = Objects.requireNonNull(WIDTHS.get(field.dtype()));
        return switch (field.form()) {
            case "dense" -> hex(buffer, field.offset() + (long) row * elements * width, elements * width);
            case "bits" -> hex(buffer, field.offset() + (long) row * ((elements + 7) / 8), (elements + 7) / 8);
            default -> {
                int entry = field.form().equals("ragged") ? elements * width : Integer.BYTES + width;
                int offsets = Math.toIntExact(Objects.requireNonNull(field.offsets()));
                long first = buffer.getLong(offsets + row * Long.BYTES);
                long end = buffer.getLong(offsets + (row + 1) * Long.BYTES);
                long start = buffer.getLong((int) field.offset());
                long length = buffer.getLong((int) field.offset() + Long.BYTES);
                if (end * entry > length || start % 64 != 0) {
                    throw new AssertionError("entries " + first + " to " + end + " of " + entry + " bytes, in " + length
                            + " bytes at " + start);
                }
                yield hex(buffer, start + first * entry, (int) (end - first) * entry);
            }
        };
    }

    private static String hex(ByteBuffer buffer, long from, int length) {
        byte[] bytes = new byte[length];
        buffer.get(Math.toIntExact(from), bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
