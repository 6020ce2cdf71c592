package io.millrace.sample;

/**
 * A document of a pack on its way to the stage that joins the pack, or a part of one.
 *
 * @param sample the whole document, with its index in its dataset
 * @param from the first token of the document that belongs to the pack
 * @param to the token after the last one
 */
public record Part(Sample sample, int from, int to) {}
