package io.millrace.pack;

import io.millrace.dataset.npy.NpyFile;
import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Locale;

/** The conversion of fields to files in a shard. */
final class StoredFields {
    private StoredFields() {}

    /** A field as a file. The content is the field's own array and not a copy, where this is possible. */
    static final class File {
        private final String extension;
        private final byte[] content;

        private File(String extension, byte[] content) {
            this.extension = extension;
            this.content = content;
        }

        /** Returns the extension without a dot. */
        String extension() {
            return extension;
        }

        byte[] content() {
            return content;
        }

        /**
         * Returns the suffix of the field's member: only the extension for the image, as in WebDataset, and name and
         * extension for other fields.
         */
        String suffix(String field) {
            return field.equals(Sample.IMAGE) ? extension : field + "." + extension;
        }
    }

    /**
     * Returns the field as a file: encoded images unchanged, text as text, everything else as .npy.
     *
     * @throws MalformedImageException when the field is encoded in an unknown format, which no dataset format could
     *     read again
     */
    static File file(Field field) throws MalformedImageException {
        if (field.dtype() == DType.ENCODED) {
            return new File(extension(ImageFormat.of(field.data())), field.data());
        }
        if (field.kind() == FieldKind.TEXT) {
            return new File("txt", field.data());
        }
        return new File("npy", NpyFile.of(field.dtype(), field.shape(), field.data()));
    }

    private static String extension(ImageFormat format) {
        return switch (format) {
            case JPEG -> "jpg";
            case PNM -> "ppm";
            default -> format.name().toLowerCase(Locale.ROOT);
        };
    }
}
