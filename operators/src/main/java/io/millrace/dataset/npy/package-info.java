/** NumPy's .npy files: as a dataset of one file a field, and as members of archives. */
@NullMarked
package io.millrace.dataset.npy;

import org.jspecify.annotations.NullMarked;
