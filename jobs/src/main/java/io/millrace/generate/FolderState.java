package io.millrace.generate;

/** The content of a folder in relation to a request. */
public enum FolderState {
    /** The folder does not exist or is empty. */
    ABSENT,
    /** The folder contains the requested data, complete. */
    COMPLETE,
    /** The folder contains files of a generation that did not finish; they may be removed. */
    UNFINISHED,
    /** The folder contains another generation, or files that no generator wrote. */
    OTHER
}
