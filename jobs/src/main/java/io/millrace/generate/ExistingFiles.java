package io.millrace.generate;

/** The treatment of a folder that already contains files. */
public enum ExistingFiles {
    /** Change nothing. If the content is not the requested data, fail with a message about it. */
    REFUSE,
    /** Remove the files that a generator has written, keep all others, and generate again. */
    REPLACE
}
