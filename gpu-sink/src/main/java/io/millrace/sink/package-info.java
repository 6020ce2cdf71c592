/**
 * From micro-batches to training steps: rows find their place, whole batches go to the trainer in order.
 */
@NullMarked
package io.millrace.sink;

import org.jspecify.annotations.NullMarked;
