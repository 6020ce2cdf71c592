/**
 * JSON in datasets: its parsing as Python's {@code json} does, the values at paths within it, and the fields that they become.
 *
 * <p>Read {@link io.millrace.dataset.json.JsonValues} first. The package does not find the texts: the formats {@code tar} and {@code
 * jsonl} do.
 */
@NullMarked
package io.millrace.dataset.json;

import org.jspecify.annotations.NullMarked;
