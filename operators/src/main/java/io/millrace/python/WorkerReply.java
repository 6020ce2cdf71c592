package io.millrace.python;

import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reply of a worker to a call.
 *
 * @param status the result of the call
 * @param cpuNanos the CPU time of the worker's process
 * @param label the label of the sample after the call; 0 unless the status is {@link Status#DONE}
 * @param fields the fields of the sample after the call; their values lie in the shared memory
 * @param reason one sentence; empty when the status is {@link Status#DONE}
 * @param trace Python's traceback, or an empty text
 */
record WorkerReply(Status status, long cpuNanos, long label, List<Named> fields, String reason, String trace) {
    /** The results of a call. The order is part of the protocol. */
    enum Status {
        DONE,
        BAD_SAMPLE,
        WRONG_PIPELINE,
        /** The sample is larger than the memory. Only items of datasets have it. */
        OVERSIZED
    }

    /** A field and its name. */
    record Named(String name, Field field) {}

    private static final List<Status> STATUSES = List.of(Status.values());

    /** The form of a value that Python had as a text. */
    private static final int TEXT = 1;

    /** The form of a value that Python had as bytes. */
    private static final int BYTES = 2;

    /** This form and those after it state the kind, in the order of the enum. */
    private static final int OF_KIND = 3;

    private static final List<FieldKind> KINDS = List.of(FieldKind.values());

    /** An image or a mask has height, width and channels. */
    private static final int PICTURE_RANK = 3;

    /**
     * Reads a reply.
     *
     * @param message the message without its length, in little-endian order, from its position to its limit
     * @param memory the whole memory that is shared with the worker
     * @param before the sample of the call, whose fields determine the kinds of fields with the same names
     * @throws MalformedReplyException when the message does not follow the protocol
     */
    static WorkerReply read(ByteBuffer message, ByteBuffer memory, Sample before) throws MalformedReplyException {
        ReplyField.requireBytes(message, 1 + 2 * Long.BYTES + Short.BYTES, "the head of the reply");
        int status = message.get();
        if (status < 0 || status >= STATUSES.size()) {
            throw new MalformedReplyException(
                    "expected a status of 0 to " + (STATUSES.size() - 1) + ", found " + status);
        }
        long cpuNanos = Math.max(0, message.getLong());
        long label = message.getLong();
        int count = Short.toUnsignedInt(message.getShort());
        List<Named> fields = new ArrayList<>(count);
        String reason = "";
        String trace = "";
        if (STATUSES.get(status) == Status.DONE) {
            for (int i = 0; i < count; i++) {
                fields.add(field(message, memory, before));
            }
        } else {
            reason = ReplyField.text(message, "the reason");
            trace = ReplyField.text(message, "the traceback");
        }
        if (message.hasRemaining()) {
            throw new MalformedReplyException("expected the end of the reply, found " + message.remaining() + " bytes");
        }
        return new WorkerReply(STATUSES.get(status), cpuNanos, label, fields, reason, trace);
    }

    private static Named field(ByteBuffer message, ByteBuffer memory, Sample before) throws MalformedReplyException {
        ReplyField read = ReplyField.read(message, memory, OF_KIND + KINDS.size() - 1);
        String name = read.name();
        Field known = before.fieldNames().contains(name) ? before.field(name) : null;
        Field values = read.values();
        if (read.form() >= OF_KIND) {
            FieldKind kind = KINDS.get(read.form() - OF_KIND);
            Field made = ofKind(name, kind, values);
            return new Named(name, kind == FieldKind.RAGGED ? annotated(made, known) : made);
        }
        return new Named(
                name,
                switch (read.form()) {
                    case TEXT -> ofKind(name, FieldKind.TEXT, values);
                    case BYTES -> values.as(FieldKind.RAGGED);
                    default -> withKind(name, values, known);
                });
    }

    private static Field ofKind(String name, FieldKind kind, Field values) throws MalformedReplyException {
        boolean possible =
                switch (kind) {
                    case IMAGE, MASK -> values.dtype() == DType.ENCODED || isPicture(values, kind);
                    case RAGGED -> values.shape().length > 0;
                    case TENSOR -> true;
                    case TEXT -> values.dtype() == DType.UINT8 && values.shape().length == 1;
                };
        if (!possible) {
            throw new MalformedReplyException("field '" + name + "': " + values + " cannot have the kind " + kind);
        }
        return values.as(kind);
    }

    /**
     * Returns the field with the kind that it had before, if it can still have that kind. Other fields are tensors. Numbers in place of a
     * text, such as its tokens, are ragged.
     */
    private static Field withKind(String name, Field field, @Nullable Field before) {
        FieldKind kind =
                before != null ? before.kind() : name.equals(Sample.IMAGE) ? FieldKind.IMAGE : FieldKind.TENSOR;
        int rank = field.shape().length;
        return switch (kind) {
            case IMAGE, MASK -> {
                if (field.dtype() == DType.ENCODED) {
                    yield field.as(kind);
                }
                Field picture = rank == PICTURE_RANK - 1
                        ? field.shaped(new int[] {field.shape()[0], field.shape()[1], 1})
                        : field;
                yield isPicture(picture, kind) ? picture.as(kind) : field;
            }
            case RAGGED, TEXT -> rank > 0 ? annotated(field.as(FieldKind.RAGGED), before) : field;
            case TENSOR -> field;
        };
    }

    /**
     * Returns the values with the meaning that the field had before the call. If they are no boxes any more, the next transform that moves
     * boxes says so.
     */
    private static Field annotated(Field field, @Nullable Field before) {
        Annotation annotation = before == null ? null : before.annotation();
        return annotation == null ? field : field.annotated(annotation);
    }

    private static boolean isPicture(Field field, FieldKind kind) {
        if (field.shape().length != PICTURE_RANK) {
            return false;
        }
        boolean one = field.channels() == 1;
        return kind == FieldKind.MASK
                ? one
                : (one || field.channels() == 3) && (field.dtype() == DType.UINT8 || field.dtype() == DType.FLOAT32);
    }
}
