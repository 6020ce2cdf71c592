package io.millrace.sample;

/**
 * The reason why a sample is quarantined.
 *
 * @param stage the stage that found the fault, by its name in the metrics
 * @param dataset the dataset's path, as the user wrote it
 * @param file the file, or the file and the member within it
 * @param offset the byte offset of the fault within the file, or -1 where no offset is known
 * @param reason what was expected and what was found, for a person who looks at the file
 */
public record BadSample(String stage, String dataset, String file, long offset, String reason) {}
