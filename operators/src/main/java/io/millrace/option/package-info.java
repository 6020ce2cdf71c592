/**
 * Declared options: key, type, default and one line of help in one constant, so that reading, checking and documenting
 * a pipeline file share one source. Dataset formats, transforms, models and optimizers declare theirs here too.
 *
 * <p>Values of the JDK alone; everything is immutable.
 */
@NullMarked
package io.millrace.option;

import org.jspecify.annotations.NullMarked;
