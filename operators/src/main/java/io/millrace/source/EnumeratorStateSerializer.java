package io.millrace.source;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The serialized form of the enumerator's state in checkpoints, big-endian.
 *
 * <p>Version 1: {@code next} (8 bytes), the number of returned ranges (4), then {@code from} and {@code to} (8 each) of
 * every range. Version 2 appends the identity of the run: its folder, the number of settings (4), then the key and the
 * value of each. A text is stored as its length in bytes (4) and its bytes in UTF-8.
 */
public final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {
    static final int VERSION = 2;
    private static final int RANGE_BYTES = 2 * Long.BYTES;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(EnumeratorState state) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(state.next());
        out.writeInt(state.returned().size());
        for (Range range : state.returned()) {
            out.writeLong(range.from());
            out.writeLong(range.to());
        }
        RunIdentity identity = state.identity();
        write(identity.folder(), out);
        out.writeInt(identity.positionSettings().size());
        for (Map.Entry<String, String> setting : new TreeMap<>(identity.positionSettings()).entrySet()) {
            write(setting.getKey(), out);
            write(setting.getValue(), out);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads the state.
     *
     * @throws IOException when the state has a version that this release cannot read, or is damaged; the message is
     *     written for the user
     */
    @Override
    public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
        if (version < 1 || version > VERSION) {
            throw new IOException("a source state of version " + version + " cannot be read, only versions 1 to "
                    + VERSION + ": the checkpoint was written by another release of Millrace");
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
        try {
            long next = in.readLong();
            List<Range> returned = ranges(in);
            RunIdentity identity = version == 1 ? RunIdentity.UNKNOWN : identity(in);
            if (in.available() > 0) {
                throw new IOException(
                        "a source state of " + serialized.length + " bytes has " + in.available() + " bytes too many");
            }
            return new EnumeratorState(next, returned, identity);
        } catch (EOFException e) {
            throw new IOException("a source state of " + serialized.length + " bytes is cut off", e);
        } catch (IllegalArgumentException e) {
            throw new IOException("a source state is damaged: " + e.getMessage(), e);
        }
    }

    private static List<Range> ranges(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > in.available() / RANGE_BYTES) {
            throw new IOException("a source state with " + count + " ranges needs " + RANGE_BYTES
                    + " bytes for each, found " + in.available() + " bytes in all");
        }
        List<Range> ranges = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ranges.add(new Range(in.readLong(), in.readLong()));
        }
        return ranges;
    }

    private static RunIdentity identity(DataInputStream in) throws IOException {
        String folder = text(in);
        Map<String, String> positionSettings = new TreeMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            positionSettings.put(text(in), text(in));
        }
        return new RunIdentity(positionSettings, folder);
    }

    private static void write(String text, DataOutputStream out) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    private static String text(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("a source state has a text of " + length + " bytes, found " + in.available());
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
