package io.millrace.generate;

/** The treatment of a folder that contains something other than the requested data. */
public enum ExistingFiles {
    /** Change nothing, and fail with a message about the content. */
    REFUSE,
    /** Remove the files that a generator has written, keep all others, and generate again. */
    REPLACE
}
