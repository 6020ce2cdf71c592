package io.millrace.pack;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pipeline.FlinkPath;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;

/**
 * The folder that a pack fills. Unfinished work is in its hidden folder {@code .pack}: the plan, the shards of each
 * task and, when these are complete, the task's record. Different tasks never write the same file.
 *
 * <p>Tested by {@code PackCommandITCase}.
 */
final class PackFolder {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

    private final FileSystem files;
    private final Path root;
    private final Path work;

    private PackFolder(FileSystem files, Path root) {
        this.files = files;
        this.root = root;
        this.work = new Path(root, ".pack");
    }

    static PackFolder of(String folder) throws IOException {
        Path root = FlinkPath.of(folder);
        return new PackFolder(root.getFileSystem(), root);
    }

    /** Returns the description of the finished or unfinished pack in this folder, if there is one. */
    Optional<Map<String, Object>> plan() throws IOException {
        return read(new Path(work, "plan.json")).map(node -> JSON.convertValue(node, MAP));
    }

    Optional<JsonNode> manifest() throws IOException {
        return read(new Path(root, Manifest.FILE));
    }

    /** Returns whether the path of the folder is a file. */
    boolean isFile() throws IOException {
        return files.exists(root) && !files.getFileStatus(root).isDir();
    }

    /** Returns whether the folder is empty or does not exist. */
    boolean isEmpty() throws IOException {
        if (!files.exists(root)) {
            return true;
        }
        FileStatus[] found = files.listStatus(root);
        return found == null || found.length == 0;
    }

    void begin(Map<String, Object> plan) throws IOException {
        files.mkdirs(work);
        write(new Path(work, "plan.json"), plan);
    }

    /** Removes the files of an earlier pack: the shards in its manifest, and unfinished work. */
    void clear() throws IOException {
        Optional<JsonNode> manifest = manifest();
        if (manifest.isPresent()) {
            for (JsonNode shard : manifest.get().path("shards")) {
                String name = shard.path("file").asText();
                // A name with a slash is skipped, so that no file outside of this folder is removed.
                if (!name.isEmpty() && !name.contains("/")) {
                    files.delete(new Path(root, name), false);
                }
            }
            files.delete(new Path(root, Manifest.FILE), false);
            files.delete(new Path(root, "quarantine.jsonl"), false);
        }
        discardWork();
    }

    void discardWork() throws IOException {
        files.delete(work, true);
    }

    /** Creates the file of a task's shard; an older file with the name is replaced. */
    OutputStream create(String part) throws IOException {
        return files.create(new Path(work, part), WriteMode.OVERWRITE);
    }

    /** Returns the record of a task if all its shards exist with the recorded sizes. */
    Optional<TaskRecord> finished(long task) throws IOException {
        Optional<JsonNode> node = read(record(task));
        if (node.isEmpty()) {
            return Optional.empty();
        }
        TaskRecord record = JSON.convertValue(node.get(), TaskRecord.class);
        for (TaskRecord.Shard shard : record.shards()) {
            if (length(new Path(work, shard.file())) != shard.bytes()) {
                return Optional.empty();
            }
        }
        return Optional.of(record);
    }

    /** Returns the record of a task, whether or not its shards have been renamed. */
    TaskRecord requireRecord(long task) throws IOException {
        return JSON.convertValue(
                read(record(task))
                        .orElseThrow(() -> new PackException("there is no record of task " + task + " in " + work)),
                TaskRecord.class);
    }

    void finish(TaskRecord record) throws IOException {
        write(record(record.task()), record);
    }

    /** Renames a finished shard to its final name, unless an earlier commit has renamed it. */
    void publish(TaskRecord.Shard part, String name) throws IOException {
        Path from = new Path(work, part.file());
        Path to = new Path(root, name);
        if (length(to) == part.bytes() && !files.exists(from)) {
            return;
        }
        if (files.exists(to)) {
            files.delete(to, false);
        }
        if (!files.rename(from, to)) {
            throw new PackException("cannot move " + from + " to " + to);
        }
    }

    void write(String name, byte[] content) throws IOException {
        try (OutputStream out = files.create(new Path(root, name), WriteMode.OVERWRITE)) {
            out.write(content);
        }
    }

    /** Writes the manifest. It is the last file, and makes the pack complete. */
    void write(Manifest manifest) throws IOException {
        Path whole = new Path(root, Manifest.FILE);
        Path partial = new Path(work, Manifest.FILE);
        write(partial, manifest);
        files.delete(whole, false);
        if (!files.rename(partial, whole)) {
            throw new PackException("cannot move " + partial + " to " + whole);
        }
    }

    private Path record(long task) {
        return new Path(work, String.format(Locale.ROOT, "%06d.json", task));
    }

    private long length(Path file) throws IOException {
        try {
            return files.getFileStatus(file).getLen();
        } catch (FileNotFoundException e) {
            return -1;
        }
    }

    private Optional<JsonNode> read(Path file) throws IOException {
        if (!files.exists(file)) {
            return Optional.empty();
        }
        try (InputStream in = files.open(file)) {
            return Optional.of(JSON.readTree(in));
        }
    }

    private void write(Path file, Object content) throws IOException {
        // The file is renamed only after it has been written, so a file with the final name is always complete.
        Path partial = file.suffix(".part");
        try (OutputStream out = files.create(partial, WriteMode.OVERWRITE)) {
            out.write(JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(content));
        }
        files.delete(file, false);
        if (!files.rename(partial, file)) {
            throw new PackException("cannot move " + partial + " to " + file);
        }
    }
}
