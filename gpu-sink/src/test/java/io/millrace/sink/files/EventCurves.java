package io.millrace.sink.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.tfrecord.MaskedCrc;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The curves in a folder's event files, read as TensorBoard reads them: file after file. The start of a session removes
 * the points of its step and of all later steps.
 */
public final class EventCurves {
    /** One point of a curve. */
    public record Point(long step, double value) {}

    private static final int SUM_BYTES = Integer.BYTES;

    private final Map<String, List<Point>> curves = new TreeMap<>();

    private EventCurves() {}

    public static Map<String, List<Point>> read(Path folder) throws IOException {
        EventCurves all = new EventCurves();
        for (String name : EventFiles.names(folder)) {
            all.readFile(
                    ByteBuffer.wrap(Files.readAllBytes(folder.resolve(name))).order(ByteOrder.LITTLE_ENDIAN));
        }
        return all.curves;
    }

    private void readFile(ByteBuffer file) {
        while (file.hasRemaining()) {
            ByteBuffer length = part(file, Long.BYTES);
            assertThat(file.getInt()).isEqualTo(MaskedCrc.of(length.duplicate()));
            ByteBuffer event = part(file, Math.toIntExact(length.getLong()));
            assertThat(file.remaining()).isGreaterThanOrEqualTo(SUM_BYTES);
            assertThat(file.getInt()).isEqualTo(MaskedCrc.of(event.duplicate()));
            readEvent(event);
        }
    }

    private void readEvent(ByteBuffer event) {
        long step = 0;
        while (event.hasRemaining()) {
            switch (event.get()) {
                case 1 << 3 | 1 -> event.getDouble(); // wall time
                case 2 << 3 -> step = varint(event);
                case 3 << 3 | 2 -> assertThat(text(event)).isEqualTo("brain.Event:2");
                case 5 << 3 | 2 -> readSummary(part(event, (int) varint(event)), step);
                case 7 << 3 | 2 -> {
                    assertThat(part(event, (int) varint(event))).isEqualTo(ByteBuffer.wrap(new byte[] {8, 1}));
                    long from = step;
                    curves.values().forEach(points -> points.removeIf(point -> point.step >= from));
                }
                default -> throw new AssertionError("an unknown field of an event");
            }
        }
    }

    private void readSummary(ByteBuffer summary, long step) {
        while (summary.hasRemaining()) {
            assertThat(summary.get()).isEqualTo((byte) (1 << 3 | 2));
            ByteBuffer value = part(summary, (int) varint(summary));
            assertThat(value.get()).isEqualTo((byte) (1 << 3 | 2));
            String tag = text(value);
            assertThat(value.get()).isEqualTo((byte) (2 << 3 | 5));
            curves.computeIfAbsent(tag, t -> new ArrayList<>()).add(new Point(step, value.getFloat()));
        }
    }

    private static String text(ByteBuffer message) {
        return StandardCharsets.UTF_8
                .decode(part(message, (int) varint(message)))
                .toString();
    }

    private static ByteBuffer part(ByteBuffer from, int bytes) {
        ByteBuffer part = from.slice(from.position(), bytes).order(ByteOrder.LITTLE_ENDIAN);
        from.position(from.position() + bytes);
        return part;
    }

    private static long varint(ByteBuffer message) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = message.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }
}
