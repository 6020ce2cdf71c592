/**
 * The dataset format {@code jsonl}: files with a JSON object in each line, which hold texts, chats, labels and numbers.
 *
 * <p>Read {@link io.millrace.dataset.jsonl.JsonlFormat} first. {@code dataset.shard} finds the lines of a file, and {@code JsonlDataset}
 * reads a line and the members of its object. JSON itself is parsed in {@code dataset.json}.
 */
@NullMarked
package io.millrace.dataset.jsonl;

import org.jspecify.annotations.NullMarked;
