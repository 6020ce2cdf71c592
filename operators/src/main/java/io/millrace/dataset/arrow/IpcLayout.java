package io.millrace.dataset.arrow;

import io.millrace.dataset.arrow.IpcField.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where the parts of fields stand among the nodes and buffers of a batch, which come in the order of the schema, parents
 * before children.
 *
 * @param nodes how many the batch has to have
 * @param buffers how many the batch has to have
 */
record IpcLayout(List<FieldLayout> fields, int nodes, int buffers) {
    /**
     * One field's place.
     *
     * @param node the number of its node
     * @param buffer the number of its first buffer
     * @param views how many buffers of bytes follow the views of a {@link Kind#VIEW}
     */
    record FieldLayout(IpcField field, int node, int buffer, int views, List<FieldLayout> children) {
        /** The child of that name, if there is one. */
        Optional<FieldLayout> child(String name) {
            return children.stream().filter(c -> c.field.name().equals(name)).findFirst();
        }
    }

    /**
     * Lays the fields out.
     *
     * @param views for each {@link Kind#VIEW} field in order, how many buffers of bytes the batch has for it
     * @throws IllegalArgumentException when these are not as many as such fields
     */
    static IpcLayout of(List<IpcField> fields, List<Integer> views) {
        Counter counter = new Counter(views);
        List<FieldLayout> layouts = fields.stream().map(counter::place).toList();
        if (counter.view != views.size()) {
            throw new IllegalArgumentException(
                    "expected counts of buffers for " + counter.view + " columns of views, found " + views.size());
        }
        return new IpcLayout(layouts, counter.node, counter.buffer);
    }

    private static final class Counter {
        private final List<Integer> views;
        private int node;
        private int buffer;
        private int view;

        Counter(List<Integer> views) {
            this.views = views;
        }

        FieldLayout place(IpcField field) {
            int ownNode = node++;
            int ownBuffer = buffer;
            int ownViews = 0;
            buffer += field.kind().buffers();
            if (field.kind() == Kind.VIEW) {
                if (view >= views.size()) {
                    throw new IllegalArgumentException(
                            "expected a count of buffers for each column of views, found " + views.size());
                }
                ownViews = views.get(view++);
                buffer += ownViews;
            }
            List<FieldLayout> children = new ArrayList<>(field.children().size());
            for (IpcField child : field.children()) {
                children.add(place(child));
            }
            return new FieldLayout(field, ownNode, ownBuffer, ownViews, children);
        }
    }
}
