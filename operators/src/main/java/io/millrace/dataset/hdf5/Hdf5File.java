package io.millrace.dataset.hdf5;

import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The groups of a file. An object is found by its path without a look at its neighbours, so it does no harm if those
 * are of kinds that are not supported.
 *
 * @param root the address of the root group's header
 */
record Hdf5File(Hdf5Bytes bytes, long root) {
    private static final int MOST_SOFT_LINKS = 16;

    static Hdf5File open(RangedFile file) throws IOException {
        Superblock superblock = Superblock.of(file);
        return new Hdf5File(superblock.bytes(), superblock.root());
    }

    /** Returns the names in the root group. */
    List<String> names() throws IOException {
        return links(root)
                .orElseThrow(() ->
                        new MalformedHdf5Exception(bytes.position(root), "expected a group, found another object"))
                .stream()
                .map(GroupLink::name)
                .toList();
    }

    private Optional<List<GroupLink>> links(long address) throws IOException {
        return GroupLinks.of(bytes, ObjectHeader.read(bytes, address));
    }

    /**
     * Returns the header of the object with a path. Follows links within the file.
     *
     * @return empty when there is no such object
     * @throws UnsupportedHdf5Exception when a link leads out of the file
     */
    Optional<ObjectHeader> find(String path) throws IOException {
        Deque<String> steps = new ArrayDeque<>(Arrays.asList(path.split("/", -1)));
        int softLinks = 0;
        long at = root;
        while (!steps.isEmpty()) {
            String step = steps.pop();
            if (step.isEmpty() || step.equals(".")) {
                continue;
            }
            Optional<GroupLink> link = links(at).orElse(List.of()).stream()
                    .filter(candidate -> candidate.name().equals(step))
                    .findFirst();
            if (link.isEmpty()) {
                return Optional.empty();
            }
            switch (link.get().kind()) {
                case HARD -> at = link.get().address();
                case SOFT -> {
                    String target = link.get().target();
                    softLinks++;
                    if (softLinks > MOST_SOFT_LINKS) {
                        throw new UnsupportedHdf5Exception("is behind more than " + MOST_SOFT_LINKS
                                + " soft links, which may form a circle: the last is '" + step + "'");
                    }
                    at = target.startsWith("/") ? root : at;
                    List<String> targets = Arrays.asList(target.split("/", -1));
                    for (int i = targets.size() - 1; i >= 0; i--) {
                        steps.push(targets.get(i));
                    }
                }
                case EXTERNAL ->
                    throw new UnsupportedHdf5Exception(
                            "is behind a link to the file '" + link.get().target() + "'; other files are not read");
                case OTHER ->
                    throw new UnsupportedHdf5Exception(
                            "is behind a link of a kind that only the program which wrote it can follow");
            }
        }
        return Optional.of(ObjectHeader.read(bytes, at));
    }
}
