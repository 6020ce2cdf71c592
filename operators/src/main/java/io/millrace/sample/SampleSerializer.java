package io.millrace.sample;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * The serialized form of samples between tasks. Flink uses it where a stage is not chained to the stage before it.
 *
 * <p>Version 1, big-endian: index, label, position (8 bytes each), epoch (4), split (1), key; then either a byte 1 and
 * the stage, dataset, file, reason and offset (8) of the bad sample, or a byte 0; then the number of fields (4) and for
 * each field its name, kind (1), dtype (1), rank (1), extents (4 each), number of bytes (4) and bytes. A text is stored
 * as its length in bytes (4) and its bytes in UTF-8. In samples of earlier releases, the highest bit of the kind says that the
 * pixels are a part of an image, and the part's top and left, the image's height and width, and the reduction (4 each)
 * follow the kind. Such samples may lie in a checkpoint, and are read with {@link ImagePart}. The second highest bit says that the field
 * is annotated. The form of the annotation (1), whether it is normalized (1), whether it belongs to boxes (1), and the name of the
 * boxes if it does follow the kind. If the highest bit of the form is set, then the number of more numbers (4) and these numbers (4 each)
 * follow: the pairs of points that change places, or the least and the largest id of objects. The bits of the split say what follows: the
 * number of the dataset (2), and after the fields the documents of a pack.
 *
 * <p>{@link #copy(Sample)} returns the same object: a sample belongs to one stage at a time, and the stage that passed
 * it on keeps no reference to it.
 */
public final class SampleSerializer extends TypeSerializerSingleton<Sample> {
    private static final long serialVersionUID = 1;

    /** The only instance; the serializer has no state. */
    public static final SampleSerializer INSTANCE = new SampleSerializer();

    /** Enum constants are stored as their ordinals. Their declarations require that the order stays the same. */
    private static final List<DType> DTYPES = List.of(DType.values());

    private static final List<FieldKind> KINDS = List.of(FieldKind.values());

    private static final List<Split> SPLITS = List.of(Split.values());

    private static final List<Annotation.Form> ANNOTATIONS = List.of(Annotation.Form.values());

    private static final int PARTIAL = 0x80;
    private static final int ANNOTATED = 0x40;
    private static final int WITH_NUMBERS = 0x80;

    /** The bit of the split that says that the number of the dataset follows, which is not 0. */
    private static final int OF_LATER_SOURCE = 0x80;

    /** The bit of the split that says that the parts follow the fields: their number (4), and for each its from and to (4 each) and its sample. */
    private static final int IN_PARTS = 0x40;

    private SampleSerializer() {}

    @Override
    public void serialize(Sample sample, DataOutputView target) throws IOException {
        target.writeLong(sample.index());
        target.writeLong(sample.label());
        target.writeLong(sample.position());
        target.writeInt(sample.epoch());
        target.writeByte(SPLITS.indexOf(sample.split())
                | (sample.source() == 0 ? 0 : OF_LATER_SOURCE)
                | (sample.parts().isEmpty() ? 0 : IN_PARTS));
        if (sample.source() != 0) {
            target.writeShort(sample.source());
        }
        writeText(sample.key(), target);
        writeBadSample(sample.badSample(), target);
        target.writeInt(sample.fieldNames().size());
        for (String name : sample.fieldNames()) {
            writeText(name, target);
            writeField(sample.field(name), target);
        }
        if (!sample.parts().isEmpty()) {
            target.writeInt(sample.parts().size());
            for (Part part : sample.parts()) {
                target.writeInt(part.from());
                target.writeInt(part.to());
                serialize(part.sample(), target);
            }
        }
    }

    @Override
    public Sample deserialize(DataInputView source) throws IOException {
        long index = source.readLong();
        long label = source.readLong();
        long position = source.readLong();
        int epoch = source.readInt();
        int splitByte = source.readUnsignedByte();
        Split split = SPLITS.get(splitByte & ~OF_LATER_SOURCE & ~IN_PARTS);
        int dataset = (splitByte & OF_LATER_SOURCE) == 0 ? 0 : source.readUnsignedShort();
        Sample sample = new Sample(index, readText(source), label)
                .placeAt(position, epoch, split)
                .ofSource(dataset, 0);
        BadSample badSample = readBadSample(source);
        if (badSample != null) {
            sample.quarantine(badSample);
        }
        List<ImagePart> parts = new ArrayList<>();
        for (int left = source.readInt(); left > 0; left--) {
            sample.put(readText(source), readField(source, parts));
        }
        if (!parts.stream().allMatch(ImagePart::isWhole)) {
            ImagePart.put(sample, parts);
        }
        return (splitByte & IN_PARTS) == 0 ? sample : sample.ofParts(readParts(source));
    }

    private List<Part> readParts(DataInputView source) throws IOException {
        List<Part> parts = new ArrayList<>();
        for (int left = source.readInt(); left > 0; left--) {
            int from = source.readInt();
            int to = source.readInt();
            parts.add(new Part(deserialize(source), from, to));
        }
        return parts;
    }

    private static void writeBadSample(@Nullable BadSample badSample, DataOutputView target) throws IOException {
        target.writeBoolean(badSample != null);
        if (badSample != null) {
            writeText(badSample.stage(), target);
            writeText(badSample.dataset(), target);
            writeText(badSample.file(), target);
            writeText(badSample.reason(), target);
            target.writeLong(badSample.offset());
        }
    }

    private static @Nullable BadSample readBadSample(DataInputView source) throws IOException {
        if (!source.readBoolean()) {
            return null;
        }
        String stage = readText(source);
        String dataset = readText(source);
        String file = readText(source);
        String reason = readText(source);
        return new BadSample(stage, dataset, file, source.readLong(), reason);
    }

    private static void writeField(Field field, DataOutputView target) throws IOException {
        Annotation annotation = field.annotation();
        target.writeByte(KINDS.indexOf(field.kind()) | (annotation == null ? 0 : ANNOTATED));
        if (annotation != null) {
            writeAnnotation(annotation, target);
        }
        target.writeByte(DTYPES.indexOf(field.dtype()));
        target.writeByte(field.shape().length);
        for (int extent : field.shape()) {
            target.writeInt(extent);
        }
        writeBytes(field.data(), target);
    }

    /** Reads a field, and adds the part of an image that it is if it is a picture. */
    private static Field readField(DataInputView source, List<ImagePart> parts) throws IOException {
        int kindByte = source.readUnsignedByte();
        boolean partial = (kindByte & PARTIAL) != 0;
        FieldKind kind = KINDS.get(kindByte & ~PARTIAL & ~ANNOTATED);
        int[] part = readInts(partial ? 5 : 0, source);
        Annotation annotation = (kindByte & ANNOTATED) == 0 ? null : readAnnotation(source);
        DType dtype = DTYPES.get(source.readByte());
        int[] shape = readInts(source.readByte(), source);
        if (partial) {
            parts.add(new ImagePart(part[0], part[1], shape[0], shape[1], part[2], part[3], part[4]));
        } else if ((kind == FieldKind.IMAGE || kind == FieldKind.MASK) && shape.length == 3) {
            parts.add(ImagePart.whole(shape[0], shape[1]));
        }
        Field field = Field.of(dtype, shape, readBytes(source)).as(kind);
        return annotation == null ? field : field.annotated(annotation);
    }

    private static void writeAnnotation(Annotation annotation, DataOutputView target) throws IOException {
        Annotation.Ids ids = annotation.ids();
        List<Integer> more = ids == null ? annotation.flipPairs() : List.of(ids.least(), ids.most());
        target.writeByte(ANNOTATIONS.indexOf(annotation.form()) | (more.isEmpty() ? 0 : WITH_NUMBERS));
        target.writeBoolean(annotation.normalized());
        String boxes = annotation.boxes();
        target.writeBoolean(boxes != null);
        if (boxes != null) {
            writeText(boxes, target);
        }
        if (!more.isEmpty()) {
            target.writeInt(more.size());
            for (int number : more) {
                target.writeInt(number);
            }
        }
    }

    private static Annotation readAnnotation(DataInputView source) throws IOException {
        int formByte = source.readUnsignedByte();
        Annotation.Form form = ANNOTATIONS.get(formByte & ~WITH_NUMBERS);
        boolean normalized = source.readBoolean();
        Annotation annotation = new Annotation(form, normalized, source.readBoolean() ? readText(source) : null);
        if ((formByte & WITH_NUMBERS) == 0) {
            return annotation;
        }
        int[] more = readInts(source.readInt(), source);
        return form == Annotation.Form.MASKS
                ? annotation.withIds(new Annotation.Ids(more[0], more[1]))
                : annotation.withFlipPairs(Arrays.stream(more).boxed().toList());
    }

    private static int[] readInts(int count, DataInputView source) throws IOException {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = source.readInt();
        }
        return numbers;
    }

    private static void writeText(String text, DataOutputView target) throws IOException {
        writeBytes(text.getBytes(StandardCharsets.UTF_8), target);
    }

    private static String readText(DataInputView source) throws IOException {
        return new String(readBytes(source), StandardCharsets.UTF_8);
    }

    private static void writeBytes(byte[] bytes, DataOutputView target) throws IOException {
        target.writeInt(bytes.length);
        target.write(bytes);
    }

    private static byte[] readBytes(DataInputView source) throws IOException {
        byte[] bytes = new byte[source.readInt()];
        source.readFully(bytes);
        return bytes;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public Sample createInstance() {
        return new Sample(0, "", 0);
    }

    @Override
    public Sample copy(Sample from) {
        return from;
    }

    @Override
    public Sample copy(Sample from, Sample reuse) {
        return from;
    }

    @Override
    public Sample deserialize(Sample reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public TypeSerializerSnapshot<Sample> snapshotConfiguration() {
        return new Snapshot();
    }

    /**
     * The version of the serialized form, as checkpoints store it. Flink requires the class and its constructor to be
     * public.
     */
    public static final class Snapshot implements TypeSerializerSnapshot<Sample> {
        static final int VERSION = 1;

        @Override
        public int getCurrentVersion() {
            return VERSION;
        }

        @Override
        public void writeSnapshot(DataOutputView target) {}

        @Override
        public void readSnapshot(int version, DataInputView source, ClassLoader loader) throws IOException {
            if (version != VERSION) {
                throw new IOException("samples of version " + version + " cannot be read, only of version " + VERSION
                        + ": the checkpoint was written by another release of Millrace");
            }
        }

        @Override
        public TypeSerializer<Sample> restoreSerializer() {
            return INSTANCE;
        }

        @Override
        public TypeSerializerSchemaCompatibility<Sample> resolveSchemaCompatibility(
                TypeSerializerSnapshot<Sample> old) {
            return TypeSerializerSchemaCompatibility.compatibleAsIs();
        }
    }
}
