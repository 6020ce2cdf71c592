package io.millrace.dataset.files;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.NotAFileException;
import io.millrace.dataset.storage.Storage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A file that is a sample, or a part of one. A file that cannot be read makes its sample bad. Stateless.
 *
 * <p>Tested by {@code FolderDatasetTest}.
 */
public final class SampleFile {
    /** The letter that Java puts in the place of bytes that are not UTF-8. */
    private static final char UNREADABLE_CHARACTER = '\uFFFD';

    /** The parts of a path that are no names of files or folders. */
    private static final Set<String> NO_NAMES = Set.of("", ".", "..");

    private SampleFile() {}

    /**
     * Returns the content of a file, an image.
     *
     * @param file the path below the root of the storage
     * @param prefix what precedes the path in the sample's key
     * @param listed the clause that says who names the file, for the message about a file that does not exist
     * @throws BadSampleException when there is no such file, when it cannot be read, or when it is empty
     * @throws IOException when the storage itself fails
     */
    public static byte[] read(Storage storage, String file, String prefix, String listed) throws IOException {
        return read(storage, file, prefix + file, "an image", listed);
    }

    /**
     * Returns the content of a file of a dataset, with the exceptions of {@link #read(Storage, String, String, String)}.
     *
     * @param what the expected content, such as "a document"
     */
    public static byte[] read(DataFile file, String what) throws IOException {
        return read(file.storage(), file.path(), file.name(), what, "the file existed when the dataset was opened");
    }

    private static byte[] read(Storage storage, String file, String path, String what, String listed)
            throws IOException {
        byte[] content;
        try {
            content = storage.read(file);
        } catch (NotAFileException e) {
            throw unreadable(path, "expected a file, found " + e.found(), e);
        } catch (ClosedByInterruptException | InterruptedIOException | DatasetException e) {
            // The job is being stopped, or the storage itself fails. The file may be good.
            throw e;
        } catch (NoSuchFileException | FileNotFoundException e) {
            throw unreadable(path, missing(storage, file, listed), e);
        } catch (AccessDeniedException e) {
            throw unreadable(path, "no permission to read the file", e);
        } catch (IOException e) {
            throw unreadable(path, "cannot read the file: " + e.getMessage(), e);
        }
        if (content.length == 0) {
            throw new BadSampleException(path, 0, "expected " + what + ", found an empty file");
        }
        return content;
    }

    /** Returns whether a path leads to a place below the folder that it starts from. */
    public static boolean isBelow(String file) {
        return Stream.of(file.split("/", -1)).noneMatch(NO_NAMES::contains);
    }

    /** Returns a path that a file of the dataset names, if it does not lead out of the folder of the dataset. */
    public static String requireBelow(String file, String sample) throws BadSampleException {
        if (!isBelow(file)) {
            throw new BadSampleException(
                    sample, -1, "expected a path below the folder, such as masks/1.png, found '" + file + "'");
        }
        return file;
    }

    private static String missing(Storage storage, String file, String listed) {
        if (file.indexOf(UNREADABLE_CHARACTER) >= 0) {
            return "expected a file name in UTF-8, found other bytes in it; rename the file";
        }
        return storage.local(file).filter(Files::isSymbolicLink).isPresent()
                ? "expected a file, found a link to a file that does not exist"
                : "expected a file, found none; " + listed;
    }

    /**
     * Returns the exception for a file that cannot be read. The exception names the file by the sample's key, as later
     * stages do, because reports of bad samples state the dataset's path separately.
     */
    private static BadSampleException unreadable(String path, String reason, IOException cause) {
        BadSampleException badSample = new BadSampleException(path, -1, reason);
        badSample.initCause(cause);
        return badSample;
    }
}
