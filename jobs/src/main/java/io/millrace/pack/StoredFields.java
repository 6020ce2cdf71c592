package io.millrace.pack;

import io.millrace.dataset.npy.NpyFile;
import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Locale;

/** What a field becomes in a shard: the content of a file, and what such files are called. */
final class StoredFields {
    private StoredFields() {}

    /** A field as a file; the content is the field's own array where the form allows. */
    static final class File {
        private final String extension;
        private final byte[] content;

        private File(String extension, byte[] content) {
            this.extension = extension;
            this.content = content;
        }

        /** Without a dot. */
        String extension() {
            return extension;
        }

        byte[] content() {
            return content;
        }

        /** The suffix of a member: the picture's is its extension alone, as WebDataset has it; others carry their name. */
        String suffix(String field) {
            return field.equals(Sample.IMAGE) ? extension : field + "." + extension;
        }
    }

    /**
     * The field as a file: encoded images as they are, text as text, everything else as .npy.
     *
     * @throws MalformedImageException when it is encoded in no format that we know: it would not be read again
     */
    static File file(Field field) throws MalformedImageException {
        if (field.dtype() == DType.ENCODED) {
            return new File(extension(ImageFormat.of(field.data())), field.data());
        }
        if (isText(field)) {
            return new File("txt", field.data());
        }
        return new File("npy", NpyFile.of(field.dtype(), field.shape(), field.data()));
    }

    /** Whether the field is text, as far as its form tells: bytes of a length of its own. */
    static boolean isText(Field field) {
        return field.kind() == FieldKind.RAGGED && field.dtype() == DType.UINT8 && field.shape().length == 1;
    }

    private static String extension(ImageFormat format) {
        return switch (format) {
            case JPEG -> "jpg";
            case PNM -> "ppm";
            default -> format.name().toLowerCase(Locale.ROOT);
        };
    }
}
