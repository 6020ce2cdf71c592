package io.millrace.sample;

/**
 * The reason why a sample is quarantined.
 *
 * @param stage the stage that found the fault, by its name in the metrics
 * @param dataset the dataset's path, as the user wrote it
 * @param file the file, or the file and the member within it
 * @param offset the byte offset of the fault within the file, or -1 where no offset is known
 * @param reason the expected and the found content, for the user who examines the file
 */
public record BadSample(String stage, String dataset, String file, long offset, String reason) {}
