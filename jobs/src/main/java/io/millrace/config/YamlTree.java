package io.millrace.config;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * A parser of YAML that creates a {@link Tree}. It reads the nodes of the document, because only nodes have line
 * numbers.
 *
 * <p>Tested by {@code ConfigReaderTest}.
 */
final class YamlTree {
    /**
     * The maximum number of nodes in a document. Aliases of aliases grow exponentially; a pipeline file has some
     * hundred nodes.
     */
    private static final int MOST_NODES = 100_000;

    private final String source;
    private final boolean lines;
    private final Problems problems;
    private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private int nodes;

    private YamlTree(String source, boolean lines, Problems problems) {
        this.source = source;
        this.lines = lines;
        this.problems = problems;
    }

    /** Parses a whole file; empty when a problem was reported. */
    static Optional<Tree> ofFile(String source, String text, Problems problems) {
        return new YamlTree(source, true, problems).parse("", text);
    }

    /** Parses the value of an override for {@code key}; empty when a problem was reported. */
    static Optional<Tree> ofOverride(String source, String key, String text, Problems problems) {
        return new YamlTree(source, false, problems).parse(key, text);
    }

    private Optional<Tree> parse(String key, String text) {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(1000);
        try {
            Node node = new Yaml(options).compose(new StringReader(text));
            return Optional.of(node == null ? new Tree.Leaf(new SourceLocation(source, 0), null) : convert(key, node));
        } catch (MarkedYAMLException e) {
            problems.add(location(e.getProblemMark()), key, "not YAML: " + sentence(e));
        } catch (ReaderException e) {
            problems.add(
                    new SourceLocation(source, 0),
                    key,
                    "not YAML: the character " + describe(e.getCodePoint()) + " at position " + e.getPosition()
                            + " is not allowed in text");
        } catch (YAMLException e) {
            problems.add(new SourceLocation(source, 0), key, "not YAML: " + e.getMessage());
        }
        return Optional.empty();
    }

    private String sentence(MarkedYAMLException e) {
        String context = e.getContext() == null ? "" : e.getContext() + ", ";
        Mark mark = e.getProblemMark();
        return context + e.getProblem() + (mark == null ? "" : " (column " + (mark.getColumn() + 1) + ")");
    }

    private static String describe(int codePoint) {
        return String.format("U+%04X", codePoint);
    }

    private SourceLocation location(@Nullable Mark mark) {
        return new SourceLocation(source, lines && mark != null ? mark.getLine() + 1 : 0);
    }

    private Tree convert(String path, Node node) {
        SourceLocation location = location(node.getStartMark());
        open.add(node);
        if (++nodes > MOST_NODES) {
            throw new YAMLException("more than " + MOST_NODES + " values");
        }
        if (!node.getTag().startsWith(Tag.PREFIX)) {
            problems.add(
                    location,
                    path,
                    "tags are not supported, found " + node.getTag().getValue());
        }
        Tree tree;
        if (node instanceof MappingNode mapping) {
            tree = mapping(path, location, mapping);
        } else if (node instanceof SequenceNode sequence) {
            ArrayList<Tree> items = new ArrayList<>();
            for (Node item : sequence.getValue()) {
                String itemPath = join(path, String.valueOf(items.size()));
                if (!circular(itemPath, item)) {
                    items.add(convert(itemPath, item));
                }
            }
            tree = new Tree.Listing(location, items);
        } else {
            ScalarNode scalar = (ScalarNode) node;
            boolean plain = scalar.getScalarStyle() == ScalarStyle.PLAIN;
            tree = new Tree.Leaf(location, plain ? Scalars.resolve(scalar.getValue()) : scalar.getValue());
        }
        open.remove(node);
        return tree;
    }

    private Tree mapping(String path, SourceLocation location, MappingNode node) {
        LinkedHashMap<String, Tree.Entry> entries = new LinkedHashMap<>();
        for (NodeTuple tuple : node.getValue()) {
            SourceLocation keyLocation = location(tuple.getKeyNode().getStartMark());
            if (!(tuple.getKeyNode() instanceof ScalarNode scalar)) {
                problems.add(keyLocation, path, "a key must be one word, found a list or a mapping as key");
                continue;
            }
            String key = scalar.getValue();
            Tree.Entry first = entries.get(key);
            if (circular(join(path, key), tuple.getValueNode())) {
                continue;
            }
            if (first == null) {
                entries.put(key, new Tree.Entry(keyLocation, convert(join(path, key), tuple.getValueNode())));
            } else {
                String where = lines ? ", first on line " + first.keyLocation().line() : "";
                problems.add(keyLocation, join(path, key), "given twice" + where);
            }
        }
        return new Tree.Mapping(location, entries);
    }

    /** Returns whether an alias is within the node that it refers to, and reports such an alias. */
    private boolean circular(String path, Node node) {
        if (open.contains(node)) {
            problems.add(location(node.getStartMark()), path, "refers to itself");
            return true;
        }
        return false;
    }

    /** Returns the path of a key within a section. */
    static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
