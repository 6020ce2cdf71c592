package io.millrace.generate.photos;

import io.millrace.option.OptionType;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The width and height of an image in pixels, written as {@code 500x375}. */
record ImageSize(int width, int height) {
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,5})x([0-9]{1,5})");
    private static final int SMALLEST = 16;
    private static final int LARGEST = 8192;

    /** The type of an option with such a value. */
    static final OptionType<ImageSize> TYPE = OptionType.of("WIDTHxHEIGHT", raw -> {
        Matcher text = TEXT.matcher(String.valueOf(raw));
        if (text.matches()) {
            ImageSize size = new ImageSize(Integer.parseInt(text.group(1)), Integer.parseInt(text.group(2)));
            if (Math.min(size.width, size.height) >= SMALLEST && Math.max(size.width, size.height) <= LARGEST) {
                return size;
            }
        }
        throw OptionType.expected("WIDTHxHEIGHT such as 500x375, each " + SMALLEST + " to " + LARGEST + " pixels", raw);
    });

    @Override
    public String toString() {
        return width + "x" + height;
    }
}
