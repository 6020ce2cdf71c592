package io.millrace.dataset.arrow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The search for the files of a dataset. A path may be a folder that Hugging Face's {@code save_to_disk} wrote. */
final class SavedDataset {
    private static final String STATE = "state.json";
    private static final String SPLITS = "dataset_dict.json";
    static final List<String> EXTENSIONS = List.of("arrow", "feather", "ipc", "arrows");
    private static final ObjectMapper JSON = new ObjectMapper();

    private SavedDataset() {}

    static List<DataFile> find(List<String> paths, StorageOptions options) throws IOException {
        List<DataFile> files = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String path : paths) {
            Storage storage = Storage.of(path, options);
            boolean folder = storage.kind("") == Kind.DIRECTORY;
            if (folder && storage.kind(SPLITS) == Kind.FILE) {
                throw new DatasetException(path + " holds several datasets: name the folder of one of them, "
                        + names(storage, SPLITS, "splits").stream()
                                .map(storage::display)
                                .collect(Collectors.joining(" or ")));
            }
            if (folder && storage.kind(STATE) == Kind.FILE) {
                files.addAll(find(others, false, options));
                others.clear();
                files.addAll(listed(storage));
            } else {
                others.add(path);
            }
        }
        files.addAll(find(others, files.isEmpty(), options));
        return files;
    }

    private static List<DataFile> find(List<String> paths, boolean required, StorageOptions options)
            throws IOException {
        return paths.isEmpty() && !required ? List.of() : DataFiles.find(paths, EXTENSIONS, options);
    }

    /**
     * Returns the files in the order of their rows. A dataset whose rows an index selects is refused, because the
     * index would be ignored.
     */
    private static List<DataFile> listed(Storage folder) throws IOException {
        JsonNode state = json(folder, STATE);
        if (!state.path("_indices_data_files").isMissingNode()
                && !state.path("_indices_data_files").isNull()) {
            throw new DatasetException(
                    folder.display(STATE) + " selects rows by an index of its own, which is not supported:"
                            + " save the dataset after flatten_indices()");
        }
        List<DataFile> files = new ArrayList<>();
        for (String name : names(folder, STATE, "_data_files")) {
            if (name.isEmpty() || name.contains("/") || name.contains("\\") || name.equals("..")) {
                throw new DatasetException(
                        folder.display(STATE) + ": expected names of files in its folder, found '" + name + "'");
            }
            if (folder.kind(name) != Kind.FILE) {
                throw new DatasetException(
                        "no such file: " + folder.display(name) + ", which " + folder.display(STATE) + " names");
            }
            files.add(new DataFile(folder, name));
        }
        if (files.isEmpty()) {
            throw new DatasetException(folder.display(STATE) + ": expected files as _data_files, found none");
        }
        return files;
    }

    private static List<String> names(Storage folder, String file, String key) throws IOException {
        return StreamSupport.stream(json(folder, file).path(key).spliterator(), false)
                .map(node ->
                        node.isTextual() ? node.asText() : node.path("filename").asText())
                .toList();
    }

    private static JsonNode json(Storage folder, String file) throws IOException {
        try {
            return JSON.readTree(folder.read(file));
        } catch (JsonProcessingException e) {
            throw new DatasetException(folder.display(file) + ": expected JSON, found " + e.getOriginalMessage(), e);
        }
    }
}
