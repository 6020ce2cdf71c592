package io.millrace.report;

/** The characters that draw a bar. */
enum Glyphs {
    UNICODE("", '\u2501', '\u2500', ""),
    ASCII("[", '#', '.', "]");

    private final String open;
    private final char done;
    private final char left;
    private final String close;

    Glyphs(String open, char done, char left, String close) {
        this.open = open;
        this.done = done;
        this.left = left;
        this.close = close;
    }

    /** Returns the number of characters that the frame adds to a bar. */
    int frame() {
        return open.length() + close.length();
    }

    /** Returns a bar of {@code width} characters and its frame, filled to {@code share}, 0 to 1. */
    String draw(int width, double share) {
        int filled = (int) Math.floor(width * share);
        return open + String.valueOf(done).repeat(filled) + String.valueOf(left).repeat(width - filled) + close;
    }
}
