package io.millrace.pack;

/**
 * The numbers of images whose restart markers a pack was to write.
 *
 * @param added the JPEGs that got restart markers
 * @param present the JPEGs that had them at the same interval
 * @param left the images that were copied unchanged: JPEGs of other kinds, damaged JPEGs, and other formats
 * @param bytes the bytes by which the images grew
 */
public record RestartCounts(long added, long present, long left, long bytes) {
    static final RestartCounts NONE = new RestartCounts(0, 0, 0, 0);

    RestartCounts plus(RestartCounts other) {
        return new RestartCounts(added + other.added, present + other.present, left + other.left, bytes + other.bytes);
    }
}
