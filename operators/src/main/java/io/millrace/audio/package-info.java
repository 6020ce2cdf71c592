/**
 * Waveforms of sound files as numbers.
 *
 * <p>Read {@link io.millrace.audio.WavFile} first, the only decoder: it reads the headers of a WAV file and returns
 * the values as floats, by channel or by frame. {@link io.millrace.audio.MalformedAudioException} reports the offset
 * at which a file is damaged.
 *
 * <p>The package imports the JDK only: no Flink, no files and no random numbers. The input is an array of bytes and
 * the output an array of floats, so any thread may use it.
 *
 * <p>Not promised: compressed sound (A-law, MP3, FLAC and others) and resampling. A file that is not PCM or float is
 * refused with a sentence.
 */
@NullMarked
package io.millrace.audio;

import org.jspecify.annotations.NullMarked;
