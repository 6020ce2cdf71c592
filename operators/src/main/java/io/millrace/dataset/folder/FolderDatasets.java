package io.millrace.dataset.folder;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StoredLabels;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** A dataset of several folders with the same classes, one after another. */
final class FolderDatasets implements Dataset {
    private final List<FolderDataset> folders;
    private final List<String> classes;

    /** The folders' own names without those above them, which differ from machine to machine. */
    private final List<String> places;

    /** For each folder, the number of samples in it and in all folders before it. */
    private final long[] ends;

    private FolderDatasets(List<FolderDataset> folders, List<String> classes) {
        this.folders = List.copyOf(folders);
        this.classes = classes;
        this.places = folders.stream().map(FolderDatasets::place).toList();
        this.ends = folders.stream().mapToLong(FolderDataset::size).toArray();
        Arrays.parallelPrefix(ends, Long::sum);
    }

    /**
     * Joins several folders into one dataset.
     *
     * @throws DatasetException when a label stands for one class in one folder and for another class in another folder
     */
    static FolderDatasets of(List<FolderDataset> folders) throws DatasetException {
        FolderDataset most = folders.get(0);
        for (FolderDataset folder : folders) {
            most = folder.classes().size() > most.classes().size() ? folder : most;
        }
        for (FolderDataset folder : folders) {
            List<String> classes = folder.classes();
            if (!classes.equals(most.classes().subList(0, classes.size()))) {
                throw new DatasetException("expected folders of the same classes, found " + classes + " in "
                        + folder.name() + " and " + most.classes() + " in " + most.name());
            }
        }
        return new FolderDatasets(folders, most.classes());
    }

    @Override
    public long size() {
        return ends[ends.length - 1];
    }

    @Override
    public Sample read(long index) throws IOException {
        int folder = folder(index);
        return folders.get(folder)
                .read(
                        (int) indexWithin(folder, index),
                        index,
                        folders.get(folder).name());
    }

    @Override
    public long label(long index) throws BadSampleException {
        int folder = folder(index);
        return folders.get(folder)
                .label((int) indexWithin(folder, index), folders.get(folder).name());
    }

    private static String place(FolderDataset folder) {
        return FolderListings.name(folder.name().replaceFirst("/+$", ""));
    }

    /** Returns the path in its folder, after the folder's own name. */
    @Override
    public String nameOf(long index) {
        int folder = folder(index);
        return places.get(folder) + "/" + folders.get(folder).nameOf(indexWithin(folder, index));
    }

    @Override
    public Dataset only(String field) {
        return new FolderDatasets(
                folders.stream().map(folder -> folder.only(field)).toList(), classes);
    }

    /** Returns the folder of a sample. No folder is empty, so no two folders end at the same sample. */
    private int folder(long index) {
        int found = Arrays.binarySearch(ends, Objects.checkIndex(index, size()) + 1);
        return found < 0 ? -found - 1 : found;
    }

    private long indexWithin(int folder, long index) {
        return folder == 0 ? index : index - ends[folder - 1];
    }

    @Override
    public OptionalLong storedBytes() {
        long bytes = 0;
        for (FolderDataset folder : folders) {
            OptionalLong of = folder.storedBytes();
            if (of.isEmpty()) {
                return of;
            }
            bytes += of.getAsLong();
        }
        return OptionalLong.of(bytes);
    }

    @Override
    public List<String> remarks() {
        return folders.stream()
                .flatMap(folder -> folder.remarks().stream().map(remark -> folder.name() + ": " + remark))
                .toList();
    }

    @Override
    public StoredLabels labels() {
        return folders.get(0).labels();
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
