/**
 * Extensions of Millrace as tests: your own dataset format and your own transform. The documentation links here.
 *
 * <p>Read {@link io.millrace.tutorial.RecordsFormat} for a format and {@link io.millrace.tutorial.AddNoise} for a
 * transform. {@link io.millrace.tutorial.TutorialTest} uses both by their names, as a pipeline file does. Copy a class
 * to begin your own.
 *
 * <p>The classes may import the operators module alone, as an extension in a jar of its own would. Their services are
 * not on the class path, where the page of options would list both; {@link io.millrace.train.TestServices} adds them.
 *
 * <p>It does not promise that the format is fast: it reads the file completely when it is opened.
 */
@NullMarked
package io.millrace.tutorial;

import org.jspecify.annotations.NullMarked;
