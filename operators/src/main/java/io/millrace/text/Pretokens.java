package io.millrace.text;

/** The cuts of a text into pretokens, which a pattern of a vocabulary defines. Threads share an object. */
interface Pretokens {
    /** Returns the end of the pretoken that begins at {@code at}, which is less than {@code to}. */
    int end(byte[] text, int at, int to);
}
