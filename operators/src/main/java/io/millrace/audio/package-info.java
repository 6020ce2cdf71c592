/**
 * The decoding of sound files to waveforms.
 *
 * <p>Read {@link io.millrace.audio.WavFile} first, which is the only decoder. It reads the headers of a WAV file and
 * returns the values as floats, by channel or by frame. {@link io.millrace.audio.MalformedAudioException} reports the
 * offset at which a file is damaged.
 *
 * <p>The decoder shares no state between threads, so any thread may use it.
 *
 * <p>The package does not support compressed sound (A-law, MP3, FLAC and others) or resampling. A file with another
 * encoding than PCM or floats is refused, and the message names the encoding that was found.
 */
@NullMarked
package io.millrace.audio;

import org.jspecify.annotations.NullMarked;
