package io.millrace.generate;

/** What to do with a folder that holds something else than what is asked for. */
public enum ExistingFiles {
    /** Leave it alone and say what is there. */
    REFUSE,
    /** Remove the files that the generator would have written, keep all others, and write anew. */
    REPLACE
}
