package io.millrace.file;

import java.nio.file.Path;
import java.util.List;

/**
 * The result of deleting what killed processes have left.
 *
 * @param deleted the files and folders that were deleted
 * @param kept a sentence for each file or folder of this user that could not be deleted, with the reason. It does no harm except
 *     that it takes room
 */
public record Swept(List<Path> deleted, List<String> kept) {
    public Swept {
        deleted = List.copyOf(deleted);
        kept = List.copyOf(kept);
    }
}
