/**
 * Arrow IPC files and streams, as pyarrow and Hugging Face's datasets write them.
 *
 * <p>Rows are read straight from the files by their positions, into arrays of the heap: Arrow's own vectors trust what the
 * file says and reach into raw memory, which a damaged file could make fatal. Only the definitions of Arrow's metadata are
 * used, whose reads are checked.
 */
@NullMarked
package io.millrace.dataset.arrow;

import org.jspecify.annotations.NullMarked;
