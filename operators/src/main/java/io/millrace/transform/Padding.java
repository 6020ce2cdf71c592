package io.millrace.transform;

import io.millrace.option.OptionType;
import java.util.List;

/**
 * The numbers of pixels that are added around an image, each at least 0.
 *
 * @param left the columns on the left
 * @param top the rows above
 * @param right the columns on the right
 * @param bottom the rows below
 */
record Padding(int left, int top, int right, int bottom) {
    static final Padding NONE = new Padding(0, 0, 0, 0);

    private static final int LARGEST = Size.LARGEST;

    /**
     * The option type: an integer for all sides, [left and right, top and bottom], or [left, top, right, bottom], in
     * torchvision's order.
     */
    static final OptionType<Padding> OPTION =
            OptionType.of("integer, [x, y] or [left, top, right, bottom]", Padding::parse);

    private static Padding parse(Object raw) {
        List<?> numbers = raw instanceof List<?> list ? list : List.of(raw);
        int[] sides = numbers.stream().mapToInt(number -> pixels(number, raw)).toArray();
        return switch (sides.length) {
            case 1 -> new Padding(sides[0], sides[0], sides[0], sides[0]);
            case 2 -> new Padding(sides[0], sides[1], sides[0], sides[1]);
            case 4 -> new Padding(sides[0], sides[1], sides[2], sides[3]);
            default -> throw expected(raw);
        };
    }

    private static int pixels(Object number, Object raw) {
        if (number instanceof Long pixels && pixels >= 0 && pixels <= LARGEST) {
            return pixels.intValue();
        }
        throw expected(raw);
    }

    private static IllegalArgumentException expected(Object raw) {
        return OptionType.expected(
                "an integer, [x, y] or [left, top, right, bottom] of 0 to " + LARGEST + " pixels each", raw);
    }

    /** Returns the padding as a pipeline file writes it. The documentation prints default values in this form. */
    @Override
    public String toString() {
        boolean even = left == top && top == right && right == bottom;
        return even ? String.valueOf(left) : String.valueOf(List.of(left, top, right, bottom));
    }
}
