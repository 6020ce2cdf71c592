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

/** A reader of slots that knows only docs/develop/serving.md: it shares no code with the writer. */
public final class SlotReader {
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

    private SlotReader() {}

    /** Returns the header, and the bytes of each row of each field as hexadecimal digits. */
    public static ObjectNode read(ByteBuffer buffer, List<SlotField> fields) {
        ByteBuffer slot = buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        byte[] magic = new byte[4];
        slot.get(0, magic);
        ObjectNode read = JsonNodeFactory.instance.objectNode();
        read.put("magic", new String(magic, StandardCharsets.US_ASCII));
        read.put("generation", slot.getInt(4));
        read.put("step", slot.getLong(8));
        read.put("epoch", slot.getInt(16));
        read.put("rows", slot.getInt(20));
        read.put("planned", slot.getInt(24));
        read.put("position", slot.getLong(32));
        read.put("bytes", slot.getLong(40));
        read.put("padded", slot.getInt(28));
        read.put("zeros", slot.getLong(48) | slot.getLong(56));
        ObjectNode all = read.putObject("fields");
        for (SlotField field : fields) {
            ArrayNode rows = all.putArray(field.name());
            for (int row = 0; row < slot.getInt(20); row++) {
                rows.add(row(slot, field, row));
            }
        }
        return read;
    }

    private static String row(ByteBuffer slot, SlotField field, int row) {
        int elements = field.shape().stream().reduce(1, (a, b) -> a * b);
        int width = Objects.requireNonNull(WIDTHS.get(field.dtype()));
        return switch (field.form()) {
            case "dense" -> hex(slot, field.offset() + (long) row * elements * width, elements * width);
            case "bits" -> hex(slot, field.offset() + (long) row * ((elements + 7) / 8), (elements + 7) / 8);
            default -> {
                int entry = field.form().equals("ragged") ? elements * width : Integer.BYTES + width;
                int offsets = Math.toIntExact(Objects.requireNonNull(field.offsets()));
                long first = slot.getLong(offsets + row * Long.BYTES);
                long end = slot.getLong(offsets + (row + 1) * Long.BYTES);
                long start = slot.getLong((int) field.offset());
                long length = slot.getLong((int) field.offset() + Long.BYTES);
                if (end * entry > length || start % 64 != 0) {
                    throw new AssertionError("entries " + first + " to " + end + " of " + entry + " bytes, in " + length
                            + " bytes at " + start);
                }
                yield hex(slot, start + first * entry, (int) (end - first) * entry);
            }
        };
    }

    private static String hex(ByteBuffer slot, long from, int length) {
        byte[] bytes = new byte[length];
        slot.get(Math.toIntExact(from), bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
