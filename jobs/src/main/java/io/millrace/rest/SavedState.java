package io.millrace.rest;

/**
 * A finished checkpoint or savepoint.
 *
 * @param path from where it can be restored
 * @param atMillis when it was done, wall clock
 * @param bytes of state
 */
public record SavedState(String path, long atMillis, long bytes) {}
