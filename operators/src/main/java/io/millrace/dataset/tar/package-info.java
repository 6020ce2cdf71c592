/**
 * Archives of samples as WebDataset writes them: consecutive members with one key are a sample, their suffixes its
 * fields. Names in an archive are keys, never paths.
 */
@NullMarked
package io.millrace.dataset.tar;

import org.jspecify.annotations.NullMarked;
