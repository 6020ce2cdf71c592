/**
 * A generator of natural-looking JPEG scenes in class folders, and of intentionally broken files.
 *
 * <p>Read {@link io.millrace.generate.photos.PhotosGenerator} first: it writes the files on several threads.
 * {@code PhotoStudio} makes an image from its index, {@code Scene} lists the classes, {@code Painter} paints their parts on a
 * {@code Canvas}, and {@code BadPhotos} makes broken files.
 *
 * <p>A scene consists of layers (sky, ridges, textured ground, shapes) over fractal noise, so that the files are about as large,
 * and as expensive to decode, as photographs. Classes differ in palette, spectrum and shapes, not in a mark that a model could
 * memorise.
 *
 * <p>The images of a seed are fixed: tests, documentation and measurements use them, and a change requires a new
 * version in {@code PhotosGenerator}.
 */
@NullMarked
package io.millrace.generate.photos;

import org.jspecify.annotations.NullMarked;
