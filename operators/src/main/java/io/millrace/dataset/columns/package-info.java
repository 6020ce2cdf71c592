/**
 * What formats of named columns have in common: which columns are read, what their values become, and the rows of several
 * files as one dataset. How bytes are laid out is each format's business.
 */
@NullMarked
package io.millrace.dataset.columns;

import org.jspecify.annotations.NullMarked;
