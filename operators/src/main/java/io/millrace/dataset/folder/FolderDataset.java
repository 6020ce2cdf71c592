package io.millrace.dataset.folder;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.MalformedSampleException;
import io.millrace.dataset.storage.Storage;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** Image files, each read whole when it is asked for. */
final class FolderDataset implements Dataset {
    private final Storage storage;
    private final FileList files;
    private final List<String> classes;

    /**
     * The files, in the order of their indexes.
     *
     * @param classes their names by label, empty where labels are mere numbers
     */
    FolderDataset(Storage storage, FileList files, List<String> classes) {
        this.storage = storage;
        this.files = files;
        this.classes = List.copyOf(classes);
    }

    @Override
    public long size() {
        return files.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        int number = (int) Objects.checkIndex(index, size());
        String path = files.path(number);
        byte[] bytes = bytes(path);
        if (bytes.length == 0) {
            throw new MalformedSampleException(path, 0, "expected an image, found an empty file");
        }
        return new Sample(index, path, files.label(number)).put(Sample.IMAGE, Field.encoded(bytes));
    }

    private byte[] bytes(String path) throws IOException {
        try {
            return storage.read(path);
        } catch (ClosedByInterruptException | InterruptedIOException | DatasetException e) {
            // The job is being stopped, or the storage as such fails; the file may be fine.
            throw e;
        } catch (NoSuchFileException | FileNotFoundException e) {
            throw unreadable(path, "expected a file, found none; it was there when the folder was listed", e);
        } catch (AccessDeniedException e) {
            throw unreadable(path, "no permission to read the file", e);
        } catch (IOException e) {
            throw unreadable(path, "cannot read the file: " + e.getMessage(), e);
        }
    }

    /** The file is told as the sample's key, as later stages do: the dataset's path stands beside it. */
    private static MalformedSampleException unreadable(String path, String reason, IOException cause) {
        MalformedSampleException malformed = new MalformedSampleException(path, -1, reason);
        malformed.initCause(cause);
        return malformed;
    }

    @Override
    public long label(long index) {
        return files.label((int) Objects.checkIndex(index, size()));
    }

    /** Known on this machine, where asking for a file's size costs microseconds; elsewhere each is a request. */
    @Override
    public OptionalLong storedBytes() throws IOException {
        long bytes = 0;
        for (int i = 0; i < files.size(); i++) {
            Optional<Path> file = storage.local(files.path(i));
            if (file.isEmpty()) {
                return OptionalLong.empty();
            }
            bytes += Files.exists(file.get()) ? Files.size(file.get()) : 0;
        }
        return OptionalLong.of(bytes);
    }

    @Override
    public List<String> classes() {
        return classes;
    }

    @Override
    public void close() {
        // Each read opens and closes its file.
    }
}
