package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;

/** The treatment of text that is no UTF-8. */
public enum TextErrors {
    /** The sample is bad. */
    QUARANTINE,
    /** U+FFFD is read in place of what is no character. */
    REPLACE;

    /** The option {@code errors} of formats of texts. */
    public static final Option<TextErrors> OPTION = Option.of(
                    "errors",
                    OptionType.choice(TextErrors.class),
                    "The treatment of bytes that are no UTF-8, and of halves of surrogate pairs in JSON (\\ud800). quarantine: the"
                            + " sample is bad. replace: U+FFFD is read in their place. Lines that are no JSON are bad samples in"
                            + " any case.")
            .orElse(QUARANTINE)
            .decides(Identity.BATCHES);

    /**
     * Takes ownership of bytes and returns them in UTF-8.
     *
     * @param name the file, or the file and the place in it, for the message
     * @param offset the offset of the bytes in the file
     */
    public byte[] utf8(byte[] bytes, String name, long offset) throws BadSampleException {
        int bad = Utf8.firstBad(bytes, 0);
        if (bad < 0) {
            return bytes;
        }
        if (this == REPLACE) {
            return Utf8.replaced(bytes);
        }
        throw new BadSampleException(
                name,
                offset + bad,
                String.format(
                        "expected text in UTF-8, found the byte 0x%02X; errors: replace reads U+FFFD in its place",
                        bytes[bad]));
    }
}
