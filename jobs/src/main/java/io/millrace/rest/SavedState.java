package io.millrace.rest;

/**
 * A finished checkpoint or savepoint.
 *
 * @param path the path from which it can be restored
 * @param atMillis the wall-clock time at which it was finished, in milliseconds since 1970
 * @param bytes the size of the state
 * @param ofStop whether it is the savepoint with which the job was stopped
 */
public record SavedState(String path, long atMillis, long bytes, boolean ofStop) {}
