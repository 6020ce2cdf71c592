package io.millrace.pipeline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.dataset.Fingerprint;
import io.millrace.dataset.types.FieldType;
import io.millrace.dataset.types.FieldTypes;
import io.millrace.dataset.types.Names;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The file with the settled types in a run's folder, from which a resumed run reads them. A run whose formats declare all types has
 * no such file.
 */
public final class TypesFile {
    /** The file's name. */
    public static final String NAME = "types.json";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String FINGERPRINTS = "fingerprints";
    private static final String NAMES = "names";
    private static final String TRAIN = "train";
    private static final String EVALUATION = "evaluate";
    private static final String KIND = "kind";
    private static final String DTYPE = "dtype";
    private static final String SHAPE = "shape";

    private TypesFile() {}

    /** Returns the content of the file. An extent that differs from sample to sample is null. */
    public static byte[] content(SettledTypes types) {
        ObjectNode root = MAPPER.createObjectNode();
        for (int source = 0; source < types.sources().size(); source++) {
            put(root.putObject(train(source)), types.train(source));
        }
        put(root.putObject(EVALUATION), types.evaluation());
        for (int source = 0; source < types.sources().size(); source++) {
            putNames(root, train(source), types.train(source));
        }
        putNames(root, EVALUATION, types.evaluation());
        try {
            return (MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n")
                    .getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the types are plain: " + types, e);
        }
    }

    /** Returns the name of the types of a training dataset. */
    private static String train(int source) {
        return source == 0 ? TRAIN : TRAIN + "-" + source;
    }

    /** Puts what a dataset settles whose samples alone name their fields. */
    private static void putNames(ObjectNode root, String split, FieldTypes types) {
        if (types.names() == Names.SETTLED) {
            root.withObjectProperty(NAMES).put(split, types.names().name().toLowerCase(Locale.ROOT));
            ObjectNode hashes = root.withObjectProperty(FINGERPRINTS).putObject(split);
            types.fingerprint().hashes().forEach((index, hash) -> hashes.put(String.valueOf(index), hash));
        }
    }

    private static void put(ObjectNode to, FieldTypes types) {
        types.byName().forEach((name, type) -> {
            ObjectNode field = to.putObject(name);
            field.put(KIND, type.kind().word()).put(DTYPE, type.dtype().word());
            ArrayNode shape = field.putArray(SHAPE);
            for (int extent : type.extents()) {
                if (extent == FieldType.ANY) {
                    shape.addNull();
                } else {
                    shape.add(extent);
                }
            }
        });
    }

    /**
     * Reads the types of the run in a folder.
     *
     * @return empty when the folder has no such file
     * @throws IOException when the file cannot be read; the message is for the user
     */
    public static Optional<SettledTypes> read(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        try {
            JsonNode root = MAPPER.readTree(Files.readAllBytes(file));
            List<FieldTypes> sources = new ArrayList<>();
            do {
                sources.add(types(root, train(sources.size())));
            } while (root.has(train(sources.size())));
            return Optional.of(new SettledTypes(sources, types(root, EVALUATION)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new IOException(
                    file
                            + ": expected the types of fields as a run writes them, found something else; without this file"
                            + " the types are settled from the first samples again",
                    e);
        }
    }

    private static FieldTypes types(JsonNode root, String split) {
        Map<String, FieldType> types = new LinkedHashMap<>();
        root.required(split).properties().forEach(field -> types.put(field.getKey(), type(field.getValue())));
        if (!root.path(NAMES).has(split)) {
            return new FieldTypes(types);
        }
        Names names = Names.valueOf(root.path(NAMES).path(split).asText().toUpperCase(Locale.ROOT));
        Map<Long, String> hashes = new TreeMap<>();
        root.path(FINGERPRINTS)
                .path(split)
                .properties()
                .forEach(hash ->
                        hashes.put(Long.valueOf(hash.getKey()), hash.getValue().asText()));
        return new FieldTypes(types, names, new Fingerprint(hashes), List.of());
    }

    private static FieldType type(JsonNode field) {
        List<Integer> extents = new ArrayList<>();
        for (JsonNode extent : field.required(SHAPE)) {
            extents.add(extent.isNull() ? FieldType.ANY : Math.max(0, extent.asInt(-1)));
        }
        return new FieldType(
                FieldKind.valueOf(field.required(KIND).asText().toUpperCase(Locale.ROOT)),
                DType.valueOf(field.required(DTYPE).asText().toUpperCase(Locale.ROOT)),
                extents);
    }
}
