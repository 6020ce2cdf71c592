/**
 * The dataset format {@code csv}: tables of text, whose rows are samples, and the reader of such files.
 *
 * <p>Read {@link io.millrace.dataset.csv.CsvReader} first. Lists of labels in {@code dataset.folder} use it, too.
 *
 * <p>The package does not read files whose records have no header.
 */
@NullMarked
package io.millrace.dataset.csv;

import org.jspecify.annotations.NullMarked;
