package io.millrace.dataset.packed;

import io.millrace.order.EpochOrder;
import java.io.Serializable;

/**
 * The count of a dataset's documents while it is read, as Flink brings it to the tasks.
 *
 * @param order the order of the documents, of which round 0 is used
 * @param window the number of documents of a window, at least 1; a thread counts one window at a time
 * @param ahead the number of documents that are counted before they are asked for
 * @param counts the file of the numbers of tokens, of which some documents have one
 * @param counter the way to count the others
 */
public record CountSpec(EpochOrder order, int window, int ahead, TokenCounts counts, DocumentCounter.Spec counter)
        implements Serializable {}
