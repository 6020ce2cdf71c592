package io.millrace.dataset.arrow;

import io.millrace.dataset.storage.RangedFile;
import java.util.List;

/**
 * One file, looked through: its columns and where its batches stand. About 200 bytes of memory a batch.
 *
 * @param file open; whoever holds this closes it
 * @param batches in the order of the file
 */
record IpcFile(RangedFile file, IpcSchema schema, List<IpcBatch> batches) {}
