package io.millrace.resume;

import io.millrace.pipeline.Pipeline;
import io.millrace.source.EnumeratorState;
import io.millrace.source.EnumeratorStateSerializer;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** A checkpoint or savepoint of Flink, which is a folder with a file {@code _metadata}. */
final class CheckpointFile {
    static final String METADATA = "_metadata";

    private CheckpointFile() {}

    /**
     * Reads the identity and the position of a checkpoint.
     *
     * @param folder the folder of the checkpoint, on any file system that Flink supports
     * @throws IOException when there is no checkpoint, it is damaged, or no job of Millrace wrote it; the message is
     *     for the user
     */
    static ResumePoint read(Path folder) throws IOException {
        Path file = new Path(folder, METADATA);
        CheckpointMetadata metadata;
        try (DataInputStream in = new DataInputStream(file.getFileSystem().open(file))) {
            metadata = Checkpoints.loadCheckpointMetadata(in, CheckpointFile.class.getClassLoader(), folder.toString());
        } catch (IOException | RuntimeException e) {
            throw new IOException("the checkpoint " + folder + " cannot be read: " + e.getMessage(), e);
        }
        Optional<ByteStreamStateHandle> source = metadata.getOperatorStates().stream()
                .filter(operator ->
                        Pipeline.SOURCE.equals(operator.getOperatorUid().orElse("")))
                .flatMap(CheckpointFile::coordinator)
                .findFirst();
        if (source.isEmpty()) {
            throw new IOException("the checkpoint " + folder
                    + " was not written by a training of Millrace: it has no source '" + Pipeline.SOURCE + "'");
        }
        EnumeratorState state = enumerator(source.get());
        return new ResumePoint(ResumePoint.Kind.CHECKPOINT, folder.toString(), state.identity(), state.next());
    }

    private static Stream<ByteStreamStateHandle> coordinator(OperatorState operator) {
        return Stream.ofNullable(operator.getCoordinatorState());
    }

    /**
     * Reads the state of an enumerator. Flink's frame around it consists of Flink's version, the serializer's version,
     * and the length of the bytes.
     */
    private static EnumeratorState enumerator(ByteStreamStateHandle handle) throws IOException {
        try (DataInputStream in = new DataInputStream(handle.openInputStream())) {
            in.readInt();
            int version = in.readInt();
            int length = in.readInt();
            return new EnumeratorStateSerializer().deserialize(version, in.readNBytes(length));
        }
    }

    /** Returns the folders of checkpoints up to two levels below {@code folder}, the newest first. */
    static Stream<Path> newestFirst(Path folder) throws IOException {
        FileSystem files = folder.getFileSystem();
        return list(files, folder)
                .flatMap(entry -> Stream.concat(Stream.of(entry), list(files, entry)))
                .flatMap(entry -> metadata(files, entry).stream())
                .sorted(Comparator.comparingLong(FileStatus::getModificationTime)
                        .reversed())
                .map(status -> status.getPath().getParent());
    }

    private static Stream<Path> list(FileSystem files, Path folder) {
        try {
            FileStatus[] found = files.listStatus(folder);
            return found == null
                    ? Stream.empty()
                    : Arrays.stream(found).filter(FileStatus::isDir).map(FileStatus::getPath);
        } catch (IOException e) {
            return Stream.empty(); // the folder does not exist or was deleted meanwhile
        }
    }

    private static Optional<FileStatus> metadata(FileSystem files, Path folder) {
        try {
            return Optional.of(files.getFileStatus(new Path(folder, METADATA)));
        } catch (IOException e) {
            return Optional.empty(); // an unfinished checkpoint has none
        }
    }
}
