/**
 * A view of a dataset of documents as packs. Read {@link io.millrace.dataset.packed.PackedDataset} first.
 */
@NullMarked
package io.millrace.dataset.packed;

import org.jspecify.annotations.NullMarked;
