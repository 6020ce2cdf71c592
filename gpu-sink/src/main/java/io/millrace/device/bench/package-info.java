/**
 * How fast batches come to a device, measured on the way that training uses: {@link io.millrace.device.PinnedSlab} or
 * pageable memory, {@link io.millrace.device.DeviceBatch}, and the device's two streams, fed by one thread and used by
 * another.
 */
@NullMarked
package io.millrace.device.bench;

import org.jspecify.annotations.NullMarked;
