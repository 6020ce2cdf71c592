package io.millrace.sample;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The field of a sample that says which part of an image each of its pictures is. {@code decode} puts it where it has decoded only
 * what the next stage cuts out, and that stage removes it. It holds the numbers of an {@link ImagePart} for each picture, in their order.
 */
public final class ImageParts {
    private static final String FIELD = "parts of pictures";

    private static final int NUMBERS = 7;

    private ImageParts() {}

    /** Records the parts of all pictures of a sample. */
    public static void put(Sample sample, List<ImagePart> parts) {
        byte[] bytes = new byte[parts.size() * NUMBERS * Integer.BYTES];
        ByteBuffer to = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (ImagePart part : parts) {
            to.putInt(part.top()).putInt(part.left());
            to.putInt(part.height()).putInt(part.width());
            to.putInt(part.imageHeight()).putInt(part.imageWidth());
            to.putInt(part.reduction());
        }
        sample.put(FIELD, Field.of(DType.INT32, new int[] {parts.size(), NUMBERS}, bytes));
    }

    /** Returns whether the pictures of a sample are parts of images. */
    public static boolean in(Sample sample) {
        return sample.fieldNames().contains(FIELD);
    }

    /** Returns the parts that the pictures of a sample are; empty when all of them are whole images. */
    public static List<ImagePart> of(Sample sample) {
        if (!in(sample)) {
            return List.of();
        }
        ByteBuffer from = ByteBuffer.wrap(sample.field(FIELD).data()).order(ByteOrder.LITTLE_ENDIAN);
        List<ImagePart> parts = new ArrayList<>();
        while (from.hasRemaining()) {
            parts.add(new ImagePart(
                    from.getInt(),
                    from.getInt(),
                    from.getInt(),
                    from.getInt(),
                    from.getInt(),
                    from.getInt(),
                    from.getInt()));
        }
        return parts;
    }

    /** Declares that the pictures of a sample are whole images now. */
    public static void remove(Sample sample) {
        sample.remove(FIELD);
    }
}
