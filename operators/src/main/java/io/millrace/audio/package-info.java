/**
 * Sound: waveforms of files, as numbers. Bytes in, floats out: nothing here knows Flink, files or random numbers.
 */
@NullMarked
package io.millrace.audio;

import org.jspecify.annotations.NullMarked;
