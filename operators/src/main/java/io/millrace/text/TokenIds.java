package io.millrace.text;

import java.util.Arrays;

/** A growing list of ids. Not thread-safe. */
public final class TokenIds {
    private int[] ids = new int[256];
    private int size;

    /** Appends an id. */
    public void add(int id) {
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, Math.multiplyExact(2, size));
        }
        ids[size++] = id;
    }

    /** Appends ids. */
    public void addAll(int[] more) {
        int needed = Math.addExact(size, more.length);
        if (needed > ids.length) {
            ids = Arrays.copyOf(ids, Math.max(needed, Math.multiplyExact(2, size)));
        }
        System.arraycopy(more, 0, ids, size, more.length);
        size = needed;
    }

    /** Returns the number of ids. */
    public int size() {
        return size;
    }

    /** Returns an id by its place, 0 to {@code size() - 1}. */
    public int get(int place) {
        if (place >= size) {
            throw new IndexOutOfBoundsException("place " + place + " of " + size + " ids");
        }
        return ids[place];
    }

    /** Removes all ids. */
    public void clear() {
        size = 0;
    }

    /** Returns a copy of the ids from a place on. */
    public int[] from(int place) {
        return Arrays.copyOfRange(ids, place, size);
    }

    /** Returns a copy of the ids. */
    public int[] toArray() {
        return from(0);
    }
}
