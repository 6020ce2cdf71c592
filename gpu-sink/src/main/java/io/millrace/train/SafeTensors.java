package io.millrace.train;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The safetensors format: a u64 header length, a JSON header with each tensor's type, shape and place, then the raw
 * values, all little-endian. See {@code github.com/huggingface/safetensors}, "Format".
 */
final class SafeTensors {
    /** The header ends at a multiple of this, so that values are aligned in a mapped file. */
    private static final int ALIGNMENT = 8;

    private static final String METADATA = "__metadata__";

    /**
     * One tensor.
     *
     * @param dtype as the format writes it: "F32", "I64", "U8" ...
     * @param values dense, row-major, little-endian
     */
    record Tensor(String name, String dtype, List<Long> shape, ByteBuffer values) {
        Tensor {
            shape = List.copyOf(shape);
        }
    }

    private SafeTensors() {}

    /** Writes a new file; the tensors keep their order. */
    static void write(Path file, List<Tensor> tensors) throws IOException {
        JsonObject header = new JsonObject();
        JsonObject metadata = new JsonObject();
        metadata.addProperty("format", "pt");
        header.add(METADATA, metadata);
        long offset = 0;
        for (Tensor tensor : tensors) {
            JsonObject entry = new JsonObject();
            entry.addProperty("dtype", tensor.dtype);
            JsonArray shape = new JsonArray();
            tensor.shape.forEach(shape::add);
            entry.add("shape", shape);
            JsonArray offsets = new JsonArray();
            offsets.add(offset);
            offset += tensor.values.remaining();
            offsets.add(offset);
            entry.add("data_offsets", offsets);
            header.add(tensor.name, entry);
        }
        byte[] text = header.toString().getBytes(StandardCharsets.UTF_8);
        int padded = (text.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + padded).order(ByteOrder.LITTLE_ENDIAN);
        head.putLong(padded).put(text);
        while (head.hasRemaining()) {
            head.put((byte) ' ');
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            writeFully(channel, head.flip());
            for (Tensor tensor : tensors) {
                writeFully(channel, tensor.values.duplicate());
            }
        }
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /**
     * Reads a file of at most 2 GiB.
     *
     * @throws IOException when it is not in the format
     */
    static Map<String, Tensor> read(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        long headerBytes = bytes.remaining() < Long.BYTES ? -1 : bytes.getLong();
        if (headerBytes < 0 || headerBytes > bytes.remaining()) {
            throw new IOException(file + ": expected a safetensors header within the file's " + bytes.limit()
                    + " bytes, found a length of " + headerBytes);
        }
        byte[] text = new byte[(int) headerBytes];
        bytes.get(text);
        ByteBuffer data = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        JsonObject header =
                JsonParser.parseString(new String(text, StandardCharsets.UTF_8)).getAsJsonObject();
        for (Map.Entry<String, JsonElement> entry : header.entrySet()) {
            if (!entry.getKey().equals(METADATA)) {
                JsonObject value = entry.getValue().getAsJsonObject();
                JsonArray offsets = value.getAsJsonArray("data_offsets");
                int from = offsets.get(0).getAsInt();
                int to = offsets.get(1).getAsInt();
                tensors.put(
                        entry.getKey(),
                        new Tensor(
                                entry.getKey(),
                                value.get("dtype").getAsString(),
                                value.getAsJsonArray("shape").asList().stream()
                                        .map(JsonElement::getAsLong)
                                        .toList(),
                                data.slice(from, to - from).order(ByteOrder.LITTLE_ENDIAN)));
            }
        }
        return tensors;
    }
}
