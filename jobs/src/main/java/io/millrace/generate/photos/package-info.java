/**
 * Natural-looking JPEG scenes in class folders, and files that are broken on purpose.
 *
 * <p>A scene is painted as layers (sky, ridges, textured ground, shapes) over fractal noise; the class shows in
 * palette, spectrum and shapes, never in a mark that a model could learn by heart.
 */
@NullMarked
package io.millrace.generate.photos;

import org.jspecify.annotations.NullMarked;
