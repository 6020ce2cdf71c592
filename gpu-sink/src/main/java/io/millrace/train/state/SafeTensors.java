package io.millrace.train.state;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.millrace.train.engine.TensorValues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reader and writer of the safetensors format. A file has the length of the header as u64, a JSON header with each
 * tensor's type, shape and place, and then the raw values. All numbers are little-endian. See {@code
 * github.com/huggingface/safetensors}, "Format".
 *
 * <p>Tested by {@code ModelFolderTest}.
 */
public final class SafeTensors {
    /** The header ends at a multiple of this number of bytes, so that the values are aligned in a mapped file. */
    private static final int ALIGNMENT = 8;

    private static final String METADATA = "__metadata__";

    /**
     * One tensor of a file.
     *
     * @param dtype the element type in the format's spelling: "F32", "I64", "U8" ...
     * @param values dense, row-major, little-endian
     */
    public record Tensor(String name, String dtype, List<Long> shape, ByteBuffer values) {
        public Tensor {
            shape = List.copyOf(shape);
        }
    }

    /**
     * One tensor for a new file.
     *
     * @param dtype the element type in the format's spelling
     * @param values dense, row-major, little-endian
     */
    public record Stored(String name, String dtype, List<Long> shape, TensorValues values) {
        public Stored {
            shape = List.copyOf(shape);
        }
    }

    private SafeTensors() {}

    /** Writes the tensors to a new file, in their order. */
    public static void write(Path file, List<Stored> tensors) throws IOException {
        JsonObject header = new JsonObject();
        JsonObject metadata = new JsonObject();
        metadata.addProperty("format", "pt");
        header.add(METADATA, metadata);
        long offset = 0;
        for (Stored tensor : tensors) {
            JsonObject entry = new JsonObject();
            entry.addProperty("dtype", tensor.dtype);
            JsonArray shape = new JsonArray();
            tensor.shape.forEach(shape::add);
            entry.add("shape", shape);
            JsonArray offsets = new JsonArray();
            offsets.add(offset);
            offset += tensor.values.bytes();
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
            for (Stored tensor : tensors) {
                tensor.values.read(values -> writeUnchecked(channel, values.duplicate()));
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void writeUnchecked(FileChannel channel, ByteBuffer bytes) {
        try {
            writeFully(channel, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /**
     * Reads a file. The values are views of the file, which is mapped into memory. The values of one tensor have at
     * most 2 GiB.
     *
     * @throws IOException when the file does not have the safetensors format
     */
    public static Map<String, Tensor> read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            ByteBuffer length = channel.map(FileChannel.MapMode.READ_ONLY, 0, Math.min(size, Long.BYTES))
                    .order(ByteOrder.LITTLE_ENDIAN);
            long headerBytes = size < Long.BYTES ? -1 : length.getLong();
            if (headerBytes < 0 || headerBytes > size - Long.BYTES || headerBytes > Integer.MAX_VALUE) {
                throw new IOException(file + ": expected a safetensors header within the file's " + size
                        + " bytes, found a length of " + headerBytes);
            }
            byte[] text = new byte[(int) headerBytes];
            channel.map(FileChannel.MapMode.READ_ONLY, Long.BYTES, headerBytes).get(text);
            JsonObject header = JsonParser.parseString(new String(text, StandardCharsets.UTF_8))
                    .getAsJsonObject();
            Map<String, Tensor> tensors = new LinkedHashMap<>();
            for (Map.Entry<String, JsonElement> entry : header.entrySet()) {
                if (!entry.getKey().equals(METADATA)) {
                    JsonObject value = entry.getValue().getAsJsonObject();
                    tensors.put(entry.getKey(), tensor(channel, Long.BYTES + headerBytes, entry.getKey(), value));
                }
            }
            return tensors;
        }
    }

    private static Tensor tensor(FileChannel channel, long begin, String name, JsonObject value) throws IOException {
        JsonArray offsets = value.getAsJsonArray("data_offsets");
        long from = offsets.get(0).getAsLong();
        long to = offsets.get(1).getAsLong();
        if (from < 0 || to < from || to > channel.size() - begin || to - from > Integer.MAX_VALUE) {
            throw new IOException("tensor '" + name + "' should have its values at bytes " + from + " to " + to + " of "
                    + (channel.size() - begin));
        }
        List<Long> shape = value.getAsJsonArray("shape").asList().stream()
                .map(JsonElement::getAsLong)
                .toList();
        ByteBuffer values = channel.map(FileChannel.MapMode.READ_ONLY, begin + from, to - from)
                .order(ByteOrder.LITTLE_ENDIAN);
        return new Tensor(name, value.get("dtype").getAsString(), shape, values);
    }
}
