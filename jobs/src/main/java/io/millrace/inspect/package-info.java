/**
 * Looks at datasets as they are: how many samples, which classes, which shapes, which of the first samples are bad.
 * Reads labels of all samples and fields of the first ones; starts no job.
 */
@NullMarked
package io.millrace.inspect;

import org.jspecify.annotations.NullMarked;
