/**
 * Declared options: key, type, default and help text in one constant, so that reading, checking and documenting a
 * pipeline file share one source. Dataset formats, transforms, models and optimizers declare their options with these
 * classes, too.
 *
 * <p>Read {@link io.millrace.option.Option} first, then {@link io.millrace.option.OptionType}, which parses values, and
 * {@link io.millrace.option.OptionValues}, which carries them to the operators. {@link io.millrace.option.Services}
 * finds formats and transforms on the class path and in the user's jars.
 *
 * <p>All values are immutable. The messages contain no source locations. The reader of pipeline files adds the line and
 * the key to them.
 */
@NullMarked
package io.millrace.option;

import org.jspecify.annotations.NullMarked;
