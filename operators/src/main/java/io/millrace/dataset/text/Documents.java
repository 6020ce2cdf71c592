package io.millrace.dataset.text;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.TextErrors;
import io.millrace.dataset.fields.Utf8;
import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The conversion of the bytes of a document to its field. */
final class Documents {
    /** The name of the field, which {@code tokenize} expects. */
    static final String FIELD = "text";

    static final StoredLabels NO_LABELS = new StoredLabels(StoredLabels.State.NOT_FOUND, List.of(), Optional.empty());

    private Documents() {}

    /**
     * Takes ownership of bytes and returns their text, without the byte order mark at the beginning of a file.
     *
     * @param name the file, or the file and the document in it, for messages
     * @param offset the offset of the bytes in the file
     * @throws BadSampleException when there is no text, or when it is no UTF-8 and {@code errors} does not replace it
     */
    static Field field(byte[] bytes, String name, long offset, TextErrors errors) throws BadSampleException {
        String encoding = offset == 0 ? Utf8.otherEncoding(bytes) : "";
        if (!encoding.isEmpty()) {
            throw new BadSampleException(name, 0, "expected text in UTF-8, found " + encoding);
        }
        int mark = offset == 0 ? Utf8.markBytes(bytes) : 0;
        byte[] text = mark > 0 ? Arrays.copyOfRange(bytes, mark, bytes.length) : bytes;
        if (text.length == 0) {
            throw new BadSampleException(name, offset + mark, "expected a document, found an empty text");
        }
        return Field.text(errors.utf8(text, name, offset + mark));
    }
}
