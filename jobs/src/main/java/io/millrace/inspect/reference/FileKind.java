package io.millrace.inspect.reference;

import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.MalformedImageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** The kind of a file that can be compared. */
enum FileKind {
    IMAGE,
    SOUND,
    TAR,
    PARQUET,
    ARROW,
    HDF5,
    NPY,
    LMDB;

    /** The number of bytes that show whether a file is an image. */
    private static final int FIRST_BYTES = 64;

    /** Returns the kind by the extension, or by the first bytes of an image with another name; empty for other files. */
    static Optional<FileKind> of(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        String extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        Optional<FileKind> kind = byExtension(extension);
        if (kind.isPresent()) {
            return kind;
        }
        try (InputStream stream = Files.newInputStream(file)) {
            ImageFormat.of(stream.readNBytes(FIRST_BYTES));
            return Optional.of(IMAGE);
        } catch (MalformedImageException e) {
            return Optional.empty();
        }
    }

    private static Optional<FileKind> byExtension(String extension) {
        return switch (extension) {
            case "jpg", "jpeg", "jpe", "jfif", "png", "apng", "webp", "gif", "bmp", "dib", "tif", "tiff" ->
                Optional.of(IMAGE);
            case "pnm", "pbm", "pgm", "ppm" -> Optional.of(IMAGE);
            case "wav" -> Optional.of(SOUND);
            case "tar" -> Optional.of(TAR);
            case "parquet" -> Optional.of(PARQUET);
            case "arrow", "feather" -> Optional.of(ARROW);
            case "h5", "hdf5", "hdf", "mat" -> Optional.of(HDF5);
            case "npy" -> Optional.of(NPY);
            case "mdb", "lmdb" -> Optional.of(LMDB);
            default -> Optional.empty();
        };
    }

    /** Returns the name in the questions to the reference and in the table. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
