package io.millrace.sequence;

import java.util.Locale;

/** The way in which the documents of a window are put into packs. */
public enum PackPolicy {
    /**
     * All tokens of the window follow one another, and a pack ends where it is full. Only the last pack of a window has room left, and a
     * document may be split wherever a pack ends.
     */
    CONCAT,
    /**
     * Documents are taken in order of arrival. Each goes whole into the pack with the least room that suffices, or into a new pack (best
     * fit). Documents in a pack have nearly uncorrelated lengths.
     */
    BEST_FIT,
    /**
     * As {@link #BEST_FIT}, but the longest documents are taken first (best fit decreasing). Windows of few packs are filled better, and
     * documents in a pack have similar lengths more often.
     */
    BEST_FIT_DECREASING,
    /** Each document has a pack of its own. */
    NONE;

    /** Returns the name in pipeline files, such as {@code best_fit}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
