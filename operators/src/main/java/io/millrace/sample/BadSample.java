package io.millrace.sample;

/**
 * Why a sample is quarantined.
 *
 * @param stage the stage that found it, as the metrics name it
 * @param dataset the dataset's path, as the user wrote it
 * @param file the file, or the file and the member within it
 * @param offset the byte offset within the file at which the trouble shows, or -1 where none is known
 * @param reason what was expected and what was found, for a person with the file at hand
 */
public record BadSample(String stage, String dataset, String file, long offset, String reason) {}
