package io.millrace.dataset.coco;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.files.NameOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The ids of the images, categories or annotations of a file: either whole numbers or texts. While the file is read, a text has a number in
 * the order of its first use. Afterwards its number is its place in the order of all texts, which is the order of Python's {@code sorted}.
 *
 * <p>Tested by {@code CocoIdsTest}.
 */
final class CocoIds {
    private final String plural;
    private final CocoMemory memory;

    /** The texts with their numbers, until {@link #order}. */
    private Map<String, Integer> texts = new HashMap<>();

    private boolean numbers;
    private final List<String> firstUse = new ArrayList<>();
    private String[] ordered = {};
    private int[] places = {};

    /**
     * Creates the ids of a list.
     *
     * @param plural the name of the list, for messages
     */
    CocoIds(String plural, CocoMemory memory) {
        this.plural = plural;
        this.memory = memory;
    }

    /** Returns the name of the list. */
    String plural() {
        return plural;
    }

    boolean areNumbers() {
        return numbers;
    }

    boolean areTexts() {
        return !firstUse.isEmpty();
    }

    /** Returns the number of an id that is a whole number: itself. The ids are no texts. */
    long ofNumber(long id) {
        numbers = true;
        return id;
    }

    /** Returns the number of an id that is a text. The ids are no whole numbers. */
    long ofText(String id) throws DatasetException {
        Integer known = texts.putIfAbsent(id, firstUse.size());
        if (known != null) {
            return known;
        }
        memory.add(id);
        firstUse.add(id);
        return firstUse.size() - 1L;
    }

    /** Returns an id as text, by its number before {@link #order}. */
    String read(long number) {
        return areTexts() ? firstUse.get((int) number) : Long.toString(number);
    }

    /** Orders the texts after all of them have been read. Called once. */
    void order() {
        ordered = firstUse.stream().sorted(NameOrder.BY_CODE_POINT).toArray(String[]::new);
        places = new int[ordered.length];
        for (int place = 0; place < ordered.length; place++) {
            places[Objects.requireNonNull(texts.get(ordered[place]))] = place;
        }
        texts = new HashMap<>(); // a cleared map keeps its table
    }

    /** Returns the number after {@link #order} of an id with a number from before; negative numbers stay. */
    long ordered(long number) {
        return areTexts() && number >= 0 ? places[(int) number] : number;
    }

    /** Returns an id as text, by its number after {@link #order}. */
    String text(long number) {
        return areTexts() && number >= 0 ? ordered[(int) number] : Long.toString(number);
    }
}
