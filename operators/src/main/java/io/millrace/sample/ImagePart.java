package io.millrace.sample;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of an image that a picture is. It is the rectangle that the next stage cuts out. {@code decode} puts the parts of all
 * pictures of a sample, in their order, into a field of the sample, from which the next stage takes them, also in another task.
 *
 * <p>If the picture has other extents than the part, then the pixels have already been resized, as the next stage does it.
 *
 * @param top the first row of the part, from 0, counted in the image after any reduction
 * @param left the first column of the part, from 0, counted in the image after any reduction
 * @param height the rows of the part
 * @param width the columns of the part
 * @param imageHeight the rows of the whole image before any reduction
 * @param imageWidth the columns of the whole image before any reduction
 * @param reduction 1 for an image of full size; 2, 4 or 8 when height and width were divided by that number and rounded
 *     up
 */
public record ImagePart(int top, int left, int height, int width, int imageHeight, int imageWidth, int reduction) {
    private static final String FIELD = "parts of pictures";

    private static final int NUMBERS = 7;

    /** Returns the part that is all of an image of full size. */
    public static ImagePart whole(int imageHeight, int imageWidth) {
        return new ImagePart(0, 0, imageHeight, imageWidth, imageHeight, imageWidth, 1);
    }

    /** Returns whether the part is all of an image of full size. */
    public boolean isWhole() {
        return equals(whole(imageHeight, imageWidth));
    }

    /** Records the parts that all pictures of a sample are. */
    public static void put(Sample sample, List<ImagePart> parts) {
        byte[] bytes = new byte[parts.size() * NUMBERS * Integer.BYTES];
        ByteBuffer to = numbers(bytes);
        for (ImagePart part : parts) {
            to.putInt(part.top).putInt(part.left).putInt(part.height).putInt(part.width);
            to.putInt(part.imageHeight).putInt(part.imageWidth).putInt(part.reduction);
        }
        sample.put(FIELD, Field.of(DType.INT32, new int[] {parts.size(), NUMBERS}, bytes));
    }

    /** Returns whether the pictures of a sample are parts of images. */
    public static boolean in(Sample sample) {
        return sample.fieldNames().contains(FIELD);
    }

    /** Returns the parts that the pictures of a sample are; empty when all of them are whole images. */
    public static List<ImagePart> of(Sample sample) {
        List<ImagePart> parts = new ArrayList<>();
        ByteBuffer of = numbers(in(sample) ? sample.field(FIELD).data() : new byte[0]);
        while (of.hasRemaining()) {
            parts.add(new ImagePart(
                    of.getInt(), of.getInt(), of.getInt(), of.getInt(), of.getInt(), of.getInt(), of.getInt()));
        }
        return parts;
    }

    /** Declares that the pictures of a sample are whole images now. */
    public static void remove(Sample sample) {
        sample.remove(FIELD);
    }

    private static ByteBuffer numbers(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
