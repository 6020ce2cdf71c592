package io.millrace.dataset.parquet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.SchemaElement;

/**
 * A column or a group of columns.
 *
 * @param element the element of the schema
 * @param path the names from the outermost group to this element
 * @param repetition the number of lists around a value of this element
 * @param definition the number of elements, from the outermost group to this one, that may be absent
 * @param listLevel the definition level of the outermost list, 0 when there is none
 */
record SchemaTree(
        SchemaElement element,
        List<String> path,
        int repetition,
        int definition,
        int listLevel,
        List<SchemaTree> children) {
    private static final int MAX_DEPTH = 32;

    /**
     * Returns the tree of the columns, which the footer lists with each parent before its children.
     *
     * @throws IllegalArgumentException when the list does not describe a tree
     */
    static List<SchemaTree> of(List<SchemaElement> elements) {
        if (elements.isEmpty()) {
            throw new IllegalArgumentException("the schema is empty");
        }
        Walk walk = new Walk(elements);
        return walk.children(elements.get(0).getNum_children(), List.of(), 0, 0, 0);
    }

    String name() {
        return element.getName();
    }

    boolean isLeaf() {
        return children.isEmpty();
    }

    Optional<SchemaTree> child(String name) {
        return children.stream().filter(c -> c.name().equals(name)).findFirst();
    }

    /** Describes the type of the column, and for a group the types of its columns. */
    String describe() {
        String lists = "list of ".repeat(Math.max(0, repetition));
        if (isLeaf()) {
            return lists + LeafTypes.describe(element);
        }
        return children.size() == 1
                ? children.get(0).describe()
                : children.stream()
                        .map(c -> c.name() + ": " + c.describe())
                        .collect(Collectors.joining(", ", "group of ", ""));
    }

    private static final class Walk {
        private final List<SchemaElement> elements;
        private int next = 1;

        Walk(List<SchemaElement> elements) {
            this.elements = elements;
        }

        List<SchemaTree> children(int count, List<String> path, int repetition, int definition, int listLevel) {
            if (count < 0 || count > elements.size() - next || path.size() > MAX_DEPTH) {
                throw new IllegalArgumentException("the schema has " + elements.size() + " elements; after " + next
                        + " of them, a group at depth " + path.size() + " states " + count + " columns");
            }
            List<SchemaTree> children = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                if (next >= elements.size()) {
                    throw new IllegalArgumentException("the schema ends too early");
                }
                SchemaElement element = elements.get(next++);
                List<String> own = new ArrayList<>(path);
                own.add(String.valueOf(element.getName()));
                boolean repeated = element.getRepetition_type() == FieldRepetitionType.REPEATED;
                int ownDefinition = definition + (element.getRepetition_type() == FieldRepetitionType.REQUIRED ? 0 : 1);
                int ownRepetition = repetition + (repeated ? 1 : 0);
                int ownListLevel = repeated && listLevel == 0 ? ownDefinition : listLevel;
                children.add(new SchemaTree(
                        element,
                        List.copyOf(own),
                        ownRepetition,
                        ownDefinition,
                        ownListLevel,
                        children(element.getNum_children(), own, ownRepetition, ownDefinition, ownListLevel)));
            }
            return List.copyOf(children);
        }
    }
}
