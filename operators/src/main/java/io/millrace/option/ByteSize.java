package io.millrace.option;

import java.util.List;

/**
 * A number of bytes that is shown with a unit, such as {@code 8MiB}.
 *
 * @param bytes the number of bytes, at least 0
 */
public record ByteSize(long bytes) {
    /** The type of a size, which reads the same text as {@link OptionType#BYTES}. */
    public static final OptionType<ByteSize> TYPE =
            OptionType.of(OptionType.BYTES.name(), raw -> new ByteSize(OptionType.BYTES.parse(raw)));

    private static final List<String> DECIMAL = List.of("B", "kB", "MB", "GB", "TB");
    private static final List<String> BINARY = List.of("B", "KiB", "MiB", "GiB", "TiB");

    public ByteSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("negative size " + bytes);
        }
    }

    /** Returns the type of a size from {@code least} to {@code most}, both included. */
    public static OptionType<ByteSize> between(ByteSize least, ByteSize most) {
        return TYPE.where(
                size -> size.bytes >= least.bytes && size.bytes <= most.bytes, "from " + least + " to " + most);
    }

    /** Returns the size in the unit that makes the shortest whole number. */
    @Override
    public String toString() {
        String binary = in(BINARY, 1024);
        String decimal = in(DECIMAL, 1000);
        return decimal.length() <= binary.length() ? decimal : binary;
    }

    private String in(List<String> units, int step) {
        long number = bytes;
        int unit = 0;
        while (number != 0 && number % step == 0 && unit < units.size() - 1) {
            number /= step;
            unit++;
        }
        return number + units.get(unit);
    }
}
