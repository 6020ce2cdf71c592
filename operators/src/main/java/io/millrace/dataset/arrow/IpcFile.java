package io.millrace.dataset.arrow;

import io.millrace.dataset.storage.RangedFile;
import java.util.List;

/**
 * One file whose structure has been read: its columns and the positions of its batches. It needs about 200 bytes of
 * memory for each batch.
 *
 * @param file the open file; the owner of this object closes it
 * @param schema the columns
 * @param batches the batches in the order of the file
 */
record IpcFile(RangedFile file, IpcSchema schema, List<IpcBatch> batches) {}
