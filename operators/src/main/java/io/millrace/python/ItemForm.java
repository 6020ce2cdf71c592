package io.millrace.python;

/** The form that a value of an item had in Python. The order is part of the protocol. */
enum ItemForm {
    NUMBERS,
    TEXT,
    BYTES,
    /** The pixels of a picture. */
    IMAGE,
    /** The class numbers of a picture. */
    MASK
}
