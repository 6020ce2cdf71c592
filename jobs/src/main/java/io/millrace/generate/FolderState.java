package io.millrace.generate;

/** What a folder holds, seen from one request. */
public enum FolderState {
    /** Nothing: it does not exist, or is empty. */
    ABSENT,
    /** What is asked for, finished. */
    COMPLETE,
    /** A generation that did not end; what it left may be removed. */
    UNFINISHED,
    /** Something else: another generation, or files that no generator wrote. */
    OTHER
}
