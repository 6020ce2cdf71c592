package io.millrace.transform;

import io.millrace.option.OptionType;
import java.util.List;

/** The size of a picture in pipeline files: one integer, or [height, width]. */
sealed interface Size {
    /** The largest edge that is accepted. The pixels of 16384x16384 in colour still fit into one array. */
    int LARGEST = 16384;

    /** The option type: an integer (or a list of one), or a list of height and width, each 1 to {@value #LARGEST}. */
    OptionType<Size> OPTION = OptionType.of("integer or [height, width]", Size::parse);

    /** One number: a square for crops, the shorter edge for resizing. */
    record Edge(int pixels) implements Size {}

    /** The height and the width. */
    record Exact(int height, int width) implements Size {}

    /** Returns the exact size; one number means a square. */
    default Exact square() {
        if (this instanceof Edge edge) {
            return new Exact(edge.pixels(), edge.pixels());
        }
        return (Exact) this;
    }

    private static Size parse(Object raw) {
        List<?> numbers = raw instanceof List<?> list ? list : List.of(raw);
        if (numbers.size() == 1) {
            return new Edge(pixels(numbers.get(0), raw));
        }
        if (numbers.size() == 2) {
            return new Exact(pixels(numbers.get(0), raw), pixels(numbers.get(1), raw));
        }
        throw expected(raw);
    }

    private static int pixels(Object number, Object raw) {
        if (number instanceof Long pixels && pixels >= 1 && pixels <= LARGEST) {
            return pixels.intValue();
        }
        throw expected(raw);
    }

    private static IllegalArgumentException expected(Object raw) {
        return OptionType.expected("an integer or [height, width] of 1 to " + LARGEST + " pixels each", raw);
    }
}
