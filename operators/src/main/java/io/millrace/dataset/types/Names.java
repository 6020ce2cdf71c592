package io.millrace.dataset.types;

/** The origin of the names of a dataset's fields. */
public enum Names {
    /** The format or the pipeline file names the fields. */
    DECLARED,
    /** Only the samples name their fields, so the first samples of the run settle the names, and whether there are labels. */
    SETTLED
}
