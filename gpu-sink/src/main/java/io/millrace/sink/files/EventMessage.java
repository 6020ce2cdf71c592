package io.millrace.sink.files;

import io.millrace.dataset.tfrecord.MessageBytes;
import java.io.ByteArrayOutputStream;
import java.util.Map;

/**
 * TensorBoard's {@code tensorflow.Event}, in protocol buffers' wire format: wall_time = 1 (double, seconds), step = 2,
 * and one of file_version = 3, summary = 5, session_log = 7. A summary's values are 1, each of tag = 1 and simple_value
 * = 2 (float); a session log's status is 1.
 */
public final class EventMessage {
    private static final int WALL_TIME = 1;
    private static final int STEP = 2;
    private static final int FILE_VERSION = 3;
    private static final int SUMMARY = 5;
    private static final int SESSION_LOG = 7;

    private static final String VERSION = "brain.Event:2";
    private static final int START = 1;
    private static final double MILLIS = 1e3;

    private EventMessage() {}

    /** Returns the event with which a file begins. */
    public static byte[] version(long wallMillis) {
        return MessageBytes.joined(wallTime(wallMillis), MessageBytes.text(FILE_VERSION, VERSION));
    }

    /** Returns the event that makes readers drop the events of earlier files from this step on. */
    public static byte[] start(long wallMillis, long step) {
        return MessageBytes.joined(
                wallTime(wallMillis),
                MessageBytes.integer(STEP, step),
                MessageBytes.delimited(SESSION_LOG, MessageBytes.integer(1, START)));
    }

    /** Returns the event with the values of a step, by tag. */
    public static byte[] scalars(long wallMillis, long step, Map<String, Double> values) {
        ByteArrayOutputStream summary = new ByteArrayOutputStream();
        values.forEach((tag, value) -> summary.writeBytes(MessageBytes.delimited(
                1, MessageBytes.joined(MessageBytes.text(1, tag), MessageBytes.float32(2, value.floatValue())))));
        return MessageBytes.joined(
                wallTime(wallMillis),
                MessageBytes.integer(STEP, step),
                MessageBytes.delimited(SUMMARY, summary.toByteArray()));
    }

    private static byte[] wallTime(long wallMillis) {
        return MessageBytes.float64(WALL_TIME, wallMillis / MILLIS);
    }
}
